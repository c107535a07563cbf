//! Where records come from: arguments that several commands share.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use super::whole_number;

/// Where the records come from.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("traffic").required(true).args(["profile", "trace"]))]
pub struct TrafficArgs {
    /// Make traffic from a profile: a name from `analyzer profiles`, or the path of a TOML file
    #[arg(long, value_name = "NAME|PATH", help_heading = "Traffic")]
    pub profile: Option<String>,
    /// Replay a CSV, TSV or JSON Lines file, plain or compressed by gzip, zstd or bzip2 (- is standard input), or a
    /// Parquet file (feature `parquet`)
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
