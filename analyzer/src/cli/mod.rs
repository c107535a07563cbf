//! The command line as it is typed; [`settings`](crate::settings) makes sense of it.

use clap::{Parser, Subcommand, ValueEnum};

pub use self::command_line::command_line;
pub use self::compare::CompareArgs;
pub use self::lag::{ArrivalsArg, LagArgs, ServiceArg};
pub use self::placement::PlacementArgs;
pub use self::simulate::{SimulateArgs, Sweep};
pub use self::traffic::{TraceFormatArg, TrafficArgs};
pub use self::tune::{HoldoutArg, IsolationArg, ObjectiveArg, PoolsArg, SlotsArg, TuneArgs};
pub use self::verify::VerifyArgs;

use self::compare::COMPARE_EXAMPLES;
use self::simulate::SIMULATE_EXAMPLES;
use self::tune::TUNE_EXAMPLES;
use self::verify::VERIFY_EXAMPLES;

mod command_line;
mod compare;
mod lag;
mod placement;
mod simulate;
mod traffic;
mod tune;
mod verify;

/// Measures and simulates how a Kafka topic's records spread over its partitions.
#[derive(Debug, Parser)]
#[command(name = "analyzer", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit status: 0 done, 1 a limit of --fail-above or --fail-on-worse was exceeded or `verify` found a mismatch, 2 an error."
)]
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
    /// Choose VIP tenants, the size of their pool and the owners of slots, and write the contract to deploy
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(Box<TuneArgs>),
    /// Produce to a live topic and check that every record lies where it was predicted, in order
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(Box<VerifyArgs>),
    /// Tell what is better and worse in the second of two reports of `simulate`
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// List the built-in traffic profiles, or print one as TOML
    Profiles {
        /// Print this profile's TOML, to start one of your own from
        name: Option<String>,
    },
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

/// A whole number from `least` to `most`; the error says so, whatever stands there instead.
fn whole_number<T: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<T, String> {
    let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}
