//! How even the strategies of papers on stream processing are: keys of a Zipf distribution from five producers that know
//! only their own loads, over several draws of the hashes.
//!
//! `cargo run -p examples --example literature`; `--records 5000000 --draws 20` is the papers' size, and then `--release`.
#![allow(clippy::print_stdout)] // what an example is for

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use analyzer::strategy::literature::TOLERANCE;
use analyzer::study::{Imbalance, Rule, ZipfStream, imbalance};
use anyhow::{Context, Result, ensure};
use clap::Parser;
use partitioner::ids::PartitionCount;

const KEYS: u32 = 10_000;
const PRODUCERS: usize = 5;

/// Zipf exponents and partitions. In the last row a draw of few partitions is often worse than expected.
const ROWS: [(f64, u32); 6] = [(0.8, 100), (1.0, 50), (1.0, 100), (1.4, 100), (2.0, 100), (1.2, 10)];

const RULES: [Rule; 5] = [Rule::Hash, Rule::Pkg, Rule::DChoices, Rule::DistinctDChoices, Rule::WChoices];

/// How even the strategies of papers are
#[derive(Debug, Parser)]
struct Arguments {
    /// Records of each row, sent by five producers in turn
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    records: u64,
    /// Draws of the hashes
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    draws: u64,
    /// Seed of the keys and of the first draw
    #[arg(long, default_value_t = 42)]
    seed: u64,
}

/// What came of one rule under every draw.
struct Drawn(Vec<Imbalance>);

impl Drawn {
    fn mean(&self) -> f64 {
        mean(self.0.iter().map(|drawn| drawn.imbalance))
    }

    /// A few draws that give a heavy key too few partitions decide the mean.
    fn median(&self) -> f64 {
        let mut imbalances: Vec<f64> = self.0.iter().map(|drawn| drawn.imbalance).collect();
        imbalances.sort_unstable_by(f64::total_cmp);
        let half = imbalances.len() / 2;
        mean(imbalances[half - usize::from(imbalances.len().is_multiple_of(2))..=half].iter().copied())
    }

    fn choices(&self) -> f64 {
        mean(self.0.iter().filter_map(|drawn| drawn.choices))
    }

    fn above_tolerance(&self) -> usize {
        self.0.iter().filter(|drawn| drawn.imbalance > TOLERANCE).count()
    }
}

#[allow(clippy::cast_precision_loss)] // a number of draws
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Every rule under every draw, shared by the cores.
fn draw_all(stream: &ZipfStream, count: PartitionCount, arguments: &Arguments) -> Result<Vec<Drawn>> {
    let draws = usize::try_from(arguments.draws)?;
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![None; RULES.len() * draws]));
    let work = || {
        loop {
            let task = next.fetch_add(1, Relaxed);
            let Some(&rule) = RULES.get(task / draws) else { break };
            let draw_seed = arguments.seed.wrapping_add((task % draws) as u64);
            let drawn = imbalance(stream, rule, count, PRODUCERS, draw_seed);
            done.lock().expect("no draw panicked")[task] = drawn;
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| (0..cores).for_each(|_| _ = scope.spawn(work)));
    let done: Option<Vec<Imbalance>> = done.into_inner().expect("no draw panicked").into_iter().collect();
    let done = done.context("a stream has records")?;
    Ok(done.chunks(draws).map(|drawn| Drawn(drawn.to_vec())).collect())
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let Arguments { records, draws, seed } = arguments;
    println!(
        "{records} records of {KEYS} keys from {PRODUCERS} producers; I/m, mean of {draws} draws, seed {seed}\n"
    );
    println!(
        "{:>4}{:>5}{:>10}{:>10}{:>10}{:>9}{:>11}{:>9}{:>6}{:>10}{:>6}{:>11}   above {TOLERANCE:e}: D-Choices, distinct, W-Choices",
        "z", "n", "hash", "PKG", "bound", "over it", "D-Choices", "median", "d", "distinct", "d", "W-Choices"
    );
    for (exponent, n) in ROWS {
        let count = PartitionCount::new(n).context("a topic has partitions")?;
        let stream = ZipfStream::new(exponent, KEYS, records, seed)?;
        let drawn = draw_all(&stream, count, &arguments)?;
        let [hash, pkg, d_choices, distinct, w_choices] = &drawn[..] else {
            unreachable!("as many as there are rules")
        };
        let bound = stream.shares()[0] / 2.0 - 1.0 / f64::from(n);
        println!(
            "{exponent:>4.1}{n:>5}{:>10.2e}{:>10.2e}{bound:>10.2e}{:>7.2} %{:>11.1e}{:>9.1e}{:>6.1}{:>10.1e}{:>6.1}{:>11.1e}   {}, {}, {}",
            hash.mean(),
            pkg.mean(),
            (pkg.mean() / bound - 1.0) * 100.0,
            d_choices.mean(),
            d_choices.median(),
            d_choices.choices(),
            distinct.mean(),
            distinct.choices(),
            w_choices.mean(),
            d_choices.above_tolerance(),
            distinct.above_tolerance(),
            w_choices.above_tolerance(),
        );
        check(&stream, n, hash, pkg)?;
    }
    Ok(())
}

/// The heaviest key lies on one partition by a hash, and on two at most by Partial Key Grouping, so that it alone leaves so
/// much above the mean.
#[allow(clippy::cast_precision_loss)] // numbers of records
fn check(stream: &ZipfStream, n: u32, hash: &Drawn, pkg: &Drawn) -> Result<()> {
    let heaviest = stream.keys().iter().filter(|&&key| key == 0).count() as f64 / stream.keys().len() as f64;
    for (drawn, partitions) in [(hash, 1.0), (pkg, 2.0)] {
        let least = heaviest / partitions - 1.0 / f64::from(n) - 1e-9;
        ensure!(drawn.0.iter().all(|drawn| drawn.imbalance >= least), "n {n}: less than {least}");
    }
    Ok(())
}
