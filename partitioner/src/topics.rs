//! All topics of a producer: each under its section of the contract, and every decision counted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use foldhash::fast::FixedState;

use crate::baseline::KeyedHash;
use crate::contract::{Contract, ContractError};
use crate::ids::PartitionCount;
use crate::observe::{Decisions, Notable, Snapshot};
use crate::reject::Reject;
use crate::route::{Record, Route, Router};
use crate::strategy::Strategy;

/// Sections of topics by name up to which one string is compared after the other.
const ONE_BY_ONE_MAX: usize = 4;

/// A contract made ready for every topic that a producer may write to.
///
/// Deciding takes `&self`, allocates nothing and takes no lock. Records of topics that the contract has no section for are
/// placed as the Java client does, and counted apart.
///
/// ```
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::{Record, Step};
/// use partitioner::topics::Topics;
///
/// let contract = "[topics.\"orders-*\"]\nvip_count = 2\nvip.tenants = [\"mega\"]".parse().unwrap();
/// let topics = Topics::new(&contract, 42).unwrap();
/// let six = PartitionCount::new(6).unwrap();
/// let route = topics.section("orders-eu").route(&Record::keyed(b"mega:1"), six).unwrap();
/// assert!(matches!(route.step, Step::Vip(_)));
/// assert_eq!(topics.snapshot().topics[0].0, "orders-*");
/// ```
#[derive(Debug)]
pub struct Topics {
    /// By name, asked for every record.
    exact: Vec<(String, Section)>,
    /// Places in `exact` where there are more than are found faster one by one. Filled from the contract alone: no need for
    /// a hash that withstands attacks.
    places: HashMap<String, usize, FixedState>,
    /// By prefix, longest first.
    prefixes: Vec<(String, Section)>,
    uncovered: Section,
}

/// The rule for one topic, with its counts.
#[derive(Debug)]
pub struct Section {
    rule: Rule,
    decisions: Decisions,
    /// `sticky_bytes` of a section whose choice of sticky partitions is adaptive.
    adaptive_bytes: Option<u32>,
    /// Partitions of the largest topic so far, or of the contract.
    largest_count: AtomicU32,
    /// Of a section of one topic: what its partition count was last told to be.
    pub(crate) told_count: ToldCount,
}

/// A topic's partition count, as it was last told.
#[derive(Debug, Default)]
pub(crate) struct ToldCount {
    /// 0 before the first time.
    count: AtomicU32,
    is_asked_for: AtomicBool,
}

impl ToldCount {
    pub(crate) fn set(&self, count: PartitionCount) {
        self.count.store(count.get(), Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<PartitionCount> {
        PartitionCount::new(self.count.load(Relaxed))
    }

    pub(crate) fn ask_for(&self) {
        self.is_asked_for.store(true, Relaxed);
    }

    fn is_in_use(&self) -> bool {
        self.get().is_some() || self.is_asked_for.load(Relaxed)
    }
}

#[derive(Debug)]
enum Rule {
    Contract(Box<Router>),
    Java(KeyedHash),
}

/// What was decided so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopicsSnapshot {
    /// By section of the contract.
    pub topics: Vec<(String, Snapshot)>,
    /// Of topics that no section covers.
    pub uncovered: Snapshot,
}

impl Topics {
    /// Makes every section of a contract ready; `seed` starts the sticky choices.
    ///
    /// # Errors
    /// [`ContractError`] when a section breaks a rule.
    pub fn new(contract: &Contract, seed: u64) -> Result<Self, ContractError> {
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for (name, topic) in &contract.topics {
            let router = Box::new(topic.router(seed)?);
            let count = router.contract_count();
            let adaptive_bytes = topic.unkeyed.adaptive.then_some(topic.unkeyed.sticky_bytes);
            let section = Section::new(Rule::Contract(router), count, adaptive_bytes);
            match name.strip_suffix('*') {
                Some(prefix) => prefixes.push((prefix.to_owned(), section)),
                None => exact.push((name.clone(), section)),
            }
        }
        prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        let is_many = exact.len() > ONE_BY_ONE_MAX;
        let places =
            exact.iter().enumerate().filter(|_| is_many).map(|(place, (name, _))| (name.clone(), place));
        let places = places.collect();
        Ok(Self {
            exact,
            places,
            prefixes,
            uncovered: Section::new(Rule::Java(KeyedHash::java(seed)), None, None),
        })
    }

    /// The section of a topic: that of its name, else that of its longest matching prefix, else the Java client's rule.
    #[inline]
    #[must_use]
    pub fn section(&self, topic: &str) -> &Section {
        self.own_section(topic).unwrap_or_else(|| self.shared_section(topic))
    }

    /// The section of a topic's own name.
    #[inline]
    pub(crate) fn own_section(&self, topic: &str) -> Option<&Section> {
        let exact = if self.places.is_empty() {
            self.exact.iter().find(|(name, _)| name == topic)
        } else {
            self.places.get(topic).map(|&place| &self.exact[place])
        };
        exact.map(|(_, section)| section)
    }

    /// The section of a topic that has none of its own.
    pub(crate) fn shared_section(&self, topic: &str) -> &Section {
        let found = self.prefixes.iter().find(|(prefix, _)| topic.starts_with(prefix.as_str()));
        found.map_or(&self.uncovered, |(_, section)| section)
    }

    /// The topics with a section of their own whose count was told or asked for.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = &str> {
        let used = self.exact.iter().filter(|(_, section)| section.told_count.is_in_use());
        used.map(|(topic, _)| topic.as_str())
    }

    /// The topics with an adaptive choice of sticky partitions, their sections and `sticky_bytes`.
    pub fn adaptive(&self) -> impl Iterator<Item = (&str, &Section, u32)> {
        let sections = self.exact.iter();
        sections.filter_map(|(topic, section)| Some((topic.as_str(), section, section.adaptive_bytes?)))
    }

    /// Whether some topic may make a record with a key sticky.
    #[must_use]
    pub fn may_stick_keyed(&self) -> bool {
        let mut sections = self.exact.iter().chain(&self.prefixes).map(|(_, section)| section);
        sections.any(|section| section.may_stick(Some(&[])))
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> TopicsSnapshot {
        let exact = self.exact.iter().map(|(name, section)| (name.clone(), section));
        let prefixes = self.prefixes.iter().map(|(prefix, section)| (format!("{prefix}*"), section));
        let snapshots = exact.chain(prefixes).map(|(name, section)| (name, section.decisions.snapshot()));
        let mut topics: Vec<_> = snapshots.collect();
        topics.sort_by(|a, b| a.0.cmp(&b.0));
        TopicsSnapshot { topics, uncovered: self.uncovered.decisions.snapshot() }
    }
}

impl Section {
    fn new(rule: Rule, count: Option<PartitionCount>, adaptive_bytes: Option<u32>) -> Self {
        let largest_count = AtomicU32::new(count.map_or(0, PartitionCount::get));
        Self {
            rule,
            decisions: Decisions::new(count),
            adaptive_bytes,
            largest_count,
            told_count: ToldCount::default(),
        }
    }

    /// The partition of a record in a topic of `count` partitions; see [`Router::route`].
    ///
    /// # Errors
    /// [`Reject`] when the record may not be sent.
    #[inline]
    pub fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        self.route_and_note(record, count).0
    }

    /// As [`route`](Self::route), with what of the decision a log should tell.
    // Without `always` it is a call of its own, with its result in memory: a fifth of what the hook costs.
    #[inline(always)]
    pub fn route_and_note(
        &self,
        record: &Record<'_>,
        count: PartitionCount,
    ) -> (Result<Route, Reject>, Option<Notable>) {
        let decided = match &self.rule {
            Rule::Contract(router) => router.route(record, count),
            Rule::Java(hash) => hash.route(record, count),
        };
        let notable = self.decisions.note(&decided);
        (decided, notable)
    }

    /// The partitions that there were before, when a topic has more than the contract and than any topic of the section had
    /// so far; `None` when it has not, or is the first.
    #[inline]
    pub fn grown_from(&self, count: PartitionCount) -> Option<PartitionCount> {
        // Only a load for almost every record: threads that all write here would wait for one another.
        if count.get() <= self.largest_count.load(Relaxed) {
            return None;
        }
        let before = self.largest_count.fetch_max(count.get(), Relaxed);
        PartitionCount::new(before).filter(|&before| before < count)
    }

    /// The partition of a key that may take a short way; `None` says nothing. Cannot panic.
    #[cfg(feature = "rdkafka")]
    #[inline(always)]
    pub(crate) fn usual(&self, key: &[u8], count: PartitionCount) -> Option<crate::ids::PartitionIndex> {
        let Rule::Contract(router) = &self.rule else { return None };
        let route = router.usual(key, count)?;
        self.decisions.note_usual(&route);
        Some(route.partition)
    }

    /// Whether a record may become sticky, so that its size and time count. Others need not be measured.
    #[inline]
    #[must_use]
    pub fn may_stick(&self, key: Option<&[u8]>) -> bool {
        key.is_none() || matches!(&self.rule, Rule::Contract(router) if router.may_stick_keyed())
    }

    /// Takes the lengths of the producer's queues; see [`Router::set_queue_lengths`].
    pub fn set_queue_lengths(&self, lengths: &[Option<u32>]) {
        if let Rule::Contract(router) = &self.rule {
            router.set_queue_lengths(lengths);
        }
    }

    /// The counts of this section's decisions.
    #[must_use]
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics(contract: &str) -> Topics {
        Topics::new(&contract.parse().unwrap(), 1).unwrap()
    }

    fn place(topics: &Topics, topic: &str, key: &[u8], count: u32) -> u32 {
        let count = PartitionCount::new(count).unwrap();
        topics.section(topic).route(&Record::keyed(key), count).unwrap().partition.get()
    }

    #[test]
    fn the_section_of_the_topic_decides() {
        let topics = topics(
            "[topics.orders]\npartitions = 6\nvip_count = 2\nvip.tenants = [\"m\"]\n[topics.\"o*\"]\nkey.format = \"whole\"",
        );
        assert!(place(&topics, "orders", b"m:1", 6) < 2);
        assert!(place(&topics, "orders", b"a:1", 6) >= 2);
        let whole = KeyedHash::java(1).route(&Record::keyed(b"m:1"), PartitionCount::new(6).unwrap());
        assert_eq!(place(&topics, "other", b"m:1", 6), whole.unwrap().partition.get());
        assert_eq!(place(&topics, "payments", b"m:1", 6), whole.unwrap().partition.get());
        let snapshot = topics.snapshot();
        assert_eq!(snapshot.topics[1].0, "orders");
        assert_eq!((snapshot.topics[1].1.steps["vip"], snapshot.topics[1].1.steps["standard"]), (1, 1));
        assert_eq!(snapshot.uncovered.steps["hash"], 1);
    }

    #[test]
    fn many_sections_are_found_as_few_are() {
        for sections in [1, 4, 5, 40] {
            let text: String =
                (0..sections).map(|i| format!("[topics.t{i}]\npartitions = {}\n", i + 2)).collect();
            let topics = topics(&text);
            for i in 0..sections {
                let decisions = topics.section(&format!("t{i}")).decisions().snapshot();
                assert_eq!(decisions.partitions.len(), i + 2);
            }
            assert!(topics.section("t").decisions().snapshot().partitions.is_empty());
        }
    }

    #[test]
    fn growth_is_told_once() {
        let topics = topics("[topics.t]\npartitions = 6\n[topics.u]");
        let count = |count| PartitionCount::new(count).unwrap();
        let grown = |topic: &str| [4, 6, 12, 12, 6, 13].map(|n| topics.section(topic).grown_from(count(n)));
        let (six, twelve) = (Some(count(6)), Some(count(12)));
        assert_eq!(grown("t"), [None, None, six, None, None, twelve]);
        assert_eq!(grown("u"), [None, Some(count(4)), six, None, None, twelve]);
    }

    #[test]
    fn only_records_that_may_stick_need_to_be_measured() {
        let topics = topics("[topics.t]\nkey.malformed_key = \"unkeyed\"\n[topics.u]");
        assert!(topics.section("t").may_stick(Some(b"k")) && topics.section("t").may_stick(None));
        assert!(!topics.section("u").may_stick(Some(b"k")) && topics.section("u").may_stick(None));
        assert!(!topics.section("v").may_stick(Some(b"k")) && topics.section("v").may_stick(None));
    }

    #[test]
    fn queues_count_for_the_unkeyed_pool_only() {
        let topics = topics(
            "[topics.t]\npartitions = 6\nvip_count = 3\nvip.tenants = [\"m\"]\nunkeyed = { adaptive = true, sticky_bytes = 1 }",
        );
        let adaptive: Vec<_> = topics.adaptive().map(|(topic, _, bytes)| (topic, bytes)).collect();
        assert_eq!(adaptive, [("t", 1)]);
        let section = topics.section("t");
        section.set_queue_lengths(&[Some(0), Some(0), Some(0), Some(100), Some(0), None]);
        section.set_queue_lengths(&[Some(0); 5]); // a count that the contract refuses
        section.set_queue_lengths(&[]);
        for _ in 0..1_010 {
            section.route(&Record::unkeyed(1, 0), PartitionCount::new(6).unwrap()).unwrap();
        }
        let given = section.decisions().snapshot().partitions;
        assert_eq!(given[..3], [0, 0, 0]);
        assert!(given[3] < 50 && given[4] > 900 && given[5] == 0, "{given:?}");
    }
}
