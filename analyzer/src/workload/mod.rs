//! Where records come from.

pub mod profile;
pub mod trace;
