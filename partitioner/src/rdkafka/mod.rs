//! Plugs a routing contract into the producers of the crate `rdkafka`.
//!
//! ```no_run
//! use partitioner::contract::Contract;
//! use partitioner::rdkafka::producer::{RoutedProducer, build};
//! use rdkafka::ClientConfig;
//! use rdkafka::producer::{BaseRecord, DefaultProducerContext};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let contract = Contract::from_toml(&std::fs::read_to_string("partitioner.toml")?, "partitioner.toml")?;
//! let mut config = ClientConfig::new();
//! config.set("bootstrap.servers", "localhost:9092");
//! let producer: RoutedProducer<_> = build(&config, &contract, 42, DefaultProducerContext)?;
//! producer.send(BaseRecord::to("orders").key("tenant-mega:order-1").payload("…")).map_err(|(error, _)| error)?;
//! # Ok(())
//! # }
//! ```
//!
//! rdkafka's own way to a custom partitioner has traps: without a topic-level property the process dies, records without a
//! key never reach the partitioner unless `sticky.partitioning.linger.ms` is 0, and a panic aborts. [`producer::build`]
//! sees to all of them; what contradicts a contract is an error that says why. `FutureProducer` takes a custom partitioner
//! and silently ignores it (rust-rdkafka#741); [`future::RoutedFutureProducer`] has the same calls and does use it.

pub mod config;
pub mod context;
pub mod future;
pub mod hook;
pub mod producer;
