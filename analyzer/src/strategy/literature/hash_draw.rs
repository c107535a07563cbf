//! The hashes of a strategy: drawn once by a seed, the same on every machine.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::splitmix::{below, splitmix64};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A draw of hash functions: XXH3 with a seed, and of its 64 bits as many more as are wanted by SplitMix64.
///
/// Papers take the hashes of a strategy for independent and random; to repeat their experiments is to draw again. Kafka's
/// own murmur2 has no seed, so a strategy of this room places nothing where a client would.
#[derive(Clone, Copy, Debug)]
pub struct HashDraw {
    seed: u64,
}

/// The hashes of a record's key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HashedKey {
    /// Of the whole key.
    pub entity: u64,
    /// Of the tenant that stands in the key; of the whole key, where that has no tenant.
    pub tenant: u64,
}

impl HashDraw {
    /// The draw of that seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The hash of some bytes.
    #[inline]
    #[must_use]
    pub fn hash(self, bytes: &[u8]) -> u64 {
        xxh3_64_with_seed(bytes, self.seed)
    }

    /// The hashes of a key of `format`; without a format its tenant is the whole key.
    #[inline]
    #[must_use]
    pub fn key(self, key: &[u8], format: Option<KeyFormat>) -> HashedKey {
        let entity = self.hash(key);
        let tenant = format.and_then(|format| format.decode(key).ok());
        HashedKey { entity, tenant: tenant.map_or(entity, |key| self.hash(&key.tenant)) }
    }
}

impl HashedKey {
    /// Where a plain hash places the whole key, which is also the first of its independent choices.
    #[inline]
    #[must_use]
    pub fn first_choice(self, count: PartitionCount) -> PartitionIndex {
        candidate(self.entity, 0, count)
    }
}

/// The `index`-th of the independent choices that a hash stands for; two of them may be the same partition.
#[inline]
pub(super) fn candidate(hash: u64, index: u32, count: PartitionCount) -> PartitionIndex {
    PartitionIndex::new(below(splitmix64(hash, u64::from(index)), count.get()))
}

/// Draws distinct partitions.
#[derive(Clone, Debug)]
pub(super) struct DistinctDraw {
    /// Every partition in its own place, but for the time of a draw.
    partitions: Vec<u32>,
    /// Places that changed partitions, in order.
    swapped: Vec<usize>,
}

impl DistinctDraw {
    pub(super) fn new(count: PartitionCount) -> Self {
        Self { partitions: (0..count.get()).collect(), swapped: Vec::new() }
    }

    /// Appends the first `wanted` distinct choices of a hash to `chosen`, in the order in which they are drawn: fewer are
    /// the beginning of more. More than there are partitions give all of them.
    pub(super) fn draw(&mut self, hash: u64, wanted: u32, chosen: &mut Vec<u32>) {
        let all = self.partitions.len();
        // Fisher and Yates, undone afterwards.
        for (turn, at) in (0..wanted).zip(0..all) {
            let left = u32::try_from(all - at).unwrap_or(u32::MAX);
            let place = at + below(splitmix64(hash, u64::from(turn)), left) as usize;
            self.partitions.swap(at, place);
            self.swapped.push(place);
            chosen.push(self.partitions[at]);
        }
        for at in (0..self.swapped.len()).rev() {
            self.partitions.swap(at, self.swapped[at]);
        }
        self.swapped.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn hashes_are_xxh3_and_frozen() {
        // `xxhsum -H3` and xxHash's own sanity check: the empty input with seed 0.
        assert_eq!(HashDraw::new(0).hash(b""), 0x2d06_8005_38d3_94c2);
        assert_ne!(HashDraw::new(1).hash(b"a"), HashDraw::new(2).hash(b"a"));
    }

    #[test]
    fn a_tenant_is_hashed_as_it_is_called_and_a_malformed_key_whole() {
        let (draw, format) = (HashDraw::new(7), Some(KeyFormat::default()));
        assert_eq!(draw.key(br"a\:b:1", format).tenant, draw.hash(b"a:b"));
        assert_eq!(draw.key(b"no-separator", format).tenant, draw.hash(b"no-separator"));
        assert_eq!(draw.key(b"a:1", None).tenant, draw.hash(b"a:1"));
        assert_eq!(draw.key(b"a:1", format).entity, draw.hash(b"a:1"));
    }

    #[test]
    fn distinct_candidates_are_distinct_nested_and_each_set_about_equally_often() {
        let mut sets = BTreeMap::<Vec<u32>, u32>::new();
        let mut draw = DistinctDraw::new(PartitionCount::new(4).unwrap());
        for key in 0..6_000u64 {
            let (mut first, mut chosen) = (Vec::new(), Vec::new());
            draw.draw(splitmix64(9, key), 2, &mut first);
            draw.draw(splitmix64(9, key), 9, &mut chosen);
            assert_eq!(chosen[..2], first);
            assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), 4, "all of them, once");
            chosen.truncate(2);
            chosen.sort_unstable();
            *sets.entry(chosen).or_default() += 1;
        }
        // Six pairs of 4 partitions; five standard deviations of a binomial with mean 1,000.
        assert_eq!(sets.len(), 6);
        assert!(sets.values().all(|times| times.abs_diff(1_000) < 150), "{sets:?}");
    }
}
