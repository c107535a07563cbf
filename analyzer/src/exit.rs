//! What the exit status says.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done,
    /// It did, and a limit of `--fail-above` or `--fail-on-worse` was exceeded.
    LimitExceeded,
    /// It did, and what it found differs from what was predicted.
    Mismatch,
    /// It could not.
    Error,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::LimitExceeded | Exit::Mismatch => Self::from(1),
            Exit::Error => Self::from(2),
        }
    }
}
