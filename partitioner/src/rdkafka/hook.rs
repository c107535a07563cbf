//! The partitioner that librdkafka calls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rdkafka::producer::Partitioner;

use super::events;
use super::monotonic::Monotonic;
use super::queues::queue_lengths;
use crate::contract::{Contract, ContractError};
use crate::ids::PartitionCount;
use crate::observe::Snapshot;
use crate::reject::Reject;
use crate::route::{Record, Route};
use crate::topics::{Section, Topics, TopicsSnapshot};

/// Decides for every record of a producer, by the contract's section for its topic.
///
/// Total: it returns a partition of the topic, or the partition count itself, which is out of range and makes librdkafka
/// fail the record with `UnknownPartition`: at once when the topic's metadata is known, else in its delivery report. It
/// never returns −1, which would park the record until it times out. It allocates nothing and takes no lock. A panic
/// inside, which would be a bug of ours or of a `tracing` subscriber, is caught, counted, and the record refused:
/// librdkafka's C code cannot unwind.
///
/// librdkafka does not ask for records with an explicit partition. It shows topic, key and partition count, but not the
/// size of a record, so records without a key stick by time only; [`explicit`](super::explicit) sees sizes.
///
/// Records of topics that the contract has no section for are placed as the Java client does, and counted apart.
///
/// # Events
/// Through `tracing`, with the topic: at WARN that a topic has grown beyond the contract, the first refusal for each reason,
/// and a caught panic (ERROR); at INFO the first record of each key fault that a policy stood in for; at DEBUG every later
/// refusal and the queue lengths of adaptive topics; at TRACE every switch of a sticky partition. A subscriber runs under
/// librdkafka's lock of the topic, so it must not send through the same producer.
#[derive(Clone, Debug)]
pub struct Hook {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    topics: Topics,
    panics: AtomicU64,
    clock: Monotonic,
}

/// What a hook has decided so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookSnapshot {
    /// By section of the contract.
    pub topics: Vec<(String, Snapshot)>,
    /// Of topics that no section covers.
    pub uncovered: Snapshot,
    /// Panics that were caught; each refused a record.
    pub panics: u64,
}

impl Hook {
    /// Makes every section of a contract ready; `seed` starts the sticky choices.
    ///
    /// # Errors
    /// [`ContractError`] when a section breaks a rule.
    pub fn new(contract: &Contract, seed: u64) -> Result<Self, ContractError> {
        let topics = Topics::new(contract, seed)?;
        let shared = Shared { topics, panics: AtomicU64::new(0), clock: Monotonic::start() };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> HookSnapshot {
        let TopicsSnapshot { topics, uncovered } = self.shared.topics.snapshot();
        HookSnapshot { topics, uncovered, panics: self.shared.panics.load(Relaxed) }
    }

    /// Takes librdkafka's statistics, as JSON, for the topics whose choice of sticky partitions is adaptive.
    pub(super) fn take_statistics(&self, statistics: &[u8]) {
        let mut adaptive = self.shared.topics.adaptive().peekable();
        if adaptive.peek().is_none() {
            return;
        }
        let lengths = match queue_lengths(statistics) {
            Ok(lengths) => lengths,
            Err(error) => return events::unreadable_statistics(&error),
        };
        for (topic, section, batch_bytes) in adaptive {
            if let Some(lengths) = lengths.of(topic, batch_bytes) {
                events::queues(topic, &lengths);
                section.set_queue_lengths(&lengths);
            }
        }
    }

    /// The partition, or the count when the record is refused. Apart from the short way of most keys, which cannot panic: a
    /// call that catches costs as much as they do.
    #[inline(never)]
    fn decide_caught(
        &self,
        section: &Section,
        topic: &str,
        key: Option<&[u8]>,
        count: PartitionCount,
    ) -> i32 {
        match catch_unwind(AssertUnwindSafe(|| self.decide(section, topic, key, count))) {
            Ok(Ok(route)) => route.partition.as_i32(),
            Ok(Err(_)) => count.as_i32(),
            Err(_) => {
                self.shared.panics.fetch_add(1, Relaxed);
                let _ = catch_unwind(|| events::panic(topic));
                count.as_i32()
            }
        }
    }

    fn decide(
        &self,
        section: &Section,
        topic: &str,
        key: Option<&[u8]>,
        count: PartitionCount,
    ) -> Result<Route, Reject> {
        // Reading the clock costs as much as deciding about a key, and only sticky records need it.
        let now_us = if section.may_stick(key) { self.shared.clock.now_us() } else { 0 };
        let record = Record { key, now_us, ..Record::default() };
        let (decided, notable) = section.route_and_note(&record, count);
        if let Some(before) = section.grown_from(count) {
            events::growth(topic, before, count);
        }
        if let Some(notable) = notable {
            events::decision(topic, key, &decided, notable);
        }
        decided
    }
}

impl Partitioner for Hook {
    fn partition(
        &self,
        topic_name: &str,
        key: Option<&[u8]>,
        partition_cnt: i32,
        _is_partition_available: impl Fn(i32) -> bool,
    ) -> i32 {
        let count = u32::try_from(partition_cnt).ok().and_then(PartitionCount::new);
        let Some(count) = count else {
            return partition_cnt;
        };
        let section = self.shared.topics.section(topic_name);
        match key.and_then(|key| section.usual(key, count)) {
            Some(partition) => partition.as_i32(),
            None => self.decide_caught(section, topic_name, key, count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(contract: &str) -> Hook {
        Hook::new(&contract.parse().unwrap(), 1).unwrap()
    }

    fn ask(hook: &Hook, topic: &str, key: Option<&[u8]>, count: i32) -> i32 {
        hook.partition(topic, key, count, |_| true)
    }

    #[test]
    fn keys_that_may_stick_move_on_with_time_as_records_without_a_key_do() {
        let hook = hook("[topics.t]\npartitions = 6\nkey.malformed_key = \"unkeyed\"\nunkeyed.sticky_ms = 1");
        for key in [None, Some(&b"malformed"[..])] {
            let first = ask(&hook, "t", key, 6);
            std::thread::sleep(std::time::Duration::from_millis(2));
            assert_ne!(ask(&hook, "t", key, 6), first, "{key:?}");
        }
    }

    #[test]
    fn what_is_refused_is_out_of_range_and_never_parked() {
        let hook = hook("[topics.t]\npartitions = 6\nkey.null_key = \"reject\"");
        assert_eq!(ask(&hook, "t", None, 6), 6);
        assert_eq!(ask(&hook, "t", Some(b"a:1"), 5), 5);
        assert_eq!(ask(&hook, "t", Some(b"a:1"), 0), 0);
        assert_eq!(hook.snapshot().topics[0].1.rejects["null-key"], 1);
        assert_eq!(hook.snapshot().topics[0].1.rejects["topic-too-small"], 1);
    }

    #[test]
    fn a_panic_of_a_subscriber_refuses_the_record_and_is_counted() {
        let hook = hook("[topics.t]\npartitions = 6\nkey.null_key = \"reject\"");
        tracing::subscriber::with_default(Panicking, || {
            assert_eq!(ask(&hook, "t", None, 6), 6, "a refusal is told, and the telling panics");
        });
        assert_eq!(hook.snapshot().panics, 1);
        assert!(ask(&hook, "t", Some(b"a:1"), 6) < 6);
    }

    struct Panicking;

    impl tracing::Subscriber for Panicking {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }

        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

        fn event(&self, _: &tracing::Event<'_>) {
            panic!("a subscriber's own fault");
        }

        fn enter(&self, _: &tracing::span::Id) {}

        fn exit(&self, _: &tracing::span::Id) {}
    }
}
