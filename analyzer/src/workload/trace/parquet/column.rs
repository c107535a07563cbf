//! One selected column: reads its values a block of rows at a time, and hands them out row by row.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
    Int96, Int96Type,
};
use parquet::errors::{ParquetError, Result};

use super::form::Form;
use super::value::Value;

/// The day that Julian day numbers give to 1970-01-01.
const JULIAN_DAY_1970: i128 = 2_440_588;
const NS_PER_DAY: i128 = 86_400_000_000_000;

/// A selected column. Rows are those of the block that was read last.
pub(super) struct Column {
    /// Its place among the columns of the file.
    pub(super) leaf: usize,
    pub(super) form: Form,
    /// The definition level of a value that is not null.
    level_max: i16,
    /// Of the row group that is being read.
    values: Option<Values>,
    /// The definition level of each row; none when no value can be null.
    levels: Vec<i16>,
    next_row: usize,
    next_value: usize,
}

impl Column {
    pub(super) fn new(leaf: usize, form: Form, level_max: i16) -> Self {
        Self { leaf, form, level_max, values: None, levels: Vec::new(), next_row: 0, next_value: 0 }
    }

    /// Begins a row group.
    pub(super) fn begin(&mut self, reader: ColumnReader) {
        self.values = Some(Values::new(reader));
    }

    /// Reads the next `rows` rows, in place of those that were read before.
    pub(super) fn read_block(&mut self, rows: usize) -> Result<()> {
        let Some(values) = &mut self.values else {
            return Err(ParquetError::General("no row group has begun".to_owned()));
        };
        (self.next_row, self.next_value) = (0, 0);
        self.levels.clear();
        let (rows_read, len) = values.read(rows, &mut self.levels)?;
        let present = match self.level_max {
            0 => rows_read,
            level_max => self.levels.iter().filter(|level| **level == level_max).count(),
        };
        if rows_read != rows || present != len {
            return Err(ParquetError::General(format!(
                "a column has {rows_read} rows and {len} values where {rows} rows and {present} values follow"
            )));
        }
        Ok(())
    }

    /// The value of the next row; `None` when it is null.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Value<'_>> {
        let is_null = self.level_max > 0 && self.levels.get(self.next_row) != Some(&self.level_max);
        self.next_row += 1;
        if is_null {
            return None;
        }
        let index = self.next_value;
        self.next_value += 1;
        self.values.as_ref()?.get(index)
    }
}

/// The values of a block that are not null.
enum Values {
    Bool(Typed<BoolType>),
    Int32(Typed<Int32Type>),
    Int64(Typed<Int64Type>),
    Int96(Typed<Int96Type>),
    Float(Typed<FloatType>),
    Double(Typed<DoubleType>),
    Bytes(Typed<ByteArrayType>),
    FixedBytes(Typed<FixedLenByteArrayType>),
}

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Typed<T> {
    fn new(reader: ColumnReaderImpl<T>) -> Self {
        Self { reader, values: Vec::new() }
    }

    /// Number of rows and of values read.
    fn read(&mut self, rows: usize, levels: &mut Vec<i16>) -> Result<(usize, usize)> {
        self.values.clear();
        let (rows, ..) = self.reader.read_records(rows, Some(levels), None, &mut self.values)?;
        Ok((rows, self.values.len()))
    }
}

impl Values {
    fn new(reader: ColumnReader) -> Self {
        match reader {
            ColumnReader::BoolColumnReader(reader) => Self::Bool(Typed::new(reader)),
            ColumnReader::Int32ColumnReader(reader) => Self::Int32(Typed::new(reader)),
            ColumnReader::Int64ColumnReader(reader) => Self::Int64(Typed::new(reader)),
            ColumnReader::Int96ColumnReader(reader) => Self::Int96(Typed::new(reader)),
            ColumnReader::FloatColumnReader(reader) => Self::Float(Typed::new(reader)),
            ColumnReader::DoubleColumnReader(reader) => Self::Double(Typed::new(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Self::Bytes(Typed::new(reader)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Self::FixedBytes(Typed::new(reader)),
        }
    }

    fn read(&mut self, rows: usize, levels: &mut Vec<i16>) -> Result<(usize, usize)> {
        match self {
            Self::Bool(values) => values.read(rows, levels),
            Self::Int32(values) => values.read(rows, levels),
            Self::Int64(values) => values.read(rows, levels),
            Self::Int96(values) => values.read(rows, levels),
            Self::Float(values) => values.read(rows, levels),
            Self::Double(values) => values.read(rows, levels),
            Self::Bytes(values) => values.read(rows, levels),
            Self::FixedBytes(values) => values.read(rows, levels),
        }
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Value<'_>> {
        Some(match self {
            Self::Bool(typed) => Value::Bool(*typed.values.get(index)?),
            Self::Int32(typed) => Value::Int32(*typed.values.get(index)?),
            Self::Int64(typed) => Value::Int64(*typed.values.get(index)?),
            Self::Int96(typed) => Value::Nanos(since_1970_ns(typed.values.get(index)?)),
            Self::Float(typed) => Value::Float(*typed.values.get(index)?),
            Self::Double(typed) => Value::Double(*typed.values.get(index)?),
            Self::Bytes(typed) => Value::Bytes(typed.values.get(index)?.data()),
            Self::FixedBytes(typed) => Value::Bytes(typed.values.get(index)?.data()),
        })
    }
}

/// The crate's own conversion wraps around beyond 64 bits.
fn since_1970_ns(time: &Int96) -> i128 {
    let [low, high, day] = [0, 1, 2].map(|i| time.data().get(i).copied().unwrap_or_default());
    let of_day_ns = (i128::from(high) << 32) | i128::from(low);
    (i128::from(day.cast_signed()) - JULIAN_DAY_1970) * NS_PER_DAY + of_day_ns
}
