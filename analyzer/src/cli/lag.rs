//! Arguments of how late records are.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

/// How fast records come and how fast they are handled.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("consumer").args(["service_rate", "service_rate_bytes"]))]
pub struct LagArgs {
    /// Simulate lag: records a second that one consumer handles, with a consumer for each partition
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Lag", value_parser = rate)]
    pub service_rate: Option<f64>,
    /// Simulate lag: bytes a second that one consumer handles
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Lag", value_parser = rate)]
    pub service_rate_bytes: Option<f64>,
    /// Records a second that arrive at the topic, as Poisson [default: the profile's rate]
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "consumer", help_heading = "Lag",
        value_parser = rate)]
    pub arrival_rate: Option<f64>,
    /// When records arrive [default: traced where --time-field is given without --arrival-rate, else poisson]
    #[arg(long, value_name = "WHEN", requires = "consumer", help_heading = "Lag")]
    pub arrivals: Option<ArrivalsArg>,
    /// Write the latencies of each strategy and class to this folder, as .hgrm files for HdrHistogram's plotter
    #[arg(long, value_name = "DIR", requires = "consumer", help_heading = "Lag")]
    pub hgrm: Option<PathBuf>,
    /// How long a consumer takes for each record, or byte [default: deterministic]
    #[arg(long, value_name = "HOW", requires = "consumer", help_heading = "Lag")]
    pub service: Option<ServiceArg>,
}

/// When records arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsArg {
    /// At random, independently of each other
    Poisson,
    /// At the traffic's own times: those of --time-field, or evenly at a profile's rate
    Traced,
}

/// How long a consumer takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ServiceArg {
    /// Always as long
    Deterministic,
    /// Exponentially distributed times
    Exponential,
}

/// Highest rate a second.
const RATE_MAX: f64 = 1e12;

/// Lowest rate a second: one in some twelve days.
const RATE_MIN: f64 = 1e-6;

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (RATE_MIN..=RATE_MAX).contains(number));
    number.ok_or_else(|| "expected a number a second above 0, from 0.000001 to 1e12".to_owned())
}
