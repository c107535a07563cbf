//! Apache Kafka in KRaft mode, from Maven Central's artifacts, on the machine's own Java.
//!
//! Every node is broker and controller at once and has three listeners on 127.0.0.1: one for clients, one for the
//! other brokers and the harness, one for the controllers.

mod cluster;
mod credentials;
mod error;
mod jars;
mod java;
mod leash;
mod metadata;
mod node;
mod options;
mod ports;
mod properties;
mod random;
mod shared;

pub use cluster::Cluster;
pub use credentials::Credentials;
pub use error::ClusterError;
pub use options::{ClusterOptions, Nodes, Security};
pub use shared::shared;

/// The release of Apache Kafka that is started.
pub const VERSION: &str = "4.3.1";

/// Names an existing cluster that [`shared`] and [`Cluster::from_env`] use: `host:port`, several with commas.
pub const BOOTSTRAP_SERVERS_VARIABLE: &str = "KAFKA_BOOTSTRAP_SERVERS";
