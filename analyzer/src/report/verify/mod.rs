//! The report of a verification: one model, as text and as JSON.

pub mod model;

mod json;
mod text;

#[cfg(test)]
mod fixture;

use std::str::FromStr;

pub use self::json::{VERIFY_JSON_SCHEMA, verify_json};
pub use self::text::verify_text;

use self::model::VerifyReport;
use super::error::RenderError;
use super::style::TextStyle;

/// What the report of a verification can be rendered as.
///
/// ```
/// use analyzer::report::verify::VerifyFormat;
///
/// assert_eq!("json".parse::<VerifyFormat>().unwrap(), VerifyFormat::Json);
/// let error = "csv".parse::<VerifyFormat>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown format `csv`: expected one of text, json");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerifyFormat {
    /// For people at a terminal; see [`verify_text`].
    #[default]
    Text,
    /// For programs; see [`verify_json`].
    Json,
}

impl VerifyFormat {
    /// The names that [`FromStr`] takes.
    pub const NAMES: [&str; 2] = ["text", "json"];
}

impl FromStr for VerifyFormat {
    type Err = RenderError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(RenderError::unknown_format(name, &Self::NAMES)),
        }
    }
}

/// Renders `report` in `format`; `style` counts for [`VerifyFormat::Text`] only. The text ends with a newline.
///
/// # Errors
/// When the report cannot be said in the format.
pub fn render_verify(
    report: &VerifyReport,
    format: VerifyFormat,
    style: TextStyle,
) -> Result<String, RenderError> {
    match format {
        VerifyFormat::Text => Ok(verify_text(report, style)),
        VerifyFormat::Json => verify_json(report),
    }
}
