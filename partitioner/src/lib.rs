//! Decides which Kafka partition a record goes to.
#![forbid(unsafe_code)]

pub mod hash;
pub mod ids;
