//! Reads real traffic: CSV, TSV or JSON Lines, plain or compressed, from a file or standard input; with the feature
//! `parquet` also Parquet files, from which only the named columns are read.
//!
//! Format and compression (gzip, zstd, bzip2) are told by content, never by name. A trace is streamed: memory does
//! not grow with its rows. Nothing is dropped in silence: a row that cannot be read is an error with its line
//! number (in Parquet: that of the row), or is counted when [`TraceOptions::skip_bad_rows`] is set.
//!
//! ```
//! use analyzer::workload::trace::{RowKey, TraceBatch, TraceFields, TraceOptions, TraceReader};
//!
//! let text = "tenant,order,size\nacme,o-1,120\nacme,o-2,80\n";
//! let fields = TraceFields {
//!     tenant: Some("tenant".into()),
//!     entity: Some("order".into()),
//!     bytes: Some("size".into()),
//!     ..TraceFields::default()
//! };
//! let options = TraceOptions { fields, ..TraceOptions::default() };
//! let mut reader = TraceReader::from_reader("orders.csv", text.as_bytes(), options)?;
//! let mut batch = TraceBatch::new();
//! let mut bytes = 0;
//! while reader.read(&mut batch)? {
//!     for row in batch.iter() {
//!         assert!(matches!(row.key, RowKey::Parts { tenant: b"acme", entity: Some(_) }));
//!         bytes += row.bytes.unwrap_or(0);
//!     }
//! }
//! assert_eq!(bytes, 200);
//! # Ok::<(), analyzer::workload::trace::TraceError>(())
//! ```

mod batch;
mod delimited;
mod error;
mod fields;
mod json_lines;
mod json_members;
#[cfg(feature = "parquet")]
mod parquet;
mod sniff;
mod source;
#[cfg(test)]
mod tests;
mod time;

use std::io::Read;
use std::path::Path;

pub use batch::{RowKey, TraceBatch, TraceRow};
pub use error::TraceError;
pub use fields::TraceFields;
pub use sniff::TraceFormat;
pub use time::parse_time_us;

use delimited::Delimited;
use fields::Selection;
use json_lines::JsonLines;
#[cfg(feature = "parquet")]
use parquet::ParquetRows;
use sniff::{format_needs_more, sniff_format};
use source::Source;

/// Longest row, in bytes of text.
const ROW_BYTES_MAX: usize = 64 << 20;

/// How to read a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    /// Which fields to read.
    pub fields: TraceFields,
    /// The format; `None` tells it by content: `{` begins JSON Lines, a header with more tabs than commas is TSV,
    /// all else is CSV. Parquet is told by content alone.
    pub format: Option<TraceFormat>,
    /// Count rows that cannot be read and go on, instead of ending with an error.
    pub skip_bad_rows: bool,
}

/// How much of a trace was read, before decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceProgress {
    /// Bytes read so far; runs ahead of the rows by what is buffered. In Parquet the bytes of the row groups that
    /// were read, with a share of the present one, although columns that are not named are not read.
    pub bytes_read: u64,
    /// Bytes of the file; `None` for standard input and other readers.
    pub bytes_total: Option<u64>,
}

/// Reads the rows of a trace, a batch at a time; see the [module](self) for an example.
///
/// * A bad row has too few or too many fields, is not JSON, lacks a tenant or an entity, or has a size or a time
///   that cannot be read. A row that is longer than 64 MiB, a quote that is never closed, truncated
///   compression and failed reads are errors even when bad rows are skipped: what follows them is unknown.
/// * In JSON Lines and Parquet a null or missing key is a record without a key; a key field that *no* row has is an error at
///   the end of the trace. In CSV and TSV an empty key is the empty key.
/// * Sizes are whole numbers up to `u32::MAX`. Times are seconds, milliseconds, microseconds or nanoseconds since
///   1970, told by magnitude (below 10¹¹, 10¹⁴, 10¹⁷, above), RFC 3339, or a date and time taken as UTC.
/// * A trace with a header but no rows is no error here; a file of zero bytes is.
pub struct TraceReader {
    rows: Rows,
    skip_bad_rows: bool,
    skipped_rows: u64,
    first_skipped: Option<String>,
    is_finished: bool,
}

enum Rows {
    Delimited(Source, Box<Delimited>),
    JsonLines(Source, JsonLines),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetRows>),
}

/// Why the reading of rows into a batch has stopped.
enum Step {
    Full,
    /// At a row that is not in the batch.
    Bad(TraceError),
    End,
}

impl TraceReader {
    /// Opens a file, or standard input when `path` is `-`.
    ///
    /// # Errors
    /// When the fields contradict each other, the file cannot be opened, is a directory, holds no bytes, is of a
    /// kind that is not read, or its header lacks a named column or has it twice.
    pub fn open(path: &Path, options: TraceOptions) -> Result<Self, TraceError> {
        let selection = Selection::new(options.fields)?;
        #[cfg(feature = "parquet")]
        if let Some(rows) = ParquetRows::open(path, &selection)? {
            return match options.format {
                None => Ok(Self::from_rows(Rows::Parquet(Box::new(rows)), options.skip_bad_rows)),
                Some(_) => Err(rows.wrong_format()),
            };
        }
        Self::from_source(Source::open(path)?, selection, options.format, options.skip_bad_rows)
    }

    /// Reads from `reader`; messages call it `name`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_reader(
        name: &str,
        reader: impl Read + Send + 'static,
        options: TraceOptions,
    ) -> Result<Self, TraceError> {
        let selection = Selection::new(options.fields)?;
        let source = Source::new(name, reader, None)?;
        Self::from_source(source, selection, options.format, options.skip_bad_rows)
    }

    fn from_source(
        mut source: Source,
        selection: Selection,
        format: Option<TraceFormat>,
        skip_bad_rows: bool,
    ) -> Result<Self, TraceError> {
        let format = match format {
            Some(format) => format,
            None => {
                let name = source.name().to_owned();
                sniff_format(&name, source.peek_while(format_needs_more)?)?
            }
        };
        let rows = match format {
            TraceFormat::Csv | TraceFormat::Tsv => {
                let delimiter = if format == TraceFormat::Csv { b',' } else { b'\t' };
                let rows = Delimited::open(&mut source, delimiter, selection)?;
                Rows::Delimited(source, Box::new(rows))
            }
            TraceFormat::JsonLines => Rows::JsonLines(source, JsonLines::new(selection)),
        };
        Ok(Self::from_rows(rows, skip_bad_rows))
    }

    fn from_rows(rows: Rows, skip_bad_rows: bool) -> Self {
        Self { rows, skip_bad_rows, skipped_rows: 0, first_skipped: None, is_finished: false }
    }

    /// Clears `batch` and fills it with up to [`TraceBatch::ROWS`] rows. False at the end of the trace, where the
    /// batch stays empty.
    ///
    /// # Errors
    /// When a row is bad and bad rows are not skipped, or what follows cannot be read at all. After an error the
    /// trace is at its end; rows that `batch` holds then come before the error.
    pub fn read(&mut self, batch: &mut TraceBatch) -> Result<bool, TraceError> {
        batch.clear();
        while !self.is_finished {
            let step = match &mut self.rows {
                Rows::Delimited(source, rows) => rows.read_rows(source, batch),
                Rows::JsonLines(source, rows) => rows.read_rows(source, batch),
                #[cfg(feature = "parquet")]
                Rows::Parquet(rows) => rows.read_rows(batch),
            };
            match step {
                Ok(Step::Full) => break,
                Ok(Step::End) => self.is_finished = true,
                Ok(Step::Bad(error)) if self.skip_bad_rows => {
                    self.skipped_rows += 1;
                    self.first_skipped.get_or_insert_with(|| error.into_skipped_message());
                }
                Ok(Step::Bad(error)) | Err(error) => {
                    self.is_finished = true;
                    return Err(error);
                }
            }
        }
        Ok(!batch.is_empty())
    }

    /// Bad rows that were left out so far; always 0 unless [`TraceOptions::skip_bad_rows`] is set.
    #[must_use]
    pub fn skipped_rows(&self) -> u64 {
        self.skipped_rows
    }

    /// What was wrong with the first row that was left out.
    #[must_use]
    pub fn first_skipped(&self) -> Option<&str> {
        self.first_skipped.as_deref()
    }

    /// How much was read, for a progress bar.
    #[must_use]
    pub fn progress(&self) -> TraceProgress {
        match &self.rows {
            Rows::Delimited(source, _) | Rows::JsonLines(source, _) => {
                TraceProgress { bytes_read: source.bytes_read(), bytes_total: source.bytes_total() }
            }
            #[cfg(feature = "parquet")]
            Rows::Parquet(rows) => {
                TraceProgress { bytes_read: rows.bytes_read(), bytes_total: Some(rows.bytes_total()) }
            }
        }
    }

    fn name(&self) -> &str {
        match &self.rows {
            Rows::Delimited(source, _) | Rows::JsonLines(source, _) => source.name(),
            #[cfg(feature = "parquet")]
            Rows::Parquet(rows) => rows.name(),
        }
    }
}

impl std::fmt::Debug for TraceReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceReader")
            .field("name", &self.name())
            .field("progress", &self.progress())
            .field("skipped_rows", &self.skipped_rows)
            .finish_non_exhaustive()
    }
}
