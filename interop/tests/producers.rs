//! Producers under a contract against Kafka itself: what lies on a partition is what the router says.
#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

use std::collections::HashMap;
use std::time::Duration;

use interop::kafka::shared;
use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::rdkafka::future::RoutedFutureProducer;
use partitioner::rdkafka::producer::{RoutedProducer, ThreadedRoutedProducer, build};
use partitioner::route::{Record, Router};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::{ClientContext, DefaultClientContext};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, FutureRecord, Producer, ProducerContext};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

const KEYS: usize = 100_000;
const SEED: u64 = 11;
const PATIENCE: Duration = Duration::from_secs(120);

const CONTRACT: &str = r#"
    [topics."placed-*"]
    partitions = 12
    vip_count = 8
    vip = { tenants = ["tenant-mega", "v*"], moved = [[3, 0], [77, 1]] }
    pins = [{ tenant = "pinned", partition = 11 }]
"#;

fn config() -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", shared().unwrap().bootstrap_servers());
    config
}

fn contract() -> Contract {
    CONTRACT.parse().unwrap()
}

async fn create_topic(name: &str) {
    let admin: AdminClient<DefaultClientContext> = config().create().unwrap();
    let topic = NewTopic::new(name, 12, TopicReplication::Fixed(1));
    let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
    admin.create_topics([&topic], &options).await.unwrap().remove(0).unwrap();
}

/// Random keys of every kind: VIP, standard, pinned, escaped, binary, empty, malformed, and some of 64 KiB.
fn keys() -> Vec<Vec<u8>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut key = |i: usize| {
        let number = random.next_u64();
        match i % 8 {
            0 => format!("tenant-mega:order-{number}").into_bytes(),
            1 => format!("v{}:{number}", number % 50).into_bytes(),
            2 => format!("tenant-{}:order-{number}", number % 500).into_bytes(),
            3 => format!("pinned:{number}").into_bytes(),
            4 => format!("esc\\:{}:größe-{number}", number % 9).into_bytes(),
            5 => number.to_le_bytes().to_vec(),
            6 => format!("malformed-{number}").into_bytes(),
            _ if i % 2_000 == 7 => [format!("big-{number}:").into_bytes(), vec![0xff; 65_536 - 24]].concat(),
            _ => Vec::new(),
        }
    };
    (0..KEYS).map(&mut key).collect()
}

fn queued(sent: &Result<(), KafkaError>) -> bool {
    match sent {
        Ok(()) => true,
        Err(KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull)) => false,
        Err(error) => panic!("not queued: {error}"),
    }
}

/// Reads the whole topic and compares every record with the router; returns how often each key was seen.
fn check(topic: &str, router: &Router) -> HashMap<Vec<u8>, usize> {
    let consumer: BaseConsumer =
        config().set("group.id", topic).set("enable.auto.commit", "false").create().unwrap();
    let mut all = TopicPartitionList::new();
    let (mut left, count) = (0, PartitionCount::new(12).unwrap());
    for partition in 0..12 {
        all.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
        left += consumer.fetch_watermarks(topic, partition, PATIENCE).unwrap().1;
    }
    consumer.assign(&all).unwrap();
    let mut seen = HashMap::new();
    while left > 0 {
        let message = consumer.poll(PATIENCE).expect("a record within two minutes").unwrap();
        let key = message.key().unwrap_or_default();
        let expected = router.route(&Record { key: Some(key), ..Record::default() }, count).unwrap();
        assert_eq!(message.partition(), expected.partition.as_i32(), "{}", key.escape_ascii());
        *seen.entry(key.to_vec()).or_default() += 1;
        left -= 1;
    }
    seen
}

fn assert_all_seen(keys: &[Vec<u8>], seen: &HashMap<Vec<u8>, usize>) {
    assert_eq!(seen.values().sum::<usize>(), keys.len(), "none lost, none doubled");
    assert!(keys.iter().all(|key| seen.contains_key(key)));
}

fn router() -> Router {
    contract().topic("placed-x").unwrap().router(5).unwrap()
}

fn send_all<C: ProducerContext<DeliveryOpaque = ()> + ClientContext>(
    keys: &[Vec<u8>],
    topic: &str,
    producer: &RoutedProducer<C>,
) {
    for key in keys {
        while !queued(&producer.send(BaseRecord::to(topic).key(key).payload("")).map_err(|(error, _)| error))
        {
            producer.poll(Duration::from_millis(10));
        }
    }
    producer.flush(PATIENCE).unwrap();
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn every_key_lands_where_the_router_says_from_each_kind_of_producer() {
    let (keys, router) = (keys(), router());

    create_topic("placed-base").await;
    let base: RoutedProducer<_> = build(&config(), &contract(), 5, DefaultProducerContext).unwrap();
    send_all(&keys, "placed-base", &base);
    assert_all_seen(&keys, &check("placed-base", &router));

    create_topic("placed-threaded").await;
    let threaded: ThreadedRoutedProducer<_> =
        build(&config(), &contract(), 5, DefaultProducerContext).unwrap();
    for key in &keys {
        let record = || BaseRecord::to("placed-threaded").key(key).payload("");
        while !queued(&threaded.send(record()).map_err(|(error, _)| error)) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    threaded.flush(PATIENCE).unwrap();
    assert_all_seen(&keys, &check("placed-threaded", &router));

    create_topic("placed-future").await;
    let future: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config(), &contract(), 5, DefaultClientContext).unwrap();
    let mut deliveries = Vec::with_capacity(keys.len());
    for key in &keys {
        loop {
            match future.send_result(FutureRecord::to("placed-future").key(key).payload("")) {
                Ok(delivery) => break deliveries.push(delivery),
                Err((error, _)) => assert!(!queued(&Err(error))),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    for delivery in deliveries {
        delivery.await.unwrap().map_err(|(error, _)| error).unwrap();
    }
    assert_all_seen(&keys, &check("placed-future", &router));
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_million_records_without_a_key_stay_out_of_the_vip_pool() {
    const RECORDS: u32 = 1_000_000;
    create_topic("placed-unkeyed").await;
    let producer: RoutedProducer<_> = build(&config(), &contract(), 5, DefaultProducerContext).unwrap();
    for _ in 0..RECORDS {
        let record = || BaseRecord::<(), str>::to("placed-unkeyed").payload("x");
        while !queued(&producer.send(record()).map_err(|(error, _)| error)) {
            producer.poll(Duration::from_millis(10));
        }
    }
    producer.flush(PATIENCE).unwrap();
    let consumer: BaseConsumer = config().create().unwrap();
    let ends: Vec<_> = (0..12)
        .map(|partition| consumer.fetch_watermarks("placed-unkeyed", partition, PATIENCE).unwrap().1)
        .collect();
    assert!(ends[..8].iter().all(|&end| end == 0), "the VIP pool stays empty: {ends:?}");
    assert_eq!(ends[8..].iter().sum::<i64>(), i64::from(RECORDS), "none lost: {ends:?}");
    assert!(ends[8..].iter().all(|&end| end > 0), "the whole standard pool is used: {ends:?}");
}
