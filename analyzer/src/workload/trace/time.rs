//! Times as traces spell them → microseconds since 1970.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Below this an epoch number is in seconds (until the year 5138); a thousand times more is the limit of
/// milliseconds (from 1973), again a thousand of microseconds, and what is above is in nanoseconds.
const SECONDS_LIMIT: u64 = 100_000_000_000;

/// Reads a time: a whole or decimal epoch number whose unit is told by its magnitude, RFC 3339, or a date and
/// time without a zone, taken as UTC. Microseconds since the epoch; digits below that are cut off.
#[must_use]
pub fn parse_time_us(text: &[u8]) -> Option<i64> {
    parse_epoch_us(text).or_else(|| parse_calendar_us(text))
}

fn parse_epoch_us(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = match memchr::memchr(b'.', digits) {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &b"0"[..]),
    };
    let whole_number = parse_digits(whole)?;
    if fraction.is_empty() || !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let us = match whole_number {
        n if n < SECONDS_LIMIT => scaled(n, fraction, 6)?,
        n if n < SECONDS_LIMIT * 1_000 => scaled(n, fraction, 3)?,
        n if n < SECONDS_LIMIT * 1_000_000 => n,
        n => n / 1_000,
    };
    let us = i64::try_from(us).ok()?;
    Some(if negative { -us } else { us })
}

/// `whole.fraction × 10^decimals`, cut off after the point.
fn scaled(whole: u64, fraction: &[u8], decimals: usize) -> Option<u64> {
    let mut value = whole;
    for i in 0..decimals {
        let digit = fraction.get(i).map_or(0, |byte| u64::from(byte - b'0'));
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(value)
}

fn parse_digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let mut value = 0u64;
    for &byte in text {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

fn parse_calendar_us(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp.as_microsecond());
    }
    let local: DateTime = text.parse().ok()?;
    Some(local.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2013-01-01T10:00:00Z
    const INSTANT_US: i64 = 1_357_034_400_000_000;

    #[test]
    fn one_instant_in_every_spelling() {
        for text in [
            "1357034400",
            "1357034400.0",
            "1357034400000",
            "1357034400000000",
            "1357034400000000000",
            "2013-01-01T10:00:00Z",
            "2013-01-01t10:00:00z",
            "2013-01-01 10:00:00",
            "2013-01-01T10:00:00",
            "2013-01-01T10:00:00.000000",
            "2013-01-01T12:30:00+02:30",
            "2013-01-01 10:00:00+00:00",
        ] {
            assert_eq!(parse_time_us(text.as_bytes()), Some(INSTANT_US), "{text}");
        }
    }

    #[test]
    fn fractions_and_signs() {
        for (text, expected) in [
            ("0", 0),
            ("1", 1_000_000),
            ("1.5", 1_500_000),
            ("-1.5", -1_500_000),
            ("1357034400.123456789", INSTANT_US + 123_456),
            ("1357034400000.25", INSTANT_US + 250),
            ("1357034400000000.9", INSTANT_US),
            ("1357034400000001999", INSTANT_US + 1),
            ("99999999999", 99_999_999_999_000_000),
            ("100000000000", 100_000_000_000_000),
            ("2013-01-01T10:00:00.123456Z", INSTANT_US + 123_456),
            ("1969-12-31T23:59:59Z", -1_000_000),
            ("2013-01-01", INSTANT_US - 10 * 3_600_000_000),
        ] {
            assert_eq!(parse_time_us(text.as_bytes()), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1e9",
            "+1",
            "1_000",
            "NA",
            "noon",
            "2013-13-01T00:00:00Z",
            "18446744073709551616",
        ] {
            assert_eq!(parse_time_us(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse_time_us(b"2013-01-01T10:00:00\xff"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = parse_time_us(&text);
        }

        #[test]
        fn the_calendar_and_the_epoch_agree(seconds in 0i64..99_999_999_999) {
            let stamp = Timestamp::from_second(seconds).unwrap().to_string();
            prop_assert_eq!(parse_time_us(stamp.as_bytes()), parse_time_us(seconds.to_string().as_bytes()));
        }
    }
}
