//! Load, skew, tuning and reports for Kafka partitions.
#![forbid(unsafe_code)]

pub mod finding;
pub mod load;
pub mod metrics;
pub mod report;
pub mod workload;
