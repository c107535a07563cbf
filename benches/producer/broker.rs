//! Where records are sent to.

use anyhow::Context;
#[cfg(feature = "kafka")]
use interop::kafka::{Cluster, ClusterOptions};
use rdkafka::ClientConfig;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;

/// Partitions of every topic.
pub(crate) const PARTITIONS: u16 = 12;

/// One broker, which is gone when this is dropped.
pub(crate) enum Broker {
    /// librdkafka's own, in this process. It keeps 5 MiB a partition and forgets the older records.
    Mock(MockCluster<'static, DefaultProducerContext>),
    /// A real one.
    #[cfg(feature = "kafka")]
    Kafka(Cluster),
}

impl Broker {
    pub(crate) fn mock() -> anyhow::Result<Self> {
        Ok(Self::Mock(MockCluster::new(1).context("librdkafka's MockCluster did not start")?))
    }

    #[cfg(feature = "kafka")]
    pub(crate) fn kafka() -> anyhow::Result<Self> {
        let options = ClusterOptions { say: crate::say, ..ClusterOptions::default() };
        Ok(Self::Kafka(Cluster::start(&options)?))
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Mock(_) => "MockCluster",
            #[cfg(feature = "kafka")]
            Self::Kafka(_) => "Kafka",
        }
    }

    /// How many times longer a turn may be than on a broker that keeps what it gets: a longer one has less noise.
    pub(crate) fn turn_factor(&self) -> usize {
        match self {
            Self::Mock(_) => 4,
            #[cfg(feature = "kafka")]
            Self::Kafka(_) => 1,
        }
    }

    /// Creates a topic of [`PARTITIONS`] partitions.
    pub(crate) fn create_topic(&self, topic: &str) -> anyhow::Result<()> {
        match self {
            Self::Mock(cluster) => cluster.create_topic(topic, i32::from(PARTITIONS), 1)?,
            #[cfg(feature = "kafka")]
            Self::Kafka(cluster) => {
                let partitions = PARTITIONS.to_string();
                let arguments = ["--create", "--topic", topic, "--partitions", &partitions];
                cluster.tool("org.apache.kafka.tools.TopicCommand", &arguments)?;
            }
        }
        Ok(())
    }

    /// What all producers of a comparison have in common.
    pub(crate) fn producer_config(&self) -> ClientConfig {
        let bootstrap_servers = match self {
            Self::Mock(cluster) => cluster.bootstrap_servers(),
            #[cfg(feature = "kafka")]
            Self::Kafka(cluster) => cluster.bootstrap_servers().to_owned(),
        };
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", bootstrap_servers)
            .set("acks", "all")
            .set("enable.idempotence", "true")
            .set("linger.ms", "5")
            .set("statistics.interval.ms", "100");
        config
    }
}
