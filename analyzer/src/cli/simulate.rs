//! The arguments of `analyzer simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::lag::LagArgs;
use super::placement::PlacementArgs;
use super::traffic::TrafficArgs;
use super::{When, whole_number};
use crate::gate::Limit;
use crate::report::Format;
use crate::strategy::{Entry, Group, TENANT_AWARE};
use crate::workload::profile::RECORDS_MAX;

pub(super) const SIMULATE_EXAMPLES: &str = "\
Examples:
  analyzer simulate --profile multitenant
  analyzer simulate --profile multitenant --partitions 24 --sweep vip-count
  analyzer simulate --trace flights.csv.gz --tenant-field carrier --entity-field tailnum \\
      --vip UA,B6,EV --partitions 24
  zcat orders.jsonl.gz | analyzer simulate --trace - --key-field key --bytes-field size
  analyzer simulate --profile multitenant --config partitioner.toml --fail-above max-mean=1.5
  analyzer simulate --profile multitenant --sweep vip-count --format html -o report.html
  analyzer simulate --profile multitenant --arrival-rate 3000 --service-rate 500

Exit status: 0 done, 1 a limit of --fail-above was exceeded, 2 an error.";

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Where the records come from.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Records to make [default: the profile's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "trace", help_heading = "Traffic",
        value_parser = |text: &str| whole_number::<u64>(text, 1, RECORDS_MAX))]
    pub records: Option<u64>,
    /// Field of the trace with the record size in bytes
    #[arg(
        long,
        value_name = "FIELD",
        requires = "trace",
        conflicts_with = "profile",
        help_heading = "Traffic"
    )]
    pub bytes_field: Option<String>,
    /// Field of the trace with the time: RFC 3339, or seconds to nanoseconds since 1970
    #[arg(
        long,
        value_name = "FIELD",
        requires = "trace",
        conflicts_with = "profile",
        help_heading = "Traffic"
    )]
    pub time_field: Option<String>,

    /// What topic the records go to, and by which contract.
    #[command(flatten)]
    pub placement: PlacementArgs,
    /// Topic whose section of the contract is used [default: the only one]
    #[arg(long, value_name = "TOPIC", requires = "config", help_heading = "Placement")]
    pub topic: Option<String>,
    /// Strategies to compare; all that apply when none is named.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Placement", help = strategies_help())]
    pub strategies: Vec<String>,
    /// Also try tenant-aware with every size of the VIP pool
    #[arg(long, value_name = "WHAT", help_heading = "Placement")]
    pub sweep: Option<Sweep>,

    /// How late records are.
    #[command(flatten)]
    pub lag: LagArgs,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = clap::builder::PossibleValuesParser::new(Format::NAMES), help_heading = "Output")]
    pub format: String,
    /// Write the report to this file, whole or not at all; - is standard output
    #[arg(long, short = 'o', value_name = "PATH", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// When to use colour; NO_COLOR is heeded by auto
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: When,
    /// Limits of figures, as `METRIC=N`.
    #[arg(long, value_name = "METRIC=N", help_heading = "Output", help = fail_above_help())]
    pub fail_above: Vec<String>,
    /// Strategy that --fail-above looks at
    #[arg(long, value_name = "NAME", default_value = TENANT_AWARE, requires = "fail_above", help_heading = "Output")]
    pub gate: String,
}

/// What to sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sweep {
    /// The number of partitions of the VIP pool, 1 to n − 1
    VipCount,
}

fn strategies_help() -> String {
    let names = |group| Entry::of(group).map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    format!(
        "Strategies to compare, of {} [default: all of these that apply]; and from papers and other systems, of {}, or \
         {} for all of them",
        names(Group::Usual),
        names(Group::Literature),
        Group::LITERATURE
    )
}

fn fail_above_help() -> String {
    let names: Vec<_> = Limit::metric_names().collect();
    format!(
        "Exit with status 1 when a figure is above a limit, such as max-mean=2; may stand several times. Figures are {}",
        names.join(", ")
    )
}
