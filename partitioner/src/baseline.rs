//! What other clients do, and the plain strategies to compare with.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::hash::KeyHash;
use crate::ids::{PartitionCount, PartitionIndex, PartitionRange};
use crate::key::KeyFormat;
use crate::name_table::NameTable;
use crate::route::{KeyFault, Record, Reject, Route, Step, explicit};
use crate::spread::OrderingScope;
use crate::sticky::{Sticky, StickyLimits, below, splitmix64};
use crate::strategy::Strategy;

/// A client's keyed partitioner: `hash(key) % count`, and something else for records without a key.
///
/// ```
/// use partitioner::baseline::KeyedHash;
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::Record;
/// use partitioner::strategy::Strategy;
///
/// let six = PartitionCount::new(6).unwrap();
/// let place = |strategy: &KeyedHash| strategy.route(&Record::keyed(b"TLKM"), six).unwrap().partition.get();
/// assert_eq!(place(&KeyedHash::java(1)), 5);
/// ```
#[derive(Debug)]
pub struct KeyedHash {
    hash: KeyHash,
    /// Hash the tenant of a key of this format, not the key.
    tenant_of: Option<KeyFormat>,
    empty_is_null: bool,
    unkeyed: KeyIgnored,
}

impl KeyedHash {
    /// The Java client's default: murmur2, sticky by bytes for null keys (KIP-480, KIP-794).
    #[must_use]
    pub fn java(seed: u64) -> Self {
        let unkeyed = KeyIgnored::sticky(seed);
        Self { hash: KeyHash::Murmur2, tenant_of: None, empty_is_null: false, unkeyed }
    }

    /// librdkafka's default, `consistent_random`: CRC32; null **and empty** keys are sticky by time (10 ms).
    #[must_use]
    pub fn librdkafka(seed: u64) -> Self {
        let limits = StickyLimits { sticky_bytes: u32::MAX, ..StickyLimits::default() };
        let unkeyed = KeyIgnored(Choice::Sticky(Sticky::new(limits, seed)));
        Self { hash: KeyHash::Crc32, tenant_of: None, empty_is_null: true, unkeyed }
    }

    /// Sarama's default, `HashPartitioner`: FNV-1a, negated when negative; null keys at random.
    #[must_use]
    pub fn sarama(seed: u64) -> Self {
        let unkeyed = KeyIgnored::random(seed);
        Self { hash: KeyHash::Fnv1aAbs, tenant_of: None, empty_is_null: false, unkeyed }
    }

    /// The same partitioner as seen by an application that keys its records by the tenant alone.
    ///
    /// The tenant is taken from keys of `format`; a malformed key is hashed whole.
    #[must_use]
    pub fn of_tenant(self, format: KeyFormat) -> Self {
        Self { tenant_of: Some(format), ..self }
    }
}

impl Strategy for KeyedHash {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(partition) = record.partition {
            return explicit(partition, count);
        }
        let fault = match record.key {
            None => Some(KeyFault::Null),
            Some([]) if self.empty_is_null => Some(KeyFault::Empty),
            Some(key) => {
                let tenant = self.tenant_of.and_then(|format| format.decode(key).ok()).map(|key| key.tenant);
                let partition = self.hash.partition(tenant.as_deref().unwrap_or(key), count);
                return Ok(Route { partition, step: Step::Hash, fault: None });
            }
        };
        Ok(Route { fault, ..self.unkeyed.route(record, count)? })
    }

    fn ordering_scope(&self, step: Step) -> OrderingScope {
        match (step, self.tenant_of) {
            (Step::Hash, Some(_)) => OrderingScope::Tenant,
            (Step::Hash, None) => OrderingScope::Entity,
            _ => OrderingScope::None,
        }
    }

    fn ordering(&self) -> String {
        self.ordering_scope(Step::Hash).to_string()
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

/// A choice that looks at no key, so that it breaks the order of every entity with more than one record.
///
/// ```
/// use partitioner::baseline::KeyIgnored;
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::Record;
/// use partitioner::strategy::Strategy;
///
/// let (turns, three) = (KeyIgnored::round_robin(), PartitionCount::new(3).unwrap());
/// let mut next = || turns.route(&Record::keyed(b"acme:order-7"), three).unwrap().partition.get();
/// assert_eq!([next(), next(), next(), next()], [0, 1, 2, 0]);
/// assert!(!turns.is_consistent());
/// ```
#[derive(Debug)]
pub struct KeyIgnored(Choice);

#[derive(Debug)]
enum Choice {
    RoundRobin(AtomicU64),
    Random { seed: u64, draws: AtomicU64 },
    Sticky(Sticky),
}

impl KeyIgnored {
    /// One partition after the other, as Java's `RoundRobinPartitioner` and kafka-go's default.
    #[must_use]
    pub fn round_robin() -> Self {
        Self(Choice::RoundRobin(AtomicU64::new(0)))
    }

    /// A partition at random for every record, as librdkafka's `random`; SplitMix64 from the seed.
    #[must_use]
    pub fn random(seed: u64) -> Self {
        Self(Choice::Random { seed, draws: AtomicU64::new(0) })
    }

    /// Sticky by Java's `batch.size` of 16 KiB, as Java with `partitioner.ignore.keys=true`.
    #[must_use]
    pub fn sticky(seed: u64) -> Self {
        Self(Choice::Sticky(Sticky::new(StickyLimits { sticky_ms: 0, ..StickyLimits::default() }, seed)))
    }
}

impl Strategy for KeyIgnored {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(partition) = record.partition {
            return explicit(partition, count);
        }
        let all = PartitionRange::all(count);
        let (partition, step) = match &self.0 {
            Choice::RoundRobin(next) => (all.at(cyclic(next.fetch_add(1, Relaxed), count)), Step::Turn),
            Choice::Random { seed, draws } => {
                let random = splitmix64(*seed, draws.fetch_add(1, Relaxed));
                (all.at(below(random, count.get())), Step::Turn)
            }
            Choice::Sticky(sticky) => {
                (sticky.choose(all, record.size_bytes, record.now_ms, record.edge), Step::Sticky)
            }
        };
        Ok(Route { partition, step, fault: None })
    }

    fn ordering_scope(&self, _: Step) -> OrderingScope {
        OrderingScope::None
    }

    fn ordering(&self) -> String {
        OrderingScope::None.to_string()
    }

    fn is_consistent(&self) -> bool {
        false
    }
}

/// `turn % count`.
#[allow(clippy::cast_possible_truncation)] // below the count
fn cyclic(turn: u64, count: PartitionCount) -> u32 {
    (turn % u64::from(count.get())) as u32
}

/// A table from tenant to partition, as teams write by hand (region → partition); tenants not in it are hashed as by
/// [`KeyedHash::java`] over the tenant.
#[derive(Debug)]
pub struct ExplicitMap {
    partitions: NameTable,
    format: KeyFormat,
    others: KeyedHash,
}

impl ExplicitMap {
    /// Tenants by name, each with its partition; of equal names the first counts.
    #[must_use]
    pub fn new<'n>(
        map: impl IntoIterator<Item = (&'n [u8], PartitionIndex)>,
        format: KeyFormat,
        seed: u64,
    ) -> Self {
        let numbered = map.into_iter().map(|(tenant, partition)| (tenant, partition.get()));
        Self { partitions: NameTable::new(numbered), format, others: KeyedHash::java(seed).of_tenant(format) }
    }
}

impl Strategy for ExplicitMap {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        let mapped = || {
            let key = self.format.decode(record.key?).ok()?;
            self.partitions.get(&key.tenant).map(PartitionIndex::new)
        };
        match mapped().filter(|_| record.partition.is_none()) {
            Some(partition) if count.contains(partition) => {
                Ok(Route { partition, step: Step::PinnedTenant, fault: None })
            }
            Some(partition) => Err(Reject::TopicTooSmall { contract: partition.get() + 1, topic: count }),
            None => self.others.route(record, count),
        }
    }

    fn ordering_scope(&self, step: Step) -> OrderingScope {
        match step {
            Step::PinnedTenant => OrderingScope::Tenant,
            step => self.others.ordering_scope(step),
        }
    }

    fn ordering(&self) -> String {
        OrderingScope::Tenant.to_string()
    }

    fn is_consistent(&self) -> bool {
        true
    }
}
