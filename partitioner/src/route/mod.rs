//! The one decision: a record, a partition count and a contract give a partition.

use std::fmt;

pub use crate::reject::Reject;

use crate::hash::KeyHash;
use crate::ids::{PartitionCount, PartitionIndex, PartitionRange, PoolIndex};
use crate::key::KeyFormat;
use crate::name_table::NameTable;
use crate::placing::PlacingPools;
use crate::pool::Pools;
use crate::slot::SlotTable;
use crate::splitter::Splitter;
use crate::spread::{OrderingScope, Spread};
use crate::sticky::{BatchEdge, Sticky};
use crate::strategy::Strategy;
use crate::tenant::TenantClasses;

mod usual;

/// What a decision may look at.
///
/// ```
/// use partitioner::route::Record;
///
/// let record = Record::keyed(b"acme:order-7");
/// assert_eq!(record.key, Some(&b"acme:order-7"[..]));
/// assert!(Record::unkeyed(100, 1_700_000_000_000_000).key.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Record<'a> {
    /// The partition that the application asked for.
    pub partition: Option<PartitionIndex>,
    /// The serialized key; `None` is a null key, which is not the same as an empty one.
    pub key: Option<&'a [u8]>,
    /// Size of the record in bytes, counted towards a sticky partition's share.
    pub size_bytes: u32,
    /// Any clock of the producer's that does not go back, in microseconds: on one of whole milliseconds a sticky partition
    /// would be left up to a millisecond early.
    pub now_us: u64,
    /// Whether the current sticky partition's batch is complete, where that is known.
    pub edge: BatchEdge,
}

impl<'a> Record<'a> {
    /// A record with a key; size and time play no part in its placement.
    #[inline]
    #[must_use]
    pub fn keyed(key: &'a [u8]) -> Self {
        Self { key: Some(key), ..Self::default() }
    }

    /// A record without a key.
    #[inline]
    #[must_use]
    pub fn unkeyed(size_bytes: u32, now_us: u64) -> Self {
        Self { size_bytes, now_us, ..Self::default() }
    }
}

/// Where a record goes, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The partition.
    pub partition: PartitionIndex,
    /// The step that decided.
    pub step: Step,
    /// What was wrong with the key, when a policy had to stand in for it.
    pub fault: Option<KeyFault>,
}

/// The step of a decision that found the partition, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The application named the partition.
    Explicit,
    /// The contract pins this key.
    PinnedKey,
    /// The contract pins this tenant.
    PinnedTenant,
    /// The tenant has a dedicated pool.
    Vip(PoolIndex),
    /// The tenant has none.
    Standard,
    /// The hash of the whole key, with no regard to tenants.
    Hash,
    /// The next partition in turn, or a random one.
    Turn,
    /// The sticky partition of the moment.
    Sticky,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "explicit",
            Self::PinnedKey | Self::PinnedTenant => "pin",
            Self::Vip(_) => "vip",
            Self::Standard => "standard",
            Self::Hash => "hash",
            Self::Turn => "turn",
            Self::Sticky => "sticky",
        })
    }
}

/// Why a key could not be used as the contract's key format has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyFault {
    /// There is no key.
    Null,
    /// The key has no bytes.
    Empty,
    /// The key is not of the contract's format.
    Malformed,
}

/// What to do with a record whose key is null, empty or malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyPolicy {
    /// Sticky, in the unkeyed pool: no order is kept.
    Unkeyed,
    /// As the key of a standard tenant whose name is the whole key: through the standard pool's slots.
    Standard,
    /// By the hash of the whole key modulo the size of the unkeyed pool.
    Hash,
    /// Refused, with an error for the caller.
    Reject,
}

/// What to do when the topic has more partitions than the contract was made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnGrowth {
    /// Go on with the contract's count: no key moves, the new partitions stay empty until the contract is changed.
    #[default]
    Hold,
    /// Stretch the standard pool over the new partitions: standard keys move, dedicated pools do not.
    Follow,
    /// Refuse every record that does not name its partition.
    Reject,
}

/// Keys and tenants with a partition of their own.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    pub(crate) keys: NameTable,
    pub(crate) raw_tenants: NameTable,
}

/// Policies for keys that cannot be used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyPolicies {
    pub(crate) null: KeyPolicy,
    pub(crate) empty: KeyPolicy,
    pub(crate) malformed: KeyPolicy,
}

/// A routing contract made ready: decides for every record of one topic.
///
/// Made by [`TopicContract::router`](crate::contract::TopicContract::router). Deciding takes `&self` from any number of
/// threads, allocates nothing, takes no lock and does not panic.
///
/// The order of the decision: an explicit partition, a pinned key, a pinned tenant, the tenant's pool, and for keys that
/// cannot be used the contract's policy. The Java producer has the first step, then hashes or sticks.
///
/// ```
/// use partitioner::contract::Contract;
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::{Record, Step};
///
/// let contract: Contract = r#"
///     [topics.orders]
///     partitions = 12
///     vip_count = 10
///     vip.tenants = ["tenant-mega"]
/// "#.parse().unwrap();
/// let router = contract.topic("orders").unwrap().router(42).unwrap();
/// let twelve = PartitionCount::new(12).unwrap();
///
/// let mega = router.route(&Record::keyed(b"tenant-mega:order-1"), twelve).unwrap();
/// assert!(matches!(mega.step, Step::Vip(_)) && mega.partition.get() < 10);
/// let small = router.route(&Record::keyed(b"tenant-1:order-1"), twelve).unwrap();
/// assert!(small.step == Step::Standard && small.partition.get() >= 10);
/// ```
#[derive(Debug)]
pub struct Router {
    pub(crate) count: Option<PartitionCount>,
    /// The same where the contract has `tenant-entity` keys, murmur2 and no pins, so that keys take the short way.
    pub(crate) usual_count: Option<PartitionCount>,
    /// The same where the contract has `whole` keys, murmur2, no pins and no dedicated pool.
    pub(crate) whole_count: Option<PartitionCount>,
    pub(crate) on_growth: OnGrowth,
    pub(crate) splitter: Splitter,
    pub(crate) hash: KeyHash,
    pub(crate) classes: TenantClasses,
    pub(crate) layout: Pools,
    /// Without a count the standard pool's table stands for no real topic.
    pub(crate) pools: PlacingPools,
    pub(crate) pins: Option<Pins>,
    pub(crate) policies: KeyPolicies,
    pub(crate) unkeyed_pool: PoolIndex,
    pub(crate) sticky: Sticky,
}

/// The standard pool for one decision.
#[derive(Clone, Copy)]
enum StandardPool {
    /// As the contract has it.
    Contract,
    /// Stretched to the topic at hand.
    Stretched(PartitionRange),
}

impl Router {
    /// The partition of `record` in a topic of `count` partitions.
    ///
    /// # Errors
    /// [`Reject`] when the record may not be sent: the contract refuses its key, or the topic's partition count.
    #[inline]
    pub fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(key) = self.usual_key(record, count)
            && let Some(start) = key.first_chunk()
            && let Some(route) = self.route_usual(start, key)
        {
            return Ok(route);
        }
        self.route_other(*record, count)
    }

    fn route_any(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(partition) = record.partition {
            return explicit(partition, count);
        }
        let standard =
            if Some(count) == self.count { StandardPool::Contract } else { self.standard_pool(count)? };
        let Some(key) = record.key else {
            return self.by_policy(self.policies.null, KeyFault::Null, record, standard, Reject::NullKey);
        };
        if let Some(pins) = &self.pins
            && let Some(route) = self.pinned(pins, key, count)?
        {
            return Ok(route);
        }
        if key.is_empty() {
            return self.by_policy(self.policies.empty, KeyFault::Empty, record, standard, Reject::EmptyKey);
        }
        let split = match self.splitter.format().split(key) {
            Ok(split) => split,
            Err(why) => {
                let reject = Reject::MalformedKey(why);
                return self.by_policy(
                    self.policies.malformed,
                    KeyFault::Malformed,
                    record,
                    standard,
                    reject,
                );
            }
        };
        let index = self.classes.pool_of(split.raw_tenant);
        let pool = self.pools.of(index);
        let hash = self.hash.value(match pool.spread {
            Spread::Entity => key,
            Spread::Tenant => split.raw_tenant,
        });
        let (partition, step) = match index {
            PoolIndex::STANDARD => (self.place_standard(hash, standard), Step::Standard),
            _ => (pool.table.place(hash), Step::Vip(index)),
        };
        Ok(Route { partition, step, fault: None })
    }

    #[inline]
    fn place_standard(&self, hash: u64, standard: StandardPool) -> PartitionIndex {
        match standard {
            StandardPool::Contract => self.pools.standard.table.place(hash),
            StandardPool::Stretched(range) => SlotTable::unmoved(range).place(hash),
        }
    }

    /// What the contract makes of a topic whose count is not the contract's.
    #[cold]
    fn standard_pool(&self, topic: PartitionCount) -> Result<StandardPool, Reject> {
        let too_small = |contract| Reject::TopicTooSmall { contract, topic };
        match self.count {
            None => match self.layout.range(PoolIndex::STANDARD, topic) {
                Some(range) => Ok(StandardPool::Stretched(range)),
                None => Err(too_small(self.layout.partitions_min())),
            },
            Some(contract) if topic < contract => Err(too_small(contract.get())),
            Some(contract) => match self.on_growth {
                OnGrowth::Hold => Ok(StandardPool::Contract),
                OnGrowth::Reject => Err(Reject::TopicGrew { contract, topic }),
                OnGrowth::Follow => Ok(self
                    .layout
                    .range(PoolIndex::STANDARD, topic)
                    .map_or(StandardPool::Contract, StandardPool::Stretched)),
            },
        }
    }

    #[cold]
    fn pinned(&self, pins: &Pins, key: &[u8], count: PartitionCount) -> Result<Option<Route>, Reject> {
        let by_key = pins.keys.get(key).map(|partition| (partition, Step::PinnedKey));
        let by_tenant = || {
            let split = self.splitter.format().split(key).ok().filter(|_| !key.is_empty())?;
            pins.raw_tenants.get(split.raw_tenant).map(|partition| (partition, Step::PinnedTenant))
        };
        let Some((partition, step)) = by_key.or_else(by_tenant) else {
            return Ok(None);
        };
        let partition = PartitionIndex::new(partition);
        if !count.contains(partition) {
            return Err(Reject::TopicTooSmall { contract: partition.get() + 1, topic: count });
        }
        Ok(Some(Route { partition, step, fault: None }))
    }

    #[cold]
    fn by_policy(
        &self,
        policy: KeyPolicy,
        fault: KeyFault,
        record: &Record<'_>,
        standard: StandardPool,
        reject: Reject,
    ) -> Result<Route, Reject> {
        let key = record.key.unwrap_or_default();
        let (partition, step) = match policy {
            KeyPolicy::Reject => return Err(reject),
            KeyPolicy::Standard => (self.place_standard(self.hash.value(key), standard), Step::Standard),
            KeyPolicy::Hash => {
                let table = SlotTable::unmoved(self.unkeyed_range(standard));
                (table.place(self.hash.value(key)), Step::Hash)
            }
            KeyPolicy::Unkeyed => {
                let range = self.unkeyed_range(standard);
                (self.sticky.choose(range, record.size_bytes, record.now_us, record.edge), Step::Sticky)
            }
        };
        Ok(Route { partition, step, fault: Some(fault) })
    }

    fn unkeyed_range(&self, standard: StandardPool) -> PartitionRange {
        match standard {
            StandardPool::Stretched(range) if self.unkeyed_pool == PoolIndex::STANDARD => range,
            _ => self.pools.of(self.unkeyed_pool).table.pool(),
        }
    }

    /// The partitions over which records without a key are spread in a topic of `count` partitions, and all others whose
    /// policy is `unkeyed`.
    ///
    /// ```
    /// use partitioner::contract::Contract;
    /// use partitioner::ids::{PartitionCount, PartitionRange};
    ///
    /// let contract: Contract =
    ///     "[topics.t]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"m\"]".parse().unwrap();
    /// let router = contract.topic("t").unwrap().router(1).unwrap();
    /// let six = PartitionCount::new(6).unwrap();
    /// assert_eq!(router.unkeyed_partitions(six).ok(), PartitionRange::new(4, 6));
    /// ```
    ///
    /// # Errors
    /// [`Reject`] when the contract refuses the topic's partition count.
    pub fn unkeyed_partitions(&self, count: PartitionCount) -> Result<PartitionRange, Reject> {
        Ok(self.unkeyed_range(self.standard_pool(count)?))
    }

    /// The partition count that the contract was made for.
    #[must_use]
    pub fn contract_count(&self) -> Option<PartitionCount> {
        self.count
    }

    /// The pools, and with them the range of each for a count.
    #[must_use]
    pub fn pools(&self) -> &Pools {
        &self.layout
    }

    /// Whether a record with a key may become sticky, so that its size and time count.
    #[must_use]
    pub fn may_stick_keyed(&self) -> bool {
        [self.policies.empty, self.policies.malformed].contains(&KeyPolicy::Unkeyed)
    }

    /// Takes the lengths of the producer's queues, one per partition of the topic, for the choice of sticky partitions; see
    /// [`Sticky::set_queue_lengths`].
    ///
    /// A topic whose partition count the contract refuses changes nothing.
    pub fn set_queue_lengths(&self, lengths: &[Option<u32>]) {
        let count = u32::try_from(lengths.len()).ok().and_then(PartitionCount::new);
        let Some(count) = count else { return };
        let standard =
            if Some(count) == self.count { Ok(StandardPool::Contract) } else { self.standard_pool(count) };
        let range = standard.ok().map(|standard| self.unkeyed_range(standard));
        let of_pool = range.and_then(|range| lengths.get(range.start() as usize..range.end() as usize));
        if let Some(of_pool) = of_pool {
            self.sticky.set_queue_lengths(of_pool);
        }
    }

    /// The key format of the contract.
    #[must_use]
    pub fn key_format(&self) -> KeyFormat {
        *self.splitter.format()
    }

    /// The pool of a tenant given by its name, pins aside.
    #[must_use]
    pub fn pool_of_tenant(&self, tenant: &[u8]) -> PoolIndex {
        let mut raw_tenant = Vec::with_capacity(tenant.len());
        self.splitter.format().escape_tenant_into(tenant, &mut raw_tenant);
        self.classes.pool_of(&raw_tenant)
    }
}

/// The partition that the application asked for, when the topic has it.
#[cold]
pub(crate) fn explicit(partition: PartitionIndex, count: PartitionCount) -> Result<Route, Reject> {
    if !count.contains(partition) {
        return Err(Reject::ExplicitOutOfRange { partition, count });
    }
    Ok(Route { partition, step: Step::Explicit, fault: None })
}

impl Strategy for Router {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        Router::route(self, record, count)
    }

    fn ordering_scope(&self, step: Step) -> OrderingScope {
        match step {
            Step::Explicit | Step::Turn | Step::Sticky => OrderingScope::None,
            Step::PinnedKey | Step::Hash => OrderingScope::Entity,
            Step::PinnedTenant => OrderingScope::Tenant,
            Step::Vip(pool) => self.pools.of(pool).spread.ordering_scope(),
            Step::Standard => self.pools.standard.spread.ordering_scope(),
        }
    }

    fn ordering(&self) -> String {
        let standard = self.pools.standard.spread.ordering_scope();
        let mut vip: Vec<_> = self.pools.dedicated().map(|pool| pool.spread.ordering_scope()).collect();
        vip.sort_unstable();
        vip.dedup();
        match vip[..] {
            [] => standard.to_string(),
            [vip] if vip == standard => standard.to_string(),
            [vip] => format!("{vip} for VIP tenants, {standard} for others"),
            _ => format!("entity or tenant by VIP pool, {standard} for others"),
        }
    }

    fn is_consistent(&self) -> bool {
        true
    }
}
