//! The latencies of a class of records.

use hdrhistogram::Histogram;

/// Significant decimal digits of percentiles: within 0.1 %.
const SIGNIFICANT_DIGITS: u8 = 3;

/// 35,000 years; what is longer counts as this.
const RECORDED_MAX_US: u64 = 1 << 60;

/// Percentiles, each with the number of records from which on at least one record lies beyond it.
const PERCENTILES: [(f64, u64); 5] = [(50.0, 2), (90.0, 10), (99.0, 100), (99.9, 1_000), (99.99, 10_000)];

/// Latencies in microseconds, by hdrhistogram; mean and longest are exact.
#[derive(Clone, Debug)]
pub struct Latencies {
    histogram: Histogram<u64>,
    sum_us: f64,
    max_us: f64,
}

impl Default for Latencies {
    fn default() -> Self {
        // The only error is of more than five digits.
        let mut histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed");
        histogram.auto(true);
        Self { histogram, sum_us: 0.0, max_us: 0.0 }
    }
}

impl Latencies {
    /// Counts one record's latency, rounded to a microsecond.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // latencies are positive, and casts saturate
    pub fn record(&mut self, latency_us: f64) {
        let us = (libm::round(latency_us) as u64).min(RECORDED_MAX_US);
        // The histogram grows to any such time, so that it has nothing to refuse.
        let recorded = self.histogram.record(us);
        debug_assert!(recorded.is_ok(), "{us} µs");
        self.sum_us += latency_us;
        self.max_us = self.max_us.max(latency_us);
    }

    pub(super) fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }

    /// Records counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Mean; `None` without records.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // numbers of records
    pub fn mean_us(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum_us / self.count() as f64)
    }

    /// The latency that `percentile` percent of the records do not exceed; `None` without records.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // microseconds
    pub fn at_percentile_us(&self, percentile: f64) -> Option<f64> {
        let at = || (self.histogram.value_at_percentile(percentile) as f64).min(self.max_us);
        (self.count() > 0).then(at)
    }

    /// Percentiles, 50 to 99.99, that are not just the longest latency by another name, and 100; ascending.
    #[must_use]
    pub fn percentiles_us(&self) -> Vec<(f64, f64)> {
        let supported = PERCENTILES.iter().filter(|(_, records_min)| self.count() >= *records_min);
        let at = |&(percentile, _): &(f64, u64)| Some((percentile, self.at_percentile_us(percentile)?));
        let mut percentiles: Vec<_> = supported.filter_map(at).collect();
        if self.count() > 0 {
            percentiles.push((100.0, self.max_us));
        }
        percentiles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u32) -> Latencies {
        let mut latencies = Latencies::default();
        (1..=count).for_each(|us| latencies.record(f64::from(us)));
        latencies
    }

    #[test]
    fn percentiles_are_those_that_the_records_support() {
        let names = |count| of(count).percentiles_us().into_iter().map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(names(0), [0.0; 0]);
        assert_eq!(names(1), [100.0]);
        assert_eq!(names(99), [50.0, 90.0, 100.0]);
        assert_eq!(names(10_000), [50.0, 90.0, 99.0, 99.9, 99.99, 100.0]);
    }

    #[test]
    fn figures_are_within_a_thousandth() {
        let latencies = of(100_000);
        assert_eq!((latencies.count(), latencies.mean_us()), (100_000, Some(50_000.5)));
        for (percentile, us) in latencies.percentiles_us() {
            let exact = percentile * 1_000.0;
            assert!((us / exact - 1.0).abs() < 0.001, "{percentile}: {us}");
        }
        assert_eq!(Latencies::default().mean_us(), None);
    }

    #[test]
    fn years_of_latency_are_no_trouble() {
        let mut latencies = Latencies::default();
        latencies.record(1e15);
        assert_eq!(latencies.percentiles_us(), [(100.0, 1e15)]);
        latencies.record(1e300);
        assert_eq!(latencies.count(), 2);
    }
}
