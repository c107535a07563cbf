//! Dropping the key of a record whose key is over its budget.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::splitmix::{below, splitmix64};
use std::hash::{BuildHasherDefault, Hasher};

use super::hash_draw::{HashedKey, candidate};
use super::source::{Choose, Source};

/// Records of a window, after which all budgets are full again.
const WINDOW_RECORDS: u32 = 16_384;

/// `key-dropping`: a key is hashed until it has used up its budget of the window, and then goes anywhere.
///
/// Sentry's Relay does so to its span topics: `key_rate_limit` counts each partition key in a fixed window, and a record over
/// the limit is sent without its key, to a random partition. There window and limit are configured in seconds and records. Here
/// both follow from the traffic: a window is 16,384 records, and a key's budget half of a partition's mean share of it,
/// 8,192/n, at least 1, so that a hot key adds at most as much again to its partition as it leaves. Breaks entity order of just the
/// heavy keys. Memory for the keys of one window; constant time a record.
#[derive(Clone, Debug)]
pub struct KeyDropping {
    count: PartitionCount,
    seed: u64,
    draws: u64,
    budget: u32,
    window_left: u32,
    /// Records of each key in this window.
    records: HashMap<u64, u32, BuildHasherDefault<AsIs>>,
}

impl KeyDropping {
    /// What one producer remembers of a topic of `count` partitions; random partitions are drawn by `seed`.
    #[must_use]
    pub fn new(count: PartitionCount, seed: u64) -> Self {
        Self {
            count,
            seed,
            draws: 0,
            budget: (WINDOW_RECORDS / 2 / count.get()).max(1),
            window_left: WINDOW_RECORDS,
            records: HashMap::with_capacity_and_hasher(
                WINDOW_RECORDS as usize,
                BuildHasherDefault::default(),
            ),
        }
    }

    /// The strategy, under the hashes of `seed`.
    #[must_use]
    pub fn strategy(seed: u64) -> Source<Self> {
        Source::new(seed, Self::new)
    }

    #[inline]
    fn pass(&mut self) {
        self.window_left -= 1;
        if self.window_left == 0 {
            self.records.clear();
            self.window_left = WINDOW_RECORDS;
        }
    }
}

impl Choose for KeyDropping {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        let has_budget = match self.records.entry(key.entity) {
            Entry::Vacant(entry) => {
                entry.insert(1);
                true
            }
            Entry::Occupied(mut entry) => {
                let has_budget = *entry.get() < self.budget;
                *entry.get_mut() += u32::from(has_budget);
                has_budget
            }
        };
        self.pass();
        if has_budget {
            return candidate(key.entity, 0, self.count);
        }
        let random = splitmix64(self.seed, self.draws);
        self.draws += 1;
        PartitionIndex::new(below(random, self.count.get()))
    }

    #[inline]
    fn placed(&mut self, _: PartitionIndex) {
        self.pass();
    }
}

/// Takes a key's hash for its hash.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AsIs(u64);

impl Hasher for AsIs {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn key(hash: u64) -> HashedKey {
        HashedKey { entity: hash, tenant: hash }
    }

    #[test]
    fn a_key_stays_until_its_budget_is_used_up_and_again_in_the_next_window() {
        let mut dropping = KeyDropping::new(PartitionCount::new(8).unwrap(), 3);
        let (hot, home) = (77, candidate(77, 0, PartitionCount::new(8).unwrap()));
        for _ in 0..3 {
            let placed: Vec<_> = (0..WINDOW_RECORDS).map(|_| dropping.choose(key(hot))).collect();
            let (within, over) = placed.split_at(8_192 / 8);
            assert!(within.iter().all(|&partition| partition == home));
            assert_eq!(over.iter().collect::<BTreeSet<_>>().len(), 8, "anywhere");
        }
    }

    #[test]
    fn light_keys_stay_for_good() {
        let eight = PartitionCount::new(8).unwrap();
        let mut dropping = KeyDropping::new(eight, 3);
        for record in 0..50_000 {
            let hash = splitmix64(4, record % 997);
            assert_eq!(dropping.choose(key(hash)), candidate(hash, 0, eight));
        }
    }
}
