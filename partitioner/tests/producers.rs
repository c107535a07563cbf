//! rdkafka's producers under a contract, on librdkafka's in-process cluster: where its traps are, records are safe.
#![cfg(feature = "rdkafka")]
#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

use std::sync::Mutex;
use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::rdkafka::future::RoutedFutureProducer;
use partitioner::rdkafka::producer::{RoutedProducer, ThreadedRoutedProducer, build};
use partitioner::route::{Record, Router};
use rdkafka::ClientConfig;
use rdkafka::client::{ClientContext, DefaultClientContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseRecord, DeliveryResult, FutureRecord, Producer, ProducerContext};
use rdkafka::statistics::Statistics;

const PARTITIONS: i32 = 12;
const TOPIC: &str = "orders";
const FLUSH: Duration = Duration::from_secs(30);

const CONTRACT: &str = r#"
    [topics.orders]
    partitions = 12
    vip_count = 8
    vip.tenants = ["tenant-mega", "v*"]
    unkeyed.sticky_ms = 1
"#;

/// Keeps every delivery report.
#[derive(Default)]
struct Reports {
    delivered: Mutex<Vec<(Option<Vec<u8>>, i32)>>,
    failed: Mutex<Vec<RDKafkaErrorCode>>,
    statistics: Mutex<u32>,
}

impl ClientContext for Reports {
    fn stats(&self, _: Statistics) {
        *self.statistics.lock().unwrap() += 1;
    }
}

impl ProducerContext for Reports {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        match result {
            Ok(message) => {
                let key = message.key().map(<[u8]>::to_vec);
                self.delivered.lock().unwrap().push((key, message.partition()));
            }
            Err((error, _)) => {
                let code = error.rdkafka_error_code().expect("a delivery fails with a code");
                self.failed.lock().unwrap().push(code);
            }
        }
    }
}

fn contract(text: &str) -> Contract {
    text.parse().unwrap()
}

fn cluster() -> MockCluster<'static, rdkafka::producer::DefaultProducerContext> {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic(TOPIC, PARTITIONS, 1).unwrap();
    cluster
}

/// Only what a user must set, and no property of the topic level.
fn config(bootstrap_servers: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", bootstrap_servers);
    config
}

fn producer(bootstrap_servers: &str, text: &str) -> RoutedProducer<Reports> {
    build(&config(bootstrap_servers), &contract(text), 7, Reports::default()).unwrap()
}

fn wait_for_metadata(producer: &RoutedProducer<Reports>) {
    let metadata = producer.client().fetch_metadata(Some(TOPIC), FLUSH).unwrap();
    assert_eq!(metadata.topics()[0].partitions().len(), 12);
}

fn router(text: &str) -> Router {
    contract(text).topic(TOPIC).unwrap().router(7).unwrap()
}

fn expected(router: &Router, key: &[u8]) -> i32 {
    router.route(&Record::keyed(key), PartitionCount::new(12).unwrap()).unwrap().partition.as_i32()
}

/// Keys of every kind: VIP by name and prefix, standard, binary, empty, escaped, malformed, large.
fn keys(count: u32) -> Vec<Vec<u8>> {
    (0..count)
        .map(|i| match i % 8 {
            0 => format!("tenant-mega:order-{i}").into_bytes(),
            1 => format!("v{}:{i}", i % 7).into_bytes(),
            2 => format!("tenant-{}:order-{i}", i % 97).into_bytes(),
            3 => [&[0xff, 0x00][..], &i.to_le_bytes()].concat(),
            4 => format!("esc\\:aped-{i}:order").into_bytes(),
            5 => format!("malformed-{i}").into_bytes(),
            6 => format!("größe-{i}:注文").into_bytes(),
            _ if i % 400 == 7 => [format!("big-{i}:").into_bytes(), vec![b'x'; 20_000]].concat(),
            _ => Vec::new(),
        })
        .collect()
}

fn send(producer: &RoutedProducer<Reports>, record: BaseRecord<'_, [u8], [u8]>) -> Result<(), KafkaError> {
    let mut record = record;
    loop {
        match producer.send(record) {
            Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), back)) => {
                producer.poll(Duration::from_millis(20));
                record = back;
            }
            sent => return sent.map_err(|(error, _)| error),
        }
    }
}

#[test]
fn every_key_lands_where_the_router_says_also_before_metadata_is_there() {
    let cluster = cluster();
    let producer = producer(&cluster.bootstrap_servers(), CONTRACT);
    let keys = keys(20_000);
    for key in &keys {
        send(&producer, BaseRecord::to(TOPIC).key(key.as_slice()).payload(b"".as_slice())).unwrap();
    }
    producer.flush(FLUSH).unwrap();
    let router = router(CONTRACT);
    let reports = producer.context().inner();
    assert!(reports.failed.lock().unwrap().is_empty());
    let delivered = reports.delivered.lock().unwrap();
    assert_eq!(delivered.len(), keys.len());
    for (key, partition) in delivered.iter() {
        let key = key.as_deref().unwrap_or_default();
        assert_eq!(*partition, expected(&router, key), "{}", key.escape_ascii());
    }
    assert_eq!(producer.context().hook().snapshot().panics, 0);
}

#[test]
fn a_threaded_producer_places_alike() {
    let cluster = cluster();
    let producer: ThreadedRoutedProducer<Reports> =
        build(&config(&cluster.bootstrap_servers()), &contract(CONTRACT), 7, Reports::default()).unwrap();
    for key in keys(2_000) {
        producer
            .send(BaseRecord::to(TOPIC).key(key.as_slice()).payload(b"".as_slice()))
            .map_err(|(e, _)| e)
            .unwrap();
    }
    producer.flush(FLUSH).unwrap();
    let router = router(CONTRACT);
    let delivered = producer.context().inner().delivered.lock().unwrap();
    assert_eq!(delivered.len(), 2_000);
    assert!(
        delivered
            .iter()
            .all(|(key, partition)| *partition == expected(&router, key.as_deref().unwrap_or_default()))
    );
}

#[test]
fn records_without_a_key_never_enter_the_vip_pool_and_use_all_of_the_standard_pool() {
    let cluster = cluster();
    let producer = producer(&cluster.bootstrap_servers(), CONTRACT);
    send(&producer, BaseRecord::to(TOPIC).payload(b"x".as_slice())).unwrap();
    producer.flush(FLUSH).unwrap();
    for _ in 0..100 {
        // Longer than sticky_ms, so that every round has a partition of its own, drawn by the seed.
        std::thread::sleep(Duration::from_millis(2));
        for _ in 0..100 {
            send(&producer, BaseRecord::to(TOPIC).payload(b"x".as_slice())).unwrap();
        }
    }
    producer.flush(FLUSH).unwrap();
    let delivered = producer.context().inner().delivered.lock().unwrap();
    let mut counts = [0u32; 12];
    for (key, partition) in delivered.iter() {
        assert_eq!(*key, None);
        counts[usize::try_from(*partition).unwrap()] += 1;
    }
    assert_eq!(counts.iter().sum::<u32>(), 10_001);
    assert!(
        counts[..8].iter().all(|&count| count == 0) && counts[8..].iter().all(|&count| count > 0),
        "{counts:?}"
    );
    let snapshot = producer.context().hook().snapshot();
    assert!(snapshot.topics[0].1.sticky_switches >= 99 && snapshot.topics[0].1.faults["null-key"] >= 10_000);
}

#[test]
fn a_refused_record_fails_at_once_with_unknown_partition() {
    let text =
        "[topics.orders]\npartitions = 12\nkey = { null_key = \"reject\", malformed_key = \"reject\" }";
    let cluster = cluster();
    let producer = producer(&cluster.bootstrap_servers(), text);
    wait_for_metadata(&producer);
    // The producer's own view of the topic comes with its first record.
    send(&producer, BaseRecord::to(TOPIC).key(b"a:1".as_slice()).payload(b"".as_slice())).unwrap();
    producer.flush(FLUSH).unwrap();
    let unknown = KafkaError::MessageProduction(RDKafkaErrorCode::UnknownPartition);
    assert_eq!(send(&producer, BaseRecord::to(TOPIC).payload(b"".as_slice())), Err(unknown.clone()));
    let malformed = BaseRecord::to(TOPIC).key(b"malformed".as_slice()).payload(b"".as_slice());
    assert_eq!(send(&producer, malformed), Err(unknown));
    let rejects = &producer.context().hook().snapshot().topics[0].1.rejects;
    assert_eq!((rejects["null-key"], rejects["malformed-key"]), (1, 1));
}

#[test]
fn a_record_refused_before_metadata_is_there_fails_in_its_report() {
    let cluster = cluster();
    let text = "[topics.orders]\npartitions = 24";
    let producer = producer(&cluster.bootstrap_servers(), text);
    send(&producer, BaseRecord::to(TOPIC).key(b"a:1".as_slice()).payload(b"".as_slice())).unwrap();
    producer.flush(FLUSH).unwrap();
    let reports = producer.context().inner();
    assert_eq!(*reports.failed.lock().unwrap(), [RDKafkaErrorCode::UnknownPartition]);
    assert_eq!(producer.context().hook().snapshot().topics[0].1.rejects["topic-too-small"], 1);
}

#[test]
fn an_explicit_partition_wins() {
    let cluster = cluster();
    let producer = producer(&cluster.bootstrap_servers(), CONTRACT);
    let record =
        BaseRecord::to(TOPIC).key(b"tenant-mega:order-1".as_slice()).payload(b"".as_slice()).partition(11);
    send(&producer, record).unwrap();
    producer.flush(FLUSH).unwrap();
    assert_eq!(producer.context().inner().delivered.lock().unwrap()[0].1, 11);
}

#[test]
fn the_users_callbacks_are_still_called() {
    let cluster = cluster();
    let mut config = config(&cluster.bootstrap_servers());
    config.set("statistics.interval.ms", "10");
    let producer: RoutedProducer<Reports> =
        build(&config, &contract(CONTRACT), 7, Reports::default()).unwrap();
    send(&producer, BaseRecord::to(TOPIC).key(b"a:1".as_slice()).payload(b"".as_slice())).unwrap();
    producer.flush(FLUSH).unwrap();
    for _ in 0..500 {
        producer.poll(Duration::from_millis(10));
        if *producer.context().inner().statistics.lock().unwrap() > 0 {
            return;
        }
    }
    panic!("no statistics in 5 s");
}

#[test]
fn properties_that_contradict_the_contract_are_refused_before_anything_is_sent() {
    let mut config = config("127.0.0.1:1");
    config.set("partitioner", "consistent");
    let built: Result<RoutedProducer<Reports>, _> =
        build(&config, &contract(CONTRACT), 7, Reports::default());
    let message = built.map(|_| ()).unwrap_err().to_string();
    assert!(message.starts_with("the producer's properties cannot be used: partitioner: "), "{message}");
}

#[tokio::test]
async fn the_asynchronous_producer_uses_the_contract_too() {
    let cluster = cluster();
    let text =
        "[topics.orders]\npartitions = 12\nvip_count = 8\nvip.tenants = [\"m\"]\nkey.null_key = \"reject\"";
    let config = config(&cluster.bootstrap_servers());
    let producer: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config, &contract(text), 7, DefaultClientContext).unwrap();
    let (router, clone) = (router(text), producer.clone());
    let waiting: Vec<_> = (0..500)
        .map(|i| {
            let key = format!("{}:{i}", if i % 2 == 0 { "m" } else { "small" });
            let record = FutureRecord::<_, [u8]>::to(TOPIC).key(key.as_bytes());
            (
                expected(&router, key.as_bytes()),
                clone.send_result(record).map_err(|(error, _)| error).unwrap(),
            )
        })
        .collect();
    for (partition, delivery) in waiting {
        assert_eq!(delivery.await.unwrap().map_err(|(error, _)| error).unwrap().partition, partition);
    }
    let sent = producer.send(FutureRecord::to(TOPIC).key("m:1").payload("x"), FLUSH).await;
    assert_eq!(sent.unwrap().partition, expected(&router, b"m:1"));
    let (error, message) =
        producer.send(FutureRecord::<[u8], _>::to(TOPIC).payload("x"), FLUSH).await.unwrap_err();
    assert_eq!(error.rdkafka_error_code(), Some(RDKafkaErrorCode::UnknownPartition));
    assert_eq!(message.payload(), Some(&b"x"[..]), "the refused record comes back");
    producer.flush(FLUSH).unwrap();
    assert_eq!(producer.context().hook().snapshot().topics[0].1.rejects["null-key"], 1);
}
