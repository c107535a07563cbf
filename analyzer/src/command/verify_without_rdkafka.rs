//! `analyzer verify` in a program that was built without a Kafka client.

use std::sync::Arc;

use super::error::CommandError;
use crate::report::verify::model::VerifyReport;
use crate::settings::VerifySettings;
use crate::simulate::Progress;

/// What would be told of the progress.
pub type Tell<'a> = &'a dyn Fn(&'static str, Progress);

/// Says why there is no verification.
///
/// # Errors
/// Always: the program was built without the feature `rdkafka`.
pub fn verify(
    _: VerifySettings,
    _: Tell<'_>,
    _: Arc<dyn Fn(&str) + Send + Sync>,
) -> Result<VerifyReport, CommandError> {
    Err(CommandError::new(
        "verify needs the feature `rdkafka`, without which this program was built; build it with \
         `cargo build -p analyzer --features rdkafka`",
    ))
}
