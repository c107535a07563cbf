//! W-Choices: heavy keys go anywhere.

use partitioner::ids::{PartitionCount, PartitionIndex};

use super::hash_draw::{HashedKey, candidate};
use super::heads::Heads;
use super::ranked_counts::RankedCounts;
use super::source::{Choose, Source};

/// `w-choices`: a record of a heavy key goes to the least loaded of all partitions, others to the less loaded of their key's
/// two.
///
/// Nasir, De Francisci Morales, Kourtellis, Serafini, "When Two Choices Are Not Enough", ICDE 2016. Heavy are keys with 1/(5n) of
/// the producer's records or more by its own Space-Saving of 100 counters. Nearly perfect balance; breaks entity order, and a
/// heavy key lies on every partition. Constant time a record.
#[derive(Clone, Debug)]
pub struct WChoices {
    count: PartitionCount,
    loads: RankedCounts,
    heads: Heads,
}

impl WChoices {
    /// What one producer remembers of a topic of `count` partitions.
    #[must_use]
    pub fn new(count: PartitionCount) -> Self {
        Self { count, loads: RankedCounts::new(count.get()), heads: Heads::new(count) }
    }

    /// The strategy, under the hashes of `seed`.
    #[must_use]
    pub fn strategy(seed: u64) -> Source<Self> {
        Source::new(seed, |count, _| Self::new(count))
    }
}

impl Choose for WChoices {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        let number = self.heads.add(key.entity);
        let chosen = if self.heads.is_head(number) {
            PartitionIndex::new(self.loads.least())
        } else {
            lighter_of_two(&self.loads, key, self.count)
        };
        self.loads.raise(chosen.get());
        chosen
    }

    #[inline]
    fn placed(&mut self, partition: PartitionIndex) {
        self.loads.raise(partition.get());
    }
}

/// The less loaded of a key's two partitions, drawn with replacement.
#[inline]
pub(super) fn lighter_of_two(loads: &RankedCounts, key: HashedKey, count: PartitionCount) -> PartitionIndex {
    let [first, second] = [0, 1].map(|index| candidate(key.entity, index, count));
    if loads.count(second.get()) < loads.count(first.get()) { second } else { first }
}

/// The least loaded of some partitions, the first of equals.
#[inline]
pub(super) fn lightest_of(loads: &RankedCounts, partitions: &[u32]) -> Option<PartitionIndex> {
    partitions.iter().copied().min_by_key(|&partition| loads.count(partition)).map(PartitionIndex::new)
}
