//! Record-decisions a second of `analyzer simulate` on `multitenant`, beside hashing the keys once for each strategy.
//!
//! A strategy that places by key alone places each distinct key once, however many records carry it; so a simulation of
//! many strategies is to cost less than what any client pays for its keys' hashes alone.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use analyzer::command::simulate::simulate;
use analyzer::settings::{SimulateSettings, TrafficSource};
use analyzer::strategy::{Entry, Group};
use analyzer::workload::profile::Profile;
use benches::interleave::{Contestant, first_deciles};
use benches::keys::Keys;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;

const SEED: u64 = 42;

/// Records of the printed table.
const RECORDS: u64 = 10_000_000;

/// Records of the measurement by criterion, which takes many samples.
const RECORDS_SAMPLED: u64 = 1_000_000;

fn twelve() -> PartitionCount {
    PartitionCount::new(12).expect("12 is a count")
}

fn multitenant() -> Profile {
    Profile::load("multitenant").expect("an embedded profile is valid")
}

fn settings(records: u64) -> SimulateSettings {
    SimulateSettings {
        source: TrafficSource::Profile { profile: Box::new(multitenant()), records },
        count: twelve(),
        seed: SEED,
        vips: Vec::new(),
        vip_count: None,
        contract: None,
        strategies: Entry::of(Group::Usual).collect(),
        are_strategies_named: false,
        is_sweep: false,
        lag: None,
        command: "benches/simulate".to_owned(),
    }
}

/// Simulates and returns how many strategies there were.
fn run(settings: &SimulateSettings) -> usize {
    let report = simulate(settings, &|_| {}).expect("the profile can be simulated");
    black_box(report).strategies.len()
}

/// Hashes every key and counts it on its partition, as a simulation would that has nothing but a hash.
fn hash_all(keys: &Keys) {
    let (count, mut records) = (twelve(), vec![0u64; twelve().as_usize()]);
    for key in keys.iter() {
        records[KeyHash::Murmur2.partition(key, count).as_usize()] += 1;
    }
    black_box(records);
}

#[allow(clippy::print_stdout)] // the result
fn print_table() {
    let (settings, keys) = (settings(RECORDS), Keys::of_multitenant(RECORDS, SEED));
    let strategies = run(&settings);
    let mut contestants = [
        Contestant { name: "simulate", turn: Box::new(|| _ = black_box(run(&settings))) },
        Contestant {
            name: "murmur2 of every key, once a strategy, one core",
            turn: Box::new(|| (0..strategies).for_each(|_| hash_all(&keys))),
        },
        Contestant {
            name: "the same on two cores",
            turn: Box::new(|| {
                let hash = |times| (0..times).for_each(|_| hash_all(&keys));
                thread::scope(|scope| {
                    scope.spawn(|| hash(strategies / 2));
                    hash(strategies.div_ceil(2));
                });
            }),
        },
    ];
    let names = contestants.each_ref().map(|contestant| contestant.name);
    let times = first_deciles(&mut contestants, 10);
    println!(
        "{RECORDS} records of multitenant, {strategies} strategies, seed {SEED}; first decile of 10 rounds"
    );
    for (name, time) in names.iter().zip(times) {
        println!(
            "{name:50} {:7.0} ms {:7.1} million record-decisions/s",
            millis(time),
            rate(strategies, time)
        );
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[allow(clippy::cast_precision_loss)] // printed to a few digits
fn rate(strategies: usize, time: Duration) -> f64 {
    strategies as f64 * RECORDS as f64 / time.as_secs_f64() / 1e6
}

fn simulations(criterion: &mut Criterion) {
    print_table();
    let mut group = criterion.benchmark_group("simulate");
    group.throughput(Throughput::Elements(RECORDS_SAMPLED)).sample_size(20);
    let (settings, keys) = (settings(RECORDS_SAMPLED), Keys::of_multitenant(RECORDS_SAMPLED, SEED));
    group.bench_function("all strategies that apply", |bencher| bencher.iter(|| run(&settings)));
    group.bench_function("peer: murmur2 of every key, once", |bencher| bencher.iter(|| hash_all(&keys)));
    group.finish();
}

criterion_group!(benches, simulations);
criterion_main!(benches);
