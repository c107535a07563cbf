//! Names of tenants and entities: a text with `{}` where the number goes.

use std::ops::Range;

/// The longest name in bytes, its number included.
pub(super) const NAME_BYTES_MAX: usize = 128;

/// Digits of the largest number a name can hold, `u32::MAX`.
const DIGITS_MAX: usize = 10;

/// A name, or a family of names numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamePattern {
    prefix: String,
    suffix: String,
    numbered: bool,
}

impl NamePattern {
    /// Reads `text`, which is to name `count` things; the error is the whole message but for the key's name.
    pub(super) fn new(text: &str, count: u32) -> Result<Self, String> {
        let length_max = NAME_BYTES_MAX - DIGITS_MAX;
        if text.is_empty() {
            return Err("is empty; it must name something, for example \"tenant-{}\"".to_owned());
        }
        if text.len() > length_max {
            return Err(format!("is {} bytes long; at most {length_max} are allowed", text.len()));
        }
        let (prefix, suffix, numbered) = match text.split_once("{}") {
            Some((prefix, suffix)) => (prefix, suffix, true),
            None => (text, "", false),
        };
        if prefix.contains(['{', '}']) || suffix.contains(['{', '}']) {
            return Err(format!("{text:?} may hold `{{}}` once, for the number, and no other brace"));
        }
        if !numbered && count > 1 {
            return Err(format!("{text:?} is to name {count} things and has no `{{}}` for the number"));
        }
        Ok(Self { prefix: prefix.to_owned(), suffix: suffix.to_owned(), numbered })
    }

    /// Appends the name of number `number`.
    #[inline]
    pub(super) fn write(&self, number: u32, out: &mut Vec<u8>) {
        out.extend_from_slice(self.prefix.as_bytes());
        if self.numbered {
            let mut digits = [0; DIGITS_MAX];
            out.extend_from_slice(decimal(number, &mut digits));
        }
        out.extend_from_slice(self.suffix.as_bytes());
    }

    /// Appends the name of number `number`.
    fn push(&self, number: u32, out: &mut String) {
        out.push_str(&self.prefix);
        if self.numbered {
            out.push_str(&number.to_string());
        }
        out.push_str(&self.suffix);
    }
}

/// `number` in decimal, written to the end of `digits`.
#[inline]
#[allow(clippy::cast_possible_truncation)] // below 10
fn decimal(mut number: u32, digits: &mut [u8; DIGITS_MAX]) -> &[u8] {
    let mut start = DIGITS_MAX;
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[start..];
        }
    }
}

/// Many names in one allocation: a million tenants are a normal profile.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    /// Adds the names number 0 to `count - 1` of `pattern`.
    pub(super) fn extend(&mut self, pattern: &NamePattern, count: u32) {
        for number in 0..count {
            pattern.push(number, &mut self.text);
            self.ends.push(self.text.len());
        }
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name at `index`.
    ///
    /// # Panics
    /// When `index >= len()`.
    pub(super) fn get(&self, index: usize) -> &str {
        &self.text[self.range(index)]
    }

    /// Every name in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    fn range(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start..self.ends[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fixed_name_has_no_number() {
        let pattern = NamePattern::new("tenant-mega", 1).unwrap();
        let mut out = b"kept ".to_vec();
        pattern.write(0, &mut out);
        assert_eq!(out, b"kept tenant-mega");
    }

    #[test]
    fn bad_patterns_are_refused() {
        for (text, count, expected) in [
            ("", 1, "is empty"),
            ("tenant", 2, "is to name 2 things and has no `{}`"),
            ("{}-{}", 2, "`{}` once"),
            ("{0}", 1, "no other brace"),
            ("}{", 1, "no other brace"),
            (&"x".repeat(200), 1, "is 200 bytes long; at most 118"),
        ] {
            let error = NamePattern::new(text, count).unwrap_err();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn bytes_and_text_are_what_format_makes(prefix in "[^{}]{0,9}", number: u32, suffix in "[^{}]{0,9}") {
            let pattern = NamePattern::new(&format!("{prefix}{{}}{suffix}"), u32::MAX).unwrap();
            let mut bytes = Vec::new();
            pattern.write(number, &mut bytes);
            let mut text = String::new();
            pattern.push(number, &mut text);
            let expected = format!("{prefix}{number}{suffix}");
            prop_assert_eq!(&bytes, expected.as_bytes());
            prop_assert_eq!(text, expected);
        }
    }
}
