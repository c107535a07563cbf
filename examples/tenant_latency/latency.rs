//! Latencies of a class of records, those that were never handled included.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Microseconds from when records were due to when they were handled.
#[derive(Clone, Debug)]
pub(crate) struct Latencies {
    histogram: Histogram<u64>,
    /// Records that were not handled by the end; they are in the histogram with the time they had waited.
    unhandled: u64,
    /// The shortest of those times: quantiles from here on are lower bounds.
    unhandled_min_us: u64,
}

/// A quantile of a latency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantile {
    pub(crate) ms: f64,
    /// Whether records were still waiting that had waited less than this, so that it would be more had they been handled.
    pub(crate) is_lower_bound: bool,
}

impl Latencies {
    pub(crate) fn new() -> Self {
        let mut histogram = Histogram::new_with_bounds(1, 60_000_000, 3).expect("1 µs to 1 min is a range");
        histogram.auto(true);
        Self { histogram, unhandled: 0, unhandled_min_us: u64::MAX }
    }

    pub(crate) fn record_handled(&mut self, latency: Duration) {
        self.histogram.saturating_record(micros(latency));
    }

    pub(crate) fn record_unhandled(&mut self, waited: Duration) {
        self.unhandled += 1;
        self.unhandled_min_us = self.unhandled_min_us.min(micros(waited));
        self.histogram.saturating_record(micros(waited));
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("a histogram that grows takes any other");
        self.unhandled += other.unhandled;
        self.unhandled_min_us = self.unhandled_min_us.min(other.unhandled_min_us);
    }

    /// How many records, handled or not.
    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn unhandled(&self) -> u64 {
        self.unhandled
    }

    /// The latency that a share `at` of the records, 0 to 1, did not exceed; `None` without records.
    pub(crate) fn quantile(&self, at: f64) -> Option<Quantile> {
        let us = self.histogram.value_at_quantile(at);
        let is_lower_bound = us >= self.unhandled_min_us;
        (self.count() > 0).then_some(Quantile { ms: us as f64 / 1_000.0, is_lower_bound })
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
