//! How much room text takes in a drawing. The reader's fonts are not known, so it is measured by one of the widest in use,
//! and what fits by it fits by others.

use unicode_width::UnicodeWidthChar as _;

/// Height of letters in the units of the drawings, as the style sheet has it.
const SIZE: f64 = 11.0;

/// How much wider bold letters are.
const BOLD: f64 = 1.15;

/// Advance of a letter of DejaVu Sans over its size, rounded up.
fn advance(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '\'' => 0.28,
        ' ' | ',' | '.' | ':' | ';' | '|' | '/' | '\\' | '!' | '(' | ')' | '[' | ']' | 'f' | 't' | 'r'
        | 'I' | 'J' => 0.42,
        '-' | '–' | '"' | '_' | '*' | 'c' | 's' | 'z' | '?' | '`' => 0.56,
        'm' | 'M' | 'w' | 'W' | '%' | '@' | '…' => 1.0,
        '<' | '>' | '=' | '+' | '×' | '≥' | '≈' | '#' | '~' | '^' | 'G' | 'O' | 'Q' | 'N' | 'H' | 'D'
        | 'U' | '&' => 0.85,
        'A'..='Z' => 0.75,
        '!'..='~' => 0.66,
        _ if letter.width() == Some(2) => 1.1,
        _ => 0.8,
    }
}

/// The width of a line of text.
pub(super) fn width(text: &str) -> f64 {
    SIZE * text.chars().map(advance).sum::<f64>()
}

/// The width of a line of bold text.
pub(super) fn bold_width(text: &str) -> f64 {
    BOLD * width(text)
}

/// `text` when it fits into `room`, else its start and `…`.
pub(super) fn fitted(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut left = room - width("…");
    let fits = |letter: &char| {
        left -= SIZE * advance(*letter);
        left >= 0.0
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wide_letters_take_more_room_than_narrow_ones() {
        assert_eq!(fitted("tenant-mega", 100.0), "tenant-mega");
        assert_eq!(fitted(&"W".repeat(30), 100.0), "WWWWWWWW…");
        assert_eq!(fitted(&"i".repeat(40), 100.0), format!("{}…", "i".repeat(28)));
        assert!(bold_width("a") > width("a"));
    }

    proptest! {
        #[test]
        fn what_is_fitted_fits(text in ".{0,60}", room in 11.0..300.0_f64) {
            let fitted = fitted(&text, room);
            prop_assert!(width(&fitted) <= room + 1e-9, "{fitted}");
            prop_assert!(fitted == text || fitted.ends_with('…'));
        }
    }
}
