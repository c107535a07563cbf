//! Errors about text that a person wrote, in that person's words.
//!
//! Contracts here and profiles in the analyzer are both read by serde, whose messages speak of Rust; what it cannot know is
//! the place, the name that was perhaps meant, and that a terminal will show the text.

use strsim::{damerau_levenshtein, jaro_winkler};

/// Longer messages are cut: a hostile file may hold a key of any length.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// Longer words are neither compared with the valid ones nor quoted whole.
const WORD_CHARS_MAX: usize = 128;

/// Below this Jaro-Winkler similarity a word is not offered as the one that was meant.
const SIMILARITY_MIN: f64 = 0.75;

/// A place in a text, both counted from 1; columns count characters.
///
/// ```
/// use partitioner::explain::Place;
///
/// assert_eq!(Place::of("a = 1\né = é x", 14), Place { line: 2, column: 7 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl Place {
    /// The place of a byte; past the end, or inside a character, the end of the text.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// Of `choices` the one that `word` was most likely meant to be; case does not count.
///
/// ```
/// use partitioner::explain::nearest;
///
/// assert_eq!(nearest("wieght", ["weight", "within"]), Some("weight"));
/// assert_eq!(nearest("qqq", ["weight", "within"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, choices: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > WORD_CHARS_MAX {
        return None;
    }
    let word = word.trim().to_lowercase();
    let scored = choices.into_iter().filter_map(|choice| {
        let other = choice.trim().to_lowercase();
        let score = jaro_winkler(&word, &other);
        // A short word with one slip scores low.
        let is_one_slip = word.chars().count() > 2 && damerau_levenshtein(&word, &other) == 1;
        (score >= SIMILARITY_MIN || is_one_slip).then_some((score, choice))
    });
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, choice)| choice)
}

/// Serde's wording of a TOML error in ours, with the nearest valid name.
///
/// A message that is not about an unknown or missing name, or a wrong type, stays as it is.
///
/// Serde has no structured form of these errors: it writes "unknown field `x`, expected one of `a`, `b`".
#[must_use]
pub fn explain_toml(message: &str) -> String {
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
#[must_use]
pub fn printable(text: &str) -> String {
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
    fn a_huge_text_is_cut_and_control_characters_are_shown() {
        assert_eq!(printable(&"x".repeat(5_000_000)).chars().count(), MESSAGE_CHARS_MAX + 1);
        assert_eq!(printable("b\u{7}\nc"), "b\\u{7} c");
    }

    #[test]
    fn case_and_surrounding_space_do_not_count() {
        assert_eq!(nearest("TailNum ", ["carrier", "tailnum"]), Some("tailnum"));
        assert_eq!(nearest(&"x".repeat(1 << 20), ["x"]), None, "too long to be compared");
    }

    #[test]
    fn a_backtick_in_a_key_does_not_confuse_the_explanation() {
        let text = explain_toml("unknown field `a`, expected b`, expected one of `name`, `count`");
        assert_eq!(text, "unknown key `a`, expected b`. Valid keys: name, count");
    }
}
