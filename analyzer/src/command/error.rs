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
}

impl CommandError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(Kind::Said(message.into()))
    }

    /// The signal by which the user ended the command, if that is what happened.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        #[cfg(feature = "rdkafka")]
        if let Kind::Caused(error) = &self.0
            && let Some(error) = error.downcast_ref::<crate::live::LiveError>()
        {
            return error.signal();
        }
        None
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Said(message) => f.write_str(message),
            Kind::Caused(error) => error.fmt(f),
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
caused_by!(crate::live::LiveError);
