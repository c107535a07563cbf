//! The report of a comparison: one model, as text, Markdown and JSON.

pub mod model;

mod json;
mod markdown;
mod shown;
mod text;

use std::str::FromStr;

pub use self::json::{COMPARE_JSON_SCHEMA, compare_json};
pub use self::markdown::compare_markdown;
pub use self::text::compare_text;

use self::model::Comparison;
use super::error::RenderError;
use super::style::TextStyle;

/// What a comparison can be rendered as.
///
/// ```
/// use analyzer::report::compare::CompareFormat;
///
/// assert_eq!("json".parse::<CompareFormat>().unwrap(), CompareFormat::Json);
/// let error = "csv".parse::<CompareFormat>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown format `csv`: expected one of text, json, markdown");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompareFormat {
    /// For people at a terminal; see [`compare_text`].
    #[default]
    Text,
    /// For programs; see [`compare_json`].
    Json,
    /// For a pull request on GitHub; see [`compare_markdown`].
    Markdown,
}

impl CompareFormat {
    /// The names that [`FromStr`] takes.
    pub const NAMES: [&str; 3] = ["text", "json", "markdown"];
}

impl FromStr for CompareFormat {
    type Err = RenderError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "markdown" => Ok(Self::Markdown),
            _ => Err(RenderError::unknown_format(name, &Self::NAMES)),
        }
    }
}

/// Renders `comparison` in `format`; `style` counts for [`CompareFormat::Text`] only. The text ends with a newline.
///
/// # Errors
/// When the comparison cannot be said in the format.
pub fn render_compare(
    comparison: &Comparison,
    format: CompareFormat,
    style: TextStyle,
) -> Result<String, RenderError> {
    match format {
        CompareFormat::Text => Ok(compare_text(comparison, style)),
        CompareFormat::Json => compare_json(comparison),
        CompareFormat::Markdown => Ok(compare_markdown(comparison)),
    }
}
