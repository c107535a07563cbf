//! Which partitions are hot.

/// A hot partition carries more than 5/4 of the mean: its consumer must be a quarter larger than even load needs,
/// which is about the headroom that is commonly left.
const HOT_MEAN_NUMERATOR: u128 = 5;
const HOT_MEAN_DENOMINATOR: u128 = 4;

/// −ln of the chance that a vector of pure noise has any hot partition: e^−9.2 is 1 in 10,000.
const FALSE_ALARM_EXPONENT: f64 = 9.2;

/// The partitions that carry more than 5/4 of the mean and more than chance explains, in order.
///
/// A mean + 2σ alarm measures the hot partitions with a σ that they themselves inflate. k equally hot of n are
/// √((n − k)/k) σ above the mean however hot they are, so with n ≤ 5k it can never fire: 1 of 5, 2 of 10, 3 of 15. A
/// median is as blind once half of the partitions are hot. Here the yardstick does not come from the spread that it
/// judges: it is the σ that even traffic would have, √mean, as independent records scatter like a Poisson variable.
/// By Bernstein's inequality P(load > mean + t) ≤ e^−L for t = L/3 + √(L²/9 + 2·L·mean); L = 9.2 + ln n, rounded up,
/// keeps the chance of a false alarm below 1 in 10,000 for the whole vector, whatever n is.
///
/// Loads are counts of records. Records that come in lumps (bytes, or few large keys) scatter more than that, and then
/// the 5/4 is what decides.
///
/// ```
/// use analyzer::metrics::hot_partitions;
///
/// assert_eq!(hot_partitions(&[100, 900, 100, 100, 100]), [1]);
/// assert_eq!(hot_partitions(&[900, 100, 900, 100, 900, 100]), [0, 2, 4], "half of them");
/// assert!(hot_partitions(&[100, 103, 98, 101]).is_empty());
/// assert!(hot_partitions(&[2, 0, 1, 0]).is_empty(), "three records prove nothing");
/// ```
#[must_use]
pub fn hot_partitions(loads: &[u64]) -> Vec<usize> {
    let count = loads.len() as u128;
    let total = super::shape::total(loads);
    if total == 0 {
        return Vec::new();
    }
    let mean = total as f64 / count as f64;
    let chance_max = mean + chance_excess(mean, count);
    let is_hot = |load: u64| {
        u128::from(load) * count * HOT_MEAN_DENOMINATOR > total * HOT_MEAN_NUMERATOR
            && load as f64 > chance_max
    };
    (0..loads.len()).filter(|&partition| is_hot(loads[partition])).collect()
}

/// How far above `mean` the largest of `count` Poisson loads may be by chance.
fn chance_excess(mean: f64, count: u128) -> f64 {
    // ln n by bits: the library's logarithm may differ in its last digit between machines.
    let ln_count_max = std::f64::consts::LN_2 * f64::from(count.ilog2() + 1);
    let exponent = FALSE_ALARM_EXPONENT + ln_count_max;
    let linear = exponent / 3.0;
    linear + (linear * linear + 2.0 * exponent * mean).sqrt()
}

#[cfg(test)]
mod tests {
    use super::hot_partitions;
    use crate::metrics::Shape;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn mean_plus_two_sigma(loads: &[u64]) -> Vec<usize> {
        let shape = Shape::of(loads).unwrap();
        let mean = loads.iter().map(|&load| load as f64).sum::<f64>() / loads.len() as f64;
        let limit = mean * (1.0 + 2.0 * shape.cv());
        (0..loads.len()).filter(|&partition| loads[partition] as f64 > limit).collect()
    }

    #[test]
    fn nothing_has_no_hot_partition() {
        assert!(hot_partitions(&[]).is_empty());
        assert!(hot_partitions(&[0; 5]).is_empty());
        assert!(hot_partitions(&[1_000_000]).is_empty());
        assert!(hot_partitions(&[u64::MAX; 12]).is_empty());
    }

    #[test]
    fn largest_load_is_found() {
        assert_eq!(hot_partitions(&[0, 0, u64::MAX]), [2]);
    }

    #[test]
    fn fires_where_mean_plus_two_sigma_cannot() {
        for (hot, count) in [(1, 5), (2, 10), (3, 15)] {
            let mut loads = vec![0; count];
            loads[..hot].fill(1_000_000_000);
            assert!(mean_plus_two_sigma(&loads).is_empty());
            assert_eq!(hot_partitions(&loads), (0..hot).collect::<Vec<_>>());
        }
    }

    /// A load just above 5/4 of the mean, where noise is no question.
    #[test]
    fn five_quarters_of_the_mean_is_the_limit() {
        let at = [1_250_000, 950_000, 900_000, 900_000];
        assert!(hot_partitions(&at).is_empty());
        assert_eq!(hot_partitions(&[1_250_002, 950_000, 900_000, 899_999]), [0]);
    }

    /// Throws records at partitions evenly: false alarms are at most 1 in 10,000 vectors, and these have none.
    #[test]
    fn silent_on_noise() {
        for (count, mean) in [(2, 50), (5, 1), (12, 10), (12, 100), (48, 20), (100, 5), (1000, 1), (1000, 30)]
        {
            for seed in 0..40 {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
                let mut loads = vec![0_u64; count];
                for _ in 0..count * mean {
                    loads[random.random_range(0..count)] += 1;
                }
                assert!(hot_partitions(&loads).is_empty(), "seed {seed}, mean {mean}: {loads:?}");
            }
        }
    }

    proptest! {
        /// k of n partitions at least twice as hot as the rest are found, all of them and no others.
        #[test]
        fn finds_equally_hot_partitions(
            (hot, count) in prop::sample::select(vec![(1, 5), (2, 10), (3, 15), (1, 3), (1, 12), (6, 12), (1, 1000)]),
            cold in 1_000..1_u64 << 40,
            times in 2..1_000_u64,
            rotation in any::<prop::sample::Index>(),
        ) {
            let mut loads = vec![cold; count];
            loads[..hot].fill(cold * times);
            let by = rotation.index(count);
            loads.rotate_right(by);
            let mut expected: Vec<usize> = (0..hot).map(|partition| (partition + by) % count).collect();
            expected.sort_unstable();
            prop_assert_eq!(hot_partitions(&loads), expected);
        }

        #[test]
        fn silent_within_a_quarter_of_even(loads in prop::collection::vec(1_000_u64..=1_111, 1..50)) {
            prop_assert!(hot_partitions(&loads).is_empty());
        }

        /// Not all can be hot: some partition is at or below the mean.
        #[test]
        fn never_all(loads in prop::collection::vec(any::<u64>(), 1..20)) {
            prop_assert!(hot_partitions(&loads).len() < loads.len());
        }
    }
}
