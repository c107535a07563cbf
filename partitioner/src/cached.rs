//! Decisions for producers that cannot be asked for a partition: the topics' partition counts are kept here.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use crate::contract::{Contract, ContractError};
use crate::ids::PartitionCount;
use crate::observe::Notable;
use crate::reject::Reject;
use crate::route::{Record, Route};
use crate::topics::{Section, Topics, TopicsSnapshot};

/// A contract with the partition counts of its topics, as a producer last learned them.
///
/// Every Kafka client can be told the partition of a record, so this keeps a contract with any of them: ask it before each
/// send, and give it the counts from the client's metadata at the start and from time to time. Until it is told of a growth
/// it decides for the old count, as every client does; Java and librdkafka ask anew every 5 minutes.
///
/// Deciding takes `&self` from any number of threads, and no lock for a topic that has a section of its own; topics that
/// share one, or have none, are looked up in a table under a lock for reading.
///
/// ```
/// use partitioner::cached::CachedRouter;
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::Record;
///
/// let contract = "[topics.orders]\npartitions = 6\nvip_count = 2\nvip.tenants = [\"mega\"]".parse().unwrap();
/// let router = CachedRouter::new(&contract, 42).unwrap();
/// assert!(router.route("orders", &Record::keyed(b"mega:1")).is_err(), "the count is not known yet");
/// router.set_partition_count("orders", PartitionCount::new(6).unwrap());
/// assert!(router.route("orders", &Record::keyed(b"mega:1")).unwrap().partition.get() < 2);
/// ```
#[derive(Debug)]
pub struct CachedRouter {
    topics: Topics,
    /// Of topics that have no section of their own: `None` when it was asked for and is not known yet.
    others: RwLock<HashMap<String, Option<PartitionCount>>>,
}

/// Why a record has no partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// The topic's partition count was not given yet.
    UnknownTopic(String),
    /// The contract refuses the record.
    Rejected(Reject),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTopic(topic) => {
                write!(
                    f,
                    "the partition count of topic {topic:?} is not known yet; refresh it before the first record"
                )
            }
            Self::Rejected(reject) => write!(f, "the contract refuses the record: {reject}"),
        }
    }
}

impl Error for PlaceError {}

/// A decision, and what of it a log should tell.
#[derive(Debug)]
#[cfg_attr(not(feature = "rdkafka"), expect(dead_code, reason = "only the room rdkafka tells of decisions"))]
pub(crate) struct Noted {
    pub(crate) decided: Result<Route, Reject>,
    pub(crate) notable: Option<Notable>,
    pub(crate) count: PartitionCount,
    pub(crate) grown_from: Option<PartitionCount>,
}

impl CachedRouter {
    /// Makes every section of a contract ready; `seed` starts the sticky choices.
    ///
    /// # Errors
    /// [`ContractError`] when a section breaks a rule.
    pub fn new(contract: &Contract, seed: u64) -> Result<Self, ContractError> {
        Ok(Self { topics: Topics::new(contract, seed)?, others: RwLock::default() })
    }

    /// Tells how many partitions a topic has now. Fewer than before is taken as it is: the topic was made anew.
    pub fn set_partition_count(&self, topic: &str, count: PartitionCount) {
        match self.topics.own_section(topic) {
            Some(section) => section.told_count.set(count),
            None => {
                self.others_mut().insert(topic.to_owned(), Some(count));
            }
        }
    }

    /// How many partitions a topic has, as it was last told.
    #[must_use]
    pub fn partition_count(&self, topic: &str) -> Option<PartitionCount> {
        self.section_and_count(topic).1
    }

    /// Every topic that was told of or asked for, by name: those whose counts should be refreshed.
    #[must_use]
    pub fn topics(&self) -> Vec<String> {
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        let mut topics: Vec<_> =
            self.topics.in_use().map(str::to_owned).chain(others.keys().cloned()).collect();
        topics.sort_unstable();
        topics
    }

    #[inline]
    fn section_and_count(&self, topic: &str) -> (&Section, Option<PartitionCount>) {
        if let Some(section) = self.topics.own_section(topic) {
            return (section, section.told_count.get());
        }
        let others = self.others.read().unwrap_or_else(PoisonError::into_inner);
        (self.topics.shared_section(topic), others.get(topic).copied().flatten())
    }

    fn others_mut(&self) -> RwLockWriteGuard<'_, HashMap<String, Option<PartitionCount>>> {
        self.others.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The partition of a record.
    ///
    /// # Errors
    /// [`PlaceError`] when the contract refuses the record, or the topic's partition count is not known yet.
    pub fn route(&self, topic: &str, record: &Record<'_>) -> Result<Route, PlaceError> {
        self.route_and_note(topic, record)?.decided.map_err(PlaceError::Rejected)
    }

    /// The partition of a key that may take a short way; `None` says nothing.
    #[cfg(feature = "rdkafka")]
    #[inline]
    pub(crate) fn usual(&self, topic: &str, key: &[u8]) -> Option<crate::ids::PartitionIndex> {
        let (section, count) = self.section_and_count(topic);
        section.usual(key, count?)
    }

    pub(crate) fn route_and_note(&self, topic: &str, record: &Record<'_>) -> Result<Noted, PlaceError> {
        let (section, Some(count)) = self.section_and_count(topic) else {
            match self.topics.own_section(topic) {
                Some(section) => section.told_count.ask_for(),
                None => {
                    self.others_mut().entry(topic.to_owned()).or_default();
                }
            }
            return Err(PlaceError::UnknownTopic(topic.to_owned()));
        };
        let (decided, notable) = section.route_and_note(record, count);
        Ok(Noted { decided, notable, count, grown_from: section.grown_from(count) })
    }

    /// Whether some topic may make a record with a key sticky, so that its size and time count.
    #[must_use]
    pub fn may_stick_keyed(&self) -> bool {
        self.topics.may_stick_keyed()
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> TopicsSnapshot {
        self.topics.snapshot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(count: u32) -> PartitionCount {
        PartitionCount::new(count).unwrap()
    }

    #[test]
    fn a_topic_is_asked_for_until_its_count_is_known() {
        let contract = "[topics.t]\npartitions = 6\non_growth = \"reject\"".parse().unwrap();
        let router = CachedRouter::new(&contract, 1).unwrap();
        let place = |topic: &str| router.route(topic, &Record::keyed(b"a:1"));
        assert_eq!(place("t"), Err(PlaceError::UnknownTopic("t".to_owned())));
        assert_eq!((router.topics(), router.partition_count("t")), (vec!["t".to_owned()], None));
        router.set_partition_count("t", count(6));
        router.set_partition_count("u", count(3));
        assert!(place("t").is_ok() && place("u").is_ok());
        assert_eq!(router.topics(), ["t", "u"]);
        router.set_partition_count("t", count(7));
        let grew = Reject::TopicGrew { contract: count(6), topic: count(7) };
        assert_eq!(place("t"), Err(PlaceError::Rejected(grew)));
        assert_eq!(router.snapshot().topics[0].1.rejects["topic-grew"], 1);
    }

    #[test]
    fn sizes_count_for_records_without_a_key() {
        let contract = "[topics.t]\nunkeyed = { sticky_bytes = 1_000, sticky_ms = 0 }".parse().unwrap();
        let router = CachedRouter::new(&contract, 1).unwrap();
        router.set_partition_count("t", count(6));
        let places: Vec<_> =
            (0..40).map(|_| router.route("t", &Record::unkeyed(250, 0)).unwrap().partition).collect();
        assert!(places.chunks(4).all(|stay| stay.iter().all(|place| *place == stay[0])), "{places:?}");
        assert_eq!(router.snapshot().topics[0].1.sticky_switches, 9);
    }
}
