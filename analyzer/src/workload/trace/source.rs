//! Opens a trace and decompresses it.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::TraceError;
use super::sniff::{Compression, sniff_compression};

/// Size of each buffer, and the most that can be looked at before it is consumed.
pub(super) const BUFFER_BYTES: usize = 1 << 16;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The decompressed text of a trace.
pub(super) struct Source {
    name: String,
    compression: Option<Compression>,
    text: Peekable<Box<dyn Read + Send>>,
    /// Counts what was read before decompression.
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
}

impl Source {
    /// A file, or standard input when `path` is `-`.
    pub(super) fn open(path: &Path) -> Result<Self, TraceError> {
        if path.as_os_str() == "-" {
            return Self::new("stdin", io::stdin(), None);
        }
        let name = path.to_string_lossy();
        let file = File::open(path).map_err(|error| TraceError::cannot_open(&name, &error))?;
        let metadata = file.metadata().map_err(|error| TraceError::cannot_open(&name, &error))?;
        if metadata.is_dir() {
            return Err(TraceError::directory(&name));
        }
        Self::new(&name, file, metadata.is_file().then_some(metadata.len()))
    }

    pub(super) fn new(
        name: &str,
        reader: impl Read + Send + 'static,
        bytes_total: Option<u64>,
    ) -> Result<Self, TraceError> {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let counted = Counted { reader, bytes_read: Arc::clone(&bytes_read) };
        let mut raw = Peekable::new(Box::new(counted) as Box<dyn Read + Send>);
        let head = raw
            .peek_while(|head| head.len() < Compression::MAGIC_BYTES)
            .map_err(|error| TraceError::cannot_read(name, &error))?;
        let compression = sniff_compression(name, head)?;
        let text = match compression {
            None => raw,
            Some(compression) => Peekable::new(decompressed(name, compression, raw)?),
        };
        let mut source = Self { name: name.to_owned(), compression, text, bytes_read, bytes_total };
        source.check_start()?;
        Ok(source)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    pub(super) fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    /// Bytes to read next; empty at the end.
    #[inline]
    pub(super) fn fill(&mut self) -> Result<&[u8], TraceError> {
        if self.text.start == self.text.end {
            self.refill()?;
        }
        Ok(self.text.buffered())
    }

    #[inline]
    pub(super) fn consume(&mut self, bytes: usize) {
        self.text.consume(bytes);
    }

    /// Reads ahead while `needs_more` says so, to at most [`BUFFER_BYTES`].
    pub(super) fn peek_while(&mut self, needs_more: impl Fn(&[u8]) -> bool) -> Result<&[u8], TraceError> {
        match self.text.peek_while(needs_more) {
            Ok(head) => Ok(head),
            Err(error) => Err(read_error(&self.name, self.compression, &error)),
        }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), TraceError> {
        match self.text.fill_buf() {
            Ok(_) => Ok(()),
            Err(error) => Err(read_error(&self.name, self.compression, &error)),
        }
    }

    /// Refuses an empty text and one that is still not text; leaves out the byte order mark.
    fn check_start(&mut self) -> Result<(), TraceError> {
        let is_compressed = self.compression.is_some();
        let head = self.peek_while(|head| head.len() < Compression::MAGIC_BYTES)?;
        let (is_empty, has_mark) = (head.is_empty(), head.starts_with(BYTE_ORDER_MARK));
        let mut start = [0; Compression::MAGIC_BYTES];
        let start_len = head.len().min(start.len());
        start[..start_len].copy_from_slice(&head[..start_len]);
        if is_empty {
            return Err(TraceError::empty_file(&self.name));
        }
        if is_compressed && let Some(inner) = sniff_compression(&self.name, &start[..start_len])? {
            return Err(TraceError::compressed_twice(&self.name, inner.name()));
        }
        if has_mark {
            self.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }
}

type Raw = Peekable<Box<dyn Read + Send>>;

fn decompressed(name: &str, compression: Compression, raw: Raw) -> Result<Box<dyn Read + Send>, TraceError> {
    Ok(match compression {
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(raw)),
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        Compression::Zstd => zstd_decompressed(name, raw)?,
    })
}

#[cfg(feature = "zstd")]
fn zstd_decompressed(name: &str, raw: Raw) -> Result<Box<dyn Read + Send>, TraceError> {
    let decoder =
        zstd::Decoder::with_buffer(raw).map_err(|error| read_error(name, Some(Compression::Zstd), &error))?;
    Ok(Box::new(decoder))
}

#[cfg(not(feature = "zstd"))]
fn zstd_decompressed(name: &str, _raw: Raw) -> Result<Box<dyn Read + Send>, TraceError> {
    Err(TraceError::zstd_left_out(name))
}

/// Decoders report bad data as I/O errors of their own; those of the operating system have a number.
fn read_error(name: &str, compression: Option<Compression>, error: &io::Error) -> TraceError {
    match compression {
        Some(compression) if error.raw_os_error().is_none() => {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                TraceError::truncated(name, compression.name())
            } else {
                TraceError::damaged(name, compression.name(), error)
            }
        }
        _ => TraceError::cannot_read(name, error),
    }
}

struct Counted<R> {
    reader: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.reader.read(buffer)?;
        self.bytes_read.fetch_add(u64::try_from(len).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(len)
    }
}

/// A buffered reader that can look ahead by more than one read, which [`io::BufReader`] cannot.
struct Peekable<R> {
    reader: R,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl<R: Read> Peekable<R> {
    fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; BUFFER_BYTES].into_boxed_slice(), start: 0, end: 0 }
    }

    fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn peek_while(&mut self, needs_more: impl Fn(&[u8]) -> bool) -> io::Result<&[u8]> {
        while needs_more(self.buffered()) && self.end - self.start < self.buffer.len() {
            if self.end == self.buffer.len() {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            if self.read_more()? == 0 {
                break;
            }
        }
        Ok(self.buffered())
    }

    fn read_more(&mut self) -> io::Result<usize> {
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(len) => {
                    self.end += len;
                    return Ok(len);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl<R: Read> BufRead for Peekable<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.read_more()?;
        }
        Ok(self.buffered())
    }

    #[inline]
    fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
    }
}

impl<R: Read> Read for Peekable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buffer)?;
        self.consume(len);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peeking_consumes_nothing_and_ends_with_the_text() {
        let mut text = Peekable::new(&b"tenant,order"[..]);
        assert_eq!(text.peek_while(|head| head.len() < 4).unwrap(), b"tenant,order");
        text.consume(7);
        assert_eq!(text.peek_while(|_| true).unwrap(), b"order");
        assert_eq!(text.fill_buf().unwrap(), b"order");
        text.consume(100);
        assert_eq!(text.fill_buf().unwrap(), b"");
    }

    #[test]
    fn peeking_is_bounded_and_makes_room() {
        let bytes: Vec<u8> = (0..=250).cycle().take(3 * BUFFER_BYTES).collect();
        let mut text = Peekable::new(&bytes[..]);
        text.peek_while(|head| head.is_empty()).unwrap();
        text.consume(10);
        assert_eq!(text.peek_while(|_| true).unwrap(), &bytes[10..10 + BUFFER_BYTES]);
        let mut rest = Vec::new();
        text.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, &bytes[10..]);
    }

    #[test]
    fn interrupted_reads_are_repeated() {
        struct Interrupted(bool);
        impl Read for Interrupted {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 = !self.0;
                if self.0 {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                buffer[0] = b'x';
                Ok(1)
            }
        }
        assert_eq!(Peekable::new(Interrupted(false)).fill_buf().unwrap(), b"x");
    }
}
