//! Producers under a contract beside librdkafka's own partitioners: records a second, and records a produce request.
//!
//! Each comparison runs its contestants on one broker, turn by turn, after an uncounted round: whoever starts a round
//! changes. A ratio is of two turns of one round, and the median of the rounds' ratios is what counts. Not by criterion,
//! which would measure one producer to its end and then the next.
//!
//! ```sh
//! cargo bench -p benches --features rdkafka --bench producer       # librdkafka's MockCluster, in this process
//! cargo bench -p benches --features kafka --bench producer         # that, and a real Kafka: Java 17 and Maven
//! cargo bench -p benches --features kafka --bench producer -- paced
//! ```
//!
//! Standard output is one table; what takes time is told on standard error.

mod broker;
mod contestant;
mod environment;
mod keyed;
mod table;
mod unkeyed;

use std::io::{self, Write};

use clap::{Parser, ValueEnum};

use broker::Broker;
use table::Row;

/// Seeds the keys, and the sticky choices under a contract.
const SEED: u64 = 42;

/// Compares producers under a contract with librdkafka's own partitioners.
#[derive(Parser)]
#[command(name = "producer")]
struct Arguments {
    /// What is measured; everything when none is named.
    #[arg(value_enum)]
    comparisons: Vec<Comparison>,

    /// Where; `keyed` on every broker when none is named, the others on a real Kafka where it is compiled in.
    #[arg(long, value_enum)]
    broker: Option<BrokerKind>,

    /// Measure, as `cargo bench` asks; otherwise one tiny turn on `MockCluster` shows that the program works.
    #[arg(long)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Comparison {
    /// Records with a key: the hook beside `murmur2_random`.
    Keyed,
    /// Records without a key at 10,000 a second: sticky under a contract, librdkafka's sticky, round robin.
    Paced,
    /// The same as fast as can be.
    Unthrottled,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BrokerKind {
    /// librdkafka's `MockCluster`, in this process.
    Mock,
    /// A real Kafka of one node.
    #[cfg(feature = "kafka")]
    Kafka,
}

/// How much is sent.
struct Scale {
    /// Records of a turn without a pace.
    records: usize,
    /// Records of a turn at a pace.
    records_paced: usize,
    /// Turns of each contestant that count.
    rounds: usize,
}

const FULL: Scale = Scale { records: 2_000_000, records_paced: 60_000, rounds: 5 };
const TINY: Scale = Scale { records: 2_000, records_paced: 200, rounds: 1 };

impl Comparison {
    fn rows(self, broker: &Broker, scale: &Scale) -> anyhow::Result<Vec<Row>> {
        match self {
            Self::Keyed => keyed::rows(broker, scale),
            Self::Paced => unkeyed::rows_paced(broker, scale),
            Self::Unthrottled => unkeyed::rows_unthrottled(broker, scale),
        }
    }
}

impl BrokerKind {
    fn start(self) -> anyhow::Result<Broker> {
        match self {
            Self::Mock => Broker::mock(),
            #[cfg(feature = "kafka")]
            Self::Kafka => Broker::kafka(),
        }
    }
}

/// What to measure where.
fn plan(arguments: &Arguments) -> Vec<(BrokerKind, Comparison)> {
    let named = &arguments.comparisons;
    let comparisons = if named.is_empty() { Comparison::value_variants() } else { named };
    let compiled = BrokerKind::value_variants();
    let mut plan = Vec::new();
    for (place, &broker) in compiled.iter().enumerate() {
        let is_last = place + 1 == compiled.len();
        let runs = |comparison: Comparison| match arguments.broker {
            _ if !arguments.bench => broker == BrokerKind::Mock,
            Some(only) => broker == only,
            None => comparison == Comparison::Keyed || is_last,
        };
        plan.extend(comparisons.iter().filter(|&&comparison| runs(comparison)).map(|&what| (broker, what)));
    }
    plan
}

/// Tells what takes time.
fn say(line: &str) {
    // A terminal that has gone is no reason to stop.
    let _ = writeln!(io::stderr().lock(), "producer: {line}");
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let scale = if arguments.bench { FULL } else { TINY };
    let mut rows = Vec::new();
    let mut running: Option<(BrokerKind, Broker)> = None;
    for (kind, comparison) in plan(&arguments) {
        let (_, broker) = match running.take().filter(|(running, _)| *running == kind) {
            Some(same) => running.insert(same),
            None => running.insert((kind, kind.start()?)),
        };
        rows.extend(comparison.rows(broker, &scale)?);
    }
    let mut out = io::stdout().lock();
    if arguments.bench {
        writeln!(out, "{}\n\n{}", environment::line(), table::markdown(&rows))?;
    }
    Ok(())
}
