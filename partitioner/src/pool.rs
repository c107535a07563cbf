//! How the partitions of a topic are divided into pools.

use std::error::Error;
use std::fmt;

use crate::ids::{PartitionCount, PartitionRange, PoolIndex};

/// Disjoint ranges that cover a topic: the dedicated pools from partition 0 on, then the standard pool.
///
/// The dedicated pools are fixed; the standard pool ends where the topic does.
///
/// ```
/// use partitioner::ids::{PartitionCount, PartitionRange, PoolIndex};
/// use partitioner::pool::Pools;
///
/// let vip = PartitionRange::new(0, 10).unwrap();
/// let twelve = PartitionCount::new(12).unwrap();
/// let pools = Pools::new(&[("vip", vip)], Some(twelve)).unwrap();
/// assert_eq!(pools.range(PoolIndex::new(1), twelve), Some(vip));
/// assert_eq!(pools.range(PoolIndex::STANDARD, twelve), PartitionRange::new(10, 12));
/// assert!(Pools::new(&[("vip", vip)], PartitionCount::new(10)).is_err(), "no standard pool left");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pools {
    dedicated: Vec<PartitionRange>,
    standard_start: u32,
}

impl Pools {
    /// Pools by name and range, for a topic of `count` partitions, or of any count when that is `None`.
    ///
    /// # Errors
    /// [`PoolError`] when two ranges overlap, a partition is in none, or no partition is left for the standard pool.
    pub fn new(
        dedicated: &[(&str, PartitionRange)],
        count: Option<PartitionCount>,
    ) -> Result<Self, PoolError> {
        let mut by_start: Vec<_> = dedicated.iter().enumerate().collect();
        by_start.sort_by_key(|(_, (_, range))| (range.start(), range.end()));
        let (mut end, mut before) = (0, None::<&str>);
        for (pool, &(name, range)) in by_start {
            if range.start() < end {
                let kind = PoolErrorKind::Overlap {
                    name: name.to_owned(),
                    range,
                    before: before.unwrap_or_default().to_owned(),
                    free_from: end,
                };
                return Err(PoolError { pool, kind });
            }
            if range.start() > end {
                let kind = PoolErrorKind::Gap { name: name.to_owned(), range, free_from: end };
                return Err(PoolError { pool, kind });
            }
            if let Some(count) = count.filter(|count| range.end() >= count.get()) {
                return Err(PoolError {
                    pool,
                    kind: PoolErrorKind::NoStandard { name: name.to_owned(), range, count },
                });
            }
            (end, before) = (range.end(), Some(name));
        }
        Ok(Self { dedicated: dedicated.iter().map(|(_, range)| *range).collect(), standard_start: end })
    }

    /// The range of a pool in a topic of `count` partitions, or `None` when the topic is too small to have it.
    ///
    /// # Panics
    /// When there is no such pool.
    #[must_use]
    pub fn range(&self, pool: PoolIndex, count: PartitionCount) -> Option<PartitionRange> {
        match pool.as_usize().checked_sub(1) {
            Some(dedicated) => Some(self.dedicated[dedicated]).filter(|range| range.end() <= count.get()),
            None => PartitionRange::new(self.standard_start, count.get()),
        }
    }

    /// Number of pools, the standard one included.
    #[must_use]
    pub fn pool_count(&self) -> usize {
        self.dedicated.len() + 1
    }

    /// The smallest topic that has every pool.
    #[must_use]
    pub fn partitions_min(&self) -> u32 {
        self.standard_start + 1
    }
}

/// Pools that do not divide a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolError {
    pool: usize,
    kind: PoolErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PoolErrorKind {
    Overlap { name: String, range: PartitionRange, before: String, free_from: u32 },
    Gap { name: String, range: PartitionRange, free_from: u32 },
    NoStandard { name: String, range: PartitionRange, count: PartitionCount },
}

impl PoolError {
    /// Position, in the list given, of the pool that broke the rule.
    #[must_use]
    pub fn position(&self) -> usize {
        self.pool
    }
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PoolErrorKind::Overlap { name, range, before, free_from } => write!(
                f,
                "pools must be disjoint: pool {name:?} ({range}) shares partitions with pool {before:?}; start it at {free_from}"
            ),
            PoolErrorKind::Gap { name, range, free_from } => write!(
                f,
                "pools must cover the topic: partitions {free_from}..{} are in no pool; start pool {name:?} ({range}) at \
                 {free_from}",
                range.start()
            ),
            PoolErrorKind::NoStandard { name, range, count } => write!(
                f,
                "the standard pool must not be empty: pool {name:?} ({range}) reaches the end of the topic's {count} \
                 partition(s); end it at {} or before{}",
                count.get() - 1,
                if count.get() == 1 { ", which takes a topic of at least 2" } else { "" }
            ),
        }
    }
}

impl Error for PoolError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn range(start: u32, end: u32) -> PartitionRange {
        PartitionRange::new(start, end).unwrap()
    }

    fn error(dedicated: &[(&str, PartitionRange)], count: u32) -> String {
        Pools::new(dedicated, PartitionCount::new(count)).unwrap_err().to_string()
    }

    #[test]
    fn each_broken_rule_is_named_with_what_would_satisfy_it() {
        let message = error(&[("b", range(2, 5)), ("a", range(0, 3))], 12);
        assert_eq!(
            message,
            "pools must be disjoint: pool \"b\" (2..5) shares partitions with pool \"a\"; start it at 3"
        );
        let message = error(&[("a", range(0, 3)), ("b", range(5, 8))], 12);
        assert!(
            message.contains("partitions 3..5 are in no pool; start pool \"b\" (5..8) at 3"),
            "{message}"
        );
        let message = error(&[("a", range(0, 12))], 12);
        assert!(message.contains("end it at 11 or before"), "{message}");
    }

    proptest! {
        #[test]
        fn accepted_pools_put_every_partition_into_exactly_one(
            ranges in proptest::collection::vec((0u32..6, 1u32..5), 0..4),
            count in 1u32..20,
        ) {
            let ranges: Vec<_> = ranges.iter().map(|&(start, len)| ("p", range(start, start + len))).collect();
            let count = PartitionCount::new(count).unwrap();
            let covered = |partition: u32| ranges.iter().filter(|(_, r)| (r.start()..r.end()).contains(&partition)).count();
            let end = ranges.iter().map(|(_, r)| r.end()).max().unwrap_or(0);
            let valid = (0..end).all(|partition| covered(partition) == 1) && end < count.get();
            let pools = Pools::new(&ranges, Some(count));
            prop_assert_eq!(pools.is_ok(), valid);
            if let Ok(pools) = pools {
                let all = (0..pools.pool_count()).map(|i| PoolIndex::new(u32::try_from(i).unwrap()));
                let total: u32 = all.map(|pool| pools.range(pool, count).unwrap().len()).sum();
                prop_assert_eq!(total, count.get());
            }
        }
    }
}
