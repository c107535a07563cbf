//! How the terminal report looks: width, colour, character set.

use super::escape::display_text;

/// What the terminal can show; `main` finds out, the renderer only obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns to fill, at least [`TextStyle::WIDTH_COLUMNS_MIN`]; less is taken as that.
    pub width_columns: u16,
    /// Whether to use ANSI colours.
    pub color: bool,
    /// Whether to use characters beyond ASCII: block bars, `≈`, `→`. Without it a name's other characters are escaped.
    pub unicode: bool,
}

impl Default for TextStyle {
    /// 80 columns, Unicode, no colour: what fits a file as well as a terminal.
    fn default() -> Self {
        Self { width_columns: 80, color: false, unicode: true }
    }
}

/// A role that text plays; which colour it gets is decided in [`TextStyle::paint`] alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Heading,
    Dim,
    Good,
    Warm,
    Hot,
}

impl TextStyle {
    /// Narrower than this nothing is readable, so narrower terminals wrap.
    pub const WIDTH_COLUMNS_MIN: u16 = 40;

    /// The width to lay out for.
    pub(super) fn columns(self) -> usize {
        usize::from(self.width_columns.max(Self::WIDTH_COLUMNS_MIN))
    }

    /// `text` without anything a terminal would obey, in the character set of this style.
    ///
    /// Every string passes through here before it is measured, the report's and our own, so that widths are right.
    pub(super) fn text(self, text: &str) -> String {
        let safe = display_text(text);
        if self.unicode { safe } else { to_ascii(&safe) }
    }

    /// `text` in the colour of its role, or as it is without colour.
    pub(super) fn paint(self, ink: Ink, text: &str) -> String {
        let code = match ink {
            Ink::Plain => return text.to_owned(),
            Ink::Heading => "1",
            Ink::Dim => "2",
            Ink::Good => "32",
            Ink::Warm => "33",
            Ink::Hot => "1;31",
        };
        if self.color && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Our own typography in ASCII; anything else as an escape.
fn to_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for symbol in text.chars() {
        match symbol {
            '–' | '—' | '·' | '─' => ascii.push('-'),
            '•' => ascii.push('*'),
            '→' => ascii.push_str("->"),
            '◀' | '←' => ascii.push_str("<-"),
            '≈' => ascii.push('~'),
            '±' => ascii.push_str("+/-"),
            '…' => ascii.push_str("..."),
            '×' => ascii.push('x'),
            '÷' => ascii.push('/'),
            '≥' => ascii.push_str(">="),
            '≤' => ascii.push_str("<="),
            '’' => ascii.push('\''),
            _ if symbol.is_ascii() => ascii.push(symbol),
            _ => ascii.extend(symbol.escape_unicode()),
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_coloured_style_writes_escape_codes() {
        let plain = TextStyle::default();
        assert_eq!(plain.paint(Ink::Hot, "9"), "9");
        let color = TextStyle { color: true, ..plain };
        assert_eq!(color.paint(Ink::Hot, "9"), "\x1b[1;31m9\x1b[0m");
        assert_eq!(color.paint(Ink::Plain, "9"), "9");
        assert_eq!(color.paint(Ink::Hot, ""), "", "no codes around nothing");
    }

    #[test]
    fn ascii_keeps_meaning() {
        let ascii = TextStyle { unicode: false, ..TextStyle::default() };
        assert_eq!(ascii.text("≈ 7 ± 1 → 注"), r"~ 7 +/- 1 -> \u{6ce8}");
        assert_eq!(TextStyle::default().text("≈ 7\u{1b}"), r"≈ 7\x1b");
    }

    #[test]
    fn a_width_too_small_to_read_is_widened() {
        assert_eq!(TextStyle { width_columns: 0, ..TextStyle::default() }.columns(), 40);
    }
}
