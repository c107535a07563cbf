//! The arguments of `analyzer verify`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::placement::PlacementArgs;
use super::traffic::TrafficArgs;
use super::{When, whole_number};
use crate::report::verify::VerifyFormat;

/// Most records of a verification: what is known of each takes 20 bytes of memory.
const VERIFY_RECORDS_MAX: u64 = 10_000_000;

pub(super) const VERIFY_EXAMPLES: &str = "\
Four steps: predict the partition of every key without the broker; produce the records, with a sequence for each \
entity, through the partitioner that producers plug in; read them back and compare; then the same without keys, to see \
how they scatter. Records carry a mark in their header and no data of yours.

Examples:
  analyzer verify --mock --profile multitenant
  analyzer verify --brokers localhost:9092 --profile ticker --cleanup
  analyzer verify --brokers localhost:9092 --topic market-updates --partitions 6 --profile ticker
  analyzer verify --profile multitenant --config partitioner.toml --topic orders

The last takes brokers, user and password from the [producer] table of the contract's file, where a secret is the name of \
an environment variable. TLS and SCRAM need the feature tls (cargo build -p analyzer --features tls).

Exit status: 0 all as predicted, 1 a mismatch, 2 an error.";

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("cluster").args(["brokers", "mock"]))]
pub struct VerifyArgs {
    /// Brokers to begin with, as host:port, several with commas [default: those of the contract's file]
    #[arg(long, value_name = "HOST:PORT,...", help_heading = "Cluster")]
    pub brokers: Option<String>,
    /// Use librdkafka's own cluster inside this process: no Kafka is needed
    #[arg(long, help_heading = "Cluster")]
    pub mock: bool,
    /// Topic to write to; created when it is not there, else its partition count is taken [default: a new one of a name of its own]
    #[arg(long, value_name = "TOPIC", help_heading = "Cluster")]
    pub topic: Option<String>,
    /// Write to a topic that holds records; only what this run wrote is read and compared
    #[arg(long, requires = "topic", conflicts_with = "mock", help_heading = "Cluster")]
    pub allow_existing: bool,
    /// Replicas of the topic when it is created [default: the broker's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "mock", help_heading = "Cluster",
        value_parser = |text: &str| whole_number::<u16>(text, 1, 32_767))]
    pub replication_factor: Option<u16>,
    /// Delete the topic at the end, if this run created it; also after an error or Ctrl-C
    #[arg(long, help_heading = "Cluster")]
    pub cleanup: bool,
    /// Seconds to wait for the cluster while nothing happens
    #[arg(long, value_name = "SECONDS", default_value = "30", allow_negative_numbers = true, help_heading = "Cluster",
        value_parser = |text: &str| whole_number::<u64>(text, 1, 3_600))]
    pub timeout: u64,
    /// Property of librdkafka's clients, such as compression.type=lz4; may stand several times
    #[arg(short = 'X', value_name = "NAME=VALUE", help_heading = "Cluster")]
    pub properties: Vec<String>,

    /// Where the records come from.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Records to make, or to take from the start of the trace [default: 10000, or fewer if the profile says so]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Traffic",
        value_parser = |text: &str| whole_number::<u64>(text, 1, VERIFY_RECORDS_MAX))]
    pub records: Option<u64>,

    /// By which contract they are placed.
    #[command(flatten)]
    pub placement: PlacementArgs,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = clap::builder::PossibleValuesParser::new(VerifyFormat::NAMES), help_heading = "Output")]
    pub format: String,
    /// Write the report to this file, whole or not at all; - is standard output
    #[arg(long, short = 'o', value_name = "PATH", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// When to use colour; NO_COLOR is heeded by auto
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: When,
}
