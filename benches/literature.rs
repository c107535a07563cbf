//! Records a second of each strategy of papers and other systems, on one core, beside murmur2 modulo the partitions.
//!
//! Keys of 24 bytes, `customer-NNNN:order-NNNN`, of a Zipf distribution over 10,000, each record's key an allocation of its
//! own, through the call that the simulator makes. Turns of all contestants alternate, so that what the machine does meanwhile
//! hits all alike; Criterion's own figures follow.
#![allow(clippy::print_stdout)] // a bench reports on standard output, as Criterion does

use std::hint::black_box;

use analyzer::strategy::{Entry, Group, Ingredients};
use analyzer::study::ZipfStream;
use benches::interleave::{Contestant, first_deciles};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::key::KeyFormat;
use partitioner::route::Record;
use partitioner::strategy::Strategy;

const SEED: u64 = 42;
const KEYS: u32 = 10_000;
const RECORDS: u64 = 16_384;
const ROUNDS: usize = 1_000;

/// Exponents of the keys and partitions of the topic.
const WORKLOADS: [(f64, u32); 4] = [(1.0, 12), (1.0, 48), (1.5, 12), (1.5, 48)];

fn keys(exponent: f64) -> Vec<Vec<u8>> {
    let stream = ZipfStream::new(exponent, KEYS, RECORDS, SEED).expect("a valid exponent");
    let key = |key: &u32| format!("customer-{:04}:order-{key:04}", key % 97).into_bytes();
    let keys: Vec<_> = stream.keys().iter().map(key).collect();
    assert!(keys.iter().all(|key| key.len() == 24));
    keys
}

fn strategies() -> Vec<(&'static str, Box<dyn Strategy>)> {
    let from = Ingredients { seed: SEED, format: KeyFormat::default(), contract: None, map: &[] };
    let build = |entry: &'static Entry| {
        let strategy = entry.build(&from).expect("no contract").expect("it needs nothing but a seed");
        (entry.name, strategy)
    };
    Entry::of(Group::Literature).map(build).collect()
}

#[inline(never)]
fn hash(keys: &[Vec<u8>], count: PartitionCount) -> u64 {
    keys.iter().map(|key| u64::from(KeyHash::Murmur2.partition(key, count).get())).sum()
}

#[inline(never)]
fn decide(strategy: &dyn Strategy, keys: &[Vec<u8>], count: PartitionCount) -> u64 {
    let decided = keys.iter().map(|key| strategy.route(&Record::keyed(key), count));
    decided.map(|route| route.map_or(0, |route| u64::from(route.partition.get()))).sum()
}

fn table() {
    println!(
        "million records/s on one core, first decile of {ROUNDS} alternating turns of {RECORDS}, seed {SEED}"
    );
    for (exponent, n) in WORKLOADS {
        let (keys, strategies) = (keys(exponent), strategies());
        let (keys, count) = (&keys, PartitionCount::new(n).expect("a valid count"));
        let bare = move || {
            black_box(hash(black_box(keys), black_box(count)));
        };
        let mut contestants = vec![Contestant { name: "murmur2 % n", turn: Box::new(bare) }];
        for (name, strategy) in &strategies {
            let routed = move || {
                black_box(decide(black_box(&**strategy), black_box(keys), black_box(count)));
            };
            contestants.push(Contestant { name, turn: Box::new(routed) });
        }
        let times = first_deciles(&mut contestants, ROUNDS);
        for (contestant, &time) in contestants.iter().zip(&times) {
            let rate = f64::from(u32::try_from(RECORDS).expect("a few thousand")) / time.as_secs_f64() / 1e6;
            let ratio = time.as_secs_f64() / times[0].as_secs_f64();
            println!("z {exponent:.1}  n {n:3}  {:20} {rate:7.1}  {ratio:5.2} x", contestant.name);
        }
    }
}

fn literature(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("literature");
    group.throughput(Throughput::Elements(RECORDS));
    for (exponent, n) in WORKLOADS {
        let (keys, count) = (keys(exponent), PartitionCount::new(n).expect("a valid count"));
        let workload = format!("z {exponent:.1}, n {n}");
        group.bench_with_input(BenchmarkId::new("murmur2 % n", &workload), &keys, |bencher, keys| {
            bencher.iter(|| hash(keys, black_box(count)));
        });
        for (name, strategy) in &strategies() {
            group.bench_with_input(BenchmarkId::new(*name, &workload), &keys, |bencher, keys| {
                bencher.iter(|| decide(&**strategy, keys, black_box(count)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, literature);

fn main() {
    // `cargo test` runs a bench target once, in test mode, where no figure is wanted.
    if std::env::args().any(|argument| argument == "--bench") {
        table();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
