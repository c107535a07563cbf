//! Rows of JSON Lines.

use std::borrow::Cow;

use super::batch::{RowKey, TraceBatch, TraceRow};
use super::error::TraceError;
use super::fields::{Role, Selection, parse_record_bytes};
use super::json_members::{ROLES_MAX, Scalar, find_members, member_names, scalar};
use super::source::Source;
use super::time::parse_time_us;
use super::{ROW_BYTES_MAX, Step};

/// Reads one object a line.
pub(super) struct JsonLines {
    selection: Selection,
    line: Vec<u8>,
    line_number: u64,
    key_search: KeySearch,
}

/// Whether the key field was in any row so far. A key may be missing from a row, but a name that no row has is
/// a misspelt one.
enum KeySearch {
    /// No good row yet, or the field is not a key.
    NotBegun,
    /// Not in any row; with line and member names of the first.
    Missing(u64, Vec<String>),
    Found,
}

impl JsonLines {
    pub(super) fn new(selection: Selection) -> Self {
        Self { selection, line: Vec::new(), line_number: 0, key_search: KeySearch::NotBegun }
    }

    /// Reads one row into `batch`.
    pub(super) fn read_row(
        &mut self,
        source: &mut Source,
        batch: &mut TraceBatch,
    ) -> Result<Step, TraceError> {
        loop {
            if !self.read_line(source)? {
                return self.finish(source.name()).map(|()| Step::End);
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let (trace, line) = (source.name(), self.line_number);
        let text = match std::str::from_utf8(&self.line) {
            Ok(text) => text,
            Err(error) => return Ok(Step::Bad(TraceError::not_utf8(trace, line, error.valid_up_to()))),
        };
        let row = Row { trace, line, text, selection: &self.selection };
        match row.push_to(batch) {
            Ok(key_present) => {
                if self.selection.first_is_key() {
                    self.key_search.note(key_present, line, text);
                }
                Ok(Step::Row)
            }
            Err(error) => Ok(Step::Bad(error)),
        }
    }

    /// Reads the next line without its end; false at the end.
    fn read_line(&mut self, source: &mut Source) -> Result<bool, TraceError> {
        self.line.clear();
        self.line_number += 1;
        loop {
            let input = source.fill()?;
            if input.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let line_end = memchr::memchr(b'\n', input);
            let part = &input[..line_end.unwrap_or(input.len())];
            self.line.extend_from_slice(part);
            let consumed = part.len() + usize::from(line_end.is_some());
            source.consume(consumed);
            if self.line.len() > ROW_BYTES_MAX {
                return Err(TraceError::row_too_long(source.name(), self.line_number, ROW_BYTES_MAX));
            }
            if line_end.is_some() {
                return Ok(true);
            }
        }
    }

    fn finish(&self, trace: &str) -> Result<(), TraceError> {
        match &self.key_search {
            KeySearch::Missing(line, names) => {
                let name = self.selection.name(Role::First).unwrap_or_default();
                let names: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
                Err(TraceError::key_never_seen(trace, *line, name, &names))
            }
            KeySearch::NotBegun | KeySearch::Found => Ok(()),
        }
    }
}

impl KeySearch {
    fn note(&mut self, key_present: bool, line: u64, text: &str) {
        if key_present {
            *self = Self::Found;
        } else if matches!(self, Self::NotBegun) {
            *self = Self::Missing(line, member_names(text));
        }
    }
}

/// One line that is to become a row.
struct Row<'a> {
    trace: &'a str,
    line: u64,
    text: &'a str,
    selection: &'a Selection,
}

impl<'a> Row<'a> {
    /// Adds the row to `batch`; true when it has its first field, be it null.
    fn push_to(&self, batch: &mut TraceBatch) -> Result<bool, TraceError> {
        let mut names = [""; ROLES_MAX];
        let mut len = 0;
        for (_, name) in self.selection.roles() {
            names[len] = name;
            len += 1;
        }
        let members = find_members(self.text, &names[..len])
            .map_err(|error| TraceError::not_json(self.trace, self.line, &error))?;

        let mut key = None;
        let mut entity = None;
        let mut row = TraceRow { key: RowKey::Null, bytes: None, time_us: None };
        for (i, (role, name)) in self.selection.roles().enumerate() {
            let value = match members[i] {
                Some(member) => Some(self.scalar(name, member)?),
                None => None,
            };
            match role {
                Role::First if self.selection.first_is_key() => key = value,
                Role::First => key = Some(Scalar::Text(self.required(name, value)?)),
                Role::Entity => entity = Some(self.required(name, value)?),
                Role::Bytes => {
                    let text = self.required(name, value)?;
                    row.bytes = parse_record_bytes(&text);
                    if row.bytes.is_none() {
                        return Err(TraceError::bad_bytes(self.trace, self.line, name, &text));
                    }
                }
                Role::Time => {
                    let text = self.required(name, value)?;
                    row.time_us = parse_time_us(&text);
                    if row.time_us.is_none() {
                        return Err(TraceError::bad_time(self.trace, self.line, name, &text));
                    }
                }
            }
        }
        row.key = match &key {
            Some(Scalar::Text(key)) if self.selection.first_is_key() => RowKey::Key(key),
            Some(Scalar::Text(tenant)) => RowKey::Parts { tenant, entity: entity.as_deref() },
            Some(Scalar::Null) | None => RowKey::Null,
        };
        batch.push(&row);
        Ok(key.is_some())
    }

    fn scalar(&self, name: &str, member: &'a str) -> Result<Scalar<'a>, TraceError> {
        match scalar(member) {
            Ok(value) => Ok(value),
            Err(what) => Err(TraceError::not_scalar(self.trace, self.line, name, &what)),
        }
    }

    fn required(&self, name: &str, value: Option<Scalar<'a>>) -> Result<Cow<'a, [u8]>, TraceError> {
        match value {
            Some(Scalar::Text(text)) => Ok(text),
            Some(Scalar::Null) => Err(TraceError::null_field(self.trace, self.line, name)),
            None => {
                let fields = member_names(self.text);
                let fields: Vec<&[u8]> = fields.iter().map(String::as_bytes).collect();
                Err(TraceError::missing_field(self.trace, self.line, name, &fields))
            }
        }
    }
}
