//! Records without a key: one partition for a while, then another, so that batches fill.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::ids::{PartitionIndex, PartitionRange};
use crate::splitmix::{below, below_u64, splitmix64};

use self::queues::QueueWeights;

mod queues;

/// When a sticky partition is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StickyLimits {
    /// Bytes given to one partition before the next is chosen, 1 to 1 GiB; Java's `batch.size`.
    pub sticky_bytes: u32,
    /// Milliseconds after which the next is chosen whatever was sent; 0 is never. librdkafka's
    /// `sticky.partitioning.linger.ms`.
    pub sticky_ms: u32,
}

impl Default for StickyLimits {
    /// Java's 16 KiB and librdkafka's 10 ms.
    fn default() -> Self {
        Self { sticky_bytes: 16_384, sticky_ms: 10 }
    }
}

/// What the caller knows of the producer's batch on the current sticky partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchEdge {
    /// Nothing: the switch comes with the first record after `sticky_bytes`.
    #[default]
    Unknown,
    /// This record would join a batch that is not complete: the switch waits, up to twice `sticky_bytes`.
    Open,
    /// This record would open a new batch, so a switch now leaves no batch half full.
    Complete,
}

/// Sticky choice among a range of partitions (KIP-480, KIP-794; Java's `BuiltInPartitioner`).
///
/// One partition takes all records until [`StickyLimits`] are reached. As in Java since KAFKA-14156 the switch waits for
/// the end of a batch, at most until twice `sticky_bytes` were given. The next one is drawn by weight; without weights it
/// is always another partition than the last, where Java may draw the same again. Java knows no time limit, librdkafka
/// no byte limit; here whichever comes first counts.
///
/// Choosing takes `&self`, no lock and no clock. Two threads that reach a limit together may switch twice, which
/// costs a batch and nothing else.
///
/// ```
/// use partitioner::ids::PartitionRange;
/// use partitioner::sticky::{BatchEdge, Sticky, StickyLimits};
///
/// let sticky = Sticky::new(StickyLimits { sticky_bytes: 1_000, sticky_ms: 0 }, 42);
/// let pool = PartitionRange::new(10, 12).unwrap();
/// let mut choose = || sticky.choose(pool, 500, 0, BatchEdge::Unknown).get();
/// let (first, second, third) = (choose(), choose(), choose());
/// assert_eq!(first, second, "1,000 bytes stay together");
/// assert_ne!(second, third);
/// ```
#[derive(Debug)]
pub struct Sticky {
    limits: StickyLimits,
    seed: u64,
    /// Number of choices made, which with the seed is the random state.
    draws: AtomicU64,
    /// `(partition + 1) << 40 | bytes given`, 0 before the first record.
    current: AtomicU64,
    /// When `current`'s partition was chosen.
    since_us: AtomicU64,
    /// One weight per partition of the pool, or empty for equal ones.
    weights: Box<[u32]>,
    /// By the queues that the producer last told of.
    queues: Box<QueueWeights>,
}

const BYTES_BITS: u32 = 40;
const BYTES_MASK: u64 = (1 << BYTES_BITS) - 1;

impl Sticky {
    /// A chooser with equal weights. Producers should not share a seed, or they crowd the same partition.
    #[must_use]
    pub fn new(limits: StickyLimits, seed: u64) -> Self {
        Self::weighted(limits, seed, &[])
    }

    /// A chooser that gives the `i`-th partition of the range `weights[i]` parts of the bytes.
    ///
    /// Partitions past the end of `weights` have weight 1. When all weights are 0 they count as equal.
    #[must_use]
    pub fn weighted(limits: StickyLimits, seed: u64, weights: &[u32]) -> Self {
        Self {
            limits,
            seed,
            draws: AtomicU64::new(0),
            current: AtomicU64::new(0),
            since_us: AtomicU64::new(0),
            weights: weights.into(),
            queues: Box::default(),
        }
    }

    /// Takes the lengths of the producer's queues, one per partition of the range, as KIP-794's adaptive choice does.
    ///
    /// A partition's weight is multiplied by how much shorter its queue is than the longest one, plus 1: queues of 0, 3 and 1
    /// batches give 4 : 1 : 3, so that partitions of a slow broker get less, and each still something. `None` stands for a
    /// partition that cannot be written to now; it gets nothing. Queues of equal length change nothing. Until the next
    /// call partitions past the end of `lengths` count as those with an empty queue.
    ///
    /// ```
    /// use partitioner::ids::PartitionRange;
    /// use partitioner::sticky::{BatchEdge, Sticky, StickyLimits};
    ///
    /// let sticky = Sticky::new(StickyLimits { sticky_bytes: 1, sticky_ms: 0 }, 42);
    /// sticky.set_queue_lengths(&[Some(9), Some(0), None]);
    /// let pool = PartitionRange::new(0, 3).unwrap();
    /// let mut given = [0; 3];
    /// for _ in 0..1_100 {
    ///     given[sticky.choose(pool, 1, 0, BatchEdge::Unknown).as_usize()] += 1;
    /// }
    /// assert!(given[0] < 200 && given[1] > 900 && given[2] == 0);
    /// ```
    pub fn set_queue_lengths(&self, lengths: &[Option<u32>]) {
        self.queues.set(lengths);
    }

    /// The partition of a record of `size_bytes` at `now_us`, microseconds on any clock that does not go back.
    ///
    /// A partition outside `range`, as after a change of the topic, is never given.
    pub fn choose(
        &self,
        range: PartitionRange,
        size_bytes: u32,
        now_us: u64,
        edge: BatchEdge,
    ) -> PartitionIndex {
        let mut current = self.current.load(Relaxed);
        loop {
            let (kept, given_bytes) = unpack(current);
            let kept = kept.filter(|&kept| range.contains(kept) && !self.is_spent(given_bytes, now_us, edge));
            let (partition, given_bytes) = match kept {
                Some(kept) => (kept, given_bytes),
                None => (self.draw(range, unpack(current).0), 0),
            };
            let next = pack(partition, given_bytes.saturating_add(u64::from(size_bytes)));
            match self.current.compare_exchange(current, next, Relaxed, Relaxed) {
                Ok(_) => {
                    if kept.is_none() {
                        self.since_us.store(now_us, Relaxed);
                    }
                    return partition;
                }
                Err(newer) => current = newer,
            }
        }
    }

    fn is_spent(&self, given_bytes: u64, now_us: u64, edge: BatchEdge) -> bool {
        let limit_bytes = u64::from(self.limits.sticky_bytes);
        let limit_us = u64::from(self.limits.sticky_ms) * 1_000;
        let by_time = limit_us > 0 && now_us.saturating_sub(self.since_us.load(Relaxed)) >= limit_us;
        let cap_bytes = if edge == BatchEdge::Open { 2 * limit_bytes } else { limit_bytes };
        by_time || given_bytes >= cap_bytes
    }

    /// The next partition, by weight, or any but `last` when all weigh the same.
    #[cold]
    fn draw(&self, range: PartitionRange, last: Option<PartitionIndex>) -> PartitionIndex {
        let random = splitmix64(self.seed, self.draws.fetch_add(1, Relaxed));
        let by_queue = self.queues.differ();
        let weight = |offset: u32| {
            let given = self.weights.get(offset as usize).map_or(1, |&weight| u64::from(weight));
            if by_queue { given.saturating_mul(self.queues.get(offset)) } else { given }
        };
        let is_weighted = by_queue || !self.weights.is_empty();
        let total = if is_weighted { (0..range.len()).map(weight).fold(0, u64::saturating_add) } else { 0 };
        if total == 0 {
            return match last.filter(|&last| range.len() > 1 && range.contains(last)) {
                // One of the others: the last partition's place is taken by the range's last.
                Some(last) => match range.at(below(random, range.len() - 1)) {
                    drawn if drawn == last => range.at(range.len() - 1),
                    drawn => drawn,
                },
                None => range.at(below(random, range.len())),
            };
        }
        let mut left = below_u64(random, total);
        for offset in 0..range.len() {
            match left.checked_sub(weight(offset)) {
                Some(rest) => left = rest,
                None => return range.at(offset),
            }
        }
        // Queues grew between the sum and the walk.
        range.at(range.len() - 1)
    }
}

fn pack(partition: PartitionIndex, given_bytes: u64) -> u64 {
    (u64::from(partition.get()) + 1) << BYTES_BITS | given_bytes.min(BYTES_MASK)
}

#[allow(clippy::cast_possible_truncation)] // 24 bits are left
fn unpack(current: u64) -> (Option<PartitionIndex>, u64) {
    let partition = ((current >> BYTES_BITS) as u32).checked_sub(1).map(PartitionIndex::new);
    (partition, current & BYTES_MASK)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: StickyLimits = StickyLimits { sticky_bytes: 1_000, sticky_ms: 10 };

    fn pool() -> PartitionRange {
        PartitionRange::new(4, 9).unwrap()
    }

    #[test]
    fn it_stays_until_the_bytes_are_spent_and_then_goes_elsewhere() {
        let sticky = Sticky::new(LIMITS, 1);
        let chosen: Vec<_> = (0..100).map(|_| sticky.choose(pool(), 250, 0, BatchEdge::Unknown)).collect();
        for stay in chosen.chunks(4) {
            assert!(stay.iter().all(|partition| *partition == stay[0]), "{stay:?}");
        }
        for pair in chosen.chunks(4).collect::<Vec<_>>().windows(2) {
            assert_ne!(pair[0][0], pair[1][0]);
        }
        let mut used = chosen;
        used.sort();
        used.dedup();
        assert_eq!(used, pool().iter().collect::<Vec<_>>());
    }

    #[test]
    fn it_leaves_by_time_even_when_little_was_sent() {
        let sticky = Sticky::new(LIMITS, 1);
        let at = |now_us| sticky.choose(pool(), 1, now_us, BatchEdge::Unknown);
        let first = at(100_400);
        assert_eq!(at(110_399), first, "not when the millisecond is over, but the tenth since");
        let second = at(110_400);
        assert_ne!(second, first);
        assert_eq!(at(120_399), second);
        assert_ne!(at(120_400), second);
    }

    #[test]
    fn an_open_batch_delays_the_switch_to_at_most_twice_the_bytes() {
        let stay = |edge_after_limit: BatchEdge| {
            let sticky = Sticky::new(StickyLimits { sticky_ms: 0, ..LIMITS }, 1);
            let mut given_bytes = 0;
            let first = sticky.choose(pool(), 100, 0, BatchEdge::Open);
            loop {
                given_bytes += 100;
                let edge = if given_bytes >= 1_300 { edge_after_limit } else { BatchEdge::Open };
                if sticky.choose(pool(), 100, 0, edge) != first {
                    return given_bytes;
                }
            }
        };
        assert_eq!(stay(BatchEdge::Complete), 1_300, "at the first batch edge after the limit");
        assert_eq!(stay(BatchEdge::Open), 2_000, "at the cap");
    }

    #[test]
    fn bytes_follow_the_weights() {
        // KIP-794's own example: queues 0, 3, 1 give the weights 4, 1, 3.
        let sticky = Sticky::weighted(LIMITS, 7, &[4, 1, 3]);
        let pool = PartitionRange::new(0, 3).unwrap();
        let mut given = [0u32; 3];
        for _ in 0..80_000 {
            given[sticky.choose(pool, 1_000, 0, BatchEdge::Unknown).as_usize()] += 1;
        }
        for (given, expected) in given.iter().zip([40_000u32, 10_000, 30_000]) {
            assert!(given.abs_diff(expected) < 1_000, "{given} for {expected}");
        }
    }

    #[test]
    fn queues_scale_the_weights_until_they_are_level() {
        let sticky = Sticky::weighted(LIMITS, 7, &[1, 2, 1]);
        let pool = PartitionRange::new(3, 6).unwrap();
        let share = |lengths: &[Option<u32>]| {
            sticky.set_queue_lengths(lengths);
            let mut given = [0u32; 3];
            for _ in 0..140_000 {
                given[sticky.choose(pool, 1_000, 0, BatchEdge::Unknown).as_usize() - 3] += 1;
            }
            given.map(|given| (given + 500) / 1_000)
        };
        assert_eq!(share(&[Some(0), Some(3), Some(3)]), [80, 40, 20], "4 : 2 : 1");
        assert_eq!(share(&[Some(0), None, Some(0)]), [70, 0, 70]);
        assert_eq!(
            share(&[None; 3]).iter().sum::<u32>(),
            140,
            "somewhere, when no partition can be written to"
        );
        assert_eq!(share(&[Some(5); 3]), [35, 70, 35], "level queues leave the weights alone");
    }

    #[test]
    fn a_partition_that_is_gone_is_not_used_again() {
        let sticky = Sticky::new(LIMITS, 3);
        for _ in 0..50 {
            sticky.choose(pool(), 1, 0, BatchEdge::Open);
            let small = PartitionRange::new(0, 2).unwrap();
            assert!(small.contains(sticky.choose(small, 1, 0, BatchEdge::Open)));
        }
    }

    #[test]
    fn a_pool_of_one_has_no_other() {
        let sticky = Sticky::new(LIMITS, 3);
        let one = PartitionRange::new(5, 6).unwrap();
        assert!((0..10).all(|_| sticky.choose(one, 5_000, 0, BatchEdge::Unknown).get() == 5));
    }

    #[test]
    fn the_same_seed_makes_the_same_choices() {
        let run = |seed| -> Vec<_> {
            let sticky = Sticky::new(LIMITS, seed);
            (0..64).map(|_| sticky.choose(pool(), 1_000, 0, BatchEdge::Unknown).get()).collect()
        };
        assert_eq!(run(42), run(42));
        assert_ne!(run(42), run(43));
    }

    #[test]
    fn threads_share_one_partition_and_stay_in_range() {
        let sticky = Sticky::new(LIMITS, 9);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        assert!(pool().contains(sticky.choose(pool(), 100, 0, BatchEdge::Unknown)));
                    }
                });
            }
        });
    }
}
