//! Topics: made, grown, written with patience and read to their end.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use interop::kafka::{Cluster, shared};
use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Router};
use rdkafka::admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::BorrowedMessage;
use rdkafka::{ClientConfig, Message, Offset, TopicPartitionList};

/// How long a test waits for what must come; it says nothing about how long that takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How long a full queue, or a broker, is left alone before it is asked again.
pub(crate) const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// All that a user must set, and no property of the topic level, for the node that all tests share.
pub(crate) fn config() -> ClientConfig {
    config_of(shared().unwrap())
}

pub(crate) fn config_of(cluster: &Cluster) -> ClientConfig {
    let properties = cluster.client_properties().into_iter();
    properties.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// For records that are sent before their topic exists, and wait for it.
pub(crate) fn config_of_early_sender() -> ClientConfig {
    let mut config = config();
    config.set("topic.metadata.propagation.max.ms", PATIENCE.as_millis().to_string());
    config
}

fn admin(config: &ClientConfig) -> (AdminClient<DefaultClientContext>, AdminOptions) {
    (config.create().unwrap(), AdminOptions::new().operation_timeout(Some(PATIENCE)))
}

/// Creates a topic and waits until clients are told of it, which is a moment later.
pub(crate) async fn create(config: &ClientConfig, topic: &str, partitions: i32, replicas: i32) {
    let (admin, options) = admin(config);
    let new = NewTopic::new(topic, partitions, TopicReplication::Fixed(replicas));
    admin.create_topics([&new], &options).await.unwrap().remove(0).unwrap();
    let is_known = || {
        let metadata = admin.inner().fetch_metadata(Some(topic), PATIENCE).unwrap();
        metadata.topics()[0].partitions().len() == usize::try_from(partitions).unwrap()
    };
    let deadline = Instant::now() + PATIENCE;
    while !is_known() {
        assert!(Instant::now() < deadline, "clients are not told of {topic}");
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}

pub(crate) async fn grow(config: &ClientConfig, topic: &str, partitions: usize) {
    let (admin, options) = admin(config);
    let partitions = NewPartitions::new(topic, partitions);
    admin.create_partitions([&partitions], &options).await.unwrap().remove(0).unwrap();
}

pub(crate) fn contract(text: &str) -> Contract {
    text.parse().unwrap()
}

pub(crate) fn router(contract: &str, topic: &str) -> Router {
    self::contract(contract).topic(topic).unwrap().router(5).unwrap()
}

/// The partition that the router says for a key that it does not refuse.
pub(crate) fn routed(router: &Router, key: &[u8], partitions: u32) -> i32 {
    let count = PartitionCount::new(partitions).unwrap();
    router.route(&Record::keyed(key), count).unwrap().partition.as_i32()
}

/// Queues a record with `send`, asking again after `wait` for as long as the queue is full.
pub(crate) fn queue(
    mut send: impl FnMut() -> Result<(), KafkaError>,
    wait: impl Fn(),
) -> Result<(), KafkaError> {
    loop {
        match send() {
            Err(error) if is_queue_full(&error) => wait(),
            sent => return sent,
        }
    }
}

pub(crate) fn is_queue_full(error: &KafkaError) -> bool {
    error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull)
}

/// Shows `see` every record, each partition's in order, until all partitions are at their end and there were
/// `records_min` of them.
pub(crate) fn read(
    config: &ClientConfig,
    topic: &str,
    partitions: i32,
    records_min: usize,
    mut see: impl FnMut(&BorrowedMessage<'_>),
) {
    let mut config = config.clone();
    config.set("group.id", topic).set("enable.auto.commit", "false").set("enable.partition.eof", "true");
    let consumer: BaseConsumer = config.create().unwrap();
    let mut all = TopicPartitionList::new();
    for partition in 0..partitions {
        all.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
    }
    consumer.assign(&all).unwrap();
    let (mut seen, mut not_at_end): (usize, HashSet<i32>) = (0, (0..partitions).collect());
    while seen < records_min || !not_at_end.is_empty() {
        match consumer.poll(PATIENCE) {
            Some(Ok(message)) => {
                not_at_end.insert(message.partition());
                seen += 1;
                see(&message);
            }
            Some(Err(KafkaError::PartitionEOF(partition))) => {
                not_at_end.remove(&partition);
            }
            // A broker that is coming back is no reason to stop: librdkafka goes on by itself.
            Some(Err(error)) if error.rdkafka_error_code().is_some_and(is_transient) => {}
            Some(Err(error)) => panic!("{topic} cannot be read: {error}"),
            None => panic!("{topic}: {seen} records of at least {records_min}, and no more come"),
        }
    }
}

fn is_transient(code: RDKafkaErrorCode) -> bool {
    matches!(code, RDKafkaErrorCode::BrokerTransportFailure | RDKafkaErrorCode::AllBrokersDown)
}
