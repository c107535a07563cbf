//! When records arrive.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{US_PER_S, exponential};

/// Poisson arrivals: gaps are independent and exponential, so that arrivals on each partition are Poisson too.
#[derive(Clone, Debug)]
pub struct PoissonArrivals {
    random: Xoshiro256PlusPlus,
    gap_us: f64,
    now_us: f64,
}

impl PoissonArrivals {
    /// Arrivals at a mean of `rate_per_s`, above 0.
    #[must_use]
    pub fn new(rate_per_s: f64, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Far from what the same seed gives to others.
        random.jump();
        Self { random, gap_us: US_PER_S / rate_per_s, now_us: 0.0 }
    }

    /// The latest arrival, in microseconds from the start; 0 before the first.
    #[must_use]
    pub fn now_us(&self) -> f64 {
        self.now_us
    }

    /// The next arrival, in microseconds from the start.
    pub fn next_us(&mut self) -> f64 {
        self.now_us += self.gap_us * exponential(&mut self.random);
        self.now_us
    }
}

/// The traffic's own times. A time that goes back is taken for the latest seen: records arrive in the order of the trace.
///
/// ```
/// use analyzer::queueing::TracedArrivals;
///
/// let mut arrivals = TracedArrivals::default();
/// assert_eq!([70, 90, 80, 95].map(|at| arrivals.at_us(at)), [0.0, 20.0, 20.0, 25.0]);
/// assert_eq!((arrivals.went_back(), arrivals.span_us()), (1, 25));
/// ```
#[derive(Clone, Debug, Default)]
pub struct TracedArrivals {
    first_us: Option<u64>,
    latest_us: u64,
    went_back: u64,
}

impl TracedArrivals {
    /// The arrival of a record of time `time_us`, in microseconds from the first record.
    #[allow(clippy::cast_precision_loss)] // a microsecond in 285 years
    pub fn at_us(&mut self, time_us: u64) -> f64 {
        let first = *self.first_us.get_or_insert(time_us);
        self.went_back += u64::from(time_us < self.latest_us);
        self.latest_us = self.latest_us.max(time_us);
        (self.latest_us - first) as f64
    }

    /// Records whose time was before that of an earlier record.
    #[must_use]
    pub fn went_back(&self) -> u64 {
        self.went_back
    }

    /// Microseconds from the first to the latest time.
    #[must_use]
    pub fn span_us(&self) -> u64 {
        self.first_us.map_or(0, |first| self.latest_us - first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisson_gaps_have_the_mean_and_the_spread_of_exponential_ones() {
        let mut arrivals = PoissonArrivals::new(1_000.0, 7);
        let (mut before, mut squares, count) = (0.0, 0.0, 200_000);
        for _ in 0..count {
            let at = arrivals.next_us();
            squares += (at - before) * (at - before);
            before = at;
        }
        let (mean, second) = (before / f64::from(count), squares / f64::from(count));
        // 4 standard errors: 1/√n of the mean, √20/2/√n of the second moment 2.
        assert!((mean / 1_000.0 - 1.0).abs() < 4.0 / f64::from(count).sqrt(), "{mean}");
        assert!((second / 2e6 - 1.0).abs() < 4.0 * 2.3 / f64::from(count).sqrt(), "{second}");
    }

    #[test]
    fn a_seed_decides_everything() {
        let of = |seed| {
            let mut arrivals = PoissonArrivals::new(3.0, seed);
            [arrivals.next_us(), arrivals.next_us()]
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
