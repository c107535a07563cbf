//! The arguments of `analyzer compare`.

use std::path::PathBuf;

use clap::Args;

use super::When;
use crate::report::compare::CompareFormat;

pub(super) const COMPARE_EXAMPLES: &str = "\
Both files are reports of `analyzer simulate --format json`.

Examples:
  analyzer compare before.json after.json
  analyzer compare before.json after.json --format markdown -o comment.md
  analyzer compare before.json after.json --fail-on-worse 5% --gate tenant-aware
  analyzer simulate --profile multitenant --format json | analyzer compare before.json -

With --fail-on-worse, a figure that was 0 may not get worse at all; a figure or a strategy that is in only one report \
cannot be checked and is an error. A strategy that is new is not checked.

Exit status: 0 done, 1 a figure got worse by more than --fail-on-worse, 2 an error.";

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The report before; - is standard input
    #[arg(value_name = "A.json")]
    pub before: PathBuf,
    /// The report after; - is standard input
    #[arg(value_name = "B.json")]
    pub after: PathBuf,

    /// Format of the comparison
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = clap::builder::PossibleValuesParser::new(CompareFormat::NAMES), help_heading = "Output")]
    pub format: String,
    /// Write the comparison to this file, whole or not at all; - is standard output
    #[arg(long, short = 'o', value_name = "PATH", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// When to use colour; NO_COLOR is heeded by auto
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: When,
    /// Exit with status 1 when a figure got worse by more than this share of what it was, such as 5%
    #[arg(long, value_name = "PERCENT%", allow_hyphen_values = true, help_heading = "Output")]
    pub fail_on_worse: Option<String>,
    /// Strategy that --fail-on-worse looks at [default: every strategy of the report before]
    #[arg(long, value_name = "NAME", requires = "fail_on_worse", help_heading = "Output")]
    pub gate: Option<String>,
}
