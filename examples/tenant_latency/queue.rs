//! A partition and its consumer, which handles so many records a second and no more.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{BorrowedMessage, Message};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use super::latency::Latencies;
use super::traffic::{Class, Planned};

/// How long a record may take that is known to be there.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The class and the time it was due, in microseconds from the start.
const HEAD_BYTES: usize = 9;

/// A partition, its consumer and what that has seen, by [`Class::ALL`].
pub(crate) struct Queue {
    consumer: BaseConsumer,
    partition: i32,
    next_offset: i64,
    pub(crate) latencies: [Latencies; 3],
}

/// When a run begins, and when its consumers stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
}

/// What a record says about itself.
struct Arrival {
    class: usize,
    due: Duration,
}

impl Queue {
    /// Reads `partition` of `topic` from its beginning.
    pub(crate) fn open(config: &ClientConfig, topic: &str, partition: i32) -> Result<Self> {
        let mut config = config.clone();
        config.set("group.id", topic).set("enable.auto.commit", "false");
        let consumer: BaseConsumer = config.create()?;
        let mut assignment = TopicPartitionList::new();
        assignment.add_partition_offset(topic, partition, Offset::Beginning)?;
        consumer.assign(&assignment)?;
        let latencies = Class::ALL.map(|_| Latencies::new());
        Ok(Self { consumer, partition, next_offset: 0, latencies })
    }

    /// Reads a record that is not measured.
    pub(crate) fn skip_one(&mut self) -> Result<()> {
        let message = self.poll(PATIENCE)?;
        let offset =
            message.with_context(|| format!("partition {}: no record arrived", self.partition))?.offset();
        self.next_offset = offset + 1;
        Ok(())
    }

    fn poll(&self, timeout: Duration) -> Result<Option<BorrowedMessage<'_>>> {
        let message = self.consumer.poll(timeout).transpose();
        message.with_context(|| format!("partition {} cannot be read", self.partition))
    }

    /// The next record, if one comes in time.
    fn take(&mut self, timeout: Duration) -> Result<Option<Arrival>> {
        let Some(message) = self.poll(timeout)? else {
            return Ok(None);
        };
        let offset = message.offset();
        let head = message.payload().and_then(|payload| payload.first_chunk::<HEAD_BYTES>()).copied();
        drop(message);
        let arrival = head.and_then(|[class, due_us @ ..]| {
            let class = usize::from(class);
            let due = Duration::from_micros(u64::from_le_bytes(due_us));
            (class < self.latencies.len()).then_some(Arrival { class, due })
        });
        self.next_offset = offset + 1;
        let foreign = || format!("partition {}, offset {offset}: not a record of this run", self.partition);
        arrival.with_context(foreign).map(Some)
    }

    /// Handles records until the end, each in `service` time.
    ///
    /// The worker is busy until `free_at`. A record that was waiting begins then, also when this thread woke up late, so
    /// that lateness does not add up; one that was waited for begins when it comes.
    pub(crate) fn serve(&mut self, span: Span, service: Duration) -> Result<()> {
        let mut free_at = span.start;
        loop {
            let mut arrival = self.take(Duration::ZERO)?;
            if arrival.is_none() {
                arrival = self.take(span.end.saturating_duration_since(Instant::now()))?;
                free_at = free_at.max(Instant::now());
            }
            let Some(Arrival { class, due }) = arrival else {
                return Ok(());
            };
            free_at += service;
            thread::sleep(free_at.min(span.end).saturating_duration_since(Instant::now()));
            let (due, now) = (span.start + due, Instant::now());
            if now >= span.end {
                self.latencies[class].record_unhandled(span.end.saturating_duration_since(due));
                return Ok(());
            }
            self.latencies[class].record_handled(now.saturating_duration_since(due));
        }
    }

    /// Counts the records below `end_offset` that were not handled by the end, and returns how many there were in all.
    pub(crate) fn count_unhandled(&mut self, span: Span, end_offset: i64) -> Result<u64> {
        while self.next_offset < end_offset {
            let arrival = self.take(PATIENCE)?;
            let missing = || format!("partition {}: a record is missing", self.partition);
            let Arrival { class, due } = arrival.with_context(missing)?;
            let waited = span.end.saturating_duration_since(span.start + due);
            self.latencies[class].record_unhandled(waited);
        }
        Ok(self.latencies.iter().map(Latencies::count).sum())
    }
}

/// The payload of a record: its class and when it is due, then zeros.
pub(crate) fn payload(record: &Planned) -> Result<Vec<u8>> {
    let mut payload = vec![0; record.payload_bytes.max(HEAD_BYTES)];
    payload[0] = record.class as u8;
    payload[1..HEAD_BYTES].copy_from_slice(&u64::try_from(record.due.as_micros())?.to_le_bytes());
    Ok(payload)
}
