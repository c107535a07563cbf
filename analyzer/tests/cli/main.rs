//! The program as its users meet it: every test runs the binary, and a failure prints what it was given and what it said.

#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

mod compare;
mod contracts;
mod figures;
mod formats;
mod gate;
mod harness;
mod help;
mod hostile;
mod interruption;
mod lag;
mod largest_tenants;
mod output;
mod parquet;
mod readme;
mod traces;
mod tune;
#[cfg(feature = "rdkafka")]
mod verify;
#[cfg(feature = "rdkafka")]
mod verify_file;
#[cfg(feature = "rdkafka")]
mod verify_kafka;
mod wrong_arguments;
mod wrong_contracts;
mod wrong_profiles;
mod wrong_traces;
