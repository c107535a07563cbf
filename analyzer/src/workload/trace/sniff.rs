//! What a file is, told by its first bytes and never by its name.

use super::error::TraceError;

/// How the rows of a trace are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Fields separated by commas, with a header line; quoting as in RFC 4180.
    Csv,
    /// Fields separated by tabs, with a header line; quoting as in CSV.
    Tsv,
    /// One JSON object a line.
    JsonLines,
}

/// A compression that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Bzip2,
}

impl Compression {
    /// Bytes of a file that [`sniff_compression`] looks at.
    pub(super) const MAGIC_BYTES: usize = 10;

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
        }
    }
}

/// Files that are told apart only to say what to do with them.
const UNSUPPORTED: [(&[u8], &str, &str); 9] = [
    (b"PK\x03\x04", "a zip archive", "unpack it, or pipe `unzip -p` into `-`"),
    (b"PK\x05\x06", "an empty zip archive", "expected CSV, TSV or JSON Lines"),
    (b"\xfd7zXZ\0", "compressed with xz", "pipe `xz -dc` into `-`"),
    (b"\x04\x22\x4d\x18", "compressed with lz4", "pipe `lz4 -dc` into `-`"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b"PAR1", PARQUET, PARQUET_INSTEAD),
    (b"Obj\x01", "an Avro file", "convert it to CSV or JSON Lines"),
    (b"\xff\xfe", "text in UTF-16", "convert it with `iconv -f UTF-16 -t UTF-8`"),
    (b"\xfe\xff", "text in UTF-16", "convert it with `iconv -f UTF-16 -t UTF-8`"),
];

// Files of Parquet are told apart before they come here; what is left came through a pipe or a decompression.
#[cfg(feature = "parquet")]
const PARQUET: &str = "Parquet in a stream";
#[cfg(feature = "parquet")]
const PARQUET_INSTEAD: &str =
    "Parquet needs a file, as its index is at the end: save it, decompressed, and name the file";
#[cfg(not(feature = "parquet"))]
const PARQUET: &str = "a Parquet file";
#[cfg(not(feature = "parquet"))]
const PARQUET_INSTEAD: &str =
    "build with `cargo build -p analyzer --features parquet`, or convert it to CSV or JSON Lines";

/// The compression of a file that starts with `head`; `None` when it is plain.
///
/// A head of fewer than [`Compression::MAGIC_BYTES`] is the whole file.
pub(super) fn sniff_compression(trace: &str, head: &[u8]) -> Result<Option<Compression>, TraceError> {
    if let Some((_, what, instead)) = UNSUPPORTED.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Err(TraceError::unsupported(trace, what, instead));
    }
    Ok(match head {
        [0x1f, 0x8b, ..] => Some(Compression::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
        [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] if is_bzip2_block(block) => Some(Compression::Bzip2),
        _ => None,
    })
}

/// "BZh9" alone could begin a header line; a block or the end of an empty stream follows in a real file.
fn is_bzip2_block(bytes: &[u8]) -> bool {
    const BLOCK: [u8; 6] = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
    const STREAM_END: [u8; 6] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
    let bytes = &bytes[..bytes.len().min(BLOCK.len())];
    BLOCK.starts_with(bytes) || STREAM_END.starts_with(bytes)
}

/// Whether `head` does not yet hold all that [`sniff_format`] wants to see.
pub(super) fn format_needs_more(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    !text.starts_with(b"{") && memchr::memchr2(b'\n', b'\r', text).is_none()
}

/// The format of a text that starts with `head`.
pub(super) fn sniff_format(trace: &str, head: &[u8]) -> Result<TraceFormat, TraceError> {
    let text = head.trim_ascii_start();
    match text.first() {
        Some(b'{') => return Ok(TraceFormat::JsonLines),
        Some(b'[') if text[1..].trim_ascii_start().starts_with(b"{") => {
            let instead = "write one object a line, for example with `jq -c '.[]'`";
            return Err(TraceError::unsupported(trace, "a JSON array", instead));
        }
        _ => {}
    }
    // Leading tabs are an empty column name of the header, so the line is taken from before the trimming.
    let header_start = head.iter().position(|byte| !matches!(byte, b'\n' | b'\r')).unwrap_or(head.len());
    let header = &head[header_start..];
    let header = &header[..memchr::memchr2(b'\n', b'\r', header).unwrap_or(header.len())];
    let tabs = memchr::memchr_iter(b'\t', header).count();
    let commas = memchr::memchr_iter(b',', header).count();
    Ok(if tabs > commas { TraceFormat::Tsv } else { TraceFormat::Csv })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_is_told_by_magic_bytes() {
        for (head, expected) in [
            (&b"\x1f\x8b\x08\0\0\0\0\0\0\0"[..], Some(Compression::Gzip)),
            (b"\x1f\x8b", Some(Compression::Gzip)),
            (b"\x28\xb5\x2f\xfd\x04\0", Some(Compression::Zstd)),
            (b"\x53\x2a\x4d\x18\0\0\0\0", Some(Compression::Zstd)),
            (b"BZh91AY&SY", Some(Compression::Bzip2)),
            (b"BZh1\x17rE8P\x90", Some(Compression::Bzip2)),
            (b"BZh9", Some(Compression::Bzip2)),
            (b"BZh9,other", None),
            (b"BZh0", None),
            (b"tenant,ord", None),
            (b"", None),
        ] {
            assert_eq!(sniff_compression("t", head).unwrap(), expected, "{head:?}");
        }
    }

    #[test]
    fn what_is_not_read_says_what_to_do() {
        for (head, expected) in [
            (
                &b"PK\x03\x04\x14\0"[..],
                "t: is a zip archive, which is not read; unpack it, or pipe `unzip -p` into `-`",
            ),
            (b"\xfd7zXZ\0\0", "t: is compressed with xz, which is not read; pipe `xz -dc` into `-`"),
            #[cfg(feature = "parquet")]
            (
                b"PAR1\x15",
                "t: is Parquet in a stream, which is not read; Parquet needs a file, as its index is at the end: \
                 save it, decompressed, and name the file",
            ),
            #[cfg(not(feature = "parquet"))]
            (
                b"PAR1\x15",
                "t: is a Parquet file, which is not read; \
                 build with `cargo build -p analyzer --features parquet`, or convert it to CSV or JSON Lines",
            ),
            (
                b"\xff\xfet\0",
                "t: is text in UTF-16, which is not read; convert it with `iconv -f UTF-16 -t UTF-8`",
            ),
        ] {
            assert_eq!(sniff_compression("t", head).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn format_is_told_by_the_first_line() {
        for (head, expected) in [
            (&b"{\"key\":1}"[..], TraceFormat::JsonLines),
            (b" \r\n\t{\"key\":1}", TraceFormat::JsonLines),
            (b"tenant,order\na\tb\tc,d\n", TraceFormat::Csv),
            (b"tenant\torder\n", TraceFormat::Tsv),
            (b"tenant\torder\tplace, city\n", TraceFormat::Tsv),
            (b"ten\tant,order\n", TraceFormat::Csv),
            (b"\r\n\ttenant\rx,y,z", TraceFormat::Tsv),
            (b"tenant\na,b\n", TraceFormat::Csv),
            (b"[tenant]\n", TraceFormat::Csv),
            (b"", TraceFormat::Csv),
        ] {
            assert_eq!(sniff_format("t", head).unwrap(), expected, "{}", head.escape_ascii());
        }
        let message = sniff_format("t", b"[\n  {\"key\": 1},").unwrap_err().to_string();
        assert!(message.contains("is a JSON array") && message.contains("jq -c '.[]'"), "{message}");
    }

    #[test]
    fn sniffing_waits_for_the_header_line_only() {
        assert!(format_needs_more(b""));
        assert!(format_needs_more(b"\n\ntenant,ord"));
        assert!(!format_needs_more(b"\n\ntenant,order\n"));
        assert!(!format_needs_more(b"  {"));
    }
}
