//! A cluster, and what it says of its topics.

use std::fmt;
use std::time::{Duration, Instant};

use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::metadata::MetadataTopic;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;

use super::config::{client_config, consumer_config, secrets};
use super::context::{LiveContext, Say};
use super::error::told;
use super::{Interruption, LiveError, RunId, TopicState};

/// How long to wait before asking again for what the cluster needs a moment for.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// Where a cluster is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// librdkafka's own cluster inside this process, gone when the connection is dropped.
    ///
    /// It keeps at most 5 MiB and 100,000 records a partition, which is enough for a [`RoundTrip`](super::RoundTrip) of any
    /// length, and its topics cannot grow.
    Mock,
    /// The brokers to begin with: `host:port`, several with commas.
    Brokers(String),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mock => f.write_str("a mock cluster"),
            Self::Brokers(brokers) => f.write_str(brokers),
        }
    }
}

/// A cluster that answers.
pub struct Connection {
    pub(super) address: Address,
    pub(super) config: ClientConfig,
    pub(super) context: LiveContext,
    /// Asks, and reads nothing: an answer would wait behind a request for records that are not there yet.
    asker: BaseConsumer<LiveContext>,
    group: String,
    pub(super) timeout: Duration,
    pub(super) mock: Option<MockCluster<'static, DefaultProducerContext>>,
}

impl Connection {
    /// Connects and waits for an answer, at most `timeout_s` seconds; so long is also waited later on while nothing happens.
    ///
    /// `properties` are librdkafka's, as `(name, value)`, for all clients. What librdkafka has to say goes to `say`, each
    /// line once.
    ///
    /// # Errors
    /// [`LiveError`] when a property cannot be used, or nobody answers in time.
    pub fn new(
        address: Address,
        properties: &[(String, String)],
        contract: &Contract,
        run: &RunId,
        timeout_s: u64,
        say: Say,
    ) -> Result<Self, LiveError> {
        let timeout = Duration::from_secs(timeout_s);
        let mock = match address {
            Address::Mock => Some(MockCluster::new(1).map_err(|error| {
                LiveError::new(format!("librdkafka starts no mock cluster: {}", told(&error)))
            })?),
            Address::Brokers(_) => None,
        };
        let brokers = match (&mock, &address) {
            (None, Address::Brokers(brokers)) => brokers.clone(),
            (Some(mock), _) => mock.bootstrap_servers(),
            (None, Address::Mock) => String::new(),
        };
        let config = client_config(&brokers, properties, contract, timeout)?;
        let context = LiveContext::new(say, secrets(&config, contract), config.get("debug").is_some());
        let group = format!("analyzer-verify-{run}");
        let asker = client(&consumer_config(&config, &group), context.clone())?;
        let connection = Self { address, config, context, asker, group, timeout, mock };
        // The name is no topic's; any answer is from a broker.
        let answer = connection.asker.fetch_metadata(Some(""), timeout);
        match answer {
            Err(error) if !is_about_topic(&error) => Err(connection.unreachable(&error)),
            _ => Ok(connection),
        }
    }

    /// The topic of that name, or `None` when there is none. Asking creates none.
    ///
    /// # Errors
    /// [`LiveError`] when the cluster does not say, or does not let us see the topic.
    pub fn topic(&self, name: &str) -> Result<Option<TopicState>, LiveError> {
        let Some(count) = self.partition_count(name)? else {
            return Ok(None);
        };
        let watermarks = (0..count.as_i32()).map(|partition| self.watermarks(name, partition));
        Ok(Some(TopicState { count, watermarks: watermarks.collect::<Result<_, _>>()? }))
    }

    /// The topic's partition count, or `None` when there is no such topic.
    pub(super) fn partition_count(&self, name: &str) -> Result<Option<PartitionCount>, LiveError> {
        // The mock cluster makes topics of whatever name it is asked for; those of this run are made beforehand.
        let metadata = self
            .asker
            .fetch_metadata(Some(name), self.timeout)
            .map_err(|error| self.error(&format!("topic {name:?}"), &error))?;
        let Some(topic) = metadata.topics().iter().find(|topic| topic.name() == name) else {
            return Ok(None);
        };
        match topic.error().map(RDKafkaErrorCode::from) {
            Some(RDKafkaErrorCode::UnknownTopicOrPartition | RDKafkaErrorCode::UnknownTopic) => Ok(None),
            Some(code) => Err(LiveError::new(format!("topic {name:?} at {}: {code}", self.address))),
            None => Ok(u32::try_from(topic.partitions().len()).ok().and_then(PartitionCount::new)),
        }
    }

    /// Waits until each of a new topic's partitions has a leader.
    pub(super) fn wait_until_served(
        &self,
        name: &str,
        count: PartitionCount,
        interruption: &Interruption,
    ) -> Result<(), LiveError> {
        let is_served = |topic: &MetadataTopic| {
            topic.partitions().len() == count.as_usize()
                && topic.partitions().iter().all(|partition| partition.leader() >= 0)
        };
        let begin = Instant::now();
        while begin.elapsed() < self.timeout {
            interruption.check()?;
            let metadata = self
                .asker
                .fetch_metadata(Some(name), self.timeout)
                .map_err(|error| self.error(&format!("topic {name:?}"), &error))?;
            if metadata.topics().iter().any(|topic| topic.name() == name && is_served(topic)) {
                return Ok(());
            }
            std::thread::sleep(ASK_AGAIN);
        }
        let waited_s = self.timeout.as_secs();
        Err(LiveError::new(format!(
            "the new topic {name:?} at {}: not every partition had a leader after {waited_s} s (--timeout)",
            self.address
        )))
    }

    /// The first offset of a partition that is kept, and the one after the last.
    pub(super) fn watermarks(&self, name: &str, partition: i32) -> Result<(i64, i64), LiveError> {
        self.asker
            .fetch_watermarks(name, partition, self.timeout)
            .map_err(|error| self.error(&format!("partition {partition} of topic {name:?}"), &error))
    }

    /// A consumer, for whoever reads the topic.
    pub(super) fn consumer(&self) -> Result<BaseConsumer<LiveContext>, LiveError> {
        client(&consumer_config(&self.config, &self.group), self.context.clone())
    }

    pub(super) fn error(&self, what: &str, error: &KafkaError) -> LiveError {
        let trouble = self.last_trouble().map(|trouble| format!(" ({trouble})")).unwrap_or_default();
        LiveError::new(format!("{what} at {}: {}{trouble}", self.address, told(error)))
    }

    /// The last trouble that librdkafka spoke of, or would have if it had been asked.
    pub(super) fn last_trouble(&self) -> Option<String> {
        // What was called back with ends the call only when its time is over.
        while self.asker.poll(ASK_AGAIN).is_some() {}
        self.context.last_trouble()
    }

    fn unreachable(&self, error: &KafkaError) -> LiveError {
        let why = self.last_trouble().unwrap_or_else(|| told(error));
        LiveError::new(format!(
            "--brokers {}: no broker answered within {} s (--timeout): {why}",
            self.address,
            self.timeout.as_secs()
        ))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A client of librdkafka.
pub(super) fn client<T: FromClientConfigAndContext<LiveContext>>(
    config: &ClientConfig,
    context: LiveContext,
) -> Result<T, LiveError> {
    config.create_with_context(context).map_err(|error| LiveError::new(told(&error)))
}

/// Whether a broker answered, and only did not like the question.
fn is_about_topic(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::InvalidTopic
                | RDKafkaErrorCode::UnknownTopic
                | RDKafkaErrorCode::UnknownTopicOrPartition
        )
    )
}
