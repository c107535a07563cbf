//! Names and keys made safe to show: they come from traffic and may be binary, huge or hostile to a terminal.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

use super::number;

/// Columns of a name that [`display_bytes`] shows before it cuts: room for a UUID and a half.
pub const DISPLAY_COLUMNS_MAX: usize = 64;

/// Renders untrusted bytes so that they can be printed anywhere: one line, no control characters, bounded length.
///
/// Printable UTF-8 stays. ASCII control characters and bytes that are not UTF-8 become `\xNN`; other control
/// characters, bidirectional overrides, line separators, exotic spaces and everything of zero width (joiners,
/// combining marks, variation selectors) become `\u{…}`, so two keys that differ never look the same. A backslash
/// is doubled, so the text says unambiguously which bytes it shows. After [`DISPLAY_COLUMNS_MAX`] columns the rest is
/// replaced by `…` and the whole length. Costs no more for a key of 1 MiB than for a short one.
///
/// ```
/// use analyzer::report::display_bytes;
///
/// assert_eq!(display_bytes(b"tenant-mega:o-17"), "tenant-mega:o-17");
/// assert_eq!(display_bytes(b"\x1b[2J\xff\0"), r"\x1b[2J\xff\x00");
/// assert_eq!(display_bytes("a\u{202e}b".as_bytes()), r"a\u{202e}b");
/// assert!(display_bytes(&[b'k'; 1_000]).ends_with("k… (1,000 bytes)"));
/// ```
#[must_use]
pub fn display_bytes(bytes: &[u8]) -> String {
    let mut shown = Shown::default();
    for chunk in bytes.utf8_chunks() {
        for symbol in chunk.valid().chars() {
            let fits = if symbol == '\\' { shown.push_str(r"\\") } else { shown.push_char(symbol) };
            if !fits {
                return shown.cut(bytes.len());
            }
        }
        for byte in chunk.invalid() {
            if !shown.push_str(&format!(r"\x{byte:02x}")) {
                return shown.cut(bytes.len());
            }
        }
    }
    shown.text
}

/// Makes text that is meant to be read safe to print: what [`display_bytes`] does, but a backslash stays single (the
/// text may already be escaped) and nothing is cut.
///
/// Renderers pass every string of a report through this, whether or not its maker has escaped it.
#[must_use]
pub fn display_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for symbol in text.chars() {
        push_safe(&mut safe, symbol);
    }
    safe
}

/// Output so far and the columns it takes.
#[derive(Default)]
struct Shown {
    text: String,
    columns: usize,
}

impl Shown {
    /// Appends `symbol` if there is room.
    fn push_char(&mut self, symbol: char) -> bool {
        let mut safe = String::new();
        push_safe(&mut safe, symbol);
        self.push_str(&safe)
    }

    /// Appends `piece`, whole or not at all, so that an escape is never torn apart.
    fn push_str(&mut self, piece: &str) -> bool {
        let columns: usize = piece.chars().map(|symbol| symbol.width().unwrap_or(0)).sum();
        if self.columns + columns > DISPLAY_COLUMNS_MAX {
            return false;
        }
        self.columns += columns;
        self.text.push_str(piece);
        true
    }

    fn cut(mut self, bytes: usize) -> String {
        let total = u64::try_from(bytes).unwrap_or(u64::MAX);
        // Writing to a String does not fail.
        let _ = write!(self.text, "… ({} bytes)", number::count(total));
        self.text
    }
}

fn push_safe(safe: &mut String, symbol: char) {
    if is_plain(symbol) {
        safe.push(symbol);
    } else if symbol.is_ascii() {
        let _ = write!(safe, r"\x{:02x}", u32::from(symbol));
    } else {
        let _ = write!(safe, r"\u{{{:x}}}", u32::from(symbol));
    }
}

/// Whether a terminal shows `symbol` as itself, where it stands.
fn is_plain(symbol: char) -> bool {
    match symbol {
        ' '..='~' => true,
        // Bidirectional marks, embeddings, overrides and isolates reorder the text around them.
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => {
            !symbol.is_control()
                && !symbol.is_whitespace()
                && symbol.width().is_some_and(|columns| columns > 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelt_out() {
        let cases: [(&[u8], &str); 12] = [
            (b"", ""),
            (b"\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
            (b"\x1b]0;title\x07", r"\x1b]0;title\x07"),
            ("\u{9b}2J".as_bytes(), r"\u{9b}2J"),
            (b"\x9b2J", r"\x9b2J"),
            (b"a\r\nb\tc\x08\x7f\0", r"a\x0d\x0ab\x09c\x08\x7f\x00"),
            ("x\u{202e}gpj.exe\u{2066}".as_bytes(), r"x\u{202e}gpj.exe\u{2066}"),
            ("ten\u{200b}ant\u{feff}".as_bytes(), r"ten\u{200b}ant\u{feff}"),
            ("e\u{301} \u{e9}".as_bytes(), "e\\u{301} \u{e9}"),
            ("a\u{2028}b\u{a0}c".as_bytes(), r"a\u{2028}b\u{a0}c"),
            // A surrogate half in UTF-8 dress is not UTF-8.
            (b"\xed\xa0\x80", r"\xed\xa0\x80"),
            (b"C:\\x41 \xc3", r"C:\\x41 \xc3"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(display_bytes(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn names_in_other_scripts_stay_readable() {
        for name in ["Grüße", "注文-17", "заказ", "café", "🚚-7"] {
            assert_eq!(display_bytes(name.as_bytes()), name);
        }
    }

    #[test]
    fn a_huge_key_is_cut_and_its_length_given() {
        let key = vec![b'a'; 1 << 20];
        assert_eq!(display_bytes(&key), format!("{}… (1,048,576 bytes)", "a".repeat(DISPLAY_COLUMNS_MAX)));
        let exact = vec![b'a'; DISPLAY_COLUMNS_MAX];
        assert_eq!(display_bytes(&exact), "a".repeat(DISPLAY_COLUMNS_MAX), "nothing is cut when all fits");
    }

    #[test]
    fn a_cut_never_tears_an_escape_or_a_wide_character() {
        let mut key = vec![b'a'; DISPLAY_COLUMNS_MAX - 1];
        key.push(0);
        assert_eq!(display_bytes(&key), format!("{}… (64 bytes)", "a".repeat(63)));
        let wide = "注".repeat(40);
        assert_eq!(display_bytes(wide.as_bytes()), format!("{}… (120 bytes)", "注".repeat(32)));
    }

    #[test]
    fn text_that_is_escaped_already_stays_as_it_is() {
        let once = display_bytes(b"a\x1b\\b");
        assert_eq!(display_text(&once), once);
        assert_eq!(display_text("99 % → move\u{1b}[0m"), r"99 % → move\x1b[0m");
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_one_safe_bounded_line_comes_out(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let shown = display_bytes(&bytes);
            prop_assert!(shown.chars().all(is_plain), "{shown:?}");
            prop_assert!(shown.width() <= DISPLAY_COLUMNS_MAX + "… (200 bytes)".width());
        }

        #[test]
        fn short_keys_that_differ_look_different(a in "\\PC{0,8}|[\u{0}-\u{ff}]{0,8}", b in "\\PC{0,8}|[\u{0}-\u{ff}]{0,8}") {
            prop_assume!(a != b);
            let cut = |text: &str| text.contains("… (");
            let (shown_a, shown_b) = (display_bytes(a.as_bytes()), display_bytes(b.as_bytes()));
            prop_assume!(!cut(&shown_a) && !cut(&shown_b));
            prop_assert_ne!(shown_a, shown_b);
        }
    }
}
