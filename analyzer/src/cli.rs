//! The command line as it is typed; [`settings`](crate::settings) makes sense of it.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use partitioner::ids::PartitionCount;

use crate::gate::Limit;
use crate::report::Format;
use crate::strategy::{ALL, TENANT_AWARE};
use crate::workload::profile::RECORDS_MAX;

/// Measures and simulates how a Kafka topic's records spread over its partitions.
#[derive(Debug, Parser)]
#[command(name = "analyzer", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Exit status: 0 done, 1 a limit of --fail-above was exceeded, 2 an error.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Replay traffic through every strategy and print the load per partition side by side
    #[command(after_help = SIMULATE_EXAMPLES)]
    Simulate(Box<SimulateArgs>),
    /// List the built-in traffic profiles, or print one as TOML
    Profiles {
        /// Print this profile's TOML, to start one of your own from
        name: Option<String>,
    },
}

const SIMULATE_EXAMPLES: &str = "\
Examples:
  analyzer simulate --profile multitenant
  analyzer simulate --profile multitenant --partitions 24 --sweep vip-count
  analyzer simulate --trace flights.csv.gz --tenant-field carrier --entity-field tailnum \\
      --vip UA,B6,EV --partitions 24
  zcat orders.jsonl.gz | analyzer simulate --trace - --key-field key --bytes-field size
  analyzer simulate --profile multitenant --config partitioner.toml --fail-above max-mean=1.5

Exit status: 0 done, 1 a limit of --fail-above was exceeded, 2 an error.";

/// Arguments of `simulate`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("traffic").required(true).args(["profile", "trace"]))]
pub struct SimulateArgs {
    /// Make traffic from a profile: a name from `analyzer profiles`, or the path of a TOML file
    #[arg(long, value_name = "NAME|PATH", help_heading = "Traffic")]
    pub profile: Option<String>,
    /// Records to make [default: the profile's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "trace", help_heading = "Traffic",
        value_parser = |text: &str| whole_number::<u64>(text, 1, RECORDS_MAX))]
    pub records: Option<u64>,
    /// Replay a CSV, TSV or JSON Lines file, plain or compressed by gzip, zstd or bzip2; - is standard input
    #[arg(long, value_name = "PATH", help_heading = "Traffic")]
    pub trace: Option<PathBuf>,
    /// Field of the trace with the tenant
    #[arg(
        long,
        value_name = "FIELD",
        requires = "trace",
        conflicts_with = "profile",
        help_heading = "Traffic"
    )]
    pub tenant_field: Option<String>,
    /// Field of the trace with the entity, such as an order, whose records must stay in order
    #[arg(
        long,
        value_name = "FIELD",
        requires = "tenant_field",
        conflicts_with = "profile",
        help_heading = "Traffic"
    )]
    pub entity_field: Option<String>,
    /// Field of the trace with the whole record key, in place of tenant and entity
    #[arg(
        long,
        value_name = "FIELD",
        requires = "trace",
        conflicts_with_all = ["profile", "tenant_field"],
        help_heading = "Traffic"
    )]
    pub key_field: Option<String>,
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
    /// Format of the trace [default: told by its content]
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "trace",
        conflicts_with = "profile",
        help_heading = "Traffic"
    )]
    pub trace_format: Option<TraceFormatArg>,
    /// Count rows that cannot be read, and report them, instead of stopping at the first
    #[arg(long, requires = "trace", conflicts_with = "profile", help_heading = "Traffic")]
    pub skip_bad_rows: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value = "42", help_heading = "Traffic",
        value_parser = |text: &str| whole_number::<u64>(text, 0, u64::MAX))]
    pub seed: u64,

    /// Partitions of the topic [default: the contract's, the profile's, or 12]
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, help_heading = "Placement",
        value_parser = |text: &str| whole_number::<u32>(text, 1, u64::from(PartitionCount::MAX)))]
    pub partitions: Option<u32>,
    /// Partitions of the VIP pool [default: closed form]
    #[arg(long, value_name = "N", alias = "vipCount", allow_negative_numbers = true, help_heading = "Placement",
        value_parser = |text: &str| whole_number::<u32>(text, 0, u64::from(PartitionCount::MAX - 1)))]
    pub vip_count: Option<u32>,
    /// VIP tenants [default: the profile's, or those above 1/n of a trace's records]
    #[arg(long, value_name = "TENANT,...", value_delimiter = ',', help_heading = "Placement")]
    pub vip: Vec<String>,
    /// Simulate this routing contract as tenant-aware
    #[arg(long, value_name = "PATH", conflicts_with_all = ["vip", "vip_count"], help_heading = "Placement")]
    pub config: Option<PathBuf>,
    /// Topic whose section of the contract is used [default: the only one]
    #[arg(long, value_name = "TOPIC", requires = "config", help_heading = "Placement")]
    pub topic: Option<String>,
    /// Strategies to compare; all that apply when none is named.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Placement", help = strategies_help())]
    pub strategies: Vec<String>,
    /// Also try tenant-aware with every size of the VIP pool
    #[arg(long, value_name = "WHAT", help_heading = "Placement")]
    pub sweep: Option<Sweep>,

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

/// When to do something that depends on the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// At a terminal
    Auto,
    /// In any case
    Always,
    /// In no case
    Never,
}

/// Formats of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormatArg {
    /// Comma-separated, with a header
    Csv,
    /// Tab-separated, with a header
    Tsv,
    /// One JSON object a line
    Jsonl,
}

fn strategies_help() -> String {
    let names: Vec<_> = ALL.iter().map(|entry| entry.name).collect();
    format!("Strategies to compare, of {} [default: all that apply]", names.join(", "))
}

fn fail_above_help() -> String {
    let names: Vec<_> = Limit::metric_names().collect();
    format!(
        "Exit with status 1 when a figure is above a limit, such as max-mean=2; may stand several times. Figures are {}",
        names.join(", ")
    )
}

/// A whole number from `least` to `most`; the error says so, whatever stands there instead.
fn whole_number<T: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<T, String> {
    let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}
