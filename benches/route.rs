//! One decision of the router beside the bare hash that it is made of: murmur2, mask, remainder.
//!
//! The contract names 1,000 VIP tenants. Two shapes of keys, `tenant:order`: all of 24 bytes; and mixed, tenants of 4 to
//! 15 bytes and orders of 4 to 20 drawn at random, too many for a branch predictor to learn by heart, so that both sides
//! pay for mispredicted lengths. Each key is an allocation of its own, and a turn decides for all of them, so a figure is
//! throughput of independent calls. The ratios come from turns that alternate, so that what the machine does meanwhile
//! hits both alike; Criterion's own figures follow.
#![allow(clippy::print_stdout)] // a bench reports on standard output, as Criterion does

use std::hint::black_box;

use benches::interleave::{Contestant, first_deciles};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use partitioner::contract::{Contract, TopicContract};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Router};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const TENANTS: usize = 1_000;
const KEYS_FIXED: u16 = 4_096;
const KEYS_MIXED: usize = 16_384;
const ROUNDS: usize = 3_000;

/// Keys and the tenants that the contract names.
struct Workload {
    name: &'static str,
    keys: Vec<Vec<u8>>,
    vip: Vec<String>,
}

/// `customer-NNNN:order-NNNN`, 24 bytes; customers below 1,000 are VIP.
fn fixed(name: &'static str, first_tenant: u16) -> Workload {
    let key = |i: u16| format!("customer-{:04}:order-{i:04}", first_tenant + i % 997);
    let keys: Vec<_> = (0..KEYS_FIXED).map(|i| key(i).into_bytes()).collect();
    assert!(keys.iter().all(|key| key.len() == 24));
    let vip = (0..TENANTS).map(|i| format!("customer-{i:04}")).collect();
    Workload { name, keys, vip }
}

/// Keys of 9 to 36 bytes, of VIP tenants or of as many others.
fn mixed(name: &'static str, is_vip: bool) -> Workload {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut below = |limit: u64| usize::try_from(random.next_u64() % limit).expect("below the limit");
    let tenants = |class: &str, below: &mut dyn FnMut(u64) -> usize| -> Vec<_> {
        (0..TENANTS).map(|i| format!("{class}{i:03}{}", &"abcdefghijk"[..below(12)])).collect()
    };
    let (vip, others) = (tenants("v", &mut below), tenants("s", &mut below));
    let tenants = if is_vip { &vip } else { &others };
    let mut key = |_| {
        let tenant = &tenants[below(TENANTS as u64)];
        let order = format!("{:010}{:010}", below(10_000_000_000), below(10_000_000_000));
        format!("{tenant}:{}", &order[..4 + below(17)]).into_bytes()
    };
    let keys = (0..KEYS_MIXED).map(&mut key).collect();
    Workload { name, keys, vip }
}

fn workloads() -> [Workload; 4] {
    [fixed("vip", 0), fixed("standard", 1_000), mixed("vip, mixed", true), mixed("standard, mixed", false)]
}

impl Workload {
    fn topic(&self, moved: &str) -> TopicContract {
        let tenants: Vec<_> = self.vip.iter().map(|tenant| format!("\"{tenant}\"")).collect();
        let tenants = tenants.join(", ");
        let text =
            format!("[topics.orders]\npartitions = 12\nvip_count = 8\nvip.tenants = [{tenants}]\n{moved}");
        let contract: Contract = text.parse().expect("a valid contract");
        contract.topics["orders"].clone()
    }

    fn routers(&self) -> [(&'static str, Router); 2] {
        let moved = "vip.moved = [[3, 0], [17, 2]]\nstandard.moved = [[1, 10]]\n";
        let router = |moved| self.topic(moved).router(1).expect("a valid contract");
        [("router", router("")), ("router, slots moved", router(moved))]
    }
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
    println!("ns a decision, first decile of {ROUNDS} alternating turns");
    for workload in &workloads() {
        let (routers, keys) = (workload.routers(), &workload.keys);
        let bare = || {
            black_box(hash(black_box(keys), black_box(twelve())));
        };
        let mut contestants = vec![Contestant { name: "murmur2 % n", turn: Box::new(bare) }];
        for (name, router) in &routers {
            let routed = move || {
                black_box(decide(black_box(router), black_box(keys), black_box(twelve())));
            };
            contestants.push(Contestant { name, turn: Box::new(routed) });
        }
        let times = first_deciles(&mut contestants, ROUNDS);
        let keys = u32::try_from(keys.len()).expect("a few thousand");
        for (contestant, &time) in contestants.iter().zip(&times) {
            let ns = time.as_secs_f64() * 1e9 / f64::from(keys);
            let ratio = time.as_secs_f64() / times[0].as_secs_f64();
            println!("{:15} {:20} {ns:6.2} ns  {ratio:.2} x", workload.name, contestant.name);
        }
    }
}

fn route(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("route");
    for workload in &workloads() {
        let (name, keys) = (workload.name, &workload.keys);
        group.throughput(Throughput::Elements(keys.len() as u64));
        group.bench_with_input(BenchmarkId::new("murmur2 % n", name), keys, |bencher, keys| {
            bencher.iter(|| hash(keys, black_box(twelve())));
        });
        for (router_name, router) in &workload.routers() {
            group.bench_with_input(BenchmarkId::new(*router_name, name), keys, |bencher, keys| {
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
