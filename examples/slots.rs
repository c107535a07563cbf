//! A moved slot moves the keys of that slot, and no other.
//!
//! `cargo run -p examples --example slots`
#![allow(clippy::print_stdout)] // what an example is for

use std::error::Error;

use partitioner::contract::{Contract, ContractError};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Router};

const ORDERS: u32 = 100_000;
const SLOTS: u64 = 640; // 64 a partition × 10 partitions of the VIP pool

/// The VIP pool is 0..10; `moved` are its slots whose owner is not `slot % 10`.
fn router(moved: &str) -> Result<Router, ContractError> {
    let text = format!(
        "[topics.orders]
        partitions = 12
        vip_count = 10
        vip.tenants = [\"tenant-mega\"]
        vip.moved = {moved}"
    );
    text.parse::<Contract>()?.topics["orders"].router(7)
}

fn main() -> Result<(), Box<dyn Error>> {
    let (before, after) = (router("[]")?, router("[[17, 3]]")?);
    let twelve = PartitionCount::new(12).ok_or("a topic has partitions")?;
    let (mut in_slot, mut moved, mut by_modulo) = (0, 0, 0);
    for order in 0..ORDERS {
        let key = format!("tenant-mega:order-{order}").into_bytes();
        let was = before.route(&Record::keyed(&key), twelve)?.partition.get();
        let is = after.route(&Record::keyed(&key), twelve)?.partition.get();
        let hash = KeyHash::Murmur2.value(&key);
        by_modulo += u32::from(u64::from(was) == hash % 10);
        in_slot += u32::from(hash % SLOTS == 17);
        if was != is {
            assert_eq!((hash % SLOTS, was, is), (17, 7, 3), "only slot 17 was moved, from 7 to 3");
            moved += 1;
        }
    }
    println!("orders                              {ORDERS:>7}");
    println!("placed as by hash % 10, none moved  {by_modulo:>7}");
    println!("in slot 17 of {SLOTS}                   {in_slot:>7}");
    println!("moved by [[17, 3]]                  {moved:>7}");
    assert_eq!((by_modulo, moved), (ORDERS, in_slot));
    assert!(moved.abs_diff(ORDERS / 640) < 50, "about one in 640");
    Ok(())
}
