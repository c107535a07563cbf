//! Keys of every kind, and records without one, from each kind of producer.

use std::collections::HashMap;

use partitioner::rdkafka::future::RoutedFutureProducer;
use partitioner::rdkafka::producer::{RoutedProducer, ThreadedRoutedProducer, build};
use partitioner::route::Router;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rdkafka::client::DefaultClientContext;
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, FutureRecord, Producer};

use crate::topic::{
    PATIENCE, RETRY_PAUSE, config, contract, create, is_queue_full, queue, read, routed, router,
};

const KEYS: usize = 100_000;
const SEED: u64 = 11;

const CONTRACT: &str = r#"
    [topics."placed-*"]
    partitions = 12
    vip_count = 8
    vip = { tenants = ["tenant-mega", "v*"], moved = [[3, 0], [77, 1]] }
    pins = [{ tenant = "pinned", partition = 11 }]
"#;

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

/// Compares every record of the topic with the router, and what was seen with what was sent.
fn check(topic: &str, router: &Router, keys: &[Vec<u8>]) {
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    read(&config(), topic, 12, keys.len(), |message| {
        let key = message.key().unwrap_or_default();
        assert_eq!(message.partition(), routed(router, key, 12), "{}", key.escape_ascii());
        *seen.entry(key.to_vec()).or_default() += 1;
    });
    for key in keys {
        match seen.get_mut(key) {
            Some(times) if *times > 0 => *times -= 1,
            _ => panic!("lost: {}", key.escape_ascii()),
        }
    }
    assert!(seen.values().all(|times| *times == 0), "doubled");
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn every_key_lands_where_the_router_says_from_each_kind_of_producer() {
    let (keys, router) = (keys(), router(CONTRACT, "placed-x"));

    create(&config(), "placed-base", 12, 1).await;
    let base: RoutedProducer<_> = build(&config(), &contract(CONTRACT), 5, DefaultProducerContext).unwrap();
    for key in &keys {
        let send =
            || base.send(BaseRecord::to("placed-base").key(key).payload("")).map_err(|(error, _)| error);
        queue(send, || base.poll(RETRY_PAUSE)).unwrap();
    }
    base.flush(PATIENCE).unwrap();
    check("placed-base", &router, &keys);

    create(&config(), "placed-threaded", 12, 1).await;
    let threaded: ThreadedRoutedProducer<_> =
        build(&config(), &contract(CONTRACT), 5, DefaultProducerContext).unwrap();
    for key in &keys {
        let record = || BaseRecord::to("placed-threaded").key(key).payload("");
        queue(|| threaded.send(record()).map_err(|(error, _)| error), || std::thread::sleep(RETRY_PAUSE))
            .unwrap();
    }
    threaded.flush(PATIENCE).unwrap();
    check("placed-threaded", &router, &keys);

    create(&config(), "placed-future", 12, 1).await;
    let future: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config(), &contract(CONTRACT), 5, DefaultClientContext).unwrap();
    let mut deliveries = Vec::with_capacity(keys.len());
    for key in &keys {
        loop {
            match future.send_result(FutureRecord::to("placed-future").key(key).payload("")) {
                Ok(delivery) => break deliveries.push(delivery),
                Err((error, _)) => assert!(is_queue_full(&error), "not queued: {error}"),
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }
    for delivery in deliveries {
        delivery.await.unwrap().map_err(|(error, _)| error).unwrap();
    }
    check("placed-future", &router, &keys);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_million_records_without_a_key_stay_out_of_the_vip_pool() {
    const RECORDS: usize = 1_000_000;
    create(&config(), "placed-unkeyed", 12, 1).await;
    let producer: RoutedProducer<_> =
        build(&config(), &contract(CONTRACT), 5, DefaultProducerContext).unwrap();
    for _ in 0..RECORDS {
        let record = || BaseRecord::<(), str>::to("placed-unkeyed").payload("x");
        queue(|| producer.send(record()).map_err(|(error, _)| error), || producer.poll(RETRY_PAUSE)).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
    let mut counts = [0usize; 12];
    read(&config(), "placed-unkeyed", 12, RECORDS, |message| {
        assert_eq!(message.key(), None);
        counts[usize::try_from(message.partition()).unwrap()] += 1;
    });
    assert!(counts[..8].iter().all(|&count| count == 0), "the VIP pool stays empty: {counts:?}");
    assert_eq!(counts[8..].iter().sum::<usize>(), RECORDS, "none lost: {counts:?}");
    assert!(counts[8..].iter().all(|&count| count > 0), "the whole standard pool is used: {counts:?}");
}
