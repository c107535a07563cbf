//! From what was typed to what is done: flag over contract over default, checked once.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use crate::report::display_bytes;
use crate::workload::profile::Profile;
use crate::workload::trace::TraceOptions;

pub use self::compare::{CompareOutput, CompareSettings, compare};
pub use self::lag::{Arrivals, LagSettings};
pub use self::simulate::{OutputSettings, SimulateSettings, simulate};
pub use self::tune::{ContractOutput, StartContract, TuneOutput, TuneSettings, tune};
pub use self::verify::{ClusterChoice, Property, VerifyOutput, VerifySettings, verify};

mod compare;
mod contract;
mod count;
mod lag;
mod simulate;
mod traffic;
mod tune;
mod verify;

/// Where the records come from.
#[derive(Debug)]
pub enum TrafficSource {
    /// Made from a profile.
    Profile {
        /// The profile.
        profile: Box<Profile>,
        /// How many to make.
        records: u64,
    },
    /// Read from a file or standard input.
    Trace {
        /// `-` is standard input.
        path: PathBuf,
        /// Fields and format.
        options: TraceOptions,
    },
}

impl TrafficSource {
    /// What reports call it: the profile's name, the trace's file name, or `stdin`. Safe to show.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Profile { profile, .. } => profile.name().to_owned(),
            Self::Trace { path, .. } if path.as_os_str() == "-" => "stdin".to_owned(),
            Self::Trace { path, .. } => {
                display_bytes(path.file_name().unwrap_or(path.as_os_str()).as_encoded_bytes())
            }
        }
    }
}

/// Arguments that cannot be carried out.
#[derive(Debug)]
pub struct SettingsError(String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SettingsError {}

type Result<T> = std::result::Result<T, SettingsError>;

fn wrong<T>(message: impl Into<String>) -> Result<T> {
    Err(SettingsError(message.into()))
}
