//! The reader as a whole: every compression, every kind of file, and the traces that are shipped.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use super::*;
use proptest::prelude::*;
use sniff::Compression;

/// A row that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnedRow {
    /// Tenant and entity, or the key alone; `None` when there is no key.
    pub(super) key: Option<(Vec<u8>, Option<Vec<u8>>)>,
    pub(super) bytes: Option<u32>,
    pub(super) time_us: Option<i64>,
}

impl From<TraceRow<'_>> for OwnedRow {
    fn from(row: TraceRow<'_>) -> Self {
        let key = match row.key {
            RowKey::Parts { tenant, entity } => Some((tenant.to_vec(), entity.map(<[u8]>::to_vec))),
            RowKey::Key(key) => Some((key.to_vec(), None)),
            RowKey::Null => None,
        };
        Self { key, bytes: row.bytes, time_us: row.time_us }
    }
}

/// Options from `role=name` words, as in "tenant=carrier entity=tailnum"; the word "skip" skips bad rows.
pub(super) fn options(words: &str) -> TraceOptions {
    let mut options = TraceOptions::default();
    for word in words.split(' ') {
        let (role, name) = word.split_once('=').unwrap_or((word, ""));
        let fields = &mut options.fields;
        match role {
            "tenant" => fields.tenant = Some(name.into()),
            "entity" => fields.entity = Some(name.into()),
            "key" => fields.key = Some(name.into()),
            "bytes" => fields.bytes = Some(name.into()),
            "time" => fields.time = Some(name.into()),
            "skip" => options.skip_bad_rows = true,
            _ => panic!("{word}"),
        }
    }
    options
}

/// All rows of a text called "t", and the reader at its end.
pub(super) fn read_text(
    text: impl AsRef<[u8]>,
    words: &str,
) -> Result<(Vec<OwnedRow>, TraceReader), TraceError> {
    let reader = TraceReader::from_reader("t", Cursor::new(text.as_ref().to_vec()), options(words))?;
    read_to_end(reader)
}

/// The message about a text called "t".
pub(super) fn error_of(text: impl AsRef<[u8]>, words: &str) -> String {
    read_text(text, words).expect_err("an error").to_string()
}

pub(super) fn read_to_end(mut reader: TraceReader) -> Result<(Vec<OwnedRow>, TraceReader), TraceError> {
    let mut rows = Vec::new();
    let mut batch = TraceBatch::new();
    while reader.read(&mut batch)? {
        assert!(batch.len() <= TraceBatch::ROWS);
        rows.extend(batch.iter().map(OwnedRow::from));
    }
    assert!(batch.is_empty());
    assert!(!reader.read(&mut batch)?, "the end is the end");
    Ok((rows, reader))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "zstd")]
fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

type Compress = fn(&[u8]) -> Vec<u8>;

const COMPRESSIONS: &[(&str, Compress)] = &[
    ("gzip", gzip),
    ("bzip2", bzip2),
    #[cfg(feature = "zstd")]
    ("zstd", zstd),
];

/// Returns few bytes at a time, as a slow pipe does.
struct Trickle {
    bytes: Cursor<Vec<u8>>,
    chunk_bytes: usize,
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(self.chunk_bytes);
        self.bytes.read(&mut buffer[..len])
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data").join(name)
}

#[test]
fn the_reader_can_be_sent_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<TraceReader>();
}

#[test]
fn real_flights() {
    let options = options("tenant=carrier entity=tailnum time=time_hour");
    let mut reader = TraceReader::open(&example("flights.csv.gz"), options).unwrap();
    let mut batch = TraceBatch::new();
    let mut rows = 0u32;
    let mut carriers = BTreeMap::<Vec<u8>, u32>::new();
    let mut tail_numbers = BTreeSet::<Vec<u8>>::new();
    let (mut first_us, mut last_us) = (i64::MAX, i64::MIN);
    while reader.read(&mut batch).unwrap() {
        for row in batch.iter() {
            let RowKey::Parts { tenant, entity: Some(entity) } = row.key else { panic!("{row:?}") };
            rows += 1;
            *carriers.entry(tenant.to_vec()).or_default() += 1;
            if !tail_numbers.contains(entity) {
                tail_numbers.insert(entity.to_vec());
            }
            let time_us = row.time_us.unwrap();
            (first_us, last_us) = (first_us.min(time_us), last_us.max(time_us));
        }
    }
    assert_eq!(rows, 336_776);
    assert_eq!(carriers.len(), 16);
    assert_eq!(tail_numbers.len(), 4_044);
    assert!(tail_numbers.contains(&b"NA"[..]));
    assert_eq!(carriers[&b"UA"[..]], 58_665, "17.4 %");
    assert_eq!(first_us, 1_357_034_400_000_000, "2013-01-01T10:00:00Z");
    assert_eq!(last_us, 1_388_548_800_000_000, "2014-01-01T04:00:00Z");
    let progress = reader.progress();
    assert_eq!(Some(progress.bytes_read), progress.bytes_total);
}

#[test]
fn made_up_orders() {
    let reader =
        TraceReader::open(&example("orders.jsonl"), options("key=key bytes=bytes time=time")).unwrap();
    let (rows, reader) = read_to_end(reader).unwrap();
    assert_eq!(rows.len(), 200);
    assert_eq!(rows.iter().filter(|row| row.key.is_none()).count(), 17, "6 null and 11 missing");
    assert_eq!(rows.iter().filter_map(|row| row.bytes).sum::<u32>(), 105_339);
    assert_eq!(rows[199].time_us, Some(1_767_225_695_418_000));
    assert_eq!(reader.skipped_rows(), 0);
}

#[test]
fn each_compression_is_told_by_content() {
    let text = b"tenant,order\na,1\nb,2\n";
    let (plain, _) = read_text(text, "tenant=tenant entity=order").unwrap();
    assert_eq!(plain.len(), 2);
    for (name, compress) in COMPRESSIONS {
        let (rows, reader) = read_text(compress(text), "tenant=tenant entity=order").unwrap();
        assert_eq!(rows, plain, "{name}");
        assert_eq!(reader.progress().bytes_read, compress(text).len() as u64, "{name}");
        assert_eq!(reader.progress().bytes_total, None, "{name}");
    }
}

#[test]
fn members_of_a_compressed_file_are_read_one_after_the_other() {
    for (name, compress) in COMPRESSIONS {
        let parts = [compress(b"key\na\nb"), compress(b""), compress(b"c\nd\n")];
        let (rows, _) = read_text(parts.concat(), "key=key").unwrap();
        let keys: Vec<_> = rows.into_iter().map(|row| row.key.unwrap().0).collect();
        assert_eq!(keys, [&b"a"[..], b"bc", b"d"], "{name}");
    }
}

#[test]
fn every_truncation_is_an_error_even_when_bad_rows_are_skipped() {
    let text: String = std::iter::once("tenant,order\n".to_owned())
        .chain((0..40).map(|i| format!("tenant-{},{}\n", i * i % 17, i * 7919 % 1000)))
        .collect();
    for (name, compress) in COMPRESSIONS {
        let whole = compress(text.as_bytes());
        assert_eq!(read_text(&whole, "tenant=tenant skip").unwrap().0.len(), 40, "{name}");
        for len in 0..whole.len() {
            let message = error_of(&whole[..len], "tenant=tenant skip");
            if len >= Compression::MAGIC_BYTES {
                let expected =
                    format!("t: the {name} data end too early; the file is truncated, copy it again");
                assert_eq!(message, expected, "{len} of {} bytes", whole.len());
            }
        }
    }
}

#[test]
fn damaged_compression_is_an_error() {
    for (name, compress) in COMPRESSIONS {
        let mut bytes = compress(&b"tenant\n".repeat(1000));
        let middle = bytes.len() / 2;
        bytes[middle..].fill(0xff);
        let message = error_of(bytes, "tenant=tenant skip");
        assert!(message.contains(&format!("the {name} data")), "{message}");

        let message =
            error_of([compress(b"tenant\na\n"), b"garbage after it".to_vec()].concat(), "tenant=tenant");
        assert!(message.contains(&format!("the {name} data are damaged or followed by")), "{message}");
    }
}

#[test]
fn a_file_compressed_twice_says_so() {
    let message = error_of(gzip(&bzip2(b"tenant\na\n")), "tenant=tenant");
    assert_eq!(message, "t: is compressed twice; inside is bzip2: decompress it once");
}

#[cfg(not(feature = "zstd"))]
#[test]
fn without_the_feature_a_zstd_file_names_it() {
    let message = error_of(b"\x28\xb5\x2f\xfd\x04\0", "tenant=tenant");
    assert!(message.contains("feature `zstd`"), "{message}");
}

#[test]
fn no_bytes_is_an_error_and_no_rows_is_none() {
    let no_bytes = "t: holds no bytes; expected CSV or TSV with a header line, or JSON Lines";
    assert_eq!(error_of("", "tenant=tenant"), no_bytes);
    for (_, compress) in COMPRESSIONS {
        assert_eq!(error_of(compress(b""), "tenant=tenant"), no_bytes);
    }
    for text in
        ["tenant,order", "tenant,order\r\n", "tenant,order\n\n\n", "\u{feff}tenant\n", "\n\r\n", "\u{feff}"]
    {
        assert_eq!(read_text(text, "tenant=tenant").unwrap().0, [], "{text:?}");
    }
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| TraceReader::open(path, options("tenant=t")).unwrap_err().to_string();
    let message = open(folder.path());
    assert!(message.ends_with(": is a directory; name one file, or pipe several into `-`"), "{message}");
    let message = open(&folder.path().join("missing.csv"));
    assert!(message.contains("missing.csv: cannot open the trace: "), "{message}");

    let path = folder.path().join("zip named.csv");
    std::fs::write(&path, b"PK\x03\x04rest").unwrap();
    let message = open(&path);
    assert!(message.contains("zip named.csv: is a zip archive"), "{message}");
}

#[test]
fn a_failing_read_is_an_error_even_when_bad_rows_are_skipped() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("cable pulled"))
        }
    }
    let text = Cursor::new(b"tenant\ntenant-a\n".to_vec()).chain(Failing);
    let mut reader = TraceReader::from_reader("t", text, options("tenant=tenant skip")).unwrap();
    let mut batch = TraceBatch::new();
    let message = reader.read(&mut batch).unwrap_err().to_string();
    assert_eq!(message, "t: cannot read on: cable pulled");
    assert_eq!(batch.len(), 1, "what came before is there");
    assert!(!reader.read(&mut batch).unwrap());
}

#[test]
fn skipped_rows_are_counted_and_the_first_is_told() {
    let text = "tenant,size\na,1\nb\nc,x\nd,4\n";
    assert_eq!(
        error_of(text, "tenant=tenant bytes=size"),
        "t:3: the row has 1 field; expected 2, as in the header; correct the row, \
         or count such rows and leave them out with --skip-bad-rows"
    );
    let (rows, reader) = read_text(text, "tenant=tenant bytes=size skip").unwrap();
    assert_eq!(rows.iter().map(|row| row.bytes).collect::<Vec<_>>(), [Some(1), Some(4)]);
    assert_eq!(reader.skipped_rows(), 2);
    assert_eq!(reader.first_skipped(), Some("t:3: the row has 1 field; expected 2, as in the header"));
}

#[test]
fn a_named_format_is_not_sniffed() {
    let text = "{a\t,b\n1\t,2\n";
    let format = |format| TraceOptions { format: Some(format), ..options("tenant=,b") };
    let reader = TraceReader::from_reader("t", text.as_bytes(), format(TraceFormat::Tsv)).unwrap();
    assert_eq!(read_to_end(reader).unwrap().0[0].key, Some((b",2".to_vec(), None)));
    let mut reader = TraceReader::from_reader("t", text.as_bytes(), format(TraceFormat::JsonLines)).unwrap();
    assert_eq!(reader.read(&mut TraceBatch::new()).unwrap_err().line(), Some(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_csv_wrote_comes_back(
        rows in proptest::collection::vec(
            (proptest::collection::vec(any::<u8>(), 0..20), "[\",\r\n\t a]{0,6}", any::<u32>()),
            0..60,
        ),
        padding_bytes in 0usize..2 * source::BUFFER_BYTES,
        chunk_bytes in 1usize..5000,
        tabs in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(if tabs { b'\t' } else { b',' })
            .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
            .from_writer(Vec::new());
        writer.write_record(["entity", "padding", "size", "tenant"]).unwrap();
        // Moves the ends of the buffer to everywhere in the rows.
        writer.write_record([&b"first"[..], &vec![b'p'; padding_bytes], b"0", b"first"]).unwrap();
        for (tenant, entity, size) in &rows {
            writer.write_record([entity.as_bytes(), b"", size.to_string().as_bytes(), tenant]).unwrap();
        }
        let text = writer.into_inner().unwrap();
        let expected: Vec<OwnedRow> = std::iter::once((b"first".to_vec(), "first".to_owned(), 0))
            .chain(rows)
            .map(|(tenant, entity, size)| OwnedRow {
                key: Some((tenant, Some(entity.into_bytes()))),
                bytes: Some(size),
                time_us: None,
            })
            .collect();

        let plain: Compress = <[u8]>::to_vec;
        for (name, compress) in [("plain", plain)].iter().chain(COMPRESSIONS) {
            let trickle = Trickle { bytes: Cursor::new(compress(&text)), chunk_bytes };
            let options = options("tenant=tenant entity=entity bytes=size");
            let reader = TraceReader::from_reader("t", trickle, options).unwrap();
            let (found, _) = read_to_end(reader).unwrap();
            prop_assert!(found == expected, "{}", name);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for start in [&b""[..], b"\x1f\x8b\x08\0\0\0\0\0\0\0", b"BZh91AY&SY", b"\x28\xb5\x2f\xfd", b"{", b"key\n"] {
            let _ = read_text([start, &bytes].concat(), "key=key skip");
        }
    }
}
