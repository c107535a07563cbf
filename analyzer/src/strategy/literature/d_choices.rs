//! D-Choices: heavy keys have as many partitions as they need.

use partitioner::ids::{PartitionCount, PartitionIndex};

use super::hash_draw::{HashedKey, candidate};
use super::heads::{COUNTERS, Heads};
use super::ranked_counts::RankedCounts;
use super::source::{Choose, Source};
use super::w_choices::{lighter_of_two, lightest_of};

/// The imbalance I/m that is to be reached, the paper's ε.
pub const TOLERANCE: f64 = 1e-4;

/// `d-choices`: a record of a heavy key goes to the least loaded of d partitions of the key, others to the less loaded of their
/// key's two.
///
/// Nasir, De Francisci Morales, Kourtellis, Serafini, "When Two Choices Are Not Enough", ICDE 2016, with θ = 1/(5n), ε = 10⁻⁴ and
/// a Space-Saving of 100 counters. d follows by [`fewest_choices`] from what the head's keys are sure to have had, and grows to
/// W-Choices, all n. The paper does not say when; here d is found anew after 64 records, after twice as many and so on, then
/// after every 8,192, and in the end whenever there are 1/16 more. Above 1,310 d counts as n. As in the paper the d hashes are
/// independent, so that two may be the same partition, and the inequality is about expected numbers of partitions: both fail
/// at times, the more often the smaller n, see [`DistinctDChoices`](super::DistinctDChoices). Breaks entity order. A heavy
/// key's record costs up to d loads, any other constant time.
#[derive(Clone, Debug)]
pub struct DChoices {
    count: PartitionCount,
    loads: RankedCounts,
    heads: Heads,
    choices: u32,
    /// Of each counter: the partitions of the key that it had when they were last needed.
    sets: Vec<CandidateSet>,
}

#[derive(Clone, Debug, Default)]
struct CandidateSet {
    key: u64,
    choices: u32,
    partitions: Vec<u32>,
}

impl DChoices {
    /// What one producer remembers of a topic of `count` partitions.
    #[must_use]
    pub fn new(count: PartitionCount) -> Self {
        Self {
            count,
            loads: RankedCounts::new(count.get()),
            heads: Heads::new(count),
            choices: 2,
            sets: vec![CandidateSet::default(); COUNTERS as usize],
        }
    }

    /// The strategy, under the hashes of `seed`.
    #[must_use]
    pub fn strategy(seed: u64) -> Source<Self> {
        Source::new(seed, |count, _| Self::new(count))
    }

    /// The number of choices of a heavy key now; all partitions when it is their number.
    #[must_use]
    pub fn choices(&self) -> u32 {
        self.choices
    }

    fn review(&mut self) {
        let heads = self.heads.ranked().into_iter().filter(|counter| self.heads.is_head(counter.number));
        // What a key took over from others is no share of its own.
        let shares = heads.map(|counter| self.heads.share(counter.count - counter.error));
        let mut shares: Vec<f64> = shares.collect();
        shares.sort_unstable_by(|a, b| b.total_cmp(a));
        let choices = fewest_choices(self.count, &shares, TOLERANCE);
        self.choices = if Heads::are_too_many(choices) { self.count.get() } else { choices };
    }

    fn lightest_of_set(&mut self, number: u32, key: u64) -> Option<PartitionIndex> {
        let set = &mut self.sets[number as usize];
        if (set.key, set.choices) != (key, self.choices) {
            set.partitions.clear();
            set.partitions.extend((0..self.choices).map(|index| candidate(key, index, self.count).get()));
            (set.key, set.choices) = (key, self.choices);
        }
        lightest_of(&self.loads, &set.partitions)
    }
}

impl Choose for DChoices {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        let number = self.heads.add(key.entity);
        if self.heads.is_review_due() {
            self.review();
        }
        let of_head = if !self.heads.is_head(number) {
            None
        } else if self.choices >= self.count.get() {
            Some(PartitionIndex::new(self.loads.least()))
        } else {
            self.lightest_of_set(number, key.entity)
        };
        let chosen = of_head.unwrap_or_else(|| lighter_of_two(&self.loads, key, self.count));
        self.loads.raise(chosen.get());
        chosen
    }

    #[inline]
    fn placed(&mut self, partition: PartitionIndex) {
        self.loads.raise(partition.get());
    }
}

/// The smallest d, 2 to n, that fulfils the paper's inequality for every prefix of the head, whose shares come heaviest first;
/// n when none does.
///
/// With b = n − n((n−1)/n)^(h·d), the partitions that h heads are expected to have among them:
/// Σ_{i≤h} p_i + (b/n)^d Σ_{h<i≤H} p_i + (b/n)² Σ_{i>H} p_i ≤ b/n + ε. Above 256 the result may be up to 1/128 too large.
///
/// ```
/// use analyzer::strategy::literature::fewest_choices;
/// use partitioner::ids::PartitionCount;
///
/// let ten = PartitionCount::new(10).unwrap();
/// assert_eq!(fewest_choices(ten, &[0.02, 0.02], 1e-4), 2);
/// assert_eq!(fewest_choices(ten, &[0.9], 1e-4), 10);
/// ```
#[must_use]
pub fn fewest_choices(count: PartitionCount, head_shares: &[f64], tolerance: f64) -> u32 {
    let (n, all) = (f64::from(count.get()), count.get());
    let head: f64 = head_shares.iter().sum();
    let tail = (1.0 - head).max(0.0);
    let missed_by_one = libm::log1p(-1.0 / n);
    let is_enough = |choices: u32| {
        let (d, mut drawn, mut prefix) = (f64::from(choices), 0.0, 0.0);
        head_shares.iter().all(|share| {
            prefix += share;
            drawn += d;
            let reached = -libm::expm1(drawn * missed_by_one);
            let others = libm::exp(d * libm::log(reached)) * (head - prefix).max(0.0);
            prefix + others + reached * reached * tail <= reached + tolerance
        })
    };
    // The first head alone needs p₁·n partitions, so there is nothing to look for below.
    let heaviest = head_shares.first().copied().unwrap_or(0.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast of a float saturates
    let mut choices = (((heaviest - tolerance) * n).ceil() as u32).max(2);
    while choices < all && !is_enough(choices) {
        choices += (choices / 128).max(1);
    }
    choices.min(all)
}
