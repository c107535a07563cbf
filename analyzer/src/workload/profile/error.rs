//! What is wrong with a profile, and where.

use std::fmt;
use std::ops::Range;

use strsim::jaro_winkler;

/// Longer messages are cut: a hostile file may hold a key of any length.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// Longer words are neither compared with the valid ones nor quoted whole.
const WORD_CHARS_MAX: usize = 128;

/// Below this Jaro-Winkler similarity a word is not offered as the one that was meant.
const SIMILARITY_MIN: f64 = 0.75;

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
    /// Line and column, both from 1; the column counts characters.
    place: Option<(usize, usize)>,
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
        self.place.map(|(line, _)| line)
    }

    /// The column of the file in characters, from 1, when the error is about one place in it.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        self.place.map(|(_, column)| column)
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.origin)?;
        if let Some((line, column)) = self.place {
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
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        ProfileError { place: Some((line, column)), ..ProfileError::new(self.origin, message) }
    }

    /// An error of the TOML reader, with the nearest valid key where one is unknown.
    pub(super) fn toml_error(&self, error: &toml::de::Error) -> ProfileError {
        let message = explain(error.message());
        match error.span() {
            Some(span) => self.error(span, message),
            None => ProfileError::new(self.origin, message),
        }
    }
}

/// Of `choices` the one that `word` most likely meant.
pub(super) fn nearest<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > WORD_CHARS_MAX {
        return None;
    }
    let scored = choices.into_iter().map(|choice| (jaro_winkler(word, choice), choice));
    scored
        .filter(|(score, _)| *score >= SIMILARITY_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, choice)| choice)
}

/// Serde's wording in ours; a message that is not about an unknown or missing name stays as it is.
///
/// Serde has no structured form of these errors: it writes "unknown field `x`, expected one of `a`, `b`".
fn explain(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("missing field ") {
        return format!("missing key {rest}");
    }
    if message.starts_with("invalid type: ")
        && let Some((found, rust)) = message.trim_end().rsplit_once(", expected ")
    {
        return format!("{found}, expected {}", in_toml_words(rust));
    }
    let (kind, plural, rest) = if let Some(rest) = message.strip_prefix("unknown field `") {
        ("key", "keys", rest)
    } else if let Some(rest) = message.strip_prefix("unknown variant `") {
        ("value", "values", rest)
    } else {
        return message.trim_end().to_owned();
    };
    // The name found is the user's and may hold anything, backticks included; what follows it is serde's.
    let Some((found, expected)) = rest.rsplit_once("`, expected ") else {
        return message.trim_end().to_owned();
    };
    let valid: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let hint = nearest(found, valid.iter().copied()).map(|key| format!(", did you mean `{key}`?"));
    let found: String = found.chars().take(WORD_CHARS_MAX).collect();
    format!(
        "unknown {kind} `{found}`{} Valid {plural}: {}",
        hint.unwrap_or_else(|| ".".to_owned()),
        valid.join(", ")
    )
}

/// A type of Rust as TOML calls it.
fn in_toml_words(rust: &str) -> &str {
    match rust {
        "f64" => "a number",
        "i64" | "u32" | "u64" | "usize" => "a whole number",
        "a string" => "a string in quotes",
        "a sequence" => "an array",
        "a map" => "a table",
        _ if rust.starts_with("struct ") => "a table",
        _ => rust,
    }
}

/// `text` on one line, without control characters, cut to a bearable length.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MESSAGE_CHARS_MAX));
    for (index, char) in text.chars().enumerate() {
        if index == MESSAGE_CHARS_MAX {
            out.push('…');
            break;
        }
        match char {
            '\n' => out.push(' '),
            _ if char.is_control() => out.extend(char.escape_default()),
            _ => out.push(char),
        }
    }
    out
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

    #[test]
    fn a_huge_message_is_cut() {
        let error = ProfileError::new("f", "x".repeat(5_000_000));
        assert_eq!(error.to_string().chars().count(), MESSAGE_CHARS_MAX + "f: …".chars().count());
    }

    #[test]
    fn a_far_word_has_no_nearest() {
        assert_eq!(nearest("wieght", ["weight", "within"]), Some("weight"));
        assert_eq!(nearest("qqq", ["weight", "within"]), None);
    }

    #[test]
    fn a_backtick_in_a_key_does_not_confuse_the_explanation() {
        let text = explain("unknown field `a`, expected b`, expected one of `name`, `count`");
        assert_eq!(text, "unknown key `a`, expected b`. Valid keys: name, count");
    }
}
