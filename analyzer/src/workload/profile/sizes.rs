//! Sizes of records.

use rand_distr::{Distribution, LogNormal, Pareto};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::traffic::below;

/// How many sizes a run draws from.
pub(super) const TABLE_LEN: usize = 4_096;

/// The largest record, 1 GiB: Kafka carries a record's size as a signed 32-bit number.
pub(super) const RECORD_BYTES_MAX: u32 = 1 << 30;

/// The default limit of a record's size, 1 MiB: what a broker takes unless `message.max.bytes` says otherwise.
pub(super) const MAX_BYTES_DEFAULT: u32 = 1 << 20;

/// The size of every record where a profile says nothing of sizes.
pub(super) const CONSTANT_BYTES_DEFAULT: u32 = 1_000;

/// A distribution of record sizes in bytes, key and value together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sizes {
    pub(super) distribution: SizeDistribution,
    /// Smaller draws become this.
    pub(super) min_bytes: u32,
    /// Larger draws become this; not below `min_bytes`.
    pub(super) max_bytes: u32,
}

/// The distributions themselves; their numbers are checked when a profile is read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SizeDistribution {
    Constant { bytes: u32 },
    Uniform { from_bytes: u32, to_bytes: u32 },
    LogNormal(LogNormal<f64>),
    Pareto(Pareto<f64>),
}

impl Default for Sizes {
    fn default() -> Self {
        let distribution = SizeDistribution::Constant { bytes: CONSTANT_BYTES_DEFAULT };
        Self { distribution, min_bytes: 1, max_bytes: MAX_BYTES_DEFAULT }
    }
}

impl Sizes {
    /// [`TABLE_LEN`] sizes, entry `i` drawn with `rng(i)`.
    ///
    /// A run draws from this table and not from the distribution, for speed, and so that its output is the same on
    /// every machine: `exp` and `ln` differ in the last bit between platforms, which rounding to whole bytes hides.
    /// Each entry has its own generator, so an entry that needs one draw more does not shift those after it.
    pub(super) fn table(&self, mut rng: impl FnMut(u64) -> Xoshiro256PlusPlus) -> Box<[u32; TABLE_LEN]> {
        let mut table = Box::new([0; TABLE_LEN]);
        for (entry, bytes) in (0..).zip(table.iter_mut()) {
            *bytes = self.draw(&mut rng(entry));
        }
        table
    }

    fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> u32 {
        let bytes = match &self.distribution {
            SizeDistribution::Constant { bytes } => f64::from(*bytes),
            SizeDistribution::Uniform { from_bytes, to_bytes } => {
                f64::from(from_bytes + below(rng.next_u64(), to_bytes - from_bytes + 1))
            }
            SizeDistribution::LogNormal(distribution) => distribution.sample(rng),
            SizeDistribution::Pareto(distribution) => distribution.sample(rng),
        };
        let bytes = bytes.round().clamp(f64::from(self.min_bytes), f64::from(self.max_bytes));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped to two u32
        let bytes = bytes as u32;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::profile::traffic::stream;

    fn table(distribution: SizeDistribution, min_bytes: u32, max_bytes: u32) -> Vec<u32> {
        let mut table =
            Sizes { distribution, min_bytes, max_bytes }.table(|entry| stream(42, entry)).to_vec();
        table.sort_unstable();
        table
    }

    #[test]
    fn a_uniform_size_reaches_both_ends_and_nothing_else() {
        let table = table(SizeDistribution::Uniform { from_bytes: 10, to_bytes: 13 }, 1, 100);
        assert_eq!((table[0], table[TABLE_LEN - 1]), (10, 13));
        let each = [10, 11, 12, 13].map(|bytes| table.iter().filter(|&&size| size == bytes).count());
        assert!(each.iter().all(|&count| (900..1_150).contains(&count)), "{each:?}");
    }

    #[test]
    fn a_lognormal_size_has_its_median_and_its_spread() {
        let table =
            table(SizeDistribution::LogNormal(LogNormal::new(libm::log(400.0), 0.8).unwrap()), 1, 1 << 20);
        assert!((370..430).contains(&table[TABLE_LEN / 2]), "{}", table[TABLE_LEN / 2]);
        // One σ above the median: 400 × e^0.8 = 890 at the 84.1st percentile.
        assert!((820..960).contains(&table[TABLE_LEN * 841 / 1000]), "{}", table[TABLE_LEN * 841 / 1000]);
    }

    #[test]
    fn a_pareto_size_is_clamped_at_both_ends() {
        let table = table(SizeDistribution::Pareto(Pareto::new(100.0, 1.0).unwrap()), 150, 1_000);
        assert_eq!((table[0], table[TABLE_LEN - 1]), (150, 1_000));
        // A third of the draws lie below 1.5 × the scale, a tenth above 10 × it.
        let at = |bytes| table.iter().filter(|&&size| size == bytes).count();
        assert!((1_200..1_530).contains(&at(150)), "{}", at(150));
        assert!((320..500).contains(&at(1_000)), "{}", at(1_000));
    }
}
