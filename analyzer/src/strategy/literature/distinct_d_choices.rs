//! D-Choices with distinct partitions and a check of those that were drawn.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::splitmix::{below, splitmix64};

use super::fluid_balance::FluidBalance;
use super::hash_draw::{DistinctDraw, HashedKey};
use super::heads::{COUNTERS, Heads};
use super::ranked_counts::RankedCounts;
use super::source::{Choose, Source};
use super::space_saving::Counter;
use super::w_choices::lightest_of;

/// Standard deviations by which what is not known of the light keys may turn out worse than expected.
const DEVIATIONS: f64 = 2.0;

/// Loads closer than this, as shares of all records, are equal.
const GAP: f64 = 1e-5;

/// `d-choices-distinct`: D-Choices that holds in every draw.
///
/// [D-Choices](super::DChoices) draws a heavy key's partitions with replacement, so that it may have fewer than d, and chooses
/// d by the number of partitions that heads are *expected* to have among them; the smaller n, the more often a draw is
/// worse than that. Here the partitions of a key are distinct, and d is the smallest number for which those that were
/// drawn suffice: the counted keys, light ones with their two included, are divided among their partitions as evenly as
/// they can be, and no set U of the fullest partitions may be left with more than its share |U|/n, light keys that have no
/// counter included as they are expected to be, and two standard deviations more. That is the condition of Hall's theorem
/// where the paper looks at one set of partitions for each prefix of the head. d is found anew when it is for D-Choices,
/// from the last one on upwards or downwards, as if fewer were never enough where more are not. Breaks entity order. A heavy key's record costs up to d loads, any
/// other constant time.
#[derive(Clone, Debug)]
pub struct DistinctDChoices {
    count: PartitionCount,
    loads: RankedCounts,
    heads: Heads,
    choices: u32,
    /// Of each counter: the key that it had when d was found, and where its partitions are, if it was a head.
    sets: Vec<(u64, std::ops::Range<usize>)>,
    partitions: Vec<u32>,
    draw: DistinctDraw,
    fluid: FluidBalance,
}

impl DistinctDChoices {
    /// What one producer remembers of a topic of `count` partitions.
    #[must_use]
    pub fn new(count: PartitionCount) -> Self {
        Self {
            count,
            loads: RankedCounts::new(count.get()),
            heads: Heads::new(count),
            choices: 2.min(count.get()),
            sets: vec![(0, 0..0); COUNTERS as usize],
            partitions: Vec::new(),
            draw: DistinctDraw::new(count),
            fluid: FluidBalance::default(),
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

    /// Finds d and the partitions of every head.
    fn review(&mut self) {
        let ranked = self.heads.ranked();
        let all = self.count.get();
        let heaviest = ranked.first().map_or(0.0, |counter| self.heads.share(counter.count));
        // The first head alone needs p₁·n partitions.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast of a float saturates
        let least = ((heaviest * f64::from(all)).ceil() as u32).clamp(2.min(all), all);
        self.choices = self.fewest(&ranked, least);
        self.sets.fill((0, 0..0));
        self.partitions.clear();
        if self.choices == all {
            return;
        }
        for counter in ranked.iter().take_while(|counter| self.heads.is_head(counter.number)) {
            let start = self.partitions.len();
            self.draw.draw(counter.key, self.choices, &mut self.partitions);
            self.sets[counter.number as usize] = (counter.key, start..self.partitions.len());
        }
    }

    /// The smallest number of choices, `least` or more, that is enough; above 256 it may be up to 1/128 too large.
    fn fewest(&mut self, ranked: &[Counter], least: u32) -> u32 {
        let all = self.count.get();
        let mut choices = self.choices.max(least);
        let is_too_few = |rule: &mut Self, choices| {
            choices < all && !Heads::are_too_many(choices) && !rule.is_enough(ranked, choices)
        };
        while is_too_few(self, choices) {
            choices = (choices + (choices / 128).max(1)).min(all);
        }
        // What was enough before may be more than is needed now; unless it has just been found too few.
        while choices > least && choices <= self.choices {
            let fewer = (choices - (choices / 128).max(1)).max(least);
            if is_too_few(self, fewer) {
                break;
            }
            choices = fewer;
        }
        if Heads::are_too_many(choices) { all } else { choices }
    }

    fn is_enough(&mut self, ranked: &[Counter], choices: u32) -> bool {
        let n = f64::from(self.count.get());
        self.fluid.clear(self.count.as_usize());
        let (mut known, mut lightest) = (0.0, 1.0);
        for counter in ranked {
            // What a key took over from another belongs to those without a counter.
            let share = self.heads.share(counter.count - counter.error);
            let wanted = if self.heads.is_head(counter.number) { choices } else { 2 };
            self.partitions.clear();
            self.draw.draw(counter.key, wanted, &mut self.partitions);
            self.fluid.add(share, &self.partitions);
            known += share;
            lightest = self.heads.share(counter.count).min(lightest);
        }
        let unknown = (1.0 - known).max(0.0);
        let (mut size, mut load) = (0.0, 0.0);
        let loads = self.fluid.descending_loads();
        loads.windows(2).all(|pair| {
            (size, load) = (size + 1.0, load + pair[0]);
            // Within equal loads there is no set that gives nothing away.
            if pair[0] - pair[1] < GAP {
                return true;
            }
            // Both partitions of a key without a counter are among these with this probability, and none of those keys is
            // heavier than the lightest that has one.
            let inside = size * (size - 1.0) / (n * (n - 1.0));
            let variance = lightest * unknown * inside * (1.0 - inside);
            load + unknown * inside + DEVIATIONS * libm::sqrt(variance) <= size / n
        })
    }

    /// The less loaded of a key's first two distinct partitions.
    #[inline]
    fn lighter_of_two(&self, key: u64) -> PartitionIndex {
        let all = self.count.get();
        let first = below(splitmix64(key, 0), all);
        if all == 1 {
            return PartitionIndex::new(first);
        }
        // As `DistinctDraw` has it: partition 0 has taken the place of the first.
        let place = 1 + below(splitmix64(key, 1), all - 1);
        let second = if place == first { 0 } else { place };
        let is_second = self.loads.count(second) < self.loads.count(first);
        PartitionIndex::new(if is_second { second } else { first })
    }
}

impl Choose for DistinctDChoices {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        let number = self.heads.add(key.entity);
        if self.heads.is_review_due() {
            self.review();
        }
        let of_head = if !self.heads.is_head(number) {
            None
        } else if self.choices == self.count.get() {
            Some(PartitionIndex::new(self.loads.least()))
        } else {
            let (known, range) = &self.sets[number as usize];
            lightest_of(&self.loads, &self.partitions[range.clone()]).filter(|_| *known == key.entity)
        };
        let chosen = of_head.unwrap_or_else(|| self.lighter_of_two(key.entity));
        self.loads.raise(chosen.get());
        chosen
    }

    #[inline]
    fn placed(&mut self, partition: PartitionIndex) {
        self.loads.raise(partition.get());
    }
}
