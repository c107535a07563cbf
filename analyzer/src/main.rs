//! The command line over the `analyzer` library.
#![forbid(unsafe_code)]

fn main() {}
