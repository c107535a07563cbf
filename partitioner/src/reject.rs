//! Why a record may not be sent.

use std::error::Error;
use std::fmt;

use crate::ids::{PartitionCount, PartitionIndex};
use crate::key::MalformedKey;

/// A record that may not be sent, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reject {
    /// The application named a partition that the topic does not have.
    ExplicitOutOfRange {
        /// Partition asked for.
        partition: PartitionIndex,
        /// Partitions of the topic.
        count: PartitionCount,
    },
    /// The contract refuses records without a key.
    NullKey,
    /// The contract refuses empty keys.
    EmptyKey,
    /// The contract refuses keys that are not of its format.
    MalformedKey(MalformedKey),
    /// The topic has fewer partitions than the contract was made for.
    TopicTooSmall {
        /// Partitions that the contract asks for.
        contract: u32,
        /// Partitions of the topic.
        topic: PartitionCount,
    },
    /// The topic has more partitions than the contract was made for, and the contract says `reject`.
    TopicGrew {
        /// Partitions that the contract was made for.
        contract: PartitionCount,
        /// Partitions of the topic.
        topic: PartitionCount,
    },
}

impl Reject {
    /// Every reason, in the order of declaration.
    pub const REASONS: [&str; 6] =
        ["explicit-out-of-range", "null-key", "empty-key", "malformed-key", "topic-too-small", "topic-grew"];

    /// A short name of the reason, for counters.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        Self::REASONS[self.number()]
    }

    /// The place of the reason in [`REASONS`](Self::REASONS).
    pub(crate) fn number(&self) -> usize {
        match self {
            Self::ExplicitOutOfRange { .. } => 0,
            Self::NullKey => 1,
            Self::EmptyKey => 2,
            Self::MalformedKey(_) => 3,
            Self::TopicTooSmall { .. } => 4,
            Self::TopicGrew { .. } => 5,
        }
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExplicitOutOfRange { partition, count } => {
                write!(
                    f,
                    "partition {partition} was asked for, but the topic has partitions 0 to {}",
                    count.get() - 1
                )
            }
            Self::NullKey => {
                f.write_str("the record has no key, and the contract says null_key = \"reject\"")
            }
            Self::EmptyKey => f.write_str("the key is empty, and the contract says empty_key = \"reject\""),
            Self::MalformedKey(why) => {
                write!(f, "the key is malformed ({why}), and the contract says malformed_key = \"reject\"")
            }
            Self::TopicTooSmall { contract, topic } => write!(
                f,
                "the contract needs {contract} partitions and the topic has {topic}; is this the topic it was made for?"
            ),
            Self::TopicGrew { contract, topic } => write!(
                f,
                "the contract was made for {contract} partitions, the topic has {topic}, and the contract says \
                 on_growth = \"reject\""
            ),
        }
    }
}

impl Error for Reject {}
