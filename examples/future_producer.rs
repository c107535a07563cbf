//! rdkafka's own `FutureProducer`, which ignores a custom partitioner, with the contract's partition set beforehand.
//!
//! `cargo run -p examples --example future_producer`
#![allow(clippy::print_stdout)] // what an example is for

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::rdkafka::explicit::ExplicitRouter;
use rdkafka::ClientConfig;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};

const PATIENCE: Duration = Duration::from_secs(10);

const CONTRACT: &str = r#"
[topics.orders]
partitions = 12
vip_count = 10
vip.tenants = ["tenant-mega"]
unkeyed = { sticky_bytes = 16_384, sticky_ms = 0 }      # by bytes alone
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let contract: Contract = CONTRACT.parse()?;
    let cluster = MockCluster::new(1)?;
    cluster.create_topic("orders", 12, 1)?;
    let mut config = ClientConfig::new();
    let producer: FutureProducer = config.set("bootstrap.servers", cluster.bootstrap_servers()).create()?;

    let router = ExplicitRouter::new(&contract, 7)?;
    router.refresh(producer.client(), "orders", PATIENCE)?;
    // A topic that grows is noticed, as a client would notice it.
    let _refresher = router.refresh_every(producer.clone(), Duration::from_secs(300));

    let mut sent = Vec::new();
    for i in 0..1_000 {
        let tenant = if i % 10 == 0 { format!("tenant-{}", i % 70) } else { "tenant-mega".to_owned() };
        let key = format!("{tenant}:order-{i}");
        let record =
            router.place(FutureRecord::to("orders").key(&key).payload("")).map_err(|(error, _)| error)?;
        let asked = record.partition;
        sent.push((tenant, asked, producer.send_result(record).map_err(|(error, _)| error)?));
    }
    let mut by_partition = BTreeMap::new();
    for (tenant, asked, delivery) in sent {
        let partition = delivery.await?.map_err(|(error, _)| error)?.partition;
        assert_eq!(Some(partition), asked, "an explicit partition is heeded");
        assert_eq!(tenant == "tenant-mega", partition < 10, "a pool is for its own tenants");
        *by_partition.entry(partition).or_insert(0) += 1;
    }
    for (partition, count) in &by_partition {
        println!("partition {partition:>2}: {count:>3} records");
    }

    // The router sees sizes: without a key, 16 records of 1 KiB go to one partition before the next is chosen.
    let (payload, mut runs): (_, Vec<(i32, u32)>) = (vec![0; 1_024], Vec::new());
    for _ in 0..100 {
        let record: FutureRecord<'_, [u8], [u8]> = FutureRecord::to("orders").payload(&payload);
        let record = router.place(record).map_err(|(error, _)| error)?;
        let delivery = producer.send(record, PATIENCE).await.map_err(|(error, _)| error)?;
        match runs.last_mut() {
            Some((partition, count)) if *partition == delivery.partition => *count += 1,
            _ => runs.push((delivery.partition, 1)),
        }
    }
    println!("\nwithout a key (partition, records): {runs:?}");
    assert!(runs.iter().all(|(partition, _)| *partition >= 10), "never into the VIP pool");
    assert!(runs[..runs.len() - 1].iter().all(|(_, count)| *count == 16));
    let decided: u64 = router.snapshot().topics[0].1.partitions.iter().sum();
    assert_eq!(decided, 1_100, "the router decides once for each record");
    Ok(())
}
