//! What `analyzer tune` costs: one pass over 10⁷ records, and beside it the tables and the search that follow from it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use analyzer::simulate::{Traffic, pass};
use analyzer::tune::search::Scope;
use analyzer::tune::tally::{Holdout, Position, Tally};
use analyzer::tune::tune;
use analyzer::tune::units::Units;
use analyzer::workload::key_book::{KeyBook, Limits};
use analyzer::workload::profile::{Profile, ProfileTraffic};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::key::KeyFormat;

const SEED: u64 = 42;

/// Records of the printed table.
const RECORDS: u64 = 10_000_000;

/// Records of the measurement by criterion, which takes many samples.
const RECORDS_SAMPLED: u64 = 1_000_000;

/// Rounds of the printed table, of which the median is shown.
const ROUNDS: usize = 5;

fn forty_eight() -> PartitionCount {
    PartitionCount::new(48).expect("48 is a count")
}

/// Reads and counts the traffic once; the last quarter of it is what is judged on.
fn count(profile: &Profile, records: u64) -> (Tally, KeyBook) {
    let mut book = KeyBook::of_profile(profile, KeyFormat::default(), Limits::default());
    let holdout = Holdout::Share(0.25);
    let mut tally = Tally::new(KeyHash::Murmur2, Position::Order, holdout, Some(records));
    let traffic = ProfileTraffic::new(profile, records, SEED).expect("the profile can be made");
    let traffic = Traffic::Profile(Box::new(traffic));
    pass(traffic, &mut book, &|_| {}, &mut |book, columns| tally.take(book, columns))
        .expect("the profile can be counted");
    (tally, book)
}

fn scope(units: &Units) -> Scope {
    Scope::new(units, forty_eight())
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = what();
    (done, start.elapsed())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// The most memory that the process has held so far, where the system tells.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib >> 10)
}

#[allow(clippy::print_stdout)] // the result
fn print_table() {
    println!("{RECORDS} records, 48 partitions, seed {SEED}; median of {ROUNDS} rounds, in ms");
    println!(
        "{:16} {:>8} {:>8} {:>8} {:>14} {:>10}",
        "profile", "pass", "tables", "search", "search / pass", "peak MiB"
    );
    for name in ["multitenant", "mega-zipf", "many-whales", "zipf"] {
        let profile = Profile::load(name).expect("an embedded profile is valid");
        let (mut passes, mut tables, mut searches) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let ((tally, book), time) = timed(|| count(&profile, RECORDS));
            passes.push(time);
            let (units, time) = timed(|| Units::new(&tally, &book, KeyHash::Murmur2));
            tables.push(time);
            let (tuned, time) = timed(|| tune(&units, &scope(&units)));
            searches.push(time);
            black_box(tuned);
        }
        let (pass, table, search) = (median(passes), median(tables), median(searches));
        let peak = peak_mib().map_or("-".to_owned(), |mib| mib.to_string());
        println!("{name:16} {pass:8.1} {table:8.1} {search:8.2} {:14.3} {peak:>10}", search / pass);
    }
}

fn tuning(criterion: &mut Criterion) {
    print_table();
    let profile = Profile::load("multitenant").expect("an embedded profile is valid");
    let (tally, book) = count(&profile, RECORDS_SAMPLED);
    let units = Units::new(&tally, &book, KeyHash::Murmur2);
    let mut group = criterion.benchmark_group("tune");
    group.throughput(Throughput::Elements(RECORDS_SAMPLED)).sample_size(20);
    group.bench_function("one pass over the records", |bencher| {
        bencher.iter(|| count(&profile, RECORDS_SAMPLED))
    });
    group.bench_function("the search", |bencher| bencher.iter(|| tune(&units, &scope(&units))));
    group.finish();
}

criterion_group!(benches, tuning);
criterion_main!(benches);
