//! Producers under a contract against Kafka itself: what lies on a partition is what the router says, whatever happens.
#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

mod explicit;
mod faults;
mod growth;
mod placement;
mod policies;
mod reports;
mod topic;
mod transactions;
mod traps;
