//! The partitioner that librdkafka calls.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use rdkafka::producer::Partitioner;

use crate::baseline::KeyedHash;
use crate::contract::{Contract, ContractError};
use crate::ids::PartitionCount;
use crate::observe::{Decisions, Snapshot};
use crate::reject::Reject;
use crate::route::{Record, Route, Router};
use crate::strategy::Strategy;

/// Decides for every record of a producer, by the contract's section for its topic.
///
/// Total: it returns a partition of the topic, or the partition count itself, which is out of range and makes librdkafka
/// fail the record with `UnknownPartition`: at once when the topic's metadata is known, else in its delivery report. It
/// never returns −1, which would park the record until it times out. It allocates nothing and takes no lock. A panic
/// inside, which would be a bug of ours, is caught, counted, and the record refused: librdkafka's C code cannot unwind.
///
/// librdkafka does not ask for records with an explicit partition. It shows topic, key and partition count, but not the
/// size of a record, so records without a key stick by time only.
///
/// Records of topics that the contract has no section for are placed as the Java client does, and counted apart.
#[derive(Clone, Debug)]
pub struct Hook {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    exact: HashMap<String, Section>,
    /// By prefix, longest first.
    prefixes: Vec<(String, Section)>,
    uncovered: KeyedHash,
    uncovered_decisions: Decisions,
    panics: AtomicU64,
    started: Instant,
}

#[derive(Debug)]
struct Section {
    router: Router,
    decisions: Decisions,
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
        let (mut exact, mut prefixes) = (HashMap::new(), Vec::new());
        for (name, topic) in &contract.topics {
            let router = topic.router(seed)?;
            let section = Section { decisions: Decisions::new(router.contract_count()), router };
            match name.strip_suffix('*') {
                Some(prefix) => prefixes.push((prefix.to_owned(), section)),
                None => {
                    exact.insert(name.clone(), section);
                }
            }
        }
        prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        let shared = Shared {
            exact,
            prefixes,
            uncovered: KeyedHash::java(seed),
            uncovered_decisions: Decisions::new(None),
            panics: AtomicU64::new(0),
            started: Instant::now(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> HookSnapshot {
        let shared = &self.shared;
        let exact = shared.exact.iter().map(|(name, section)| (name.clone(), section.decisions.snapshot()));
        let prefixes = shared.prefixes.iter();
        let prefixes = prefixes.map(|(prefix, section)| (format!("{prefix}*"), section.decisions.snapshot()));
        let mut topics: Vec<_> = exact.chain(prefixes).collect();
        topics.sort_by(|a, b| a.0.cmp(&b.0));
        let uncovered = shared.uncovered_decisions.snapshot();
        HookSnapshot { topics, uncovered, panics: shared.panics.load(Relaxed) }
    }

    fn decide(&self, topic: &str, key: Option<&[u8]>, count: PartitionCount) -> Result<Route, Reject> {
        let shared = &self.shared;
        let by_prefix = || {
            let found = shared.prefixes.iter().find(|(prefix, _)| topic.starts_with(prefix.as_str()));
            found.map(|(_, section)| section)
        };
        let section = shared.exact.get(topic).or_else(by_prefix);
        // Reading the clock costs as much as deciding about a key, and only sticky records need it.
        let may_stick = key.is_none() || section.is_some_and(|section| section.router.may_stick_keyed());
        let now_ms = if may_stick { self.now_ms() } else { 0 };
        let record = Record { key, now_ms, ..Record::default() };
        let (decided, decisions) = match section {
            Some(section) => (section.router.route(&record, count), &section.decisions),
            None => (shared.uncovered.route(&record, count), &shared.uncovered_decisions),
        };
        decisions.note(&decided);
        decided
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.shared.started.elapsed().as_millis()).unwrap_or(u64::MAX)
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
        match catch_unwind(AssertUnwindSafe(|| self.decide(topic_name, key, count))) {
            Ok(Ok(route)) => route.partition.as_i32(),
            Ok(Err(_)) => partition_cnt,
            Err(_) => {
                self.shared.panics.fetch_add(1, Relaxed);
                partition_cnt
            }
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
    fn the_section_of_the_topic_decides() {
        let hook = hook(
            "[topics.orders]\npartitions = 6\nvip_count = 2\nvip.tenants = [\"m\"]\n[topics.\"o*\"]\nkey.format = \"whole\"",
        );
        assert!(ask(&hook, "orders", Some(b"m:1"), 6) < 2);
        assert!(ask(&hook, "orders", Some(b"a:1"), 6) >= 2);
        let whole = KeyedHash::java(1).route(&Record::keyed(b"m:1"), PartitionCount::new(6).unwrap());
        assert_eq!(ask(&hook, "other", Some(b"m:1"), 6), whole.unwrap().partition.as_i32());
        assert_eq!(ask(&hook, "payments", Some(b"m:1"), 6), whole.unwrap().partition.as_i32());
        let snapshot = hook.snapshot();
        assert_eq!(snapshot.topics[1].0, "orders");
        assert_eq!((snapshot.topics[1].1.steps["vip"], snapshot.topics[1].1.steps["standard"]), (1, 1));
        assert_eq!(snapshot.uncovered.steps["hash"], 1);
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
}
