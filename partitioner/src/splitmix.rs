//! Random numbers that are a function of a seed and an index, the same on every machine.

/// The `index`-th output of SplitMix64 (Steele, Lea, Flood 2014) started at `seed`.
///
/// ```
/// assert_eq!(partitioner::splitmix::splitmix64(1_234_567, 0), 6_457_827_717_110_365_317);
/// ```
#[inline]
#[must_use]
pub fn splitmix64(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number in `0..limit` from 64 random bits; 0 when `limit` is 0.
///
/// ```
/// assert_eq!(partitioner::splitmix::below(u64::MAX / 2, 12), 5);
/// ```
#[inline]
#[must_use]
#[allow(clippy::cast_possible_truncation)] // below `limit`
pub fn below(random: u64, limit: u32) -> u32 {
    below_u64(random, u64::from(limit)) as u32
}

/// A number in `0..limit` from 64 random bits; the bias is below 2⁻⁴⁰ for limits up to 2²⁴.
#[inline]
#[allow(clippy::cast_possible_truncation)] // below `limit`
pub(crate) fn below_u64(random: u64, limit: u64) -> u64 {
    ((u128::from(random) * u128::from(limit)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_reference_implementation() {
        // The first outputs of `splitmix64.c` (Vigna, 2015) and of Java's SplittableRandom for seed 1234567.
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|index| splitmix64(1_234_567, index)), expected);
    }

    #[test]
    fn numbers_stay_below_the_limit_and_reach_every_value() {
        let mut counts = [0u32; 5];
        for index in 0..10_000 {
            counts[below(splitmix64(1, index), 5) as usize] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(2_000) < 200), "{counts:?}");
        assert_eq!(below(u64::MAX, 7), 6);
    }
}
