//! Producers without the hook under a contract, on librdkafka's in-process cluster.
#![cfg(feature = "rdkafka")]
#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use partitioner::cached::PlaceError;
use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::rdkafka::explicit::ExplicitRouter;
use partitioner::route::Record;
use rdkafka::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};

const TOPIC: &str = "orders";
const PATIENCE: Duration = Duration::from_secs(30);

const CONTRACT: &str = r#"
    [topics.orders]
    partitions = 12
    vip_count = 8
    vip.tenants = ["tenant-mega"]
    unkeyed = { sticky_bytes = 10_000, sticky_ms = 100_000 }
"#;

type Cluster = MockCluster<'static, rdkafka::producer::DefaultProducerContext>;

fn cluster() -> (Cluster, FutureProducer) {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic(TOPIC, 12, 1).unwrap();
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", cluster.bootstrap_servers());
    (cluster, config.create().unwrap())
}

fn contract() -> Contract {
    CONTRACT.parse().unwrap()
}

#[tokio::test]
async fn a_future_producer_keeps_the_contract_through_explicit_partitions() {
    let (_cluster, producer) = cluster();
    let router = ExplicitRouter::new(&contract(), 7).unwrap();
    assert_eq!(router.refresh(producer.client(), TOPIC, PATIENCE).unwrap().get(), 12);
    let reference = contract().topic(TOPIC).unwrap().router(7).unwrap();

    let mut waiting = Vec::new();
    for i in 0..2_000 {
        let key = format!("{}:{i}", ["tenant-mega", "small", "größe"][i % 3]);
        let record =
            router.place(FutureRecord::to(TOPIC).key(&key).payload("x")).map_err(|(error, _)| error).unwrap();
        let expected = reference
            .route(&Record::keyed(key.as_bytes()), PartitionCount::new(12).unwrap())
            .unwrap()
            .partition
            .as_i32();
        waiting.push((expected, producer.send_result(record).map_err(|(error, _)| error).unwrap()));
    }
    for (expected, delivery) in waiting {
        assert_eq!(delivery.await.unwrap().map_err(|(error, _)| error).unwrap().partition, expected);
    }

    let mut unkeyed = Vec::new();
    for _ in 0..100 {
        let payload = [0u8; 1_000];
        let record: FutureRecord<'_, (), [u8]> = FutureRecord::to(TOPIC).payload(payload.as_slice());
        let record = router.place(record).map_err(|(error, _)| error).unwrap();
        let delivery = producer.send(record, PATIENCE).await.map_err(|(error, _)| error).unwrap();
        unkeyed.push(delivery.partition);
    }
    assert!(
        unkeyed.chunks(10).all(|stay| stay.iter().all(|partition| *partition == stay[0])),
        "10,000 bytes: {unkeyed:?}"
    );
    assert_eq!(
        unkeyed.into_iter().collect::<BTreeSet<_>>(),
        (8..12).collect(),
        "the whole standard pool and no more"
    );
}

#[test]
fn a_refresher_finds_the_counts_that_are_wanted() {
    let (_cluster, producer) = cluster();
    let router = ExplicitRouter::new(&contract(), 7).unwrap();
    let refresher = router.refresh_every(producer, Duration::from_secs(3_600));
    let place = || {
        let record = FutureRecord::to(TOPIC).key("small:1").payload("x");
        router.place(record).map(|record| record.partition).map_err(|(error, _)| error)
    };
    assert_eq!(place(), Err(PlaceError::UnknownTopic(TOPIC.to_owned())));
    let begin = Instant::now();
    while place().is_err() {
        assert!(begin.elapsed() < PATIENCE, "no count after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(refresher);
    assert_eq!(router.router().partition_count(TOPIC), PartitionCount::new(12));
}

#[test]
fn a_topic_that_cannot_be_asked_for_is_an_error() {
    let router = ExplicitRouter::new(&contract(), 7).unwrap();
    let producer: FutureProducer =
        ClientConfig::new().set("bootstrap.servers", "127.0.0.1:1").set("log_level", "0").create().unwrap();
    let error = router.refresh(producer.client(), TOPIC, Duration::from_millis(200)).unwrap_err();
    assert!(matches!(error, KafkaError::MetadataFetch(_)), "{error}");
    assert_eq!(router.router().partition_count(TOPIC), None);
}
