//! The skew that Apache Flink shows per operator.

/// Flink's data skew in percent, min(100, 100 · mean|l − mean| / mean): 0 (even) to 100.
///
/// FLIP-418 caps at 100, which all load on one partition of three exceeds, so it tells light skew apart and not
/// heavy. As in Flink, no load is no skew: 0, not missing. Flink's page rounds to whole percents; this does not.
/// Source: `DoubleAccumulator.DoubleDataSkew` in flink-runtime.
///
/// ```
/// use analyzer::metrics::flip418;
///
/// assert_eq!(flip418(&[23, 3, 10]).round(), 61.0);
/// assert_eq!(flip418(&[300, 0, 0]), 100.0);
/// assert_eq!(flip418(&[0, 0, 0]), 0.0);
/// ```
#[must_use]
pub fn flip418(loads: &[u64]) -> f64 {
    let count = loads.len() as u128;
    let total = super::shape::total(loads);
    if total == 0 {
        return 0.0;
    }
    let deviations: u128 = loads.iter().map(|&load| (u128::from(load) * count).abs_diff(total)).sum();
    (100.0 * (deviations as f64 / (count * total) as f64)).min(100.0)
}

#[cfg(test)]
mod tests {
    use super::flip418;
    use proptest::prelude::*;

    /// The cases of Flink's own `DoubleAccumulatorTest`, with its tolerance of half a percent.
    #[test]
    fn vectors_of_flink() {
        for (loads, percent) in
            [([23, 3, 10], 61.0), ([300, 0, 0], 100.0), ([0, 0, 0], 0.0), ([50, 51, 52], 1.0)]
        {
            assert!((flip418(&loads) - percent).abs() <= 0.5, "{loads:?} gave {}", flip418(&loads));
            assert_eq!(flip418(&loads).round(), percent);
        }
        assert_eq!(flip418(&[]), 0.0);
        assert_eq!(flip418(&[123]), 0.0);
    }

    proptest! {
        #[test]
        fn agrees_with_the_formula_and_its_bounds(loads in prop::collection::vec(any::<u64>(), 1..40)) {
            let mean = loads.iter().map(|&load| load as f64).sum::<f64>() / loads.len() as f64;
            prop_assume!(mean > 0.0);
            let deviation = loads.iter().map(|&load| (load as f64 - mean).abs()).sum::<f64>() / loads.len() as f64;
            prop_assert!((flip418(&loads) - (100.0 * deviation / mean).min(100.0)).abs() < 1e-6);
            prop_assert!((0.0..=100.0).contains(&flip418(&loads)));
        }
    }
}
