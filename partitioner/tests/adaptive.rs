//! Records without a key and a slow broker, on librdkafka's in-process cluster.
#![cfg(feature = "rdkafka")]
#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::rdkafka::producer::{ThreadedRoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext};
use rdkafka::statistics::Statistics;

const TOPIC: &str = "orders";
const VIP_COUNT: usize = 4;
const FAST: i32 = 1;
const SLOW: i32 = 2;

#[derive(Default)]
struct CountStatistics(AtomicU32);

impl ClientContext for CountStatistics {
    fn stats(&self, _: Statistics) {
        self.0.fetch_add(1, Relaxed);
    }
}

impl ProducerContext for CountStatistics {
    type DeliveryOpaque = ();

    fn delivery(&self, _: &DeliveryResult<'_>, (): ()) {}
}

/// The share of the slow broker's partitions 8..12 in what the unkeyed pool 4..12 was given, and how often statistics
/// reached the user.
fn share_of_slow_broker(
    cluster: &MockCluster<'_, rdkafka::producer::DefaultProducerContext>,
    adaptive: bool,
) -> (f64, u32) {
    let contract: Contract = format!(
        "[topics.{TOPIC}]\npartitions = 12\nvip_count = {VIP_COUNT}\nvip.tenants = [\"mega\"]\n\
         unkeyed = {{ sticky_bytes = 2_000, sticky_ms = 1, adaptive = {adaptive} }}"
    )
    .parse()
    .unwrap();
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", cluster.bootstrap_servers()).set("max.in.flight", "1");
    if adaptive {
        config.set("statistics.interval.ms", "100");
    }
    let producer: ThreadedRoutedProducer<_> =
        build(&config, &contract, 3, CountStatistics::default()).unwrap();
    producer.client().fetch_metadata(Some(TOPIC), Duration::from_secs(10)).unwrap();
    let payload = [b'x'; 1_000];
    for _ in 0..2_000 {
        producer
            .send(BaseRecord::<(), [u8]>::to(TOPIC).payload(payload.as_slice()))
            .map_err(|(error, _)| error)
            .unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    let (_, snapshot) = producer.context().hook().snapshot().topics.remove(0);
    let statistics = producer.context().inner().0.load(Relaxed);
    cluster.broker_round_trip_time(SLOW, Duration::ZERO).unwrap();
    producer.flush(Duration::from_secs(60)).unwrap();
    assert!(snapshot.partitions[..VIP_COUNT].iter().all(|&given| given == 0), "{:?}", snapshot.partitions);
    let slow: u64 = snapshot.partitions[8..].iter().sum();
    let all: u64 = snapshot.partitions.iter().sum();
    (slow as f64 / all as f64, statistics)
}

#[test]
fn partitions_of_a_slow_broker_get_less_and_the_vip_pool_nothing() {
    let share = |adaptive| {
        let cluster = MockCluster::new(2).unwrap();
        cluster.create_topic(TOPIC, 12, 1).unwrap();
        for partition in 0..12 {
            cluster
                .partition_leader(TOPIC, partition, Some(if partition < 8 { FAST } else { SLOW }))
                .unwrap();
        }
        cluster.broker_round_trip_time(SLOW, Duration::from_millis(700)).unwrap();
        share_of_slow_broker(&cluster, adaptive)
    };
    let (fixed, none) = share(false);
    let (adaptive, some) = share(true);
    assert!(adaptive < 0.7 * fixed, "{adaptive} of the records with, {fixed} without");
    assert_eq!(none, 0, "nobody asked for statistics");
    assert!(some > 0, "the user asked for statistics, and adaptive topics do not take them away");
}
