//! Distinct counts and the largest units: exact while all keys are at hand, by sketch beyond.

use datasketches::common::NumStdDev;
use datasketches::error::Error;
use datasketches::frequencies::{ErrorType, FrequentItemsSketch};
use datasketches::hll::{HllSketch, HllType};
use foldhash::quality::FixedState;
use std::hash::{BuildHasher, Hash, Hasher};

/// 2¹⁴ registers of 4 bits: relative standard error 1.04 / √2¹⁴ = 0.8 %.
const HLL_LG_REGISTERS: u8 = 14;

/// Counters of the frequent-items sketch: no count is off by more than 3.5 / 32,768 of all records.
const COUNTERS: usize = 1 << 15;

/// Keys of this many bytes and more are cut to as many, a hash of the whole at the end, so that the sketch's memory is bounded.
const ITEM_BYTES_MAX: usize = 1_024;

/// Sketches of a set of weighted byte strings: how many there are, and which are the heaviest.
#[derive(Debug)]
pub(super) struct HeavySketch {
    distinct: HllSketch,
    frequent: FrequentItemsSketch<Vec<u8>>,
}

/// A count that may be off by `error_records` either way.
#[derive(Clone, Debug)]
pub(super) struct HeavyItem {
    pub(super) name: Vec<u8>,
    pub(super) records: u64,
    pub(super) error_records: u64,
}

impl HeavyItem {
    /// Whether the name is all there, and not cut.
    pub(super) fn is_whole(&self) -> bool {
        self.name.len() < ITEM_BYTES_MAX
    }
}

/// Hashes the same on every machine and in every run, as the sketch's answer depends on it.
struct Portable(u64);

impl Hash for Portable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0);
    }
}

impl HeavySketch {
    pub(super) fn new() -> Result<Self, Error> {
        Ok(Self {
            distinct: HllSketch::new(HLL_LG_REGISTERS, HllType::Hll4)?,
            frequent: FrequentItemsSketch::new(COUNTERS)?,
        })
    }

    pub(super) fn add(&mut self, name: &[u8], records: u64) {
        let hash = hash_of(name);
        self.distinct.update(Portable(hash));
        if name.len() < ITEM_BYTES_MAX {
            self.frequent.update_with_count_ref(name, records);
        } else {
            let cut = &name[..ITEM_BYTES_MAX - 8];
            self.frequent.update_with_count([cut, &hash.to_le_bytes()].concat(), records);
        }
    }

    /// Number of distinct strings, and its relative standard error.
    pub(super) fn distinct(&self) -> (f64, f64) {
        let estimate = self.distinct.estimate();
        let upper = self.distinct.upper_bound(NumStdDev::One);
        (estimate, if estimate > 0.0 { (upper - estimate) / estimate } else { 0.0 })
    }

    /// The heaviest strings, heaviest first; none that is heavier than the last is left out but for the error.
    pub(super) fn heaviest(&self) -> Vec<HeavyItem> {
        let rows = self.frequent.frequent_items(ErrorType::NoFalseNegatives);
        let mut items: Vec<_> = rows
            .iter()
            .map(|row| HeavyItem {
                name: row.item().clone(),
                records: row.estimate(),
                error_records: row.upper_bound() - row.lower_bound(),
            })
            .collect();
        items.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
        items
    }
}

fn hash_of(name: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_and_the_number_of_many_are_found_within_the_stated_error() {
        let mut sketch = HeavySketch::new().unwrap();
        for i in 0..200_000u32 {
            sketch.add(format!("key-{i}").as_bytes(), 1 + u64::from(i % 3));
            if i % 20 == 0 {
                sketch.add(b"whale", 10);
            }
        }
        let (distinct, relative_error) = sketch.distinct();
        assert!(
            (distinct - 200_001.0).abs() < 4.0 * relative_error * 200_001.0,
            "{distinct} ± {relative_error}"
        );
        let whale = &sketch.heaviest()[0];
        assert_eq!(whale.name, b"whale");
        assert!(whale.records.abs_diff(100_000) <= whale.error_records, "{whale:?}");
    }

    #[test]
    fn long_keys_are_told_apart_and_cut() {
        let mut sketch = HeavySketch::new().unwrap();
        let long = |last: u8| [vec![b'x'; 70_000], vec![last]].concat();
        sketch.add(&long(1), 5);
        sketch.add(&long(2), 7);
        let heaviest = sketch.heaviest();
        assert_eq!(heaviest.iter().map(|item| item.records).collect::<Vec<_>>(), [7, 5]);
        assert!(heaviest.iter().all(|item| item.name.len() == ITEM_BYTES_MAX && !item.is_whole()));
    }
}
