//! The house rules that a compiler does not hold: which room may name which, and which may touch the outside world.
//!
//! A room is a module at the top of a crate. An arrow that is missing below is missed on purpose: `report`, say, draws
//! what it is given, so that a report can be made from a file, a simulation or a live topic alike.
#![allow(clippy::unwrap_used)] // a source that cannot be read fails the test

mod rules;
mod source;
