//! A real Apache Kafka on this machine: for tests that only the broker itself can judge, and for trying things out.
//!
//! [`kafka::Cluster`] starts one node or three on loopback, on free ports, plain or behind TLS with a password, kills
//! and restarts them, and leaves neither a process nor a file behind, however the program that started it ends.
#![forbid(unsafe_code)]

pub mod kafka;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
