//! The report of a tuning: one model, as text, JSON, Markdown and HTML.

pub mod model;

mod json;
mod markdown;
mod text;

use std::str::FromStr;

pub use self::json::{TUNE_JSON_SCHEMA, tune_json};
pub use self::markdown::tune_markdown;
pub use self::text::tune_text;
pub use super::html::tune_html;

use self::model::TuneReport;
use super::error::RenderError;
use super::style::TextStyle;

/// What the report of a tuning can be rendered as.
///
/// ```
/// use analyzer::report::tune::TuneFormat;
///
/// assert_eq!("json".parse::<TuneFormat>().unwrap(), TuneFormat::Json);
/// let error = "csv".parse::<TuneFormat>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown format `csv`: expected one of text, json, markdown, html");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuneFormat {
    /// For people at a terminal; see [`tune_text`].
    #[default]
    Text,
    /// For programs; see [`tune_json`].
    Json,
    /// For a pull request that changes a contract; see [`tune_markdown`].
    Markdown,
    /// For a browser, to share; see [`tune_html`].
    Html,
}

impl TuneFormat {
    /// The names that [`FromStr`] takes.
    pub const NAMES: [&str; 4] = ["text", "json", "markdown", "html"];
}

impl FromStr for TuneFormat {
    type Err = RenderError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "markdown" => Ok(Self::Markdown),
            "html" => Ok(Self::Html),
            _ => Err(RenderError::unknown_format(name, &Self::NAMES)),
        }
    }
}

/// Renders `report` in `format`; `style` counts for [`TuneFormat::Text`] only. The text ends with a newline.
///
/// # Errors
/// When the report cannot be said in the format.
pub fn render_tune(report: &TuneReport, format: TuneFormat, style: TextStyle) -> Result<String, RenderError> {
    match format {
        TuneFormat::Text => Ok(tune_text(report, style)),
        TuneFormat::Json => tune_json(report),
        TuneFormat::Markdown => Ok(tune_markdown(report)),
        TuneFormat::Html => Ok(tune_html(report)),
    }
}
