//! A producer that remembers: what it has placed so far decides where the next record goes.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use partitioner::baseline::KeyIgnored;
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::route::{KeyFault, Record, Reject, Route, Step};
use partitioner::spread::OrderingScope;
use partitioner::strategy::Strategy;

use super::hash_draw::{HashDraw, HashedKey};

/// What one producer remembers of a topic, and what follows for the next record.
pub trait Choose: fmt::Debug + Send {
    /// Whether the key plays no part; then records without one are treated alike.
    const IGNORES_KEYS: bool = false;

    /// The partition of the next record, with a key of these hashes; takes it into account.
    fn choose(&mut self, key: HashedKey) -> PartitionIndex;

    /// Takes a record into account that was placed without a choice, because it has no key or names its partition.
    fn placed(&mut self, partition: PartitionIndex);
}

/// One producer of a topic, which the papers call a source, as a strategy.
///
/// Records without a key are sticky as in the Java client. What is remembered is for one number of partitions, and is
/// forgotten when that changes. Threads take turns behind a lock; for one thread the choices depend on seed and records
/// alone. Keeps no order: each of these strategies sends records of one key to several partitions.
pub struct Source<C> {
    draw: HashDraw,
    /// The format of the keys, where their tenants count.
    format: Option<KeyFormat>,
    make: fn(PartitionCount, u64) -> C,
    seed: u64,
    state: Mutex<Option<(PartitionCount, C)>>,
    unkeyed: KeyIgnored,
}

impl<C: Choose> Source<C> {
    pub(super) fn new(seed: u64, make: fn(PartitionCount, u64) -> C) -> Self {
        let unkeyed = KeyIgnored::sticky(seed);
        Self { draw: HashDraw::new(seed), format: None, make, seed, state: Mutex::new(None), unkeyed }
    }

    pub(super) fn of_tenants(self, format: KeyFormat) -> Self {
        Self { format: Some(format), ..self }
    }

    #[inline]
    fn with_state<T>(&self, count: PartitionCount, then: impl FnOnce(&mut C) -> T) -> T {
        // A choice that panicked has not spoilt what is remembered: counts are raised one at a time.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *state {
            Some((known, choice)) if *known == count => then(choice),
            state => then(&mut state.insert((count, (self.make)(count, self.seed))).1),
        }
    }
}

impl<C: Choose> Strategy for Source<C> {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        let key = match record.key {
            _ if record.partition.is_some() => None,
            Some(key) if !C::IGNORES_KEYS => Some(self.draw.key(key, self.format)),
            _ => C::IGNORES_KEYS.then(HashedKey::default),
        };
        if let Some(key) = key {
            let partition = self.with_state(count, |choice| choice.choose(key));
            let step = if C::IGNORES_KEYS { Step::Turn } else { Step::Hash };
            return Ok(Route { partition, step, fault: None });
        }
        let route = without_key(&self.unkeyed, record, count)?;
        self.with_state(count, |choice| choice.placed(route.partition));
        Ok(route)
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

    fn ignores_keys(&self) -> bool {
        C::IGNORES_KEYS
    }
}

impl<C> fmt::Debug for Source<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// Where a record goes that has no key, or names its partition.
pub(super) fn without_key(
    unkeyed: &KeyIgnored,
    record: &Record<'_>,
    count: PartitionCount,
) -> Result<Route, Reject> {
    let route = unkeyed.route(record, count)?;
    Ok(Route { fault: record.partition.is_none().then_some(KeyFault::Null), ..route })
}

/// Records of each partition, as one producer knows them.
#[derive(Clone, Debug)]
pub(super) struct Loads(Vec<u64>);

impl Loads {
    pub(super) fn new(count: PartitionCount) -> Self {
        Self(vec![0; count.as_usize()])
    }

    #[inline]
    pub(super) fn add(&mut self, partition: PartitionIndex) {
        self.0[partition.as_usize()] += 1;
    }

    /// The less loaded of two partitions, the first when they are equal.
    #[inline]
    pub(super) fn lighter(&self, first: PartitionIndex, second: PartitionIndex) -> PartitionIndex {
        if self.0[second.as_usize()] < self.0[first.as_usize()] { second } else { first }
    }

    #[inline]
    pub(super) fn of(&self, partition: PartitionIndex) -> u64 {
        self.0[partition.as_usize()]
    }
}
