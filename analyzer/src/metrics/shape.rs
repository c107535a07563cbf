//! How uneven a load vector is, as the literature measures it.

/// Loads that add up to more than 0, so that every ratio of them is a number.
///
/// Any `u64` load is fine: sums and products are `u128`, and no load is squared as an integer.
///
/// ```
/// use analyzer::metrics::Shape;
///
/// let hot = Shape::of(&[12, 0, 0, 0]).unwrap();
/// assert_eq!((hot.max_mean(), hot.gini(), hot.jain()), (4.0, 0.75, 0.25));
/// let even = Shape::of(&[3, 3, 3, 3]).unwrap();
/// assert_eq!((even.max_mean(), even.gini(), even.jain()), (1.0, 0.0, 1.0));
/// assert!(Shape::of(&[0, 0, 0, 0]).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Never empty.
    ascending: Vec<u64>,
    /// Sum of the loads, at least 1.
    total: u128,
}

impl Shape {
    /// The shape of `loads`, one per partition; `None` when they add up to 0.
    #[must_use]
    pub fn of(loads: &[u64]) -> Option<Self> {
        let total = total(loads);
        if total == 0 {
            return None;
        }
        let mut ascending = loads.to_vec();
        ascending.sort_unstable();
        Some(Self { ascending, total })
    }

    /// max / mean, 1 (even) to n (all on one partition).
    ///
    /// What the hottest of n equal consumers must be able to do, relative to even load.
    ///
    /// ```
    /// assert_eq!(analyzer::metrics::Shape::of(&[6, 2, 1]).unwrap().max_mean(), 2.0);
    /// ```
    #[must_use]
    pub fn max_mean(&self) -> f64 {
        let ratio = (self.max() * self.count()) as f64 / self.total as f64;
        ratio.min(self.count() as f64)
    }

    /// I/m = (max − mean) / total, 0 (even) to 1 − 1/n.
    ///
    /// The form in which Partial Key Grouping (Nasir et al., ICDE 2015) and D-Choices (ICDE 2016) state their bounds.
    /// Unlike max/mean it shrinks with n: 0.1 says little at 3 partitions and a lot at 100.
    ///
    /// ```
    /// assert_eq!(analyzer::metrics::Shape::of(&[7, 1, 0, 0]).unwrap().imbalance(), 0.625);
    /// ```
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        let share = (self.max() * self.count() - self.total) as f64 / (self.count() * self.total) as f64;
        share.min(self.all_on_one())
    }

    /// Coefficient of variation, σ / mean with the population's σ: 0 (even) to √(n − 1).
    ///
    /// ```
    /// assert_eq!(analyzer::metrics::Shape::of(&[1, 3]).unwrap().cv(), 0.5);
    /// ```
    #[must_use]
    pub fn cv(&self) -> f64 {
        self.cv_squared().sqrt()
    }

    /// Gini coefficient, Σ(2i − n − 1)·l₍ᵢ₎ / (n · total) over ascending loads: 0 (even) to 1 − 1/n.
    ///
    /// The mean difference between two partitions, as a share of twice the mean (Gini, 1912). O(n log n) by sorting.
    ///
    /// ```
    /// assert_eq!(analyzer::metrics::Shape::of(&[1, 3]).unwrap().gini(), 0.25);
    /// ```
    #[must_use]
    pub fn gini(&self) -> f64 {
        // Pairing the k-th smallest with the k-th largest keeps every term, and so the sum, unsigned.
        let differences: u128 = self
            .ascending
            .iter()
            .zip(self.ascending.iter().rev())
            .take(self.ascending.len() / 2)
            .zip(0_u128..)
            .map(|((&small, &large), rank)| u128::from(large - small) * (self.count() - 1 - 2 * rank))
            .sum();
        (differences as f64 / (self.count() * self.total) as f64).min(self.all_on_one())
    }

    /// Jain's fairness index, total² / (n · Σl²) = 1 / (1 + CV²): 1/n (all on one partition) to 1 (even).
    ///
    /// Jain, Chiu and Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984.
    ///
    /// ```
    /// assert_eq!(analyzer::metrics::Shape::of(&[1, 3]).unwrap().jain(), 0.8);
    /// ```
    #[must_use]
    pub fn jain(&self) -> f64 {
        (1.0 / (1.0 + self.cv_squared())).max(1.0 / self.count() as f64)
    }

    /// total² / Σl², 1 to n: how many evenly loaded partitions are as uneven as these; n times Jain's index.
    ///
    /// ```
    /// assert_eq!(analyzer::metrics::Shape::of(&[5, 5, 0, 0]).unwrap().effective_partitions(), 2.0);
    /// ```
    #[must_use]
    pub fn effective_partitions(&self) -> f64 {
        (self.jain() * self.count() as f64).max(1.0)
    }

    /// 1 − 1/n, where a rounded quotient of numbers above 2⁵³ may lie just beyond.
    fn all_on_one(&self) -> f64 {
        1.0 - 1.0 / self.count() as f64
    }

    /// Mean of (l / mean − 1)². Deviations are exact integers, so even loads give exactly 0.
    fn cv_squared(&self) -> f64 {
        let total = self.total as f64;
        let squares: f64 = self
            .ascending
            .iter()
            .map(|&load| {
                let deviation = (u128::from(load) * self.count()).abs_diff(self.total) as f64 / total;
                deviation * deviation
            })
            .sum();
        squares / self.count() as f64
    }

    fn count(&self) -> u128 {
        self.ascending.len() as u128
    }

    fn max(&self) -> u128 {
        self.ascending.last().copied().map_or(0, u128::from)
    }
}

/// Sum of `loads`, which may be above `u64::MAX`.
pub(super) fn total(loads: &[u64]) -> u128 {
    loads.iter().map(|&load| u128::from(load)).sum()
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use proptest::prelude::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1e-3)
    }

    /// Σ|lᵢ − lⱼ| / (2 · n · total) over all pairs.
    fn gini_of_pairs(loads: &[u64]) -> f64 {
        let mut sum = 0_u128;
        for &left in loads {
            for &right in loads {
                sum += u128::from(left.abs_diff(right));
            }
        }
        sum as f64 / (2 * loads.len() as u128 * super::total(loads)) as f64
    }

    fn jain_of_squares(loads: &[u64]) -> f64 {
        let total: f64 = loads.iter().map(|&load| load as f64).sum();
        let squares: f64 = loads.iter().map(|&load| load as f64 * load as f64).sum();
        total * total / (loads.len() as f64 * squares)
    }

    #[test]
    fn tenant_mega_on_one_of_twelve() {
        let mut loads = vec![9_000; 12];
        loads[3] = 901_000;
        let shape = Shape::of(&loads).unwrap();
        assert_eq!(shape.max_mean(), 10.812);
        assert!(near(shape.imbalance(), 0.901 - 1.0 / 12.0));
    }

    #[test]
    fn largest_loads_do_not_overflow() {
        let shape = Shape::of(&[u64::MAX; 1000]).unwrap();
        assert_eq!((shape.max_mean(), shape.cv(), shape.gini(), shape.jain()), (1.0, 0.0, 0.0, 1.0));
        let mut one = vec![0; 1000];
        one[17] = u64::MAX;
        let shape = Shape::of(&one).unwrap();
        assert_eq!((shape.max_mean(), shape.gini(), shape.jain()), (1000.0, 0.999, 0.001));
        assert_eq!(shape.effective_partitions(), 1.0);
    }

    #[test]
    fn one_partition_is_even() {
        let shape = Shape::of(&[7]).unwrap();
        assert_eq!((shape.max_mean(), shape.imbalance(), shape.cv()), (1.0, 0.0, 0.0));
        assert_eq!((shape.gini(), shape.jain(), shape.effective_partitions()), (0.0, 1.0, 1.0));
    }

    #[test]
    fn loads_beyond_the_precision_of_a_float_stay_in_range_too() {
        let shape = Shape::of(&[4_618_966_177_761_470_803, 0, 7, 0]).unwrap();
        assert_eq!((shape.gini(), shape.imbalance()), (0.75, 0.75));
    }

    fn loads() -> impl Strategy<Value = Vec<u64>> {
        let load = prop_oneof![Just(0), 0..100_u64, 0..1_u64 << 53, any::<u64>()];
        prop::collection::vec(load, 1..50)
            .prop_filter("some load", |loads| loads.iter().any(|&load| load > 0))
    }

    proptest! {
        #[test]
        fn agrees_with_the_slow_formulas(loads in loads()) {
            let shape = Shape::of(&loads).unwrap();
            prop_assert!(near(shape.gini(), gini_of_pairs(&loads)));
            prop_assert!(near(shape.jain(), jain_of_squares(&loads)));
            prop_assert!(near(shape.jain(), 1.0 / (1.0 + shape.cv() * shape.cv())));
        }

        #[test]
        fn stays_in_its_ranges(loads in loads()) {
            let shape = Shape::of(&loads).unwrap();
            let n = loads.len() as f64;
            prop_assert!((1.0..=n).contains(&shape.max_mean()));
            prop_assert!((0.0..=1.0 - 1.0 / n).contains(&shape.imbalance()));
            prop_assert!(shape.cv() >= 0.0 && shape.cv() <= (n - 1.0).sqrt() * (1.0 + 1e-12));
            prop_assert!((0.0..=1.0 - 1.0 / n).contains(&shape.gini()));
            prop_assert!((1.0 / n..=1.0).contains(&shape.jain()));
            prop_assert!((1.0..=n).contains(&shape.effective_partitions()));
        }

        #[test]
        fn is_independent_of_scale(loads in prop::collection::vec(0..1_u64 << 40, 1..50), factor in 1..1_u64 << 20) {
            prop_assume!(loads.iter().any(|&load| load > 0));
            let scaled: Vec<u64> = loads.iter().map(|load| load * factor).collect();
            let (shape, scaled) = (Shape::of(&loads).unwrap(), Shape::of(&scaled).unwrap());
            prop_assert!(near(shape.max_mean(), scaled.max_mean()));
            prop_assert!(near(shape.imbalance(), scaled.imbalance()));
            prop_assert!(near(shape.cv(), scaled.cv()));
            prop_assert!(near(shape.gini(), scaled.gini()));
            prop_assert!(near(shape.jain(), scaled.jain()));
        }

        /// Moving a record from a fuller to an emptier partition, without overtaking, makes the load more even.
        #[test]
        fn levelling_never_raises_a_figure(loads in prop::collection::vec(0..1000_u64, 2..20)) {
            let (low, high) = (loads.iter().min().unwrap(), loads.iter().max().unwrap());
            prop_assume!(high - low >= 2);
            let mut levelled = loads.clone();
            let from = loads.iter().position(|load| load == high).unwrap();
            let to = loads.iter().position(|load| load == low).unwrap();
            levelled[from] -= 1;
            levelled[to] += 1;
            let (before, after) = (Shape::of(&loads).unwrap(), Shape::of(&levelled).unwrap());
            prop_assert!(after.max_mean() <= before.max_mean());
            prop_assert!(after.cv() < before.cv());
            prop_assert!(after.gini() < before.gini());
            prop_assert!(after.jain() > before.jain());
        }
    }
}
