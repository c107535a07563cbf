//! Inputs shared by the criterion benchmarks of this package.

pub mod interleave;
pub mod keys;
