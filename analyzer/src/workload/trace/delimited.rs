//! Rows of CSV and TSV. Fields are bytes and stay bytes.

use csv_core::ReadRecordResult;

use super::batch::{RowKey, TraceBatch, TraceRow};
use super::error::TraceError;
use super::fields::{Role, Selection, parse_record_bytes};
use super::source::Source;
use super::time::parse_time_us;
use super::{ROW_BYTES_MAX, Step};

/// Most columns of a header; keeps a file without line ends from filling the memory with field ends.
const COLUMNS_MAX: usize = 1 << 16;

/// Reads the rows under a header line.
pub(super) struct Delimited {
    records: Records,
    selection: Selection,
    /// `None` when the trace ends before a header.
    columns: Option<Columns>,
}

/// Where in a row the selected fields are.
struct Columns {
    width: usize,
    first: usize,
    first_is_key: bool,
    entity: Option<usize>,
    bytes: Option<usize>,
    time: Option<usize>,
}

impl Delimited {
    /// Reads the header line and finds the selected columns in it.
    pub(super) fn open(source: &mut Source, delimiter: u8, selection: Selection) -> Result<Self, TraceError> {
        let mut records = Records::new(delimiter);
        let columns = match records.read(source)? {
            Some(header) => Some(Columns::find(source.name(), &records, header, &selection)?),
            None => None,
        };
        if let Some(columns) = &columns {
            records.limit_fields(columns.width);
        }
        Ok(Self { records, selection, columns })
    }

    /// Reads rows into `batch` until it is full.
    pub(super) fn read_rows(
        &mut self,
        source: &mut Source,
        batch: &mut TraceBatch,
    ) -> Result<Step, TraceError> {
        let Some(columns) = &self.columns else {
            return Ok(Step::End);
        };
        while !batch.is_full() {
            let Some(record) = self.records.read(source)? else {
                return Ok(Step::End);
            };
            let (trace, line) = (source.name(), record.line);
            if record.fields != columns.width {
                return Ok(Step::Bad(TraceError::ragged(trace, line, record.fields, columns.width)));
            }
            match columns.row(&self.records) {
                Ok(row) => batch.push(&row),
                Err((role, text)) => {
                    let name = self.selection.name(role).unwrap_or_default();
                    return Ok(Step::Bad(TraceError::bad_value(trace, line, role, name, text)));
                }
            }
        }
        Ok(Step::Full)
    }
}

impl Columns {
    fn find(
        trace: &str,
        records: &Records,
        header: Record,
        selection: &Selection,
    ) -> Result<Self, TraceError> {
        let (line, width) = (header.line, header.fields);
        if width > COLUMNS_MAX {
            return Err(TraceError::too_many_columns(trace, line, COLUMNS_MAX));
        }
        let names: Vec<&[u8]> = (0..width).map(|column| records.field(column)).collect();
        let mut columns = Self {
            width,
            first: 0,
            first_is_key: selection.first_is_key(),
            entity: None,
            bytes: None,
            time: None,
        };
        for (role, name) in selection.roles() {
            let mut found = (0..width).filter(|column| names[*column] == name.as_bytes());
            let Some(column) = found.next() else {
                return Err(TraceError::missing_column(trace, line, name, &names));
            };
            if let Some(second) = found.next() {
                return Err(TraceError::duplicate_column(trace, line, name, column, second));
            }
            match role {
                Role::First => columns.first = column,
                Role::Entity => columns.entity = Some(column),
                Role::Bytes => columns.bytes = Some(column),
                Role::Time => columns.time = Some(column),
            }
        }
        Ok(columns)
    }

    /// The row of the record that was read last, which has as many fields as there are columns; or which of them
    /// cannot be read.
    #[inline]
    fn row<'r>(&self, records: &'r Records) -> Result<TraceRow<'r>, (Role, &'r [u8])> {
        let first = records.field(self.first);
        let key = if self.first_is_key {
            RowKey::Key(first)
        } else {
            RowKey::Parts { tenant: first, entity: self.entity.map(|column| records.field(column)) }
        };
        let mut row = TraceRow { key, bytes: None, time_us: None };
        if let Some(column) = self.bytes {
            let text = records.field(column);
            row.bytes = Some(parse_record_bytes(text).ok_or((Role::Bytes, text))?);
        }
        if let Some(column) = self.time {
            let text = records.field(column);
            row.time_us = Some(parse_time_us(text).ok_or((Role::Time, text))?);
        }
        Ok(row)
    }
}

/// One record that lies in the buffers of [`Records`].
#[derive(Clone, Copy)]
struct Record {
    /// Where it starts, from 1.
    line: u64,
    fields: usize,
}

/// Splits the text into records of unquoted fields. The `csv` crate's reader accepts a quote that is never closed;
/// this one does not, which is why it is built on `csv_core`.
struct Records {
    core: csv_core::Reader,
    /// The fields of the last record, end to end, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    ends_max: usize,
    /// Line ends that `core` did not see.
    lines_skipped: u64,
}

/// How far the record that is being read has come.
#[derive(Default)]
struct Progress {
    input_len: usize,
    text_len: usize,
    /// Ends kept; at most `ends_max`.
    ends_len: usize,
    /// Fields seen.
    fields: usize,
}

impl Records {
    fn new(delimiter: u8) -> Self {
        Self {
            core: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            text: vec![0; 1024],
            ends: vec![0; 64],
            ends_max: COLUMNS_MAX + 1,
            lines_skipped: 0,
        }
    }

    /// From now on a record keeps the ends of `width` fields; those of a longer one are only counted.
    fn limit_fields(&mut self, width: usize) {
        self.ends_max = width + 1;
        self.ends = vec![0; self.ends_max];
    }

    #[inline]
    fn field(&self, column: usize) -> &[u8] {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.text[start..self.ends[column]]
    }

    /// Reads the next record; `None` at the end.
    #[inline]
    fn read(&mut self, source: &mut Source) -> Result<Option<Record>, TraceError> {
        if !self.skip_blank_lines(source)? {
            return Ok(None);
        }
        let line = self.core.line() + self.lines_skipped;
        let mut progress = Progress::default();
        loop {
            let input = source.fill()?;
            if input.is_empty() {
                return self.read_last(source.name(), line, progress).map(Some);
            }
            let (result, input_len) = self.step(&mut progress, input);
            source.consume(input_len);
            if result == ReadRecordResult::Record {
                return Ok(Some(Record { line, fields: progress.fields }));
            }
            if progress.input_len > ROW_BYTES_MAX {
                return Err(TraceError::row_too_long(source.name(), line, ROW_BYTES_MAX));
            }
        }
    }

    /// Consumes line ends before a record, so that its line number is that of its first byte. False at the end.
    #[inline]
    fn skip_blank_lines(&mut self, source: &mut Source) -> Result<bool, TraceError> {
        loop {
            match source.fill()?.first() {
                None => return Ok(false),
                Some(b'\n') => self.lines_skipped += 1,
                Some(b'\r') => {}
                Some(_) => return Ok(true),
            }
            source.consume(1);
        }
    }

    /// Feeds `input` to the parser once, and makes room when it asks for it.
    // Inlined into `read`, `progress` stays in registers.
    #[inline(always)]
    fn step(&mut self, progress: &mut Progress, input: &[u8]) -> (ReadRecordResult, usize) {
        let (result, input_len, text_len, ends_len) = self.core.read_record(
            input,
            &mut self.text[progress.text_len..],
            &mut self.ends[progress.ends_len..],
        );
        progress.input_len += input_len;
        progress.text_len += text_len;
        progress.ends_len += ends_len;
        progress.fields += ends_len;
        match result {
            ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
            ReadRecordResult::OutputEndsFull if self.ends.len() < self.ends_max => {
                self.ends.resize((self.ends.len() * 2).min(self.ends_max), 0);
            }
            // The row is too long already: its further ends overwrite the last place.
            ReadRecordResult::OutputEndsFull => progress.ends_len = self.ends_max - 1,
            _ => {}
        }
        (result, input_len)
    }

    /// Finishes a record at the end of the text, where its line end may be missing but no closing quote.
    #[cold]
    fn read_last(&mut self, trace: &str, line: u64, mut progress: Progress) -> Result<Record, TraceError> {
        // A line end completes a record unless it falls into quotes; there it is one more byte of the field.
        loop {
            match self.step(&mut progress, b"\n") {
                (ReadRecordResult::Record, _) => return Ok(Record { line, fields: progress.fields }),
                (_, 0) => {}
                _ => return Err(TraceError::unterminated_quote(trace, line)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{error_of, read_text};
    use super::*;

    /// Keys of the rows, lossily.
    fn keys(text: impl AsRef<[u8]>) -> Vec<String> {
        let (rows, _) = read_text(text, "key=key").unwrap();
        rows.into_iter().map(|row| String::from_utf8_lossy(&row.key.unwrap().0).into_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "size,when,order,tenant\n12,2013-01-01 10:00:00,o-1,acme\n";
        let (rows, _) = read_text(text, "tenant=tenant entity=order bytes=size time=when").unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].key, Some((b"acme".to_vec(), Some(b"o-1".to_vec()))));
        assert_eq!(rows[0].bytes, Some(12));
        assert_eq!(rows[0].time_us, Some(1_357_034_400_000_000));
        let (rows, _) = read_text(text, "tenant=tenant").unwrap();
        assert_eq!(
            (&rows[0].key, rows[0].bytes, rows[0].time_us),
            (&Some((b"acme".to_vec(), None)), None, None)
        );
    }

    #[test]
    fn line_ends_blank_lines_and_the_byte_order_mark() {
        for text in [
            "key,x\na,1\nb,2\n",
            "key,x\na,1\nb,2",
            "key,x\r\na,1\r\nb,2\r\n",
            "key,x\ra,1\rb,2\r",
            "\n\r\nkey,x\n\n\na,1\r\n\r\nb,2\n\n",
            "\u{feff}key,x\na,1\nb,2\n",
            "\u{feff}\"key\",x\n\"a\",1\nb,\"2\"",
            "key\tx\na\t1\nb\t2\n",
        ] {
            assert_eq!(keys(text), ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn fields_are_bytes_and_an_empty_key_is_a_key() {
        assert_eq!(keys("key,x\n,1\n\"\",2\n"), ["", ""]);
        assert_eq!(keys("key\n\"\"\n"), [""]);
        assert_eq!(keys("key,x\n\"a,\"\"b\"\"\nc\",1\n"), ["a,\"b\"\nc"]);
        let (rows, _) = read_text(b"k\xe9y,key\n\xff,\xfe\x00\n", "key=key").unwrap();
        assert_eq!(rows[0].key, Some((b"\xfe\x00".to_vec(), None)));
        let (rows, _) = read_text("schlüssel,b\nä,1\n", "key=schlüssel").unwrap();
        assert_eq!(rows[0].key, Some(("ä".into(), None)));
    }

    #[test]
    fn a_missing_column_lists_what_there_is() {
        assert_eq!(
            error_of("carrier,tailnum,t\u{1b}me\n", "tenant=carier"),
            "t:1: no column `carier`; columns: carrier, tailnum, t\\u{1b}me; did you mean `carrier`?"
        );
        assert_eq!(
            error_of(b"\n\nk\xe9y", "key=id"),
            "t:3: no column `id`; columns: k\u{fffd}y",
            "the line is that of the header"
        );
        assert!(
            error_of("a;b;c\n", "key=b")
                .ends_with("fields seem to be separated by `;`, expected `,` or tabs")
        );
    }

    #[test]
    fn a_column_named_twice_is_an_error_when_it_is_wanted() {
        assert_eq!(
            error_of("key,x,key\n", "key=key"),
            "t:1: columns 1 and 3 are both named `key`; rename one"
        );
        assert_eq!(keys("x,key,x\n1,a,2\n"), ["a"]);
    }

    #[test]
    fn ragged_rows_are_told_with_the_line_they_start_at() {
        for (text, line, found) in [
            ("key,x\na,1\nb\n", 3, "1 field;"),
            ("key,x\n\"a\nb\",1\n\n\r\nc,2,3\n", 6, "3 fields;"),
            ("key,x\r\na,1\r\nb,2,3,4,5,6,7,8,9\r\n", 3, "9 fields;"),
        ] {
            let error = read_text(text, "key=key").unwrap_err();
            assert_eq!(error.line(), Some(line), "{text:?}");
            assert!(error.to_string().contains(&format!("the row has {found} expected 2")), "{error}");
        }
        let (rows, reader) = read_text("key,x\na,1,2,3,4\nb,2\n", "key=key skip").unwrap();
        assert_eq!((rows.len(), reader.skipped_rows()), (1, 1), "the row after a long one is whole");
        assert_eq!(rows[0].key, Some((b"b".to_vec(), None)));
    }

    #[test]
    fn a_quote_that_is_never_closed_is_an_error_even_when_bad_rows_are_skipped() {
        let unterminated = "t:3: a quoted field of this row is never closed; expected `\"` before the end";
        for text in
            ["key,x\na,1\n\"b,2\nc,3\n", "key,x\na,1\nb,\"", "key,x\na,1\nb,\"2\n", "key,x\na,1\nb,\"2\"\""]
        {
            assert_eq!(error_of(text, "key=key skip"), unterminated, "{text:?}");
        }
        assert_eq!(keys("key,x\na,\"1\""), ["a"], "closed by the last byte");
        assert!(error_of("key,\"x\n", "key=key").starts_with("t:1: a quoted field"));
    }

    #[test]
    fn sizes_and_times_that_cannot_be_read() {
        assert!(error_of("key,size\na,12k\n", "key=key bytes=size").starts_with(
            "t:2: bytes field `size` is `12k`; expected a whole number from 0 to 4294967295; correct"
        ));
        assert!(
            error_of("key,size\na,\n", "key=key bytes=size").starts_with("t:2: bytes field `size` is ``;")
        );
        assert!(
            error_of("key,at\na,noon\n", "key=key time=at").starts_with("t:2: time field `at` is `noon`;")
        );
        let (rows, reader) = read_text("key,size\na,-1\nb,2\n", "key=key bytes=size skip").unwrap();
        assert_eq!((rows.len(), reader.skipped_rows()), (1, 1));
    }

    #[test]
    fn rows_and_headers_have_limits() {
        let header = vec!["c"; COLUMNS_MAX].join(",");
        let row = vec!["v"; COLUMNS_MAX].join(",");
        assert!(error_of(format!("{header},key\n"), "key=key").contains("more than 65536 columns"));
        assert_eq!(keys(format!("key{}\n{row}\n", &header[1..])), ["v"]);
        let long = [b"key,x\na,1\n\"", &vec![b'y'; ROW_BYTES_MAX][..], b"\",2\nc,3\n"].concat();
        assert!(error_of(long, "key=key skip").starts_with("t:3: the row is longer than 67108864 bytes"));
    }
}
