//! The selected columns together: finds them in the schema, and makes rows of their values.

use std::borrow::Cow;

use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::super::batch::{RowKey, TraceBatch, TraceRow};
use super::super::error::TraceError;
use super::super::fields::{Role, Selection, parse_record_bytes};
use super::column::Column;
use super::form::Form;
use super::value::Value;

/// The columns that are read, by what they are read for.
pub(super) struct Columns {
    first: Column,
    first_is_key: bool,
    entity: Option<Column>,
    bytes: Option<Column>,
    time: Option<Column>,
}

/// What is wrong with a row.
pub(super) enum Wrong {
    Null(Role),
    Value(Role, Vec<u8>),
}

impl Wrong {
    /// The error about row `row`, counted from 1.
    pub(super) fn error(self, trace: &str, row: u64, selection: &Selection) -> TraceError {
        let name = |role| selection.name(role).unwrap_or_default();
        match self {
            Self::Null(role) => TraceError::null_field(trace, row, name(role)),
            Self::Value(role, text) => TraceError::bad_value(trace, row, role, name(role), &text),
        }
        .counted_in_rows()
    }
}

impl Columns {
    /// Finds the columns by their names.
    pub(super) fn find(
        trace: &str,
        metadata: &ParquetMetaData,
        selection: &Selection,
    ) -> Result<Self, TraceError> {
        let find = |role| selection.name(role).map(|name| find_column(trace, metadata, name)).transpose();
        Ok(Self {
            first: find(Role::First)?.ok_or_else(TraceError::no_key_field)?,
            first_is_key: selection.first_is_key(),
            entity: find(Role::Entity)?,
            bytes: find(Role::Bytes)?,
            time: find(Role::Time)?,
        })
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Column> {
        [Some(&mut self.first), self.entity.as_mut(), self.bytes.as_mut(), self.time.as_mut()]
            .into_iter()
            .flatten()
    }

    /// Adds the next row of the block to `batch`. A row that is wrong is passed over.
    pub(super) fn push_next(&mut self, batch: &mut TraceBatch) -> Result<(), Wrong> {
        // Every column goes on to its next row before any value is judged.
        let form = self.first.form;
        let first = self.first.next().map(|value| value.text(form));
        let entity = self.entity.as_mut().map(next_text);
        let bytes = self.bytes.as_mut().map(next_text);
        let time = self.time.as_mut().map(|column| (column.form, column.next()));

        let mut row = TraceRow { key: RowKey::Null, bytes: None, time_us: None };
        row.key = match &first {
            Some(key) if self.first_is_key => RowKey::Key(key),
            None if self.first_is_key => RowKey::Null,
            Some(tenant) => RowKey::Parts { tenant, entity: given(Role::Entity, entity.as_ref())? },
            None => return Err(Wrong::Null(Role::First)),
        };
        if let Some(text) = given(Role::Bytes, bytes.as_ref())? {
            let size = parse_record_bytes(text).ok_or_else(|| Wrong::Value(Role::Bytes, text.to_vec()))?;
            row.bytes = Some(size);
        }
        if let Some((form, value)) = time {
            row.time_us = Some(time_us(form, value)?);
        }
        batch.push(&row);
        Ok(())
    }
}

fn next_text(column: &mut Column) -> Option<Cow<'_, [u8]>> {
    let form = column.form;
    column.next().map(|value| value.text(form))
}

/// The text of a column that may not be null, when there is such a column.
fn given<'t>(role: Role, text: Option<&'t Option<Cow<'_, [u8]>>>) -> Result<Option<&'t [u8]>, Wrong> {
    match text {
        None => Ok(None),
        Some(None) => Err(Wrong::Null(role)),
        Some(Some(text)) => Ok(Some(text)),
    }
}

fn time_us(form: Form, value: Option<Value<'_>>) -> Result<i64, Wrong> {
    let value = value.ok_or(Wrong::Null(Role::Time))?;
    value.time_us(form).ok_or_else(|| Wrong::Value(Role::Time, value.text(form).into_owned()))
}

fn find_column(trace: &str, metadata: &ParquetMetaData, name: &str) -> Result<Column, TraceError> {
    let schema = metadata.file_metadata().schema_descr();
    let leaf = find_leaf(trace, schema, name)?;
    let descriptor = &schema.columns()[leaf];
    let form = Form::of(descriptor).map_err(|kind| TraceError::parquet_kind(trace, name, kind))?;
    for group in metadata.row_groups() {
        let codec = group.column(leaf).compression();
        if matches!(codec, Compression::LZO | Compression::BROTLI(_)) {
            let codec = if codec == Compression::LZO { "LZO" } else { "Brotli" };
            return Err(TraceError::parquet_codec(trace, name, codec));
        }
    }
    Ok(Column::new(leaf, form, descriptor.max_def_level()))
}

/// The column `name`; or else, when `name` is a path such as `a.b`, the member `b` of the structure `a`.
fn find_leaf(trace: &str, schema: &SchemaDescriptor, name: &str) -> Result<usize, TraceError> {
    let named = |is_one: &dyn Fn(&ColumnDescriptor) -> bool| -> Vec<usize> {
        let columns = schema.columns().iter().enumerate();
        columns.filter(|(_, column)| is_one(column)).map(|(leaf, _)| leaf).collect()
    };
    let mut found = named(&|column| matches!(column.path().parts(), [only] if only == name));
    if found.is_empty() {
        found = named(&|column| column.path().string() == name);
    }
    match found[..] {
        [leaf] if schema.columns()[leaf].max_rep_level() == 0 => return Ok(leaf),
        [leaf] => {
            return Err(TraceError::parquet_nested(trace, name, &schema.columns()[leaf].path().string()));
        }
        [_, _, ..] => return Err(TraceError::parquet_two_columns(trace, name)),
        [] => {}
    }
    let paths: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let inside = format!("{name}.");
    if let Some(path) = paths.iter().find(|path| path.starts_with(&inside)) {
        return Err(TraceError::parquet_nested(trace, name, path));
    }
    let paths: Vec<&[u8]> = paths.iter().map(String::as_bytes).collect();
    Err(TraceError::parquet_no_column(trace, name, &paths))
}
