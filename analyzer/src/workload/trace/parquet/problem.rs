//! What can be wrong with a Parquet file.

use parquet::errors::ParquetError;

use super::super::error::{TraceError, listed, shown};

impl TraceError {
    pub(super) fn parquet_format(trace: &str) -> Self {
        let text = "is a Parquet file, which `--trace-format` has no name for; \
                    leave it out, as content tells the format";
        Self::new(trace, text.to_owned())
    }

    pub(super) fn parquet_damaged(trace: &str, error: &ParquetError) -> Self {
        Self::damaged_parquet(trace, &shown(error.to_string().as_bytes()))
    }

    /// The decoder stopped in a panic, whose message says nothing to a user.
    pub(super) fn parquet_undecodable(trace: &str) -> Self {
        Self::damaged_parquet(trace, "they contradict themselves")
    }

    fn damaged_parquet(trace: &str, why: &str) -> Self {
        let text = format!(
            "cannot read the Parquet data: {why}; the file is truncated or damaged: copy or write it again"
        );
        Self::new(trace, text)
    }

    pub(super) fn parquet_no_column(trace: &str, name: &str, paths: &[&[u8]]) -> Self {
        let text = format!("no column `{}`; {}", shown(name.as_bytes()), listed("columns", name, paths));
        Self::new(trace, text)
    }

    pub(super) fn parquet_two_columns(trace: &str, name: &str) -> Self {
        let name = shown(name.as_bytes());
        Self::new(trace, format!("two columns are named `{name}`; rename one"))
    }

    /// `path` is a column inside of the one that was named, or that column itself.
    pub(super) fn parquet_nested(trace: &str, name: &str, path: &str) -> Self {
        let (name, path) = (shown(name.as_bytes()), shown(path.as_bytes()));
        let text = format!(
            "column `{name}` is nested (`{path}`); expected a column with one value a row: \
             name another, or flatten it when the file is written"
        );
        Self::new(trace, text)
    }

    pub(super) fn parquet_kind(trace: &str, name: &str, kind: &str) -> Self {
        let name = shown(name.as_bytes());
        let text = format!("column `{name}` is {kind}, which is not read; cast it when the file is written");
        Self::new(trace, text)
    }

    pub(super) fn parquet_codec(trace: &str, name: &str, codec: &str) -> Self {
        let name = shown(name.as_bytes());
        let text = format!(
            "column `{name}` is compressed with {codec}, which is not read; \
             write the file with snappy, zstd, gzip or lz4"
        );
        Self::new(trace, text)
    }
}
