//! Producers under a contract beside librdkafka's own partitioners: records a second, and records a produce request.
//!
//! Each comparison runs its contestants on one broker, turn by turn, after an uncounted round: whoever starts a round
//! changes. A ratio is of two turns of one round, and the median of the rounds' ratios is what counts. Not by criterion,
//! which would measure one producer to its end and then the next.
//!
//! ```sh
//! cargo bench -p benches --features rdkafka --bench producer       # librdkafka's MockCluster, in this process
//! cargo bench -p benches --features kafka --bench producer         # that, and a real Kafka: Java 17 and Maven
//! cargo bench -p benches --features kafka --bench producer -- unkeyed-kafka
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

    /// Measure, as `cargo bench` asks; otherwise one tiny turn on `MockCluster` shows that the program works.
    #[arg(long)]
    bench: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Comparison {
    /// The hook beside `murmur2_random`, on librdkafka's MockCluster.
    KeyedMock,
    /// Records without a key: sticky under a contract, librdkafka's sticky, round robin; on MockCluster.
    UnkeyedMock,
    /// The hook beside `murmur2_random`, on a real Kafka of one node.
    #[cfg(feature = "kafka")]
    KeyedKafka,
    /// Records without a key, on a real Kafka of one node.
    #[cfg(feature = "kafka")]
    UnkeyedKafka,
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

const FULL: Scale = Scale { records: 600_000, records_paced: 60_000, rounds: 5 };
const TINY: Scale = Scale { records: 2_000, records_paced: 200, rounds: 1 };

impl Comparison {
    fn rows(self, scale: &Scale) -> anyhow::Result<Vec<Row>> {
        match self {
            Self::KeyedMock => keyed::rows(&Broker::mock()?, scale),
            Self::UnkeyedMock => unkeyed::rows(&Broker::mock()?, scale),
            #[cfg(feature = "kafka")]
            Self::KeyedKafka => keyed::rows(&Broker::kafka()?, scale),
            #[cfg(feature = "kafka")]
            Self::UnkeyedKafka => unkeyed::rows(&Broker::kafka()?, scale),
        }
    }

    fn is_mock(self) -> bool {
        matches!(self, Self::KeyedMock | Self::UnkeyedMock)
    }
}

/// Tells what takes time.
fn say(line: &str) {
    // A terminal that has gone is no reason to stop.
    let _ = writeln!(io::stderr().lock(), "producer: {line}");
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut comparisons = arguments.comparisons;
    if comparisons.is_empty() {
        comparisons = Comparison::value_variants().to_vec();
    }
    let scale = if arguments.bench { FULL } else { TINY };
    if !arguments.bench {
        comparisons.retain(|comparison| comparison.is_mock());
    }
    let mut rows = Vec::new();
    for comparison in comparisons {
        rows.extend(comparison.rows(&scale)?);
    }
    let mut out = io::stdout().lock();
    if arguments.bench {
        writeln!(out, "{}\n\n{}", environment::line(), table::markdown(&rows))?;
    }
    Ok(())
}
