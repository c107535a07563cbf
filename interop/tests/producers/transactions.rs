//! Transactions of the asynchronous producer.

use std::collections::BTreeMap;

use partitioner::rdkafka::future::RoutedFutureProducer;
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use rdkafka::{Offset, TopicPartitionList};

use crate::topic::{PATIENCE, config, config_of_early_sender, contract, create, read, routed, router};

const CONTRACT: &str = r#"
    [topics."paid-*"]
    partitions = 12
    vip_count = 8
    vip.tenants = ["mega"]
    key.malformed_key = "reject"
"#;

const RECORDS: usize = 1_000;

type Transactional = RoutedFutureProducer<DefaultClientContext>;

/// A producer that has announced itself under `id`.
fn producer(id: &str) -> Transactional {
    let mut config = config_of_early_sender();
    config.set("transactional.id", id);
    let producer: Transactional =
        RoutedFutureProducer::new(&config, &contract(CONTRACT), 5, DefaultClientContext).unwrap();
    producer.init_transactions(PATIENCE).unwrap();
    producer
}

fn key(number: usize) -> String {
    if number.is_multiple_of(2) { format!("mega:order-{number}") } else { format!("small-{number}:order-1") }
}

/// Sends records with `payload` and waits until all are on the brokers; returns the partition of each.
async fn write(producer: &Transactional, topic: &str, payload: &str) -> Vec<i32> {
    let keys: Vec<_> = (0..RECORDS).map(key).collect();
    let send = |key| {
        let record = FutureRecord::to(topic).key(key).payload(payload);
        producer.send_result(record).map_err(|(error, _)| error).unwrap()
    };
    let mut partitions = Vec::new();
    for delivery in keys.iter().map(send).collect::<Vec<_>>() {
        partitions.push(delivery.await.unwrap().map_err(|(error, _)| error).unwrap().partition);
    }
    partitions
}

/// How often each payload is there for a reader of `isolation.level`, at the partitions of the router.
fn payloads(topic: &str, isolation_level: &str, records_min: usize) -> BTreeMap<String, usize> {
    let (mut config, router, mut payloads) = (config(), router(CONTRACT, topic), BTreeMap::new());
    config.set("isolation.level", isolation_level);
    read(&config, topic, 12, records_min, |message| {
        let key = message.key().unwrap();
        assert_eq!(message.partition(), routed(&router, key, 12), "{}", key.escape_ascii());
        let payload = String::from_utf8(message.payload().unwrap().to_vec()).unwrap();
        *payloads.entry(payload).or_default() += 1;
    });
    payloads
}

fn counts<const N: usize>(payloads: [&str; N]) -> BTreeMap<String, usize> {
    payloads.into_iter().map(|payload| (payload.to_owned(), RECORDS)).collect()
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn committed_records_are_seen_at_their_partitions_and_aborted_ones_are_not() {
    const TOPIC: &str = "paid-orders";
    create(&config(), TOPIC, 12, 1).await;
    let (producer, router) = (producer("paid-orders"), router(CONTRACT, TOPIC));
    let expected: Vec<i32> = (0..RECORDS).map(|number| routed(&router, key(number).as_bytes(), 12)).collect();
    for payload in ["committed", "aborted", "committed later"] {
        producer.begin_transaction().unwrap();
        assert_eq!(write(&producer, TOPIC, payload).await, expected);
        match payload {
            "aborted" => producer.abort_transaction(PATIENCE).unwrap(),
            _ => producer.commit_transaction(PATIENCE).unwrap(),
        }
    }
    let committed = counts(["committed", "committed later"]);
    assert_eq!(payloads(TOPIC, "read_committed", 2 * RECORDS), committed);
    let written = counts(["aborted", "committed", "committed later"]);
    assert_eq!(
        payloads(TOPIC, "read_uncommitted", 3 * RECORDS),
        written,
        "aborted ones were there to be seen"
    );
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_record_that_send_refuses_is_no_part_of_the_transaction() {
    const TOPIC: &str = "paid-refused";
    create(&config(), TOPIC, 12, 1).await;
    let producer = producer("paid-refused");
    producer.begin_transaction().unwrap();
    write(&producer, TOPIC, "committed").await;
    let record = FutureRecord::to(TOPIC).key("malformed").payload("refused");
    let (error, _) = producer.send_result(record).map(|_| ()).unwrap_err();
    assert_eq!(error.rdkafka_error_code(), Some(RDKafkaErrorCode::UnknownPartition));
    producer.commit_transaction(PATIENCE).unwrap();
    assert_eq!(payloads(TOPIC, "read_committed", RECORDS), counts(["committed"]));
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_record_refused_in_its_report_keeps_the_transaction_from_being_committed() {
    const TOPIC: &str = "paid-unknown";
    let producer = producer("paid-unknown");
    producer.begin_transaction().unwrap();
    let send = |key: &'static str| {
        let record = FutureRecord::to(TOPIC).key(key).payload("with a refused one");
        producer.send_result(record).map_err(|(error, _)| error).unwrap()
    };
    let (refused, placed) = (send("malformed"), send("mega:order-1"));
    create(&config(), TOPIC, 12, 1).await;
    let (error, _) = refused.await.unwrap().unwrap_err();
    assert_eq!(error.rdkafka_error_code(), Some(RDKafkaErrorCode::UnknownPartition));
    placed.await.unwrap().map_err(|(error, _)| error).unwrap();
    match producer.commit_transaction(PATIENCE).unwrap_err() {
        KafkaError::Transaction(error) => assert!(error.txn_requires_abort(), "{error}"),
        error => panic!("not an error of the transaction: {error}"),
    }
    producer.abort_transaction(PATIENCE).unwrap();

    producer.begin_transaction().unwrap();
    write(&producer, TOPIC, "committed").await;
    producer.commit_transaction(PATIENCE).unwrap();
    assert_eq!(payloads(TOPIC, "read_committed", RECORDS), counts(["committed"]));
}

/// The next offset of partition 0 for the consumer's group.
fn committed_offset(consumer: &BaseConsumer, topic: &str) -> Offset {
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition(topic, 0);
    let committed = consumer.committed_offsets(partitions, PATIENCE).unwrap();
    committed.find_partition(topic, 0).unwrap().offset()
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn offsets_go_with_the_transaction() {
    const ORDERED: &str = "ordered";
    const TOPIC: &str = "paid-offsets";
    create(&config(), ORDERED, 1, 1).await;
    create(&config(), TOPIC, 12, 1).await;
    let orders: FutureProducer = config().create().unwrap();
    for number in 0..10 {
        let (key, payload) = (key(number), number.to_string());
        orders.send(FutureRecord::to(ORDERED).key(&key).payload(&payload), PATIENCE).await.unwrap();
    }
    let mut config = config();
    config.set("group.id", TOPIC).set("enable.auto.commit", "false").set("auto.offset.reset", "earliest");
    let consumer: BaseConsumer = config.create().unwrap();
    consumer.subscribe(&[ORDERED]).unwrap();
    // A call that joined the group returns without a record.
    let polled = (0..20).filter_map(|_| consumer.poll(PATIENCE)).take(10);
    assert_eq!(polled.map(Result::unwrap).count(), 10);
    let (offsets, group) = (consumer.position().unwrap(), consumer.group_metadata().unwrap());
    let producer = producer("paid-offsets");
    for (payload, expected) in [("aborted", Offset::Invalid), ("committed", Offset::Offset(10))] {
        producer.begin_transaction().unwrap();
        write(&producer, TOPIC, payload).await;
        producer.send_offsets_to_transaction(&offsets, &group, PATIENCE).unwrap();
        match payload {
            "aborted" => producer.abort_transaction(PATIENCE).unwrap(),
            _ => producer.commit_transaction(PATIENCE).unwrap(),
        }
        assert_eq!(committed_offset(&consumer, ORDERED), expected, "{payload}");
    }
    assert_eq!(payloads(TOPIC, "read_committed", RECORDS), counts(["committed"]));
}
