//! The report of a tuning for programs.

use super::super::error::RenderError;
use super::model::TuneReport;

/// The JSON Schema (draft 2020-12) of what [`tune_json`] writes.
///
/// The same text is `schema/tune.schema.json` in this package.
pub const TUNE_JSON_SCHEMA: &str = include_str!("../../../schema/tune.schema.json");

/// The report as indented JSON with a newline at the end, in the shape of [`TUNE_JSON_SCHEMA`].
///
/// What is missing is `null`, never 0.
///
/// # Errors
/// When serde_json refuses the report, which none is known to cause.
pub fn tune_json(report: &TuneReport) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}
