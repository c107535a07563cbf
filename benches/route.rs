//! One decision of the router beside the bare hash that it is made of: murmur2, mask, remainder.
//!
//! The contract names 1,000 VIP tenants; keys are 24 bytes, `tenant:order`. Every set holds 4,096 keys, each an allocation
//! of its own, and an iteration decides for all of them, so a figure is throughput of independent calls.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use partitioner::contract::{Contract, TopicContract};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Router};

const KEYS: u64 = 4_096;

/// `customer-NNNN:order-NNN`, 24 bytes; customers below 1,000 are VIP.
fn keys(first_tenant: u64) -> Vec<Vec<u8>> {
    let key = |i: u64| format!("customer-{:04}:order-{:04}", first_tenant + i * 7 % 1_000, i).into_bytes();
    let keys: Vec<_> = (0..KEYS).map(key).collect();
    assert!(keys.iter().all(|key| key.len() == 24));
    keys
}

fn topic(moved: bool) -> TopicContract {
    let tenants: Vec<_> = (0..1_000).map(|i| format!("\"customer-{i:04}\"")).collect();
    let moved = if moved { "vip.moved = [[3, 0], [17, 2]]\nstandard.moved = [[1, 10]]\n" } else { "" };
    let text = format!(
        "[topics.orders]\npartitions = 12\nvip_count = 8\nvip.tenants = [{}]\n{moved}",
        tenants.join(", ")
    );
    let contract: Contract = text.parse().expect("a valid contract");
    contract.topics["orders"].clone()
}

fn decide(router: &Router, keys: &[Vec<u8>], count: PartitionCount) -> u64 {
    keys.iter().map(|key| router.route(&Record::keyed(key), count).map_or(0, |route| u64::from(route.partition.get()))).sum()
}

fn route(criterion: &mut Criterion) {
    let count = PartitionCount::new(12).expect("a valid count");
    let mut group = criterion.benchmark_group("route");
    group.throughput(Throughput::Elements(KEYS));
    let (plain, moved) = (topic(false).router(1), topic(true).router(1));
    let (plain, moved) = (plain.expect("a valid contract"), moved.expect("a valid contract"));
    for (name, keys) in [("vip", keys(0)), ("standard", keys(1_000))] {
        group.bench_with_input(BenchmarkId::new("murmur2 % n", name), &keys, |bencher, keys| {
            bencher.iter(|| {
                let count = black_box(count);
                let place = |key: &Vec<u8>| u64::from(KeyHash::Murmur2.partition(key, count).get());
                keys.iter().map(place).sum::<u64>()
            });
        });
        for (router_name, router) in [("router", &plain), ("router, slots moved", &moved)] {
            group.bench_with_input(BenchmarkId::new(router_name, name), &keys, |bencher, keys| {
                bencher.iter(|| decide(router, keys, black_box(count)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, route);
criterion_main!(benches);
