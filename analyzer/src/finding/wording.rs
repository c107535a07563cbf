//! Numbers and names as findings write them.

use crate::report::model::TenantShare;

/// Names written out before the rest becomes a number, so that a sentence stays a sentence.
const LISTED_NAMES_MAX: usize = 5;

/// Characters of a name written out; a key may be as long as Kafka's largest record.
const NAME_CHARS_MAX: usize = 60;

/// A share of 0 to 1 in percent. Neither `0 %` nor `100 %` is written for what is not exactly that.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent <= 0.0 => "0 %".to_owned(),
        percent if percent < 0.1 => "less than 0.1 %".to_owned(),
        percent if percent < 9.95 => format!("{percent:.1} %"),
        percent if percent < 99.5 => format!("{percent:.0} %"),
        percent if percent < 100.0 => "more than 99 %".to_owned(),
        _ => "100 %".to_owned(),
    }
}

/// A ratio such as max/mean: two decimals, none from 1000 on.
pub(super) fn ratio(ratio: f64) -> String {
    if ratio < 999.995 { format!("{ratio:.2}") } else { grouped(&format!("{ratio:.0}")) }
}

/// A ratio with what it may be off by.
pub(super) fn estimate(value: f64, error: f64) -> String {
    if error > 0.0 { format!("about {} (± {})", ratio(value), ratio(error)) } else { ratio(value) }
}

/// A whole number, digits grouped by comma: `1,000,000`.
pub(super) fn whole(number: u64) -> String {
    grouped(&number.to_string())
}

/// The whole part of a positive figure, e.g. how many partitions are worth having.
pub(super) fn whole_part(number: f64) -> String {
    grouped(&format!("{:.0}", number.floor()))
}

/// A time of at least 0, given in milliseconds: `6.00 ms`, `66.0 s`, `24.6 min`.
pub(super) fn time(ms: f64) -> String {
    let (value, unit) = match ms {
        ms if ms >= 3_600_000.0 => (ms / 3_600_000.0, "h"),
        ms if ms >= 60_000.0 * 2.0 => (ms / 60_000.0, "min"),
        ms if ms >= 1_000.0 => (ms / 1_000.0, "s"),
        ms => (ms, "ms"),
    };
    match value {
        value if value < 10.0 => format!("{value:.2} {unit}"),
        value if value < 100.0 => format!("{value:.1} {unit}"),
        value => format!("{} {unit}", grouped(&format!("{value:.0}"))),
    }
}

/// `1 row`, `3 rows`.
pub(super) fn quantity(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", whole(number), if number == 1 { one } else { many })
}

/// `a`, `a and b`, `a, b and c`; beyond five names `a, b, c, d, e and 7 more`.
pub(super) fn list<T: AsRef<str>>(names: &[T]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(LISTED_NAMES_MAX).map(|name| shortened(name.as_ref())).collect();
    if names.len() > LISTED_NAMES_MAX {
        shown.push(format!("{} more", names.len() - LISTED_NAMES_MAX));
    }
    match shown.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// The name of a tenant or an entity, or `instead` when the report does not know it.
pub(super) fn name_or(known: Option<&TenantShare>, instead: &str) -> String {
    known.map_or_else(|| instead.to_owned(), |known| shortened(&known.name))
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS_MAX) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", &name[..end]),
    }
}

fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::{estimate, list, name_or, percent, quantity, ratio, whole, whole_part};
    use crate::finding::fixture::share;

    #[test]
    fn percents_round_but_never_to_nothing_or_all() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.000_01, "less than 0.1 %"),
            (0.004, "0.4 %"),
            (0.0994, "9.9 %"),
            (0.0996, "10 %"),
            (0.9054, "91 %"),
            (0.9999, "more than 99 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn ratios_and_whole_numbers() {
        assert_eq!(ratio(1.0), "1.00");
        assert_eq!(ratio(10.917), "10.92");
        assert_eq!(ratio(999.996), "1,000");
        assert_eq!(estimate(2.2134, 0.05), "about 2.21 (± 0.05)");
        assert_eq!(estimate(2.2134, 0.0), "2.21");
        assert_eq!(whole(999), "999");
        assert_eq!(whole(1_000_000), "1,000,000");
        assert_eq!(whole_part(1234.9), "1,234");
        assert_eq!(quantity(1, "row", "rows"), "1 row");
        assert_eq!(quantity(1200, "row", "rows"), "1,200 rows");
    }

    #[test]
    fn lists_end_in_and() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list(&["a", "b", "c", "d", "e", "f", "g"]), "a, b, c, d, e and 2 more");
        assert_eq!(list(&[] as &[&str]), "");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(list(&["é".repeat(61)]), format!("{}…", "é".repeat(60)));
        assert_eq!(list(&["é".repeat(60)]), "é".repeat(60));
        assert_eq!(name_or(share("acme", 0.5).as_ref(), "the largest tenant"), "acme");
        assert_eq!(name_or(None, "the largest tenant"), "the largest tenant");
    }
}
