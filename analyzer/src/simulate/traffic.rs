//! Where the records of a simulation come from.

use super::{SimulateError, SkippedRows};
use crate::workload::profile::{NumberedBatch, ProfileTraffic};
use crate::workload::trace::{TraceBatch, TraceReader};

/// A source of records.
#[derive(Debug)]
pub enum Traffic {
    /// Made from a profile.
    Profile(Box<ProfileTraffic>),
    /// Read from a trace.
    Trace(Box<TraceReader>),
}

/// How far a source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Records made.
    Records {
        /// So far.
        done: u64,
        /// In all.
        total: u64,
    },
    /// Bytes of the trace's file read, before decompression.
    Bytes {
        /// So far.
        done: u64,
        /// In all, where that is known.
        total: Option<u64>,
    },
}

/// Records on their way.
#[derive(Debug)]
pub(super) enum Batch {
    Profile(Box<NumberedBatch>),
    Trace(Box<TraceBatch>),
}

impl Batch {
    /// Leaves out what is beyond the first `records`; says whether that was anything.
    pub(super) fn truncate(&mut self, records: usize) -> bool {
        match self {
            Self::Profile(batch) => batch.truncate(records),
            Self::Trace(batch) => batch.truncate(records),
        }
    }
}

impl Traffic {
    pub(super) fn new_batch(&self) -> Batch {
        match self {
            Self::Profile(_) => Batch::Profile(Box::default()),
            Self::Trace(_) => Batch::Trace(Box::new(TraceBatch::new())),
        }
    }

    /// Fills `batch`; false at the end.
    pub(super) fn read(&mut self, batch: &mut Batch) -> Result<bool, SimulateError> {
        match (self, batch) {
            (Self::Profile(traffic), Batch::Profile(batch)) => Ok(traffic.read(batch)),
            (Self::Trace(reader), Batch::Trace(batch)) => Ok(reader.read(batch)?),
            _ => panic!("a batch goes back to the source that made it"),
        }
    }

    pub(super) fn progress(&self) -> Progress {
        match self {
            Self::Profile(traffic) => {
                Progress::Records { done: traffic.records_read(), total: traffic.records() }
            }
            Self::Trace(reader) => {
                let progress = reader.progress();
                Progress::Bytes { done: progress.bytes_read, total: progress.bytes_total }
            }
        }
    }

    pub(super) fn skipped(&self) -> Option<SkippedRows> {
        match self {
            Self::Profile(_) => None,
            Self::Trace(reader) if reader.skipped_rows() == 0 => None,
            Self::Trace(reader) => Some(SkippedRows {
                count: reader.skipped_rows(),
                first: reader.first_skipped().unwrap_or_default().to_owned(),
            }),
        }
    }
}
