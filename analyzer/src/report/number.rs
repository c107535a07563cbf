//! Numbers as people read them: separators, significant digits, units.

/// What is printed for a figure that is missing: a figure that was not measured is not 0.
pub(super) const MISSING: &str = "–";

/// A count with thousands separators: `1,048,576`.
#[must_use]
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A count and its noun: `1 partition`, `12 partitions`.
#[must_use]
pub(super) fn count_of(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A ratio with three decimals: `10.920`. Ratios that are compared stand under each other with one precision.
#[must_use]
pub(super) fn ratio(value: f64) -> String {
    if value.is_finite() { grouped(&format!("{value:.3}")) } else { MISSING.to_owned() }
}

/// A count that is kept as a float, with separators: `1,048,576`.
#[must_use]
pub(super) fn whole(value: f64) -> String {
    if value.is_finite() { grouped(&format!("{value:.0}")) } else { MISSING.to_owned() }
}

/// Three significant digits: `10.8`, `0.0123`, `6.70e-5`, `43,300`.
#[must_use]
pub(super) fn figure(value: f64) -> String {
    significant(value, 3)
}

/// A share of 0 to 1 in percent, three significant digits: `90.0 %`. Only nothing is `0 %` and only all is `100 %`.
#[must_use]
pub(super) fn percent(share: f64) -> String {
    if (0.9995..1.0).contains(&share) {
        return "> 99.9 %".to_owned();
    }
    if share > 0.0 && share < 0.000_005 {
        return "< 0.0005 %".to_owned();
    }
    match significant(share * 100.0, 3) {
        missing if missing == MISSING => missing,
        figure => format!("{figure} %"),
    }
}

/// Bytes in the largest binary unit that leaves at least 1: `488 MiB`.
#[must_use]
pub(super) fn bytes(value: u64) -> String {
    const UNITS: [(u32, &str); 5] = [(50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    for (shift, unit) in UNITS {
        if value >= 1 << shift {
            let scaled = value as f64 / (1_u64 << shift) as f64;
            return format!("{} {unit}", significant(scaled, 3));
        }
    }
    format!("{value} B")
}

/// A time in its largest unit: `500 µs`, `12.0 ms`, `1.50 min`.
pub(super) fn milliseconds(ms: f64) -> String {
    let (value, unit) = match ms {
        ms if !ms.is_finite() => return MISSING.to_owned(),
        ms if ms >= 3_600_000.0 => (ms / 3_600_000.0, "h"),
        ms if ms >= 60_000.0 => (ms / 60_000.0, "min"),
        ms if ms >= 1_000.0 => (ms / 1_000.0, "s"),
        ms if ms >= 1.0 || ms == 0.0 => (ms, "ms"),
        ms => (ms * 1_000.0, "µs"),
    };
    format!("{} {unit}", figure(value))
}

/// `value` with `digits` significant digits, whole numbers never shortened, tiny ones in scientific notation.
fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    // Formatting rounds first, so the exponent is that of what will be printed: 9.996 is 10.0, not 10.00.
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if exponent < -4 {
        return scientific;
    }
    let decimals = i32::try_from(digits).unwrap_or(i32::MAX) - 1 - exponent;
    grouped(&format!("{value:.*}", usize::try_from(decimals).unwrap_or(0)))
}

/// Commas between the thousands of the whole part.
fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::with_capacity(number.len() + whole.len() / 3);
    for (index, digit) in whole.char_indices() {
        let after_digit = text.ends_with(|c: char| c.is_ascii_digit());
        if after_digit && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(fraction);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ];
        for (value, text) in cases {
            assert_eq!(count(value), text);
        }
        assert_eq!(count_of(1, "record", "records"), "1 record");
        assert_eq!(count_of(0, "record", "records"), "0 records");
    }

    #[test]
    fn ratios_have_three_decimals() {
        assert_eq!(ratio(10.92), "10.920");
        assert_eq!(ratio(1_234.5), "1,234.500");
        assert_eq!(ratio(-1_234.5), "-1,234.500");
        assert_eq!(whole(1_048_576.0), "1,048,576");
    }

    #[test]
    fn figures_have_three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1.00"),
            (9.996, "10.0"),
            (10.8, "10.8"),
            (0.012_345, "0.0123"),
            (0.000_067, "6.70e-5"),
            (43_333.3, "43,333"),
        ];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
    }

    #[test]
    fn a_share_is_rounded_to_nothing_or_all_only_when_it_is() {
        let cases = [
            (0.0, "0 %"),
            (1.0, "100 %"),
            (0.9, "90.0 %"),
            (0.999_99, "> 99.9 %"),
            (0.000_000_1, "< 0.0005 %"),
            (0.000_012, "0.00120 %"),
        ];
        for (share, text) in cases {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn bytes_take_the_largest_unit() {
        let cases = [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1.00 KiB"),
            (512_000_000, "488 MiB"),
            (1 << 60, "1,024 PiB"),
        ];
        for (value, text) in cases {
            assert_eq!(bytes(value), text);
        }
    }

    #[test]
    fn times_are_written_in_their_largest_unit() {
        let shown = [0.0, 0.5, 12.0, 1_250.0, 90_000.0, 7_200_000.0, f64::NAN].map(milliseconds);
        assert_eq!(shown, ["0 ms", "500 µs", "12.0 ms", "1.25 s", "1.50 min", "2.00 h", "–"]);
    }

    #[test]
    fn what_is_no_number_is_missing() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!([ratio(value), figure(value), percent(value)], [MISSING, MISSING, MISSING]);
        }
    }
}
