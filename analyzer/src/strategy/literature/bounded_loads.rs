//! Consistent hashing with bounded loads.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::splitmix::splitmix64;

use super::hash_draw::HashedKey;
use super::source::{Choose, Loads, Source};

/// A partition takes 5/4 of the mean, the paper's c = 1 + ε = 1.25.
const CAPACITY: (u64, u64) = (5, 4);

/// Points of a partition on the circle, while there are few.
const POINTS: u32 = 64;

/// Points of all partitions together, while one each is not more.
const POINTS_MAX: u32 = 1 << 18;

/// `bounded-loads`: a key goes to the next partition on a circle of hashes that has room.
///
/// Mirrokni, Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018, <https://arxiv.org/abs/1608.01350>. Of m
/// records so far no partition has more than ⌈1.25 · m/n⌉, so max/mean is at most 1.25 but for rounding. A key stays on its
/// partition as long as that has room and moves on when it is full, and records never move after the fact as the paper's
/// balls do: a heavy key is split over as many partitions as it fills, so entity order breaks, while light keys mostly
/// stay. Up to 64 points a partition on the circle; expected constant time a record.
#[derive(Clone, Debug)]
pub struct BoundedLoads {
    circle: Circle,
    loads: Loads,
    records: u64,
}

impl BoundedLoads {
    /// What one producer remembers of a topic of `count` partitions; the circle is drawn by `seed`.
    #[must_use]
    pub fn new(count: PartitionCount, seed: u64) -> Self {
        Self { circle: Circle::new(count, seed), loads: Loads::new(count), records: 0 }
    }

    /// The strategy, under the hashes of `seed`.
    #[must_use]
    pub fn strategy(seed: u64) -> Source<Self> {
        Source::new(seed, Self::new)
    }
}

impl Choose for BoundedLoads {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        self.records += 1;
        let (above, below) = CAPACITY;
        let capacity = (self.records * above).div_ceil(self.circle.count * below);
        // Together they hold more than all records, so one has room.
        let has_room = |&partition: &PartitionIndex| self.loads.of(partition) < capacity;
        let chosen = self.circle.from(key.entity).find(has_room);
        let chosen = chosen.expect("the capacities add up to more than the records");
        self.loads.add(chosen);
        chosen
    }

    #[inline]
    fn placed(&mut self, partition: PartitionIndex) {
        self.records += 1;
        self.loads.add(partition);
    }
}

/// Points on a circle, each a partition's.
#[derive(Clone, Debug)]
struct Circle {
    count: u64,
    /// Points in order, with their partitions.
    points: Vec<(u64, PartitionIndex)>,
    /// For each equal part of the circle the first point at or behind its start.
    starts: Vec<u32>,
    /// A position's part is what is left after this shift.
    shift: u32,
}

impl Circle {
    fn new(count: PartitionCount, seed: u64) -> Self {
        let each = (POINTS_MAX / count.get()).clamp(1, POINTS);
        let point = |partition: u32, turn: u32| {
            (
                splitmix64(splitmix64(seed, u64::from(partition)), u64::from(turn)),
                PartitionIndex::new(partition),
            )
        };
        let partitions = 0..count.get();
        let mut points: Vec<_> =
            partitions.flat_map(|partition| (0..each).map(move |turn| point(partition, turn))).collect();
        points.sort_unstable();
        // As many parts as points, so that a part has one or two.
        let bits = points.len().next_power_of_two().ilog2().max(1);
        let shift = 64 - bits;
        let first = |part: u64| points.partition_point(|(at, _)| *at < part << shift);
        let starts = (0..1u64 << bits).map(|part| u32::try_from(first(part)).unwrap_or(u32::MAX)).collect();
        Self { count: u64::from(count.get()), points, starts, shift }
    }

    /// The partitions of the points from a position on, once around.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // fewer parts than 2³²
    fn from(&self, position: u64) -> impl Iterator<Item = PartitionIndex> {
        let start = self.starts[(position >> self.shift) as usize] as usize;
        let within = self.points[start..].iter().take_while(|(at, _)| *at < position).count();
        let (before, behind) = self.points.split_at(start + within);
        behind.iter().chain(before).map(|(_, partition)| *partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(count: u32) -> PartitionCount {
        PartitionCount::new(count).unwrap()
    }

    fn key(hash: u64) -> HashedKey {
        HashedKey { entity: hash, tenant: hash }
    }

    #[test]
    fn the_walk_starts_at_the_next_point_and_visits_each_once() {
        for partitions in [1, 2, 3, 12, 500] {
            let circle = Circle::new(count(partitions), 7);
            let positions = [0, 1, u64::MAX, u64::MAX / 2];
            for position in positions.into_iter().chain((0..300).map(|index| splitmix64(1, index))) {
                let (before, behind): (Vec<_>, Vec<_>) =
                    circle.points.iter().partition(|(at, _)| *at < position);
                let expected = behind.iter().chain(&before).map(|(_, partition)| *partition);
                assert!(circle.from(position).eq(expected), "{position} of {partitions}");
            }
        }
    }

    #[test]
    fn no_partition_has_more_than_its_capacity_at_any_time() {
        let mut bounded = BoundedLoads::new(count(7), 3);
        let mut loads = [0u64; 7];
        for record in 1..5_000u64 {
            // One key has half of the records.
            let hash = if record % 2 == 0 { 11 } else { splitmix64(5, record) };
            loads[bounded.choose(key(hash)).as_usize()] += 1;
            assert!(*loads.iter().max().unwrap() <= (record * 5).div_ceil(28), "{loads:?} of {record}");
        }
        assert!(loads.iter().all(|&load| load > 0));
    }

    #[test]
    fn a_key_stays_where_there_is_room() {
        let mut bounded = BoundedLoads::new(count(12), 3);
        let hashes: Vec<u64> = (0..5_000).map(|index| splitmix64(5, index)).collect();
        let mut home = |hash| bounded.choose(key(hash)) == bounded.circle.from(hash).next().unwrap();
        let at_home = hashes.iter().filter(|&&hash| home(hash)).count();
        assert!(at_home > 4_500, "keys of one record each hardly fill a partition: {at_home}");
    }
}
