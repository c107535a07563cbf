//! What a producer under a contract tells through `tracing`.

use std::fmt;

use rdkafka::error::KafkaError;

use crate::explain::printable;
use crate::ids::PartitionCount;
use crate::observe::Notable;
use crate::reject::Reject;
use crate::route::{KeyFault, Route};

/// Longer keys are cut.
const KEY_BYTES_MAX: usize = 64;

/// A key as a log may show it: one line, without control characters.
struct Key<'k>(Option<&'k [u8]>);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("(null)"),
            Some(key) if key.len() > KEY_BYTES_MAX => {
                write!(f, "{}… ({} bytes)", key[..KEY_BYTES_MAX].escape_ascii(), key.len())
            }
            Some(key) => write!(f, "{}", key.escape_ascii()),
        }
    }
}

/// A topic that has more partitions than before.
pub(super) fn growth(topic: &str, before: PartitionCount, count: PartitionCount) {
    tracing::warn!(
        topic,
        before = before.get(),
        partitions = count.get(),
        "the topic has grown; the contract's on_growth decides what moves"
    );
}

/// What is notable about a decision.
#[cold]
pub(super) fn decision(topic: &str, key: Option<&[u8]>, decided: &Result<Route, Reject>, notable: Notable) {
    match (decided, notable) {
        (Err(reject), Notable::FirstReject) => {
            tracing::warn!(topic, reason = reject.reason(), key = %Key(key), "record refused: {reject}");
        }
        (Err(reject), _) => {
            tracing::debug!(topic, reason = reject.reason(), key = %Key(key), "record refused: {reject}");
        }
        (Ok(route), Notable::FirstFallback(fault)) => {
            let fault = match fault {
                KeyFault::Null => "null",
                KeyFault::Empty => "empty",
                KeyFault::Malformed => "malformed",
            };
            let (partition, step) = (route.partition.get(), route.step);
            tracing::info!(topic, fault, partition, %step, key = %Key(key), "first key that a policy stood in for");
        }
        (Ok(route), _) => {
            tracing::trace!(topic, partition = route.partition.get(), "sticky partition switched")
        }
    }
}

/// A panic that was caught in the hook.
pub(super) fn panic(topic: &str) {
    tracing::error!(topic, "panic in the partitioner; the record was refused");
}

/// The queue lengths that an adaptive topic goes by from now on.
pub(super) fn queues(topic: &str, lengths: &[Option<u32>]) {
    tracing::debug!(topic, ?lengths, "queue lengths of the partitions");
}

/// Statistics that were not what librdkafka's are.
pub(super) fn unreadable_statistics(error: &serde_json::Error) {
    tracing::error!(
        "librdkafka's statistics cannot be read, adaptive topics stay as they are: {}",
        printable(&error.to_string())
    );
}

/// A topic whose partition count could not be had.
pub(super) fn refresh_failed(topic: &str, error: &KafkaError) {
    tracing::warn!(topic, "the partition count could not be refreshed: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_without_what_a_terminal_obeys() {
        assert_eq!(Key(Some(b"a\x1b[2J\n\xff")).to_string(), r"a\x1b[2J\n\xff");
        assert_eq!(Key(Some(&[b'x'; 100])).to_string(), format!("{}… (100 bytes)", "x".repeat(64)));
        assert_eq!(Key(None).to_string(), "(null)");
    }
}
