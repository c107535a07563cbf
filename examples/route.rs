//! Where some records go under a contract, and which step of the decision sent them there.
//!
//! `cargo run -p examples --example route`
#![allow(clippy::print_stdout)] // what an example is for

use std::error::Error;
use std::fs;

use partitioner::contract::Contract;
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::route::{Record, Step};

const CONTRACT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/orders.toml");

fn main() -> Result<(), Box<dyn Error>> {
    let contract = Contract::from_toml(&fs::read_to_string(CONTRACT)?, CONTRACT)?;
    let orders = contract.topic("orders").ok_or("the contract says nothing about this topic")?;
    // The seed moves records without a key only, and each producer takes one of its own.
    let router = orders.router(7)?;
    let twelve = PartitionCount::new(12).ok_or("a topic has partitions")?;

    let named = Record { partition: Some(PartitionIndex::new(3)), ..Record::keyed(b"tenant-7:order-1") };
    let records = [
        ("tenant-mega:order-1", Record::keyed(b"tenant-mega:order-1")),
        ("tenant-mega:order-2", Record::keyed(b"tenant-mega:order-2")),
        ("tenant-7:order-1", Record::keyed(b"tenant-7:order-1")),
        ("tenant-7:order-2", Record::keyed(b"tenant-7:order-2")),
        ("tenant-7:order-1, asked for 3", named),
        ("audit:login-1", Record::keyed(b"audit:login-1")),
        ("no separator", Record::keyed(b"no separator")),
        ("(empty)", Record::keyed(b"")),
        ("(null)", Record::unkeyed(200, 0)),
    ];
    println!("{:<30}{:>10}   decided by", "key", "partition");
    let mut routes = Vec::new();
    for (shown, record) in &records {
        let route = router.route(record, twelve)?;
        let fault = route.fault.map(|fault| format!(", the key is {fault:?}").to_lowercase());
        println!("{shown:<30}{:>10}   {}{}", route.partition, route.step, fault.unwrap_or_default());
        routes.push(route);
    }
    assert!(routes[..2].iter().all(|mega| matches!(mega.step, Step::Vip(_)) && mega.partition.get() < 10));
    assert_ne!(routes[0].partition, routes[1].partition, "orders are spread");
    assert_eq!(routes[2], routes[3], "a standard tenant is not");
    assert_eq!((routes[4].step, routes[5].step), (Step::Explicit, Step::PinnedTenant));
    assert!(routes[6..].iter().all(|route| route.fault.is_some() && route.partition.get() >= 10));
    Ok(())
}
