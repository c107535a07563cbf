//! Where records come from.

pub mod trace;
