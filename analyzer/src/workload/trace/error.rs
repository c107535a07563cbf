//! What can be wrong with a trace. Every case has one constructor; names and values are escaped and cut short.

use std::fmt;
use std::io;

use super::fields::{Role, nearest};

/// Longest name or value shown in a message, in characters.
const SHOWN_CHARS_MAX: usize = 64;
/// Most field names listed in a message.
const SHOWN_NAMES_MAX: usize = 40;

/// A trace that cannot be read: which one, at which line, what was expected and how to go on.
#[derive(Debug)]
pub struct TraceError(Box<Problem>);

#[derive(Debug)]
struct Problem {
    trace: String,
    line: Option<u64>,
    text: String,
    /// Whether `line` counts rows: the trace is not text.
    counts_rows: bool,
    bad_row: bool,
}

impl TraceError {
    /// The line where the row at fault starts, counted from 1 in the decompressed text; in Parquet, which has no
    /// lines, the number of the row. `None` when the whole file is at fault.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// The message without the advice to skip: of a row that was skipped.
    pub(super) fn into_skipped_message(mut self) -> String {
        self.0.bad_row = false;
        self.to_string()
    }

    pub(super) fn new(trace: &str, text: String) -> Self {
        let trace = shown(trace.as_bytes());
        Self(Box::new(Problem { trace, line: None, text, counts_rows: false, bad_row: false }))
    }

    /// The same error about a row of a trace that has no lines.
    #[cfg(feature = "parquet")]
    pub(super) fn counted_in_rows(mut self) -> Self {
        self.0.counts_rows = true;
        self
    }

    fn at(trace: &str, line: u64, text: String) -> Self {
        let mut error = Self::new(trace, text);
        error.0.line = Some(line);
        error
    }

    /// A row that `--skip-bad-rows` may count and leave out.
    fn bad_row(trace: &str, line: u64, text: String) -> Self {
        let mut error = Self::at(trace, line, text);
        error.0.bad_row = true;
        error
    }

    pub(super) fn no_key_field() -> Self {
        Self::new("trace", "no field to place records by; name a tenant field or a key field".to_owned())
    }

    pub(super) fn key_and_tenant_field(key: &str, tenant: &str) -> Self {
        let (key, tenant) = (shown(key.as_bytes()), shown(tenant.as_bytes()));
        Self::new(
            "trace",
            format!("both a key field (`{key}`) and a tenant field (`{tenant}`) are named; name one"),
        )
    }

    pub(super) fn entity_without_tenant(entity: &str) -> Self {
        let entity = shown(entity.as_bytes());
        Self::new("trace", format!("an entity field (`{entity}`) needs a tenant field; name both"))
    }

    pub(super) fn cannot_open(trace: &str, error: &io::Error) -> Self {
        Self::new(trace, format!("cannot open the trace: {error}"))
    }

    pub(super) fn directory(trace: &str) -> Self {
        Self::new(trace, "is a directory; name one file, or pipe several into `-`".to_owned())
    }

    pub(super) fn empty_file(trace: &str) -> Self {
        Self::new(trace, "holds no bytes; expected CSV or TSV with a header line, or JSON Lines".to_owned())
    }

    pub(super) fn cannot_read(trace: &str, error: &io::Error) -> Self {
        Self::new(trace, format!("cannot read on: {error}"))
    }

    pub(super) fn truncated(trace: &str, compression: &str) -> Self {
        Self::new(
            trace,
            format!("the {compression} data end too early; the file is truncated, copy it again"),
        )
    }

    pub(super) fn damaged(trace: &str, compression: &str, error: &io::Error) -> Self {
        Self::new(trace, format!("the {compression} data are damaged or followed by something else: {error}"))
    }

    pub(super) fn compressed_twice(trace: &str, compression: &str) -> Self {
        Self::new(trace, format!("is compressed twice; inside is {compression}: decompress it once"))
    }

    pub(super) fn unsupported(trace: &str, what: &str, instead: &str) -> Self {
        Self::new(trace, format!("is {what}, which is not read; {instead}"))
    }

    #[cfg(not(feature = "zstd"))]
    pub(super) fn zstd_left_out(trace: &str) -> Self {
        let text = "is compressed with zstd, and this build left out the feature `zstd`; \
                    build with `--features zstd`, or pipe `zstd -dc` into `-`";
        Self::new(trace, text.to_owned())
    }

    pub(super) fn missing_column(trace: &str, line: u64, name: &str, columns: &[&[u8]]) -> Self {
        let mut text =
            format!("no column `{}`; {}", shown(name.as_bytes()), listed("columns", name, columns));
        if let [only] = columns
            && only.contains(&b';')
        {
            text.push_str("; fields seem to be separated by `;`, expected `,` or tabs");
        }
        Self::at(trace, line, text)
    }

    pub(super) fn duplicate_column(trace: &str, line: u64, name: &str, first: usize, second: usize) -> Self {
        let name = shown(name.as_bytes());
        let text = format!("columns {} and {} are both named `{name}`; rename one", first + 1, second + 1);
        Self::at(trace, line, text)
    }

    pub(super) fn too_many_columns(trace: &str, line: u64, columns_max: usize) -> Self {
        Self::at(trace, line, format!("the header has more than {columns_max} columns, the limit"))
    }

    pub(super) fn row_too_long(trace: &str, line: u64, bytes_max: usize) -> Self {
        let text = format!(
            "the row is longer than {bytes_max} bytes, the limit; is a closing quote or a line end missing?"
        );
        Self::at(trace, line, text)
    }

    pub(super) fn unterminated_quote(trace: &str, line: u64) -> Self {
        Self::at(
            trace,
            line,
            "a quoted field of this row is never closed; expected `\"` before the end".to_owned(),
        )
    }

    pub(super) fn ragged(trace: &str, line: u64, found: usize, expected: usize) -> Self {
        let fields = if found == 1 { "field" } else { "fields" };
        Self::bad_row(
            trace,
            line,
            format!("the row has {found} {fields}; expected {expected}, as in the header"),
        )
    }

    pub(super) fn not_utf8(trace: &str, line: u64, column: usize) -> Self {
        let text = format!("invalid UTF-8 at byte {} of the line; JSON is UTF-8", column + 1);
        Self::bad_row(trace, line, text)
    }

    pub(super) fn not_json(trace: &str, line: u64, error: &serde_json::Error) -> Self {
        let full = error.to_string();
        // The parser sees one line at a time and calls each of them line 1.
        let what = full.split(" at line ").next().unwrap_or(&full);
        let text = format!("{what} at byte {} of the line; expected one JSON object a line", error.column());
        Self::bad_row(trace, line, text)
    }

    pub(super) fn not_scalar(trace: &str, line: u64, name: &str, what: &str) -> Self {
        let name = shown(name.as_bytes());
        Self::bad_row(
            trace,
            line,
            format!("field `{name}` is {what}; expected a string, a number or a boolean"),
        )
    }

    pub(super) fn missing_field(trace: &str, line: u64, name: &str, fields: &[&[u8]]) -> Self {
        let text = format!("no field `{}`; {}", shown(name.as_bytes()), listed("fields", name, fields));
        Self::bad_row(trace, line, text)
    }

    pub(super) fn null_field(trace: &str, line: u64, name: &str) -> Self {
        let text = format!("field `{}` is null; only a key may be null", shown(name.as_bytes()));
        Self::bad_row(trace, line, text)
    }

    pub(super) fn key_never_seen(trace: &str, line: u64, name: &str, fields: &[&[u8]]) -> Self {
        let name_shown = shown(name.as_bytes());
        let text = format!(
            "no row has a field `{name_shown}`; of the first row: {}",
            listed("fields", name, fields)
        );
        Self::at(trace, line, text)
    }

    /// The field that plays `role` has a value of the wrong kind.
    pub(super) fn bad_value(trace: &str, line: u64, role: Role, name: &str, value: &[u8]) -> Self {
        let (what, expected) = match role {
            Role::Bytes => ("bytes", "a whole number from 0 to 4294967295"),
            Role::Time => ("time", "seconds, ms, us or ns since 1970, or 2026-01-31T23:59:59Z"),
            Role::First | Role::Entity => ("key", "bytes"),
        };
        let (name, value) = (shown(name.as_bytes()), shown(value));
        Self::bad_row(trace, line, format!("{what} field `{name}` is `{value}`; expected {expected}"))
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { trace, line, text, counts_rows, bad_row } = &*self.0;
        match line {
            Some(row) if *counts_rows => write!(f, "{trace}: row {row}: {text}")?,
            Some(line) => write!(f, "{trace}:{line}: {text}")?,
            None => write!(f, "{trace}: {text}")?,
        }
        if *bad_row {
            f.write_str("; correct the row, or count such rows and leave them out with --skip-bad-rows")?;
        }
        Ok(())
    }
}

impl std::error::Error for TraceError {}

/// Bytes of unknown origin as text that a terminal shows as it is.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN_CHARS_MAX * 4)]);
    let mut shown: String = text.chars().take(SHOWN_CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN_CHARS_MAX {
        shown.push('…');
    }
    shown
}

/// The names there are, and the one that was perhaps meant.
pub(super) fn listed(what: &str, name: &str, names: &[&[u8]]) -> String {
    if names.is_empty() {
        return format!("it has no {what}");
    }
    let mut text = format!("{what}: ");
    for (i, name) in names.iter().take(SHOWN_NAMES_MAX).enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        text.push_str(&shown(name));
    }
    if names.len() > SHOWN_NAMES_MAX {
        text.push_str(&format!(" and {} more", names.len() - SHOWN_NAMES_MAX));
    }
    if let Some(nearest) = nearest(name, names) {
        text.push_str(&format!("; did you mean `{}`?", shown(nearest.as_bytes())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_values_are_escaped_and_cut() {
        let message = TraceError::bad_value("a\u{1b}[2Jb.csv", 3, Role::Bytes, "s\u{202e}ize", &[0x1b; 500])
            .to_string();
        assert!(!message.contains('\u{1b}') && !message.contains('\u{202e}'), "{message}");
        assert!(message.starts_with("a\\u{1b}[2Jb.csv:3: bytes field `s\\u{202e}ize`"), "{message}");
        assert_eq!(message.matches("\\u{1b}").count(), 1 + SHOWN_CHARS_MAX, "{message}");
    }

    #[test]
    fn many_names_are_not_all_listed() {
        let names: Vec<String> = (0..1000).map(|i| format!("column{i}")).collect();
        let names: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
        let message = TraceError::missing_column("t", 1, "colunm7", &names).to_string();
        assert!(message.contains("column39 and 960 more; did you mean `column7`?"), "{message}");
    }

    #[test]
    fn only_a_bad_row_advises_to_skip() {
        assert!(TraceError::ragged("t", 2, 1, 3).to_string().ends_with("--skip-bad-rows"));
        assert_eq!(
            TraceError::ragged("t", 2, 1, 3).into_skipped_message(),
            "t:2: the row has 1 field; expected 3, as in the header"
        );
        assert!(!TraceError::unterminated_quote("t", 2).to_string().contains("skip"));
    }
}
