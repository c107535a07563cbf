//! What can go wrong with a cluster.

use std::fmt::{self, Display};
use std::path::Path;

/// A cluster that cannot be started or used: what was wrong, where, and how to fix it.
///
/// The text may end in lines of the broker's log. It never holds a password of [`Credentials`](super::Credentials).
#[derive(Debug)]
pub struct ClusterError(String);

impl ClusterError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn file(path: &Path, cause: impl Display) -> Self {
        Self(format!("{}: {cause}", path.display()))
    }
}

impl Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ClusterError {}
