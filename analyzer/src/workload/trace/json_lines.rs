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

    /// Reads rows into `batch` until it is full.
    pub(super) fn read_rows(
        &mut self,
        source: &mut Source,
        batch: &mut TraceBatch,
    ) -> Result<Step, TraceError> {
        while !batch.is_full() {
            if !self.read_line(source)? {
                return self.finish(source.name()).map(|()| Step::End);
            }
            if self.line.trim_ascii().is_empty() {
                continue;
            }
            let (trace, line) = (source.name(), self.line_number);
            let text = match std::str::from_utf8(&self.line) {
                Ok(text) => text,
                Err(error) => return Ok(Step::Bad(TraceError::not_utf8(trace, line, error.valid_up_to()))),
            };
            let row = Row { trace, line, text, selection: &self.selection };
            match row.push_to(batch) {
                Ok(key_present) if self.selection.first_is_key() => {
                    self.key_search.note(key_present, line, text);
                }
                Ok(_) => {}
                Err(error) => return Ok(Step::Bad(error)),
            }
        }
        Ok(Step::Full)
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
                        return Err(TraceError::bad_value(self.trace, self.line, role, name, &text));
                    }
                }
                Role::Time => {
                    let text = self.required(name, value)?;
                    row.time_us = parse_time_us(&text);
                    if row.time_us.is_none() {
                        return Err(TraceError::bad_value(self.trace, self.line, role, name, &text));
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

#[cfg(test)]
mod tests {
    use super::super::tests::{OwnedRow, error_of, read_text};
    use super::*;
    use proptest::prelude::*;

    fn keys(text: &str) -> Vec<Option<String>> {
        let text_of = |row: OwnedRow| row.key.map(|(key, _)| String::from_utf8(key).unwrap());
        read_text(text, "key=key").unwrap().0.into_iter().map(text_of).collect()
    }

    #[test]
    fn all_fields_of_a_row() {
        let text =
            "\u{feff}\n{\"tenant\":\"acme\",\"order\":17,\"size\":\"12\",\"at\":1357034400.5,\"x\":[{}]}\r\n";
        let (rows, _) = read_text(text, "tenant=tenant entity=order bytes=size time=at").unwrap();
        let expected = OwnedRow {
            key: Some((b"acme".to_vec(), Some(b"17".to_vec()))),
            bytes: Some(12),
            time_us: Some(1_357_034_400_500_000),
        };
        assert_eq!(rows, [expected]);
    }

    #[test]
    fn a_null_key_a_missing_key_and_an_empty_key() {
        let text = r#"{"key":"a"}
{"key":null}

{"other":1}
{"key":""}
{"key":12345678901234567890.10}
{"key":true}
{"key":"\u00e4\n\ud83d\ude00"}"#;
        let expected =
            [Some("a"), None, None, Some(""), Some("12345678901234567890.10"), Some("true"), Some("ä\n😀")];
        assert_eq!(keys(text), expected.map(|key| key.map(str::to_owned)));
    }

    #[test]
    fn a_key_that_no_row_has_is_a_misspelt_one() {
        assert_eq!(
            error_of("\n{\"kye\":1,\"x\":2}\n{}\n", "key=key"),
            "t:2: no row has a field `key`; of the first row: fields: kye, x; did you mean `kye`?"
        );
        assert_eq!(keys("{\"x\":1}\n{\"key\":null}\n"), [None, None]);
    }

    #[test]
    fn bad_rows() {
        for (text, words, expected) in [
            ("{}\n{\"tenant\":1,", "tenant=tenant", "t:1: no field `tenant`; it has no fields"),
            (
                "{\"tenent\":1}",
                "tenant=tenant",
                "t:1: no field `tenant`; fields: tenent; did you mean `tenent`?",
            ),
            ("{\"tenant\":null}", "tenant=tenant", "t:1: field `tenant` is null; only a key may be null"),
            ("{\"a\":1,\"b\":null}", "tenant=a entity=b", "t:1: field `b` is null; only a key may be null"),
            ("{\"a\":1}", "tenant=a entity=b", "t:1: no field `b`; fields: a"),
            (
                "{\"key\":{}}",
                "key=key",
                "t:1: field `key` is an object; expected a string, a number or a boolean",
            ),
            ("{\"key\":[1]}", "key=key", "t:1: field `key` is an array; expected a string"),
            ("{\"key\":\"\\ud800\"}", "key=key", "t:1: field `key` is a string with a lone surrogate;"),
            ("{\"key\":1,\"key\":2}", "key=key", "t:1: a wanted field appears twice at byte "),
            ("{\"key\":1}\n[1]\n", "key=key", "t:2: invalid type: sequence, expected an object at byte "),
            (
                "{\"key\":1}\n\n{\"key\":2",
                "key=key",
                "t:3: EOF while parsing an object at byte 8 of the line; expected",
            ),
            (
                "{\"key\":1} {\"key\":2}",
                "key=key",
                "t:1: trailing characters at byte 11 of the line; expected",
            ),
            (
                "{\n\"key\":1}",
                "key=key",
                "t:1: EOF while parsing an object at byte 1 of the line; expected one JSON",
            ),
            (
                "{\"key\":1,\"n\":1.5}",
                "key=key bytes=n",
                "t:1: bytes field `n` is `1.5`; expected a whole number",
            ),
            ("{\"key\":1}", "key=key bytes=n", "t:1: no field `n`; fields: key"),
            ("{\"key\":1,\"n\":null}", "key=key time=n", "t:1: field `n` is null"),
            ("{\"key\":1,\"n\":true}", "key=key time=n", "t:1: time field `n` is `true`; expected seconds"),
        ] {
            let message = error_of(text, words);
            assert!(message.starts_with(expected), "{message}");
            assert!(message.ends_with("with --skip-bad-rows"), "{message}");
            let (rows, reader) = read_text(format!("{text}\n"), &format!("{words} skip")).unwrap();
            assert!(reader.skipped_rows() > 0 && rows.len() <= 1, "{text}");
            assert!(reader.first_skipped().unwrap().starts_with(expected), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_a_bad_row() {
        let text = b"{\"key\":\"a\"}\n{\"key\":\"\xff\"}\n{\"key\":\"c\"}\n";
        let message = error_of(text, "key=key");
        assert!(
            message.starts_with("t:2: invalid UTF-8 at byte 9 of the line; JSON is UTF-8; "),
            "{message}"
        );
        let (rows, reader) = read_text(text, "key=key skip").unwrap();
        assert_eq!((rows.len(), reader.skipped_rows()), (2, 1));
    }

    #[test]
    fn a_line_has_a_limit() {
        let text = [b"{\"key\":1}\n{\"key\":\"", &vec![b'y'; ROW_BYTES_MAX][..], b"\"}\n"].concat();
        assert!(error_of(text, "key=key skip").starts_with("t:2: the row is longer than 67108864 bytes"));
    }

    proptest! {
        #[test]
        fn what_serde_json_wrote_comes_back(
            rows in proptest::collection::vec((any::<String>(), any::<i64>(), any::<u32>()), 1..30),
        ) {
            let mut text = String::new();
            for (tenant, entity, bytes) in &rows {
                let row = serde_json::json!({"t": tenant, "nested": {"e": entity}, "b": bytes, "more": [tenant]});
                text.push_str(&row.to_string());
                text.push('\n');
            }
            let (found, _) = read_text(&text, "tenant=t entity=nested.e bytes=b").unwrap();
            let expected: Vec<OwnedRow> = rows
                .into_iter()
                .map(|(tenant, entity, bytes)| OwnedRow {
                    key: Some((tenant.into_bytes(), Some(entity.to_string().into_bytes()))),
                    bytes: Some(bytes),
                    time_us: None,
                })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
