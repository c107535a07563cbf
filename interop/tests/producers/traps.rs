//! Where rdkafka's own partitioner hook has traps, these producers have none.
//!
//! Empty keys are in `policies`, records sent before the topic is known there and in `placement`.

use std::collections::HashSet;

use partitioner::rdkafka::future::RoutedFutureProducer;
use partitioner::rdkafka::producer::{RoutedProducer, ThreadedRoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::client::DefaultClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, FutureRecord, Producer};

use crate::reports::Reports;
use crate::topic::{PATIENCE, config, contract, create, read, routed, router};

const CONTRACT: &str = r#"
    [topics."trap-*"]
    partitions = 12
    vip_count = 8
    vip.tenants = ["mega"]
    key.malformed_key = "reject"
    unkeyed.sticky_ms = 1
"#;

fn producer(contract_text: &str) -> RoutedProducer<Reports> {
    build(&config(), &contract(contract_text), 5, Reports::default()).unwrap()
}

fn send<'a>(
    producer: &RoutedProducer<Reports>,
    record: BaseRecord<'a, str, str, usize>,
) -> Result<(), KafkaError> {
    producer.send(record.payload("x")).map_err(|(error, _)| error)
}

fn record(topic: &str, number: usize) -> BaseRecord<'_, str, str, usize> {
    BaseRecord::with_opaque_to(topic, number)
}

fn unknown_partition() -> KafkaError {
    KafkaError::MessageProduction(RDKafkaErrorCode::UnknownPartition)
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn producers_without_a_property_of_the_topic_level_live_and_deliver() {
    const TOPIC: &str = "trap-bare";
    create(&config(), TOPIC, 12, 1).await;
    assert!(config().config_map().keys().eq([&"bootstrap.servers"]));
    let expected = routed(&router(CONTRACT, TOPIC), b"mega:order-1", 12);

    let base = producer(CONTRACT);
    send(&base, record(TOPIC, 0).key("mega:order-1")).unwrap();
    base.flush(PATIENCE).unwrap();
    assert_eq!(base.context().inner().outcomes()[&0], Ok(expected));

    let threaded: ThreadedRoutedProducer<Reports> =
        build(&config(), &contract(CONTRACT), 5, Reports::default()).unwrap();
    threaded.send(record(TOPIC, 0).key("mega:order-1").payload("x")).map_err(|(error, _)| error).unwrap();
    threaded.flush(PATIENCE).unwrap();
    assert_eq!(threaded.context().inner().outcomes()[&0], Ok(expected));

    let future: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config(), &contract(CONTRACT), 5, DefaultClientContext).unwrap();
    let record = FutureRecord::to(TOPIC).key("mega:order-1").payload("x");
    let delivery = future.send(record, PATIENCE).await.map_err(|(error, _)| error).unwrap();
    assert_eq!(delivery.partition, expected);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn the_contract_is_asked_about_every_record_without_a_key() {
    const TOPIC: &str = "trap-sticky";
    const RECORDS: usize = 5_000;
    create(&config(), TOPIC, 12, 1).await;
    let producer = producer(CONTRACT);
    for number in 0..RECORDS {
        send(&producer, record(TOPIC, number)).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
    let outcomes = producer.context().inner().outcomes();
    assert_eq!(outcomes.len(), RECORDS);
    assert!(outcomes.values().all(|outcome| outcome.is_ok_and(|partition| (8..12).contains(&partition))));
    assert_eq!(producer.context().hook().snapshot().topics[0].1.faults["null-key"], 5_000);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn the_asynchronous_producer_does_not_ignore_the_contract() {
    const TOPIC: &str = "trap-future";
    create(&config(), TOPIC, 12, 1).await;
    let producer: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config(), &contract(CONTRACT), 5, DefaultClientContext).unwrap();
    let router = router(CONTRACT, TOPIC);
    for number in 0..100 {
        let key = format!("mega:order-{number}");
        let record = FutureRecord::to(TOPIC).key(&key).payload("x");
        let delivery = producer.clone().send(record, PATIENCE).await.map_err(|(error, _)| error).unwrap();
        assert_eq!(delivery.partition, routed(&router, key.as_bytes(), 12));
        assert!(delivery.partition < 8, "outside of the VIP pool");
    }
    assert_eq!(producer.context().hook().snapshot().topics[0].1.steps["vip"], 100);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn what_is_refused_fails_at_once_and_never_waits() {
    const TOPIC: &str = "trap-refused";
    create(&config(), TOPIC, 12, 1).await;
    let producer = producer(CONTRACT);
    send(&producer, record(TOPIC, 0).key("mega:order-1")).unwrap();
    producer.flush(PATIENCE).unwrap();
    assert_eq!(send(&producer, record(TOPIC, 1).key("malformed")), Err(unknown_partition()));
    assert_eq!(producer.in_flight_count(), 0, "a parked record would be in flight");
    assert_eq!(producer.context().inner().outcomes().len(), 1, "an error of `send` has no report");
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_contract_for_more_partitions_than_there_are_refuses_before_and_after_the_topic_is_known() {
    const TOPIC: &str = "trap-small";
    create(&config(), TOPIC, 12, 1).await;
    let producer = producer("[topics.trap-small]\npartitions = 24");
    let before = send(&producer, record(TOPIC, 0).key("mega:order-1"));
    producer.flush(PATIENCE).unwrap();
    let reported = producer.context().inner().outcomes().get(&0).copied();
    let unknown = RDKafkaErrorCode::UnknownPartition;
    assert_eq!((before, reported), (Ok(()), Some(Err(unknown))));
    assert_eq!(send(&producer, record(TOPIC, 1).key("mega:order-1")), Err(unknown_partition()));
    assert_eq!(producer.in_flight_count(), 0);
    assert_eq!(producer.context().hook().snapshot().topics[0].1.rejects["topic-too-small"], 2);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn an_explicit_partition_wins_and_the_contract_is_not_asked() {
    const TOPIC: &str = "trap-explicit";
    create(&config(), TOPIC, 12, 1).await;
    let producer = producer(CONTRACT);
    for number in 0..12 {
        let partition = i32::try_from(number).unwrap();
        send(&producer, record(TOPIC, number).key("mega:order-1").partition(partition)).unwrap();
    }
    send(&producer, record(TOPIC, 12).key("malformed").partition(3)).unwrap();
    producer.flush(PATIENCE).unwrap();
    let outcomes: Vec<_> = producer.context().inner().outcomes().into_values().collect();
    assert_eq!(outcomes, (0..12).chain([3]).map(Ok).collect::<Vec<_>>());
    let beyond = record(TOPIC, 13).key("mega:order-1").partition(12);
    assert_eq!(send(&producer, beyond), Err(unknown_partition()));
    let counts = &producer.context().hook().snapshot().topics[0].1;
    assert!(counts.steps.is_empty() && counts.rejects.is_empty(), "{counts:?}");
}

/// Takes every event, and panics.
struct Panicking;

impl tracing::Subscriber for Panicking {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        panic!("a fault of the subscriber, on purpose");
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_panic_inside_librdkafkas_call_refuses_the_record_and_the_producer_goes_on() {
    const TOPIC: &str = "trap-panic";
    create(&config(), TOPIC, 12, 1).await;
    let producer = producer(CONTRACT);
    send(&producer, record(TOPIC, 0).key("mega:order-1")).unwrap();
    producer.flush(PATIENCE).unwrap();
    // The first record without a key is told of, and the topic is known, so it is told on this thread.
    tracing::subscriber::with_default(Panicking, || {
        assert_eq!(send(&producer, record(TOPIC, 1)), Err(unknown_partition()));
    });
    assert_eq!(producer.context().hook().snapshot().panics, 1);
    send(&producer, record(TOPIC, 2)).unwrap();
    producer.flush(PATIENCE).unwrap();
    let outcomes = producer.context().inner().outcomes();
    assert!(outcomes.len() == 2 && outcomes.values().all(Result::is_ok), "{outcomes:?}");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn properties_that_bypass_the_contract_are_refused_by_each_kind_of_producer() {
    for (property, value) in [("partitioner", "murmur2_random"), ("sticky.partitioning.linger.ms", "10")] {
        let mut config: ClientConfig = config();
        config.set(property, value);
        let contract = contract(CONTRACT);
        let base = build::<_, RoutedProducer<Reports>>(&config, &contract, 5, Reports::default());
        let threaded = build::<_, ThreadedRoutedProducer<Reports>>(&config, &contract, 5, Reports::default());
        let future: Result<RoutedFutureProducer<_>, _> =
            RoutedFutureProducer::new(&config, &contract, 5, DefaultClientContext);
        let errors =
            [base.map(drop).unwrap_err(), threaded.map(drop).unwrap_err(), future.map(drop).unwrap_err()];
        for error in errors {
            let message = error.to_string();
            assert!(message.contains(property) && message.contains("remove the property"), "{message}");
        }
    }
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_producer_that_is_dropped_reports_what_it_still_had() {
    const TOPIC: &str = "trap-dropped";
    const RECORDS: usize = 50_000;
    create(&config(), TOPIC, 12, 1).await;
    let producer: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config(), &contract(CONTRACT), 5, DefaultClientContext).unwrap();
    let keys: Vec<_> = (0..RECORDS).map(|number| format!("mega:order-{number}")).collect();
    let send = |key| {
        producer
            .send_result(FutureRecord::to(TOPIC).key(key).payload("x"))
            .map_err(|(error, _)| error)
            .unwrap()
    };
    let deliveries: Vec<_> = keys.iter().map(send).collect();
    drop(producer);
    let (mut acknowledged, mut given_up) = (HashSet::new(), 0);
    for (key, delivery) in keys.iter().zip(deliveries) {
        match tokio::time::timeout(PATIENCE, delivery).await.expect("a report").unwrap() {
            Ok(_) => {
                acknowledged.insert(key.as_bytes());
            }
            Err((KafkaError::MessageProduction(error), record)) => {
                assert!(
                    matches!(error, RDKafkaErrorCode::PurgeQueue | RDKafkaErrorCode::PurgeInflight),
                    "{error}"
                );
                assert_eq!(record.key(), Some(key.as_bytes()));
                given_up += 1;
            }
            Err((error, _)) => panic!("{error}"),
        }
    }
    assert_eq!(acknowledged.len() + given_up, RECORDS);
    read(&config(), TOPIC, 12, acknowledged.len(), |message| {
        acknowledged.remove(message.key().unwrap());
    });
    assert!(acknowledged.is_empty(), "{} acknowledged records are not there", acknowledged.len());
}
