//! The file that pyarrow wrote; see `testdata/parquet/README.md`.

use super::super::super::{TraceFormat, TraceOptions};
use super::*;

fn keys(name: &str) -> Vec<Option<String>> {
    let (rows, _) = Trace::new(&orders()).read(&format!("key={name}")).unwrap();
    let text = |row: OwnedRow| row.key.map(|(key, _)| key.escape_ascii().to_string());
    rows.into_iter().map(text).collect()
}

#[test]
fn every_type_is_read_as_text() {
    for (name, expected) in [
        ("tenant", [Some("acme"), Some("globex"), Some("acme"), None, Some(""), Some("acme")]),
        ("order", [Some("1"), Some("-2"), None, Some("4"), Some("5"), Some("9223372036854775807")]),
        ("size", ["10", "20", "30", "40", "50", "4294967295"].map(Some)),
        ("small", ["-1", "2", "3", "4", "5", "6"].map(Some)),
        ("unsigned", ["18446744073709551615", "2", "3", "4", "5", "6"].map(Some)),
        ("price", [Some("0.05"), Some("-1.50"), None, Some("7.00"), Some("8.00"), Some("9.00")]),
        ("amount", [Some("-123456789012345678901234.5678"), None, None, None, None, None]),
        ("ratio", [Some("0.1"), Some("120"), None, Some("1000000000000000000000"), Some("5"), Some("-0.5")]),
        ("paid", [Some("true"), Some("false"), None, Some("true"), Some("true"), Some("true")]),
        ("raw", [Some("\\xff\\x00"), Some(""), None, Some("c"), Some("d"), Some("e")]),
        ("place.city", [Some("Bern"), None, None, Some("Ulm"), Some("Ulm"), Some("Ulm")]),
    ] {
        assert_eq!(keys(name), expected.map(|key| key.map(str::to_owned)), "{name}");
    }
    for (name, expected) in [
        ("at_ms", "2013-01-01 10:00:01.25Z"),
        ("at_us", "2013-01-01 10:00:01.25"),
        ("at_ns", "2013-01-01 10:00:01.25"),
        ("day", "2013-01-02"),
        ("id", "00000000-0000-0000-0000-000000000001"),
    ] {
        assert_eq!(keys(name)[1].as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn tenant_entity_bytes_and_time_of_every_row() {
    let trace = Trace::new(&orders());
    for time in ["at_ms", "at_us", "at_ns"] {
        let words = format!("tenant=tenant entity=raw bytes=size time={time} skip");
        let (rows, reader) = trace.read(&words).unwrap();
        let row = |tenant: &str, raw: &[u8], bytes, us: i64| OwnedRow {
            key: Some((tenant.as_bytes().to_vec(), Some(raw.to_vec()))),
            bytes: Some(bytes),
            time_us: Some(1_357_034_400_000_000 + us),
        };
        let expected = [
            row("acme", b"\xff\0", 10, 0),
            row("globex", b"", 20, 1_250_000),
            row("", b"d", 50, 4_000_000),
            row("acme", b"e", u32::MAX, 5_250_000),
        ];
        assert_eq!(rows, expected, "{time}");
        assert_eq!(reader.skipped_rows(), 2, "{time}");
        let skipped = reader.first_skipped().unwrap();
        assert!(
            skipped.ends_with("t.parquet: row 3: field `raw` is null; only a key may be null"),
            "{skipped}"
        );
    }
}

#[test]
fn a_null_where_only_a_key_may_be_null() {
    let trace = Trace::new(&orders());
    for (words, row, name) in [
        ("tenant=tenant", 4, "tenant"),
        ("tenant=size entity=order", 3, "order"),
        ("key=size time=price", 3, "price"),
    ] {
        let message = trace.error(words);
        let expected =
            format!(": row {row}: field `{name}` is null; only a key may be null; correct the row,");
        assert!(message.starts_with(&expected), "{words}: {message}");
        assert!(message.ends_with("--skip-bad-rows"), "{message}");
    }
}

#[test]
fn a_size_and_a_time_that_are_none() {
    let trace = Trace::new(&orders());
    for (words, expected) in [
        ("key=size bytes=small", ": row 1: bytes field `small` is `-1`; expected a whole number from 0 to"),
        ("key=size bytes=ratio", ": row 1: bytes field `ratio` is `0.1`; expected a whole number from 0 to"),
        ("key=size time=tenant", ": row 1: time field `tenant` is `acme`; expected seconds, ms, us or ns"),
        ("key=size time=paid", ": row 1: time field `paid` is `true`; expected seconds"),
    ] {
        let message = trace.error(words);
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn columns_that_are_not_there_or_not_read() {
    let trace = Trace::new(&orders());
    for (words, expected) in [
        ("tenant=tenent", ": no column `tenent`; columns: tenant, order, size, small,"),
        ("tenant=tenent", "; did you mean `tenant`?"),
        (
            "tenant=tenant entity=tags",
            ": column `tags` is nested (`tags.list.element`); expected a column with",
        ),
        ("key=tags.list.element", ": column `tags.list.element` is nested (`tags.list.element`);"),
        ("key=place", ": column `place` is nested (`place.city`);"),
        ("key=half", ": column `half` is of 16-bit floating-point numbers, which is not read; cast it"),
        ("key=packed", ": column `packed` is compressed with Brotli, which is not read; write the file with"),
    ] {
        let message = trace.error(words);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_format_that_is_asked_for_by_name_is_not_parquet() {
    let trace = Trace::new(&orders());
    let format = Some(TraceFormat::Csv);
    let error = TraceReader::open(&trace.path, TraceOptions { format, ..options("key=size") })
        .expect_err("an error")
        .to_string();
    assert!(error.contains("is a Parquet file") && error.contains("leave it out"), "{error}");
}
