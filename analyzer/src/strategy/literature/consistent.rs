//! A strategy of nothing but a key's hashes.

use std::fmt;

use partitioner::baseline::KeyIgnored;
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::route::{Record, Reject, Route, Step};
use partitioner::spread::OrderingScope;
use partitioner::strategy::Strategy;

use super::hash_draw::{HashDraw, HashedKey};
use super::source::without_key;

/// A rule from a key's hashes and a count to a partition, which all producers share: it keeps the order of each entity as
/// long as the count stays. Records without a key are sticky as in the Java client.
pub struct Consistent {
    draw: HashDraw,
    /// The format of the keys, where their tenants count.
    format: Option<KeyFormat>,
    place: fn(HashedKey, PartitionCount) -> PartitionIndex,
    unkeyed: KeyIgnored,
}

impl Consistent {
    pub(super) fn new(seed: u64, place: fn(HashedKey, PartitionCount) -> PartitionIndex) -> Self {
        Self { draw: HashDraw::new(seed), format: None, place, unkeyed: KeyIgnored::sticky(seed) }
    }

    pub(super) fn of_tenants(self, format: KeyFormat) -> Self {
        Self { format: Some(format), ..self }
    }
}

impl Strategy for Consistent {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        match record.key.filter(|_| record.partition.is_none()) {
            Some(key) => {
                let partition = (self.place)(self.draw.key(key, self.format), count);
                Ok(Route { partition, step: Step::Hash, fault: None })
            }
            None => without_key(&self.unkeyed, record, count),
        }
    }

    fn ordering_scope(&self, step: Step) -> OrderingScope {
        match step {
            Step::Hash => OrderingScope::Entity,
            _ => OrderingScope::None,
        }
    }

    fn ordering(&self) -> String {
        OrderingScope::Entity.to_string()
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

impl fmt::Debug for Consistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consistent").field("draw", &self.draw).finish_non_exhaustive()
    }
}
