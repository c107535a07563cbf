//! One decision of the router beside the bare hash that it is made of: murmur2, mask, remainder.
//!
//! The contract names 1,000 VIP tenants; keys are 24 bytes, `tenant:order`. Every set holds 4,096 keys, each an allocation
//! of its own, and a turn decides for all of them, so a figure is throughput of independent calls. The ratios come from
//! turns that alternate, so that what the machine does meanwhile hits both alike; Criterion's own figures follow.
#![allow(clippy::print_stdout)] // a bench reports on standard output, as Criterion does

use std::hint::black_box;
use std::time::Duration;

use benches::interleave::{Contestant, first_deciles};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use partitioner::contract::{Contract, TopicContract};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Router};

const KEYS: u16 = 4_096;
const ROUNDS: usize = 3_000;

/// `customer-NNNN:order-NNNN`, 24 bytes; customers below 1,000 are VIP.
fn keys(first_tenant: u16) -> Vec<Vec<u8>> {
    let key = |i: u16| format!("customer-{:04}:order-{i:04}", first_tenant + i % 997);
    let keys: Vec<_> = (0..KEYS).map(|i| key(i).into_bytes()).collect();
    assert!(keys.iter().all(|key| key.len() == 24));
    keys
}

fn topic(moved: &str) -> TopicContract {
    let tenants: Vec<_> = (0..1_000).map(|i| format!("\"customer-{i:04}\"")).collect();
    let tenants = tenants.join(", ");
    let text = format!("[topics.orders]\npartitions = 12\nvip_count = 8\nvip.tenants = [{tenants}]\n{moved}");
    let contract: Contract = text.parse().expect("a valid contract");
    contract.topics["orders"].clone()
}

fn routers() -> [(&'static str, Router); 2] {
    let moved = "vip.moved = [[3, 0], [17, 2]]\nstandard.moved = [[1, 10]]\n";
    let router = |moved| topic(moved).router(1).expect("a valid contract");
    [("router", router("")), ("router, slots moved", router(moved))]
}

#[inline(never)]
fn hash(keys: &[Vec<u8>], count: PartitionCount) -> u64 {
    keys.iter().map(|key| u64::from(KeyHash::Murmur2.partition(key, count).get())).sum()
}

#[inline(never)]
fn decide(router: &Router, keys: &[Vec<u8>], count: PartitionCount) -> u64 {
    let decided = keys.iter().map(|key| router.route(&Record::keyed(key), count));
    decided.map(|route| route.map_or(0, |route| u64::from(route.partition.get()))).sum()
}

fn twelve() -> PartitionCount {
    PartitionCount::new(12).expect("a valid count")
}

fn ratios() {
    println!("ns a decision, first decile of {ROUNDS} alternating turns of {KEYS} keys of 24 bytes");
    for (name, keys) in [("vip", keys(0)), ("standard", keys(1_000))] {
        let routers = routers();
        let bare = || {
            black_box(hash(black_box(&keys), black_box(twelve())));
        };
        let mut contestants = vec![Contestant { name: "murmur2 % n", turn: Box::new(bare) }];
        for (router_name, router) in &routers {
            let keys = &keys;
            let routed = move || {
                black_box(decide(black_box(router), black_box(keys), black_box(twelve())));
            };
            contestants.push(Contestant { name: router_name, turn: Box::new(routed) });
        }
        let times = first_deciles(&mut contestants, ROUNDS);
        let ns = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(KEYS);
        for (contestant, &time) in contestants.iter().zip(&times) {
            let ratio = time.as_secs_f64() / times[0].as_secs_f64();
            println!("{name:9} {:20} {:6.2} ns  {ratio:.2} x", contestant.name, ns(time));
        }
    }
}

fn route(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("route");
    group.throughput(Throughput::Elements(u64::from(KEYS)));
    for (name, keys) in [("vip", keys(0)), ("standard", keys(1_000))] {
        group.bench_with_input(BenchmarkId::new("murmur2 % n", name), &keys, |bencher, keys| {
            bencher.iter(|| hash(keys, black_box(twelve())));
        });
        for (router_name, router) in &routers() {
            group.bench_with_input(BenchmarkId::new(*router_name, name), &keys, |bencher, keys| {
                bencher.iter(|| decide(router, keys, black_box(twelve())));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, route);

fn main() {
    // `cargo test` runs a bench target once, in test mode, where no figure is wanted.
    if std::env::args().any(|argument| argument == "--bench") {
        ratios();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
