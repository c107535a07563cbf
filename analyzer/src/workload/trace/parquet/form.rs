//! What the values of a column mean, told by its Parquet types.
//!
//! Types: <https://github.com/apache/parquet-format/blob/master/LogicalTypes.md>

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

/// Most digits of a decimal: those that fit into 128 bits, as in Arrow, Spark and SQL engines.
const DECIMAL_DIGITS_MAX: i32 = 38;

/// What the values of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As the physical type says: bytes, booleans, signed integers, floating-point numbers.
    Plain,
    /// Integers of two's complement that are read without a sign.
    Unsigned,
    /// Whole numbers of `10^-scale`.
    Decimal {
        scale: usize,
    },
    /// Days since 1970-01-01.
    Date,
    /// Time since midnight.
    TimeOfDay(Unit),
    /// Time since 1970; in UTC, or local to wherever it was written.
    Timestamp {
        unit: Unit,
        is_utc: bool,
    },
    Uuid,
}

/// The unit of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Millis,
    Micros,
    Nanos,
}

impl Unit {
    pub(super) const fn ns(self) -> i128 {
        match self {
            Self::Millis => 1_000_000,
            Self::Micros => 1_000,
            Self::Nanos => 1,
        }
    }
}

impl From<&TimeUnit> for Unit {
    fn from(unit: &TimeUnit) -> Self {
        match unit {
            TimeUnit::MILLIS => Self::Millis,
            TimeUnit::MICROS => Self::Micros,
            TimeUnit::NANOS => Self::Nanos,
        }
    }
}

impl Form {
    /// The form of a column, or what it is when such columns are not read.
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Self, &'static str> {
        if column.physical_type() == Type::INT96 {
            return Ok(Self::Timestamp { unit: Unit::Nanos, is_utc: false });
        }
        match column.logical_type_ref() {
            Some(logical) => Self::of_logical(column, logical),
            None => Self::of_converted(column),
        }
    }

    fn of_logical(column: &ColumnDescriptor, logical: &LogicalType) -> Result<Self, &'static str> {
        Ok(match logical {
            LogicalType::Decimal(_) => Self::decimal(column)?,
            LogicalType::Date => Self::Date,
            LogicalType::Time(time) => Self::TimeOfDay(Unit::from(&time.unit)),
            LogicalType::Timestamp(time) => {
                Self::Timestamp { unit: Unit::from(&time.unit), is_utc: time.is_adjusted_to_u_t_c }
            }
            LogicalType::Integer(integer) if !integer.is_signed => Self::Unsigned,
            LogicalType::Uuid => Self::Uuid,
            LogicalType::Float16 => return Err("of 16-bit floating-point numbers"),
            _ => Self::Plain,
        })
    }

    /// The form in files of writers from before there were logical types.
    fn of_converted(column: &ColumnDescriptor) -> Result<Self, &'static str> {
        Ok(match column.converted_type() {
            ConvertedType::DECIMAL => Self::decimal(column)?,
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIME_MILLIS => Self::TimeOfDay(Unit::Millis),
            ConvertedType::TIME_MICROS => Self::TimeOfDay(Unit::Micros),
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp { unit: Unit::Millis, is_utc: true },
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp { unit: Unit::Micros, is_utc: true },
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Self::Unsigned,
            ConvertedType::INTERVAL => return Err("of intervals"),
            _ => Self::Plain,
        })
    }

    fn decimal(column: &ColumnDescriptor) -> Result<Self, &'static str> {
        match usize::try_from(column.type_scale()) {
            Ok(scale) if column.type_precision() <= DECIMAL_DIGITS_MAX => Ok(Self::Decimal { scale }),
            _ => Err("of decimals with more than 38 digits"),
        }
    }
}
