//! Load per partition at percentiles.

use crate::report::model::Percentiles;
use hdrhistogram::Histogram;

/// Significant decimal digits of the percentiles: within 0.1 % of the true load.
const SIGNIFICANT_DIGITS: u8 = 3;

/// p50, p90, p99 and the largest of `loads`, by hdrhistogram at three significant digits; `None` without partitions.
///
/// A percentile is the smallest load, rounded up to its histogram bucket, that at least so many percent of the
/// partitions do not exceed: p99 of fewer than 100 partitions is the largest. The largest is exact, and no
/// percentile is above it.
///
/// ```
/// let loads: Vec<u64> = (1..=100).collect();
/// let at = analyzer::metrics::percentiles(&loads).unwrap();
/// assert_eq!((at.p50, at.p90, at.p99, at.max), (50, 90, 99, 100));
/// assert_eq!(analyzer::metrics::percentiles(&[]), None);
/// ```
#[must_use]
pub fn percentiles(loads: &[u64]) -> Option<Percentiles> {
    let max = *loads.iter().max()?;
    // The bounds are valid for any max, so this is never the None it looks like.
    let mut histogram = Histogram::<u64>::new_with_max(max.max(2), SIGNIFICANT_DIGITS).ok()?;
    for &load in loads {
        histogram.saturating_record(load);
    }
    let at = |quantile: f64| histogram.value_at_quantile(quantile).min(max);
    Some(Percentiles { p50: at(0.5), p90: at(0.9), p99: at(0.99), max })
}

#[cfg(test)]
mod tests {
    use super::percentiles;
    use crate::report::model::Percentiles;
    use proptest::prelude::*;

    #[test]
    fn extremes() {
        assert_eq!(percentiles(&[0]), Some(Percentiles { p50: 0, p90: 0, p99: 0, max: 0 }));
        assert_eq!(percentiles(&[1]), Some(Percentiles { p50: 1, p90: 1, p99: 1, max: 1 }));
        // hdrhistogram's topmost bucket ends one short of u64::MAX.
        let top = u64::MAX - 1;
        let all = Percentiles { p50: top, p90: top, p99: top, max: u64::MAX };
        assert_eq!(percentiles(&[u64::MAX; 3]), Some(all));
    }

    #[test]
    fn even_load_is_the_same_at_each() {
        let at = percentiles(&[83_333; 12]).unwrap();
        assert_eq!(at, Percentiles { p50: 83_333, p90: 83_333, p99: 83_333, max: 83_333 });
    }

    proptest! {
        #[test]
        fn agrees_with_sorting(loads in prop::collection::vec(prop_oneof![0..5000_u64, 0..u64::MAX], 1..200)) {
            let at = percentiles(&loads).unwrap();
            let mut ascending = loads.clone();
            ascending.sort_unstable();
            for (figure, hundredths) in [(at.p50, 50), (at.p90, 90), (at.p99, 99)] {
                let exact = ascending[(loads.len() * hundredths).div_ceil(100) - 1];
                prop_assert!(figure >= exact, "{figure} is below {exact}");
                prop_assert!(figure - exact <= exact / 1000, "{figure} is not within 0.1 % of {exact}");
            }
            prop_assert_eq!(at.max, ascending[loads.len() - 1]);
        }
    }
}
