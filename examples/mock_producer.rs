//! A producer under a contract, on librdkafka's in-process cluster: no broker is needed.
//!
//! `cargo run -p examples --example mock_producer`
#![allow(clippy::print_stdout)] // what an example is for

use std::error::Error;
use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer};

fn main() -> Result<(), Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/orders.toml");
    let contract = Contract::from_toml(&std::fs::read_to_string(path)?, "orders.toml")?;
    let cluster = MockCluster::new(1)?;
    cluster.create_topic("orders", 12, 1)?;

    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", cluster.bootstrap_servers());
    let producer: RoutedProducer<_> = build(&config, &contract, 7, DefaultProducerContext)?;
    for i in 0..1_000 {
        let tenant = if i % 10 == 0 { format!("tenant-{}", i % 70) } else { "tenant-mega".to_owned() };
        let key = format!("{tenant}:order-{i}");
        producer.send(BaseRecord::to("orders").key(&key).payload("")).map_err(|(error, _)| error)?;
    }
    producer.flush(Duration::from_secs(10))?;
    assert_eq!(producer.in_flight_count(), 0);

    // Decisions are counted; records that were sent before the topic was known are decided once all the same here.
    let snapshot = producer.context().hook().snapshot();
    let (topic, decisions) = &snapshot.topics[0];
    println!("{topic}: {:?}", decisions.steps);
    for (partition, count) in decisions.partitions.iter().enumerate() {
        println!("partition {partition:>2}: {count:>3} records");
    }
    assert_eq!((decisions.steps["vip"], decisions.steps["standard"]), (900, 100));
    assert!(
        decisions.partitions[..10].iter().sum::<u64>() == 900,
        "the VIP pool takes tenant-mega and no other"
    );
    Ok(())
}
