//! One model, many renderers: whatever is printed about a run is read from [`Report`] alone.
//!
//! Every renderer is a pure function of the report: the same report gives the same bytes everywhere. All of them keep
//! to the same two rules: a figure that is missing is shown as missing and never as 0, and no name, whatever bytes it
//! was made of, can do more than be read.

mod bars;
pub mod compare;
mod csv;
mod error;
mod escape;
mod finite;
mod header;
mod heat;
mod html;
mod json;
mod label;
mod lag_markdown;
mod lag_table;
mod legend;
mod load_chart;
mod markdown;
pub mod model;
mod number;
mod rows;
mod style;
mod summary_table;
mod sweep_chart;
mod text;
pub mod tune;
mod verdict;
pub mod verify;
mod width;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod golden;

use std::fmt;
use std::str::FromStr;

pub use self::csv::csv;
pub use self::error::RenderError;
pub use self::escape::{DISPLAY_COLUMNS_MAX, display_bytes, display_text};
pub use self::html::html;
pub use self::json::{JSON_SCHEMA, json};
pub use self::markdown::markdown;
pub use self::number::count as display_count;
pub use self::style::TextStyle;
pub use self::text::text;

use self::model::Report;

/// What a report can be rendered as.
///
/// ```
/// use analyzer::report::Format;
///
/// assert_eq!("json".parse::<Format>().unwrap(), Format::Json);
/// assert_eq!(Format::Markdown.to_string(), "markdown");
/// let error = "yaml".parse::<Format>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown format `yaml`: expected one of text, json, csv, markdown, html");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people at a terminal; see [`text()`].
    #[default]
    Text,
    /// For programs; see [`json()`].
    Json,
    /// For spreadsheets and data frames, one line per strategy and partition; see [`csv()`].
    Csv,
    /// For a pull request on GitHub; see [`markdown()`].
    Markdown,
    /// For a browser, as one file; see [`html()`].
    Html,
}

impl Format {
    /// Every format, in the order to list them.
    pub const ALL: [Self; 5] = [Self::Text, Self::Json, Self::Csv, Self::Markdown, Self::Html];
    /// The names of [`ALL`](Self::ALL), in the same order.
    pub const NAMES: [&str; 5] =
        [Self::Text.name(), Self::Json.name(), Self::Csv.name(), Self::Markdown.name(), Self::Html.name()];

    /// The name that [`FromStr`] takes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

impl FromStr for Format {
    type Err = RenderError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| RenderError::unknown_format(name, &Self::NAMES))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Renders `report` in `format`; `style` counts for [`Format::Text`] only. The text ends with a newline.
///
/// # Errors
/// When the report cannot be said in the format, e.g. a figure that is NaN in JSON.
pub fn render(report: &Report, format: Format, style: TextStyle) -> Result<String, RenderError> {
    match format {
        Format::Text => Ok(text(report, style)),
        Format::Json => json(report),
        Format::Csv => csv(report),
        Format::Markdown => Ok(markdown(report)),
        Format::Html => Ok(html(report)),
    }
}
