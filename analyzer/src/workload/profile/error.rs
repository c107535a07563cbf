//! What is wrong with a profile, and where.

use std::fmt;
use std::ops::Range;

use partitioner::explain::{Place, explain_toml, printable};

/// Why a profile cannot be used.
///
/// Prints as `file:line:column: message`; the message holds the value found and the limit. Control characters of
/// the file are escaped, so the text is safe to print to a terminal.
///
/// ```
/// use analyzer::workload::profile::Profile;
///
/// let error = Profile::from_toml("name = 'x'\ndescription = ''\nrecrods = 5\n", "mine.toml").unwrap_err();
/// assert!(error.to_string().starts_with("mine.toml:3:1: unknown key `recrods`, did you mean `records`?"));
/// assert_eq!(error.line(), Some(3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    origin: String,
    place: Option<Place>,
    message: String,
}

impl ProfileError {
    /// An error about a profile as a whole.
    pub(super) fn new(origin: &str, message: impl fmt::Display) -> Self {
        Self { origin: printable(origin), place: None, message: printable(&message.to_string()) }
    }

    /// The line of the file, from 1, when the error is about one place in it.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.place.map(|place| place.line)
    }

    /// The column of the file in characters, from 1, when the error is about one place in it.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.place.map(|place| place.column)
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.origin)?;
        if let Some(Place { line, column }) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for ProfileError {}

/// The text of a profile and where it came from: turns byte spans into lines and columns.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) origin: &'a str,
}

impl Source<'_> {
    /// An error at the start of `span`.
    pub(super) fn error(&self, span: Range<usize>, message: impl fmt::Display) -> ProfileError {
        let place = Place::of(self.text, span.start);
        ProfileError { place: Some(place), ..ProfileError::new(self.origin, message) }
    }

    /// An error of the TOML reader, with the nearest valid key where one is unknown.
    pub(super) fn toml_error(&self, error: &toml::de::Error) -> ProfileError {
        let message = explain_toml(error.message());
        match error.span() {
            Some(span) => self.error(span, message),
            None => ProfileError::new(self.origin, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_not_bytes() {
        let source = Source { text: "a = 1\né = é x", origin: "f" };
        let error = source.error(source.text.find('x').unwrap()..source.text.len(), "bad");
        assert_eq!(error.to_string(), "f:2:7: bad");
        assert_eq!((error.line(), error.column()), (Some(2), Some(7)));
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        let error = ProfileError::new("a\u{1b}[31m", "b\u{7}\nc");
        assert_eq!(error.to_string(), "a\\u{1b}[31m: b\\u{7} c");
    }
}
