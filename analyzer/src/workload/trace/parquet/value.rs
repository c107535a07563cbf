//! One value of a column → the text that a CSV export of the file shows, and its time.

use std::borrow::Cow;

use jiff::civil::DateTime;
use jiff::{Timestamp, tz::Offset};

use super::super::time::parse_time_us;
use super::form::Form;

const NS_PER_DAY: i128 = 86_400_000_000_000;

/// A value that is not null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'v> {
    Bool(bool),
    Int32(i32),
    Int64(i64),
    /// The 96-bit timestamp of old writers, in nanoseconds since 1970.
    Nanos(i128),
    Float(f32),
    Double(f64),
    Bytes(&'v [u8]),
}

impl<'v> Value<'v> {
    /// The value as text. Floating-point numbers take as few digits as tell them apart, and no exponent; a time
    /// beyond the years that the calendar has (-9999 to 9999) is the number that is stored.
    pub(super) fn text(self, form: Form) -> Cow<'v, [u8]> {
        let text = match form {
            Form::Unsigned => self.unsigned().map(|number| number.to_string()),
            Form::Decimal { scale } => self.integer().map(|number| decimal_text(number, scale)),
            Form::Date | Form::TimeOfDay(_) | Form::Timestamp { .. } => self.calendar_text(form),
            Form::Uuid => self.uuid_text(),
            Form::Plain => None,
        };
        text.map_or_else(|| self.plain_text(), |text| Cow::Owned(text.into_bytes()))
    }

    /// Microseconds since 1970, cut off below; what is no date and no timestamp is read as its text is.
    pub(super) fn time_us(self, form: Form) -> Option<i64> {
        match form {
            Form::Date | Form::Timestamp { .. } => i64::try_from(self.since_1970_ns(form)? / 1_000).ok(),
            _ => parse_time_us(&self.text(form)),
        }
    }

    fn plain_text(self) -> Cow<'v, [u8]> {
        let text = match self {
            Self::Bytes(bytes) => return Cow::Borrowed(bytes),
            Self::Bool(value) => value.to_string(),
            Self::Int32(value) => value.to_string(),
            Self::Int64(value) => value.to_string(),
            Self::Nanos(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Double(value) => value.to_string(),
        };
        Cow::Owned(text.into_bytes())
    }

    /// Bytes are a number of two's complement, the highest byte first.
    fn integer(self) -> Option<i128> {
        match self {
            Self::Int32(value) => Some(value.into()),
            Self::Int64(value) => Some(value.into()),
            Self::Nanos(value) => Some(value),
            Self::Bytes(bytes) => {
                let sign = if bytes.first().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
                let mut wide = [sign; 16];
                // What is in front of the lowest 16 bytes may only repeat the sign.
                let (front, low) = bytes.split_at(bytes.len().saturating_sub(wide.len()));
                wide[16 - low.len()..].copy_from_slice(low);
                let number = i128::from_be_bytes(wide);
                let fits = front.iter().all(|byte| *byte == sign) && (number < 0) == (sign == 0xff);
                fits.then_some(number)
            }
            Self::Bool(_) | Self::Float(_) | Self::Double(_) => None,
        }
    }

    fn unsigned(self) -> Option<u64> {
        match self {
            Self::Int32(value) => Some(value.cast_unsigned().into()),
            Self::Int64(value) => Some(value.cast_unsigned()),
            _ => None,
        }
    }

    fn since_1970_ns(self, form: Form) -> Option<i128> {
        let ns = match form {
            Form::Date => NS_PER_DAY,
            Form::TimeOfDay(unit) | Form::Timestamp { unit, .. } => unit.ns(),
            _ => return None,
        };
        self.integer()?.checked_mul(ns)
    }

    fn calendar_text(self, form: Form) -> Option<String> {
        let since_1970_ns = self.since_1970_ns(form)?;
        let at = Offset::UTC.to_datetime(Timestamp::from_nanosecond(since_1970_ns).ok()?);
        Some(match form {
            Form::Date => at.date().to_string(),
            Form::TimeOfDay(_) if !(0..NS_PER_DAY).contains(&since_1970_ns) => return None,
            Form::TimeOfDay(_) => at.time().to_string(),
            Form::Timestamp { is_utc, .. } => timestamp_text(at, is_utc),
            _ => return None,
        })
    }

    fn uuid_text(self) -> Option<String> {
        let Self::Bytes(bytes) = self else {
            return None;
        };
        let number = u128::from_be_bytes(bytes.try_into().ok()?);
        let digits = format!("{number:032x}");
        let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
        Some(parts.join("-"))
    }
}

fn timestamp_text(at: DateTime, is_utc: bool) -> String {
    format!("{} {}{}", at.date(), at.time(), if is_utc { "Z" } else { "" })
}

fn decimal_text(number: i128, scale: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale == 0 { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::super::form::Unit;
    use super::*;
    use proptest::prelude::*;

    fn text(form: Form, value: Value<'_>) -> String {
        String::from_utf8(value.text(form).into_owned()).unwrap()
    }

    #[test]
    fn parquet_values_are_shown_as_a_csv_export_shows_them() {
        let stamp = |unit, is_utc| Form::Timestamp { unit, is_utc };
        for (form, value, expected) in [
            (Form::Plain, Value::Bool(true), "true"),
            (Form::Plain, Value::Int32(i32::MIN), "-2147483648"),
            (Form::Plain, Value::Int64(i64::MAX), "9223372036854775807"),
            (Form::Unsigned, Value::Int32(-1), "4294967295"),
            (Form::Unsigned, Value::Int64(-1), "18446744073709551615"),
            (Form::Plain, Value::Float(0.1), "0.1"),
            (Form::Plain, Value::Double(120.0), "120"),
            (Form::Plain, Value::Double(1e21), "1000000000000000000000"),
            (Form::Plain, Value::Double(f64::NAN), "NaN"),
            (Form::Plain, Value::Bytes(b" a\n"), " a\n"),
            (Form::Decimal { scale: 2 }, Value::Int32(5), "0.05"),
            (Form::Decimal { scale: 2 }, Value::Int64(-150), "-1.50"),
            (Form::Decimal { scale: 0 }, Value::Int32(7), "7"),
            (Form::Decimal { scale: 3 }, Value::Bytes(&[0xff; 20]), "-0.001"),
            (Form::Decimal { scale: 1 }, Value::Bytes(&[]), "0.0"),
            (Form::Date, Value::Int32(15_706), "2013-01-01"),
            (Form::Date, Value::Int32(-1), "1969-12-31"),
            (Form::Date, Value::Int32(i32::MAX), "2147483647"),
            (Form::TimeOfDay(Unit::Millis), Value::Int32(36_000_500), "10:00:00.5"),
            (Form::TimeOfDay(Unit::Micros), Value::Int64(-1), "-1"),
            (stamp(Unit::Millis, true), Value::Int64(1_357_034_400_000), "2013-01-01 10:00:00Z"),
            (stamp(Unit::Micros, false), Value::Int64(1_357_034_400_250_000), "2013-01-01 10:00:00.25"),
            (stamp(Unit::Nanos, false), Value::Nanos(1), "1970-01-01 00:00:00.000000001"),
            (stamp(Unit::Millis, true), Value::Int64(i64::MAX), "9223372036854775807"),
            (Form::Uuid, Value::Bytes(&[0x0a; 16]), "0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a"),
        ] {
            assert_eq!(text(form, value), expected, "{form:?} {value:?}");
        }
    }

    #[test]
    fn parquet_times_have_the_unit_of_their_column() {
        let stamp = |unit| Form::Timestamp { unit, is_utc: true };
        for (form, value, expected) in [
            (stamp(Unit::Millis), Value::Int64(1), Some(1_000)),
            (stamp(Unit::Micros), Value::Int64(-7), Some(-7)),
            (stamp(Unit::Nanos), Value::Int64(1_999), Some(1)),
            (stamp(Unit::Millis), Value::Int64(i64::MAX), None),
            (Form::Date, Value::Int32(1), Some(86_400_000_000)),
            // Whole numbers without a unit, and text, are read as in CSV.
            (Form::Plain, Value::Int64(1_357_034_400), Some(1_357_034_400_000_000)),
            (Form::Plain, Value::Int64(1_357_034_400_000), Some(1_357_034_400_000_000)),
            (Form::Plain, Value::Bytes(b"2013-01-01T10:00:00Z"), Some(1_357_034_400_000_000)),
            (Form::TimeOfDay(Unit::Millis), Value::Int32(0), None),
            (Form::Plain, Value::Double(f64::NAN), None),
        ] {
            assert_eq!(value.time_us(form), expected, "{form:?} {value:?}");
        }
    }

    proptest! {
        #[test]
        fn parquet_decimals_of_any_storage_agree(number in any::<i64>(), scale in 0usize..25) {
            let form = Form::Decimal { scale };
            let shown = text(form, Value::Int64(number));
            prop_assert_eq!(text(form, Value::Bytes(&number.to_be_bytes())), shown.clone());
            prop_assert_eq!(text(form, Value::Bytes(&i128::from(number).to_be_bytes())), shown.clone());
            let digits: String = shown.chars().filter(|char| *char != '.').collect();
            prop_assert_eq!(digits.parse::<i128>().unwrap(), i128::from(number));
            prop_assert_eq!(shown.split_once('.').map_or(0, |(_, fraction)| fraction.len()), scale);
        }

        #[test]
        fn parquet_timestamps_read_as_their_text_reads(us in -9_000_000_000_000_000i64..9_000_000_000_000_000) {
            let form = Form::Timestamp { unit: Unit::Micros, is_utc: true };
            let value = Value::Int64(us);
            prop_assert_eq!(value.time_us(form), Some(us));
            prop_assert_eq!(parse_time_us(&value.text(form)), Some(us));
        }
    }
}
