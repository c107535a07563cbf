//! The lengths of a producer's queues, from librdkafka's statistics.

use std::collections::HashMap;

use serde::Deserialize;

/// Of librdkafka's statistics (STATISTICS.md) what the adaptive choice needs.
#[derive(Debug, Deserialize)]
pub(super) struct QueueLengths {
    #[serde(default)]
    topics: HashMap<String, Topic>,
}

#[derive(Debug, Deserialize)]
struct Topic {
    /// By number; −1 holds what has no partition yet.
    partitions: HashMap<i64, Queue>,
}

#[derive(Debug, Deserialize)]
struct Queue {
    /// Broker id of the leader, −1 when there is none.
    leader: i32,
    /// Bytes that wait for a batch.
    msgq_bytes: u64,
    /// Bytes of batches that wait for their request.
    xmit_msgq_bytes: u64,
}

/// Reads the JSON that librdkafka gives every `statistics.interval.ms`.
pub(super) fn queue_lengths(statistics: &[u8]) -> Result<QueueLengths, serde_json::Error> {
    serde_json::from_slice(statistics)
}

impl QueueLengths {
    /// The queues of a topic's partitions in whole batches of `batch_bytes`, `None` for a partition without a leader.
    ///
    /// `None` for a topic that the client does not know yet. As in Java, what is under way to the broker does not count.
    pub(super) fn of(&self, topic: &str, batch_bytes: u32) -> Option<Vec<Option<u32>>> {
        let partitions = &self.topics.get(topic)?.partitions;
        let count = usize::try_from(partitions.keys().max()? + 1).ok()?;
        // A partition that is not in the statistics has nothing in its queue.
        let mut lengths = vec![Some(0); count];
        for (partition, queue) in partitions {
            let Ok(partition) = usize::try_from(*partition) else { continue };
            let bytes = queue.msgq_bytes.saturating_add(queue.xmit_msgq_bytes);
            let length = u32::try_from(bytes / u64::from(batch_bytes.max(1))).unwrap_or(u32::MAX);
            lengths[partition] = (queue.leader >= 0).then_some(length);
        }
        (count > 0).then_some(lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_in_whole_batches_and_without_a_leader_there_are_none() {
        let json = br#"{"name":"p","topics":{"t":{"topic":"t","partitions":{
            "-1":{"leader":-1,"msgq_bytes":9000,"xmit_msgq_bytes":0},
            "0":{"leader":1,"msgq_bytes":900,"xmit_msgq_bytes":99},
            "3":{"leader":2,"msgq_bytes":1500,"xmit_msgq_bytes":1600},
            "1":{"leader":-1,"msgq_bytes":0,"xmit_msgq_bytes":0}}}}}"#;
        let lengths = queue_lengths(json).unwrap();
        assert_eq!(lengths.of("t", 1_000), Some(vec![Some(0), None, Some(0), Some(3)]));
        assert_eq!(lengths.of("u", 1_000), None);
        assert!(queue_lengths(b"{").is_err());
        let nothing = queue_lengths(br#"{"topics":{"t":{"partitions":{}}}}"#).unwrap();
        assert_eq!(nothing.of("t", 1_000), None);
    }
}
