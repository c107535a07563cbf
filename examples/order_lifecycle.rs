//! The life of an order, from created to delivered: its events arrive in order although its tenant is spread over a pool.
//!
//! `cargo run -p examples --example order_lifecycle`
#![allow(clippy::print_stdout)] // what an example is for

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::str;
use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

const SEED: u64 = 7;
const PARTITIONS: i32 = 12;
const ORDERS: u32 = 2_000;
const PATIENCE: Duration = Duration::from_secs(30);

/// What happens to an order, in this order; a record's value is one of these.
const LIFE: [&str; 5] = ["created", "paid", "packed", "shipped", "delivered"];

/// Every event of every order as key and value: in order for one order, the orders themselves in any.
fn events() -> Vec<(String, &'static str)> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut draw = |below: usize| usize::try_from(random.next_u64() % below as u64).unwrap_or(0);
    let order = |number: u32| match number % 10 {
        0 => format!("tenant-{}:order-{number}", number / 10 % 20),
        _ => format!("tenant-mega:order-{number}"),
    };
    let mut alive: Vec<(String, usize)> = (0..ORDERS).map(|number| (order(number), 0)).collect();
    let mut events = Vec::new();
    while !alive.is_empty() {
        let chosen = draw(alive.len());
        let (key, age) = &mut alive[chosen];
        events.push((key.clone(), LIFE[*age]));
        *age += 1;
        if *age == LIFE.len() {
            alive.swap_remove(chosen);
        }
    }
    events
}

/// What came of an order so far.
#[derive(Default)]
struct Order {
    events: usize,
    partitions: BTreeSet<i32>,
}

/// Reads `count` records of the topic, from all of its partitions at once.
///
/// # Errors
/// When an event comes before the one that it follows.
fn follow(bootstrap_servers: &str, count: usize) -> Result<BTreeMap<String, Order>, Box<dyn Error>> {
    let mut config = ClientConfig::new();
    let consumer: BaseConsumer =
        config.set("bootstrap.servers", bootstrap_servers).set("group.id", "warehouse").create()?;
    let mut all = TopicPartitionList::new();
    for partition in 0..PARTITIONS {
        all.add_partition_offset("orders", partition, Offset::Beginning)?;
    }
    consumer.assign(&all)?;
    let mut orders: BTreeMap<String, Order> = BTreeMap::new();
    for _ in 0..count {
        let message = consumer.poll(PATIENCE).ok_or("a record is missing")??;
        let key = str::from_utf8(message.key().ok_or("an order has a name")?)?;
        let event = str::from_utf8(message.payload().ok_or("an event has a name")?)?;
        let order = orders.entry(key.to_owned()).or_default();
        let expected = LIFE.get(order.events).copied();
        if expected != Some(event) {
            return Err(format!("{key}: {event} where {expected:?} was next").into());
        }
        order.events += 1;
        order.partitions.insert(message.partition());
    }
    Ok(orders)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/orders.toml");
    let contract = Contract::from_toml(&std::fs::read_to_string(path)?, "orders.toml")?;
    let cluster = MockCluster::new(3)?;
    cluster.create_topic("orders", PARTITIONS, 3)?;
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", cluster.bootstrap_servers());
    let producer: RoutedProducer<_> = build(&config, &contract, SEED, DefaultProducerContext)?;
    let events = events();
    for (key, event) in &events {
        producer.send(BaseRecord::to("orders").key(key).payload(*event)).map_err(|(error, _)| error)?;
    }
    producer.flush(PATIENCE)?;

    let orders = follow(&cluster.bootstrap_servers(), events.len())?;
    println!("{} events, seed {SEED}\n", events.len());
    println!("{:<14}{:>7}{:>9}{:>12}   partitions", "", "orders", "events", "in order");
    for (name, is_mega) in [("tenant-mega", true), ("20 others", false)] {
        let of_these = |key: &str| key.starts_with("tenant-mega:") == is_mega;
        let these: Vec<_> = orders.iter().filter(|(key, _)| of_these(key)).map(|(_, order)| order).collect();
        let in_order = these.iter().filter(|order| order.events == LIFE.len()).count();
        let count: usize = these.iter().map(|order| order.events).sum();
        let partitions: BTreeSet<i32> = these.iter().flat_map(|order| order.partitions.clone()).collect();
        println!("{name:<14}{:>7}{count:>9}{in_order:>12}   {partitions:?}", these.len());

        assert_eq!(in_order, these.len(), "no order is left on its way");
        assert!(these.iter().all(|order| order.partitions.len() == 1), "an order stays on one partition");
        assert!(
            partitions.iter().all(|&partition| (partition < 10) == is_mega),
            "a pool is for its own tenants"
        );
        assert_eq!(partitions.len(), if is_mega { 10 } else { 2 }, "and all of it is used");
    }
    assert_eq!(orders.len(), ORDERS as usize, "no order was lost");
    Ok(())
}
