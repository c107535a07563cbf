//! The head of a key distribution, as one producer sees it.

use partitioner::ids::PartitionCount;

use super::space_saving::{Counter, SpaceSaving};

/// Space-Saving counters of a producer, as in the paper's experiments.
pub const COUNTERS: u32 = 100;

/// Most partitions of all heads together that are written down.
const CANDIDATES_MAX: u32 = 1 << 17;

/// Records between two looks at the whole head, once there are as many.
const REVIEW_RECORDS: u64 = 8_192;

/// The part of all records that may be new since the last look, once that is more: counts are of all records, so shares
/// change ever more slowly.
const REVIEW_PART: u64 = 16;

/// Records before the first look.
const FIRST_REVIEW_RECORDS: u64 = 64;

/// The keys with a share of at least θ = 1/(5n) of a producer's records: the low end of what the paper tries, so that
/// every key that could overload two partitions is among them.
#[derive(Clone, Debug)]
pub(super) struct Heads {
    counts: SpaceSaving,
    /// 1/θ.
    inverse_threshold: u64,
    next_review: u64,
}

impl Heads {
    pub(super) fn new(count: PartitionCount) -> Self {
        Self {
            counts: SpaceSaving::new(COUNTERS),
            inverse_threshold: 5 * u64::from(count.get()),
            next_review: FIRST_REVIEW_RECORDS,
        }
    }

    /// Whether so many choices for each head are too many to write down; then any partition will do.
    pub(super) fn are_too_many(choices: u32) -> bool {
        choices > CANDIDATES_MAX / COUNTERS
    }

    /// Counts a record of a key; returns the number of its counter.
    #[inline]
    pub(super) fn add(&mut self, key: u64) -> u32 {
        self.counts.add(key)
    }

    /// Whether the key whose counter this is belongs to the head now.
    #[inline]
    pub(super) fn is_head(&self, number: u32) -> bool {
        self.counts.count(number) * self.inverse_threshold >= self.counts.total()
    }

    /// Whether it is time to look at the whole head: after 64 records, after twice as many and so on, then after every 8,192,
    /// and in the end whenever all records have become 1/16 more. Says so once.
    #[inline]
    pub(super) fn is_review_due(&mut self) -> bool {
        let total = self.counts.total();
        let is_due = total >= self.next_review;
        if is_due {
            self.next_review = total + total.min(REVIEW_RECORDS).max(total / REVIEW_PART);
        }
        is_due
    }

    /// Every counter, heaviest key first; of equals the one of the smaller key.
    pub(super) fn ranked(&self) -> Vec<Counter> {
        let mut counters: Vec<_> = self.counts.counters().collect();
        counters.sort_unstable_by(|a, b| b.count.cmp(&a.count).then(a.key.cmp(&b.key)));
        counters
    }

    /// What part of all records `records` are.
    #[allow(clippy::cast_precision_loss)] // a share; counts are far below 2⁵³
    pub(super) fn share(&self, records: u64) -> f64 {
        records as f64 / self.counts.total() as f64
    }
}
