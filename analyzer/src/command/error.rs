//! Why a command could not be carried out.

use std::error::Error;
use std::fmt;

use partitioner::contract::ContractError;

use crate::settings::SettingsError;
use crate::simulate::SimulateError;
use crate::workload::profile::ProfileError;
use crate::workload::trace::TraceError;

/// A command that ended early.
#[derive(Debug)]
pub struct CommandError(Kind);

#[derive(Debug)]
enum Kind {
    Said(String),
    Caused(Box<dyn Error + Send + Sync>),
    Interrupted(i32),
}

impl CommandError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(Kind::Said(message.into()))
    }

    /// The signal by which the user ended the command, if that is what happened.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        match self.0 {
            Kind::Interrupted(signal) => Some(signal),
            _ => None,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Said(message) => f.write_str(message),
            Kind::Caused(error) => error.fmt(f),
            Kind::Interrupted(_) => f.write_str("interrupted"),
        }
    }
}

impl Error for CommandError {}

macro_rules! caused_by {
    ($($cause:ty),*) => {$(
        impl From<$cause> for CommandError {
            fn from(error: $cause) -> Self {
                Self(Kind::Caused(Box::new(error)))
            }
        }
    )*};
}

caused_by!(ContractError, ProfileError, SettingsError, SimulateError, TraceError);

#[cfg(feature = "rdkafka")]
impl From<crate::live::LiveError> for CommandError {
    fn from(error: crate::live::LiveError) -> Self {
        Self(match error.signal() {
            Some(signal) => Kind::Interrupted(signal),
            None => Kind::Caused(Box::new(error)),
        })
    }
}
