//! Files by other writers and by our own, whole, damaged and cut off.

mod damaged;
mod pyarrow;
mod written;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::super::tests::{OwnedRow, options, read_to_end};
use super::super::{TraceError, TraceReader};

/// A trace in a folder that goes away with it.
struct Trace {
    _folder: TempDir,
    path: PathBuf,
}

impl Trace {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        fs::write(&path, bytes).unwrap();
        Self { _folder: folder, path }
    }

    fn read(&self, words: &str) -> Result<(Vec<OwnedRow>, TraceReader), TraceError> {
        read_to_end(TraceReader::open(&self.path, options(words))?)
    }

    /// The message of an error, without the folder.
    fn error(&self, words: &str) -> String {
        let message = self.read(words).expect_err("an error").to_string();
        message.split_once("t.parquet").expect("the name of the file").1.to_owned()
    }
}

fn orders() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/parquet/orders.parquet");
    fs::read(path).unwrap()
}
