//! Partial Key Grouping: the less loaded of two partitions of a key.

use partitioner::ids::{PartitionCount, PartitionIndex};

use super::hash_draw::{HashedKey, candidate};
use super::source::{Choose, Loads, Source};

/// `pkg`: each record goes to the less loaded of its key's two partitions, as far as its producer knows the loads.
///
/// Nasir, De Francisci Morales, García-Soriano, Kourtellis, Serafini, "The Power of Both Choices", ICDE 2015. An imbalance
/// I/m of p₁/2 − 1/n remains where the heaviest key's share p₁ is above 2/n. The two choices are drawn with replacement, as
/// there. Breaks entity order: every key with more than a few records lies on two partitions, and whoever needs all
/// records of a key has to merge them. Two hashes and two loads a record.
#[derive(Clone, Debug)]
pub struct PartialKeyGrouping {
    count: PartitionCount,
    loads: Loads,
}

impl PartialKeyGrouping {
    /// What one producer remembers of a topic of `count` partitions.
    #[must_use]
    pub fn new(count: PartitionCount) -> Self {
        Self { count, loads: Loads::new(count) }
    }

    /// The strategy, under the hashes of `seed`.
    #[must_use]
    pub fn strategy(seed: u64) -> Source<Self> {
        Source::new(seed, |count, _| Self::new(count))
    }
}

impl Choose for PartialKeyGrouping {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        let [first, second] = [0, 1].map(|index| candidate(key.entity, index, self.count));
        let chosen = self.loads.lighter(first, second);
        self.loads.add(chosen);
        chosen
    }

    #[inline]
    fn placed(&mut self, partition: PartitionIndex) {
        self.loads.add(partition);
    }
}
