//! Space-Saving: the heaviest keys of a stream in bounded memory.

use hashbrown::HashTable;

use super::ranked_counts::RankedCounts;

/// Counters for the heaviest of many keys, which are given by their hashes.
///
/// Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005. A key
/// without a counter takes over the smallest one. With `c` counters after `N` records a count is too high by at most
/// `N / c`, never too low, and every key with more than `N / c` records has a counter. Constant time and no allocation a
/// record. Two keys with the same 64-bit hash count as one.
///
/// ```
/// use analyzer::strategy::literature::SpaceSaving;
///
/// let mut heavy = SpaceSaving::new(2);
/// for key in [7, 7, 7, 1, 2, 7] {
///     heavy.add(key);
/// }
/// assert_eq!(heavy.total(), 6);
/// let counter = heavy.counters().find(|counter| counter.key == 7).unwrap();
/// assert_eq!((counter.count, counter.error), (4, 0));
/// ```
#[derive(Clone, Debug)]
pub struct SpaceSaving {
    ranked: RankedCounts,
    /// The key of each counter and the count that it took over.
    held: Vec<Held>,
    /// Counters by key.
    by_key: HashTable<u32>,
    total: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Held {
    key: u64,
    error: u64,
}

/// What a [`SpaceSaving`] knows of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Its number, below the number of counters; another key may take it over.
    pub number: u32,
    /// The key's hash.
    pub key: u64,
    /// At least as many as the key has had, in records.
    pub count: u64,
    /// By how many the count may be too high.
    pub error: u64,
}

impl SpaceSaving {
    /// `counters` counters, 1 to 2³¹.
    ///
    /// # Panics
    /// When `counters` is 0.
    #[must_use]
    pub fn new(counters: u32) -> Self {
        Self {
            ranked: RankedCounts::new(counters),
            held: vec![Held::default(); counters as usize],
            // Keys come and go: with room to spare the table cleans itself up without an allocation.
            by_key: HashTable::with_capacity(2 * counters as usize),
            total: 0,
        }
    }

    /// Counts one record of `key`; returns the number of its counter.
    #[inline]
    pub fn add(&mut self, key: u64) -> u32 {
        self.total += 1;
        let held = &self.held;
        let known = self.by_key.find(key, |&number| held[number as usize].key == key).copied();
        let number = known.unwrap_or_else(|| self.take_over(key));
        self.ranked.raise(number);
        number
    }

    fn take_over(&mut self, key: u64) -> u32 {
        let number = self.ranked.least();
        let error = self.ranked.count(number);
        if error > 0 {
            let old = self.held[number as usize].key;
            if let Ok(entry) = self.by_key.find_entry(old, |&other| other == number) {
                entry.remove();
            }
        }
        self.held[number as usize] = Held { key, error };
        let held = &self.held;
        self.by_key.insert_unique(key, number, |&number| held[number as usize].key);
        number
    }

    /// The key whose counter has this number; 0 while it has none.
    ///
    /// # Panics
    /// When there is no such counter.
    #[inline]
    #[must_use]
    pub fn key(&self, number: u32) -> u64 {
        self.held[number as usize].key
    }

    /// The count of the counter with this number.
    ///
    /// # Panics
    /// When there is no such counter.
    #[inline]
    #[must_use]
    pub fn count(&self, number: u32) -> u64 {
        self.ranked.count(number)
    }

    /// Records counted in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The counters that have a key, by number.
    pub fn counters(&self) -> impl Iterator<Item = Counter> {
        let counter = |(number, held): (u32, &Held)| {
            let count = self.ranked.count(number);
            Counter { number, key: held.key, count, error: held.error }
        };
        (0u32..).zip(&self.held).map(counter).filter(|counter| counter.count > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_keep_what_the_paper_promises(
            counters in 1..12u32,
            keys in prop::collection::vec(prop_oneof![2 => 0..4u64, 1 => 0..60u64], 1..400),
        ) {
            let (mut heavy, mut exact) = (SpaceSaving::new(counters), BTreeMap::<u64, u64>::new());
            for &key in &keys {
                let number = heavy.add(key);
                *exact.entry(key).or_default() += 1;
                prop_assert_eq!(heavy.key(number), key);
            }
            let total = keys.len() as u64;
            let known: BTreeMap<u64, Counter> = heavy.counters().map(|counter| (counter.key, counter)).collect();
            prop_assert_eq!(known.len(), exact.len().min(counters as usize), "each key has one counter");
            prop_assert_eq!(known.values().map(|counter| counter.count).sum::<u64>(), total);
            for (key, counter) in &known {
                let exact = exact[key];
                prop_assert!(counter.count - counter.error <= exact && exact <= counter.count);
                prop_assert!(counter.error <= total / u64::from(counters));
            }
            for (key, &count) in &exact {
                prop_assert!(known.contains_key(key) || count <= total / u64::from(counters), "{key}: {count}");
            }
        }
    }

    #[test]
    fn a_table_of_keys_that_come_and_go_does_not_grow() {
        let mut heavy = SpaceSaving::new(100);
        let bytes = heavy.by_key.allocation_size();
        (0..100_000).for_each(|key| _ = heavy.add(key));
        assert_eq!(heavy.by_key.allocation_size(), bytes);
    }
}
