//! The power of two choices, whatever the key.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::splitmix::{below, splitmix64};

use super::hash_draw::HashedKey;
use super::source::{Choose, Loads, Source};

/// `two-choices`: each record goes to the less loaded of two partitions that are drawn for it alone.
///
/// Azar, Broder, Karlin, Upfal, "Balanced Allocations", STOC 1994; Mitzenmacher, "The Power of Two Choices in Randomized Load
/// Balancing", 2001: the fullest of n partitions is ln ln n / ln 2 + O(1) records above the mean, where one random choice
/// leaves it √(m ln n / n) above. What load balancers of requests do. Breaks entity order entirely: keys are ignored.
#[derive(Clone, Debug)]
pub struct TwoChoices {
    count: PartitionCount,
    loads: Loads,
    seed: u64,
    draws: u64,
}

impl TwoChoices {
    /// What one producer remembers of a topic of `count` partitions.
    #[must_use]
    pub fn new(count: PartitionCount, seed: u64) -> Self {
        Self { count, loads: Loads::new(count), seed, draws: 0 }
    }

    /// The strategy, drawing by `seed`.
    #[must_use]
    pub fn strategy(seed: u64) -> Source<Self> {
        Source::new(seed, Self::new)
    }

    #[inline]
    fn draw(&mut self) -> PartitionIndex {
        let random = splitmix64(self.seed, self.draws);
        self.draws += 1;
        PartitionIndex::new(below(random, self.count.get()))
    }
}

impl Choose for TwoChoices {
    const IGNORES_KEYS: bool = true;

    #[inline]
    fn choose(&mut self, _: HashedKey) -> PartitionIndex {
        let (first, second) = (self.draw(), self.draw());
        let chosen = self.loads.lighter(first, second);
        self.loads.add(chosen);
        chosen
    }

    #[inline]
    fn placed(&mut self, partition: PartitionIndex) {
        self.loads.add(partition);
    }
}
