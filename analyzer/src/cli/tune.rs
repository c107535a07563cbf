//! The arguments of `analyzer tune`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use partitioner::ids::PartitionCount;

use super::traffic::TrafficArgs;
use super::{When, whole_number};
use crate::report::tune::TuneFormat;
use crate::tune::layout::SLOTS_MAX;
use crate::tune::tally::RECORDS_MAX;
use crate::workload::trace::parse_time_us;

pub(super) const TUNE_EXAMPLES: &str = "\
Tunes on the earlier part of the traffic and judges on the later one; of a profile, on another seed. Balance is of \
records, not bytes. The contract holds the evidence in comments, and `analyzer simulate --config` reproduces it.

Examples:
  analyzer tune --profile multitenant -o partitioner.toml
  analyzer tune --profile multitenant --partitions 24 --vip tenant-mega --isolation shared
  analyzer tune --profile many-whales --pools each
  analyzer tune --trace flights.csv --tenant-field carrier --entity-field tailnum --time-field time_hour -n 24
  analyzer tune --trace flights.csv --tenant-field carrier --entity-field tailnum --time-field time_hour \\
      --holdout 2013-10-01T00:00:00Z --keep-tenant-order DL -n 24
  analyzer tune --profile multitenant --objective lag-p99 --service-rate 600 --arrival-rate 5000
  analyzer tune --trace orders.jsonl --key-field key --from partitioner.toml --max-moved 5% -o next.toml

Exit status: 0 done, 2 an error.";

/// Arguments of `tune`.
#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Where the records come from.
    #[command(flatten)]
    pub traffic: TrafficArgs,
    /// Records to make [default: the profile's]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "trace", help_heading = "Traffic",
        value_parser = |text: &str| whole_number::<u64>(text, 1, RECORDS_MAX))]
    pub records: Option<u64>,
    /// Field of the trace with the time, by which earlier and later are told apart [default: the order of the rows]
    #[arg(
        long,
        value_name = "FIELD",
        requires = "trace",
        conflicts_with = "profile",
        help_heading = "Traffic"
    )]
    pub time_field: Option<String>,
    /// What to judge on: the last share of the records, those from a time on, or none [default: 25%, of a profile another seed]
    #[arg(long, value_name = "P%|TIME|none", help_heading = "Traffic", value_parser = parse_holdout)]
    pub holdout: Option<HoldoutArg>,

    /// Partitions of the topic [default: the contract's, the profile's, or 12]
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, help_heading = "Choice",
        value_parser = |text: &str| whole_number::<u32>(text, 1, u64::from(PartitionCount::MAX)))]
    pub partitions: Option<u32>,
    /// Tenants of the VIP pool: auto chooses them by share, of those that fill at least half a partition
    #[arg(
        long,
        value_name = "auto|TENANT,...",
        value_delimiter = ',',
        default_value = "auto",
        help_heading = "Choice"
    )]
    pub vip: Vec<String>,
    /// Tenants that must stay in order as a whole, and so on one partition
    #[arg(long, value_name = "TENANT,...", value_delimiter = ',', help_heading = "Choice")]
    pub keep_tenant_order: Vec<String>,
    /// Whether slots of VIP tenants may be owned by standard partitions (shared): more even, at the price of a blast radius
    #[arg(long, value_name = "WHERE", default_value = "strict", help_heading = "Choice")]
    pub isolation: IsolationArg,
    /// Pools of VIP tenants: one for all, one for each tenant that fills half a partition (which keeps them apart from each
    /// other as well), or as many as cost no more than a percent of balance
    #[arg(long, value_name = "POOLS", default_value = "auto", help_heading = "Choice")]
    pub pools: PoolsArg,
    /// Slots for each partition, or off to move none
    #[arg(long, value_name = "N|off", default_value = "64", help_heading = "Choice", value_parser = parse_slots)]
    pub slots: SlotsArg,
    /// What is to be as small as can be: the hottest partition over the mean, or the 99th percentile of the latency
    #[arg(long, value_name = "WHAT", default_value = "max-mean", help_heading = "Choice")]
    pub objective: ObjectiveArg,
    /// Records a second that the consumer of one partition handles, for lag-p99
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Choice", value_parser = parse_rate)]
    pub service_rate: Option<f64>,
    /// Records a second of the whole topic, for lag-p99 [default: the profile's]
    #[arg(long, value_name = "N", requires = "service_rate", allow_negative_numbers = true, help_heading = "Choice",
        value_parser = parse_rate)]
    pub arrival_rate: Option<f64>,
    /// Contract to begin with: its pools stay, and as few slots move as will do
    #[arg(long, value_name = "PATH", conflicts_with_all = ["vip", "keep_tenant_order", "isolation", "pools", "slots", "objective"], help_heading = "Choice")]
    pub from: Option<PathBuf>,
    /// Most records that may move against --from, in percent of all
    #[arg(long, value_name = "P%", requires = "from", help_heading = "Choice", value_parser = parse_percent)]
    pub max_moved: Option<f64>,
    /// Topic of the contract's section, or a prefix with * at the end [default: *, with --from the only section]
    #[arg(long, value_name = "TOPIC", help_heading = "Choice")]
    pub topic: Option<String>,

    /// Write the contract to this file, whole or not at all; - writes it to standard output and the report to standard error
    #[arg(long, short = 'o', value_name = "PATH", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = clap::builder::PossibleValuesParser::new(TuneFormat::NAMES), help_heading = "Output")]
    pub format: String,
    /// When to use colour; NO_COLOR is heeded by auto
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: When,
}

/// What to judge on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HoldoutArg {
    /// The last share of the records, above 0 and below 1.
    Share(f64),
    /// What has this time or a later one, in microseconds since 1970.
    From(u64),
    /// Nothing.
    None,
}

/// Slots for each partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotsArg {
    /// So many.
    PerPartition(u32),
    /// No slot is moved.
    Off,
}

/// Where VIP slots may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsolationArg {
    /// On partitions of the VIP pool only
    Strict,
    /// On any partition
    Shared,
}

/// Pools of VIP tenants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PoolsArg {
    /// As many as cost no more than a percent of balance
    Auto,
    /// One for all VIP tenants
    One,
    /// One for each heavy tenant
    Each,
}

/// What is to be as small as can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveArg {
    /// The load of the hottest partition over the mean
    MaxMean,
    /// The 99th percentile of the latency over all records, each partition an M/M/1 queue
    LagP99,
}

/// A rate above 0.
fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| "expected records a second, above 0".to_owned())
}

fn parse_holdout(text: &str) -> Result<HoldoutArg, String> {
    let wrong = || "expected a share such as 25%, a time such as 2026-10-01T00:00:00Z, or none".to_owned();
    if text == "none" {
        return Ok(HoldoutArg::None);
    }
    if text.ends_with('%') {
        let share = parse_percent(text)?;
        let is_part = share > 0.0 && share < 1.0;
        return if is_part { Ok(HoldoutArg::Share(share)) } else { Err(wrong()) };
    }
    let time_us = parse_time_us(text.as_bytes()).and_then(|time_us| u64::try_from(time_us).ok());
    time_us.map(HoldoutArg::From).ok_or_else(wrong)
}

fn parse_slots(text: &str) -> Result<SlotsArg, String> {
    if text == "off" {
        return Ok(SlotsArg::Off);
    }
    whole_number(text, 1, u64::from(SLOTS_MAX))
        .map(SlotsArg::PerPartition)
        .map_err(|error| format!("{error}, or off"))
}

/// `5%` → 0.05.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    number
        .filter(|percent| (0.0..=100.0).contains(percent))
        .map(|percent| percent / 100.0)
        .ok_or_else(|| "expected a share from 0% to 100%, such as 5%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holdouts_are_shares_times_or_none() {
        assert_eq!(parse_holdout("25%"), Ok(HoldoutArg::Share(0.25)));
        assert_eq!(parse_holdout("2013-10-01T00:00:00Z"), Ok(HoldoutArg::From(1_380_585_600_000_000)));
        assert_eq!(parse_holdout("none"), Ok(HoldoutArg::None));
        for wrong in ["0%", "100%", "-5%", "0.25.1", "soon", ""] {
            assert!(parse_holdout(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slots_are_a_number_or_off() {
        assert_eq!(parse_slots("off"), Ok(SlotsArg::Off));
        assert_eq!(parse_slots("256"), Ok(SlotsArg::PerPartition(256)));
        assert_eq!(parse_slots("0").unwrap_err(), "expected a whole number from 1 to 65536, or off");
    }
}
