//! Load, skew, tuning and reports for Kafka partitions.
#![forbid(unsafe_code)]

pub mod cli;
pub mod command;
pub mod compare;
pub mod exit;
pub mod finding;
pub mod gate;
#[cfg(feature = "rdkafka")]
pub mod live;
pub mod load;
pub mod metrics;
pub mod output;
pub mod queueing;
pub mod report;
pub mod settings;
pub mod simulate;
pub mod strategy;
pub mod study;
pub mod tune;
pub mod workload;
