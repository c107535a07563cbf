//! Plugs a routing contract into the producers of the crate `rdkafka`.
//!
//! ```no_run
//! use partitioner::rdkafka::producer::{ThreadedRoutedProducer, from_file};
//! use rdkafka::producer::{BaseRecord, DefaultProducerContext};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let producer: ThreadedRoutedProducer<_> = from_file("partitioner.toml", 42, DefaultProducerContext)?;
//! producer.send(BaseRecord::to("orders").key("tenant-mega:order-1").payload("…")).map_err(|(error, _)| error)?;
//! # Ok(())
//! # }
//! ```
//!
//! rdkafka's own way to a custom partitioner has traps: without a topic-level property the process dies, records without a
//! key never reach the partitioner unless `sticky.partitioning.linger.ms` is 0, and a panic aborts. [`producer::build`] and
//! [`producer::from_file`] see to all of them; what contradicts a contract is an error that says why. `FutureProducer` takes a custom partitioner
//! and silently ignores it (rust-rdkafka#741); [`future::RoutedFutureProducer`] has the same calls and does use it, and [`explicit::ExplicitRouter`]
//! serves those who keep the other.

pub mod config;
pub mod context;
mod events;
pub mod explicit;
pub mod future;
pub mod hook;
mod monotonic;
pub mod producer;
mod queues;
mod security;
