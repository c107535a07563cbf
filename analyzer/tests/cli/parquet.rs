//! Parquet traces from the command line.

use std::fs;
use std::path::Path;

use crate::harness::{Analyzer, TestDir};

const FIELDS: &str = "--tenant-field tenant --entity-field raw";

fn orders() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/parquet/orders.parquet")).unwrap()
}

#[cfg(feature = "parquet")]
mod with_the_feature {
    use super::*;

    fn refused(file: &[u8], words: &str, parts: &[&str]) {
        let done = TestDir::with("t.parquet", file).run(&format!("simulate --trace t.parquet {words}"));
        done.check(!done.stderr.contains("panicked"), "no message of a panic");
        done.refused(parts);
    }

    #[test]
    fn parquet_is_simulated() {
        let dir = TestDir::with("t.parquet", orders());
        let words = format!("simulate --trace t.parquet {FIELDS} --skip-bad-rows --format json -n 3");
        let records: u64 = dir.run(&words).report().records("tenant-key").iter().sum();
        assert_eq!(records, 4, "six rows, two of them with a null");
    }

    #[test]
    fn parquet_that_cannot_be_used_is_refused() {
        let whole = orders();
        refused(&whole, FIELDS, &["t.parquet: row 3: field `raw` is null", "--skip-bad-rows"]);
        refused(&whole, "--tenant-field tenent", &["no column `tenent`", "did you mean `tenant`?"]);
        refused(&whole, "--key-field tags", &["column `tags` is nested (`tags.list.element`)"]);
        refused(&whole[..whole.len() / 2], FIELDS, &["cannot read the Parquet data", "truncated or damaged"]);
        refused(&whole, &format!("{FIELDS} --trace-format csv"), &["is a Parquet file", "--trace-format"]);
    }

    /// Bytes whose damage makes the decoder panic: in a page, and in the index at the end.
    #[test]
    fn parquet_that_the_decoder_panics_at_is_refused_without_a_panic() {
        let fields = "--tenant-field tenant --entity-field order --bytes-field size --time-field at_ms";
        for at in [28, 5088] {
            let mut file = orders();
            file[at] ^= 1;
            refused(
                &file,
                &format!("{fields} --skip-bad-rows"),
                &["cannot read the Parquet data: they contradict themselves"],
            );
        }
    }

    #[test]
    fn parquet_needs_a_file() {
        let done = Analyzer::new(&format!("simulate --trace - {FIELDS}")).stdin(orders()).run();
        done.refused(&["stdin: is Parquet in a stream, which is not read", "Parquet needs a file"]);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_without_the_feature_names_it() {
    let dir = TestDir::with("t.parquet", orders());
    let instead = "build with `cargo build -p analyzer --features parquet`";
    dir.run(&format!("simulate --trace t.parquet {FIELDS}")).refused(&["is a Parquet file", instead]);
    let done = Analyzer::new(&format!("simulate --trace - {FIELDS}")).stdin(orders()).run();
    done.refused(&["stdin: is a Parquet file", instead]);
}
