//! What can go wrong between a report and its text.

use std::fmt;

/// Why a report could not be rendered.
#[derive(Debug)]
pub struct RenderError {
    kind: ErrorKind,
}

#[derive(Debug)]
enum ErrorKind {
    UnknownFormat { name: String, names: &'static [&'static str] },
    NotFinite { path: String, value: f64 },
    Json(serde_json::Error),
    Csv(csv::Error),
}

impl RenderError {
    pub(super) fn unknown_format(name: &str, names: &'static [&'static str]) -> Self {
        let name = super::escape::display_bytes(name.as_bytes());
        Self { kind: ErrorKind::UnknownFormat { name, names } }
    }

    pub(super) fn not_finite(path: String, value: f64) -> Self {
        Self { kind: ErrorKind::NotFinite { path, value } }
    }
}

impl From<serde_json::Error> for RenderError {
    fn from(error: serde_json::Error) -> Self {
        Self { kind: ErrorKind::Json(error) }
    }
}

impl From<csv::Error> for RenderError {
    fn from(error: csv::Error) -> Self {
        Self { kind: ErrorKind::Csv(error) }
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::UnknownFormat { name, names } => {
                write!(f, "unknown format `{name}`: expected one of {}", names.join(", "))
            }
            ErrorKind::NotFinite { path, value } => write!(
                f,
                "the report's {path} is {value}, which JSON cannot say: expected a finite number; \
                 a figure that could not be measured must be absent"
            ),
            ErrorKind::Json(_) => f.write_str("the report could not be written as JSON"),
            ErrorKind::Csv(_) => f.write_str("the report could not be written as CSV"),
        }
    }
}

impl std::error::Error for RenderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::UnknownFormat { .. } | ErrorKind::NotFinite { .. } => None,
            ErrorKind::Json(error) => Some(error),
            ErrorKind::Csv(error) => Some(error),
        }
    }
}
