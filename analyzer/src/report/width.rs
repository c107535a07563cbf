//! Text measured in display columns: fitting, padding, wrapping.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns that `text` takes; it holds no escape codes.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// `text` followed by spaces up to `width`.
pub(super) fn pad_right(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Spaces up to `width` followed by `text`.
pub(super) fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}

/// `text` when it takes at most `width` columns, else its start and `ellipsis`.
pub(super) fn fit(text: &str, width: usize, ellipsis: &str) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(columns(ellipsis));
    format!("{}{ellipsis}", &text[..prefix_within(text, room)])
}

/// `text` in lines of at most `width` columns, broken at spaces, and inside a word only where it alone is too long.
/// A number and the `%` or `×` behind it stay together.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for mut word in words(text) {
        if !line.is_empty() && columns(&line) + 1 + columns(word) > width {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        while columns(word) > width {
            // At least one character a line, or a wide one in a narrow column would never end.
            let first = word.chars().next().map_or(word.len(), char::len_utf8);
            let (head, rest) = word.split_at(prefix_within(word, width).max(first));
            lines.push(head.to_owned());
            word = rest;
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The words of `text`, each with a unit that follows it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let remaining = rest?;
        let breaks = remaining.match_indices(' ').map(|(index, _)| index);
        let end = breaks.into_iter().find(|index| !remaining[index + 1..].starts_with(['%', '×']));
        rest = end.map(|end| &remaining[end + 1..]);
        Some(&remaining[..end.unwrap_or(remaining.len())])
    })
}

/// Bytes of the longest start of `text` that takes at most `width` columns.
fn prefix_within(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (index, symbol) in text.char_indices() {
        used += symbol.width().unwrap_or(0);
        if used > width {
            return index;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_text_is_as_wide_as_asked_for() {
        assert_eq!(fit("tenant-key", 10, "…"), "tenant-key");
        assert_eq!(fit("tenant-key", 7, "…"), "tenant…");
        assert_eq!(fit("注文注文", 6, "…"), "注文…", "a wide character is not halved");
    }

    #[test]
    fn padding_counts_columns_and_not_bytes() {
        assert_eq!(pad_right("注", 4), "注  ");
        assert_eq!(pad_left("é", 3), "  é");
        assert_eq!(pad_left("long", 2), "long");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("", 8), [""]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("a 注注", 1), ["a", "注", "注"]);
        assert_eq!(wrap("radius 90 %, all", 9), ["radius", "90 %, all"]);
        assert_eq!(wrap("radius 0 %", 9), ["radius", "0 %"]);
    }

    proptest! {
        #[test]
        fn wrapping_keeps_every_character_and_the_width(text in "[a-z注]{0,12}( [a-z注]{1,12}){0,6}", width in 2_usize..20) {
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| columns(line) <= width), "{lines:?}");
            prop_assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }
}
