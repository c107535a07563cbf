//! Why a simulation could not be carried through.

use std::error::Error;
use std::fmt;

use datasketches::error::Error as SketchError;
use partitioner::key::EncodeError;

use crate::report::display_bytes;
use crate::workload::key_book::KEYS_MAX;
use crate::workload::trace::TraceError;

/// A simulation that ended early.
#[derive(Debug)]
pub struct SimulateError(Kind);

#[derive(Debug)]
enum Kind {
    Trace(TraceError),
    Key { tenant: Vec<u8>, error: EncodeError },
    TooMuch,
    TooManyRecords { records_max: u64 },
    Sketch(SketchError),
}

impl SimulateError {
    pub(crate) fn key(tenant: Vec<u8>, error: EncodeError) -> Self {
        Self(Kind::Key { tenant, error })
    }

    pub(super) fn too_much() -> Self {
        Self(Kind::TooMuch)
    }

    /// There are more records than can be counted.
    pub(crate) fn too_many_records(records_max: u64) -> Self {
        Self(Kind::TooManyRecords { records_max })
    }

    /// Whether strategies by key have to be built before the traffic is replayed, because its keys do not fit.
    #[must_use]
    pub fn is_too_much(&self) -> bool {
        matches!(self.0, Kind::TooMuch)
    }
}

impl From<TraceError> for SimulateError {
    fn from(error: TraceError) -> Self {
        Self(Kind::Trace(error))
    }
}

impl From<SketchError> for SimulateError {
    fn from(error: SketchError) -> Self {
        Self(Kind::Sketch(error))
    }
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Trace(error) => error.fmt(f),
            Kind::Key { tenant, error } => {
                write!(f, "no key can be made for the tenant {}: {error}", display_bytes(tenant))
            }
            Kind::TooMuch => write!(
                f,
                "the trace has more than {KEYS_MAX} distinct keys or records without one (fewer when keys are long) and can \
                 be read only once; name the VIP tenants with --vip and the size of their pool with --vip-count, or give \
                 the trace as a file"
            ),
            Kind::TooManyRecords { records_max } => {
                write!(f, "there are more than {records_max} records; take a part of them")
            }
            Kind::Sketch(error) => write!(f, "a sketch could not be made: {error}"),
        }
    }
}

impl Error for SimulateError {}
