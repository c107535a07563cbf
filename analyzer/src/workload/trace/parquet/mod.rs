//! Rows of a Parquet file. Only the selected columns are read and decoded, a block of rows at a time.
//!
//! Values become the bytes that a CSV export of the file would hold: text and binary columns as they are, numbers
//! in decimal, floating-point numbers in their shortest form (`120`, not `120.0`), dates as `2013-01-31`, timestamps
//! as `2013-01-31 10:00:00.5`, with a `Z` when the column is in UTC. Null is what null is in JSON Lines.
//!
//! Format: <https://github.com/apache/parquet-format>

mod column;
mod contain;
mod form;
mod problem;
mod selected;
#[cfg(test)]
mod tests;
mod value;

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::Step;
use super::batch::TraceBatch;
use super::error::TraceError;
use super::fields::Selection;
use contain::contained;
use selected::Columns;

const MAGIC: &[u8; 4] = b"PAR1";

/// Reads the rows of a Parquet file.
pub(super) struct ParquetRows {
    name: String,
    file: SerializedFileReader<File>,
    selection: Selection,
    columns: Columns,
    /// The row group to begin next.
    group_next: usize,
    /// Of the row group that is being read.
    group: Group,
    /// Rows of the block that is being read, and how many of them were handed out.
    block_rows: usize,
    block_next: usize,
    /// Rows handed out, bad ones with them.
    rows: u64,
    /// Bytes of the row groups before the one that is being read.
    bytes_before: u64,
    bytes_total: u64,
}

#[derive(Clone, Copy, Default)]
struct Group {
    rows: u64,
    rows_left: u64,
    /// Size in the file, all columns together.
    bytes: u64,
}

impl ParquetRows {
    /// Opens `path` when it is a Parquet file; `None` when it is not, or cannot be opened at all.
    pub(super) fn open(path: &Path, selection: &Selection) -> Result<Option<Self>, TraceError> {
        let name = path.to_string_lossy().into_owned();
        let Some((file, bytes_total)) = recognized(path) else {
            return Ok(None);
        };
        let opened = contained(|| {
            let file = SerializedFileReader::new(file)
                .map_err(|error| TraceError::parquet_damaged(&name, &error))?;
            let columns = Columns::find(&name, file.metadata(), selection)?;
            Ok((file, columns))
        });
        let (file, columns) = opened.unwrap_or_else(|| Err(TraceError::parquet_undecodable(&name)))?;
        Ok(Some(Self {
            name,
            file,
            selection: selection.clone(),
            columns,
            group_next: 0,
            group: Group::default(),
            block_rows: 0,
            block_next: 0,
            rows: 0,
            bytes_before: 0,
            bytes_total,
        }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The refusal of a format that was asked for by name.
    pub(super) fn wrong_format(&self) -> TraceError {
        TraceError::parquet_format(&self.name)
    }

    /// The place in the file that the rows read so far correspond to, as if every row had the same size.
    pub(super) fn bytes_read(&self) -> u64 {
        let Group { rows, rows_left, bytes } = self.group;
        let of_group = u128::from(bytes) * u128::from(rows - rows_left) / u128::from(rows.max(1));
        let is_over = rows_left == 0 && self.group_next == self.file.num_row_groups();
        let place = self.bytes_before.saturating_add(u64::try_from(of_group).unwrap_or(bytes));
        if is_over { self.bytes_total } else { place.min(self.bytes_total) }
    }

    pub(super) fn bytes_total(&self) -> u64 {
        self.bytes_total
    }

    /// Reads rows into `batch` until it is full.
    pub(super) fn read_rows(&mut self, batch: &mut TraceBatch) -> Result<Step, TraceError> {
        while !batch.is_full() {
            if self.block_next == self.block_rows && !self.next_block()? {
                return Ok(Step::End);
            }
            self.block_next += 1;
            self.rows += 1;
            if let Err(wrong) = self.columns.push_next(batch) {
                return Ok(Step::Bad(wrong.error(&self.name, self.rows, &self.selection)));
            }
        }
        Ok(Step::Full)
    }

    /// Decodes the next rows of every selected column; false at the end of the file.
    fn next_block(&mut self) -> Result<bool, TraceError> {
        match contained(|| self.decode_block()) {
            Some(decoded) => decoded.map_err(|error| TraceError::parquet_damaged(&self.name, &error)),
            None => Err(TraceError::parquet_undecodable(&self.name)),
        }
    }

    fn decode_block(&mut self) -> Result<bool, ParquetError> {
        while self.group.rows_left == 0 {
            if self.group_next == self.file.num_row_groups() {
                return Ok(false);
            }
            self.begin_group()?;
        }
        let rows = usize::try_from(self.group.rows_left).unwrap_or(usize::MAX).min(TraceBatch::ROWS);
        for column in self.columns.iter_mut() {
            column.read_block(rows)?;
        }
        self.group.rows_left -= rows as u64;
        (self.block_rows, self.block_next) = (rows, 0);
        Ok(true)
    }

    fn begin_group(&mut self) -> Result<(), ParquetError> {
        self.bytes_before = self.bytes_before.saturating_add(self.group.bytes);
        let group = self.file.get_row_group(self.group_next)?;
        let rows = u64::try_from(group.metadata().num_rows())?;
        let bytes = u64::try_from(group.metadata().compressed_size())?;
        for column in self.columns.iter_mut() {
            column.begin(group.get_column_reader(column.leaf)?);
        }
        self.group = Group { rows, rows_left: rows, bytes };
        self.group_next += 1;
        Ok(())
    }
}

/// The file and its size in bytes, when it begins as Parquet does. Anything but a regular file is left alone: to
/// look into a pipe is to consume it.
fn recognized(path: &Path) -> Option<(File, u64)> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let mut file = File::open(path).ok()?;
    let mut head = [0; MAGIC.len()];
    file.read_exact(&mut head).ok()?;
    file.rewind().ok()?;
    (head == *MAGIC).then_some((file, metadata.len()))
}
