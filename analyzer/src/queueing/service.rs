//! How long a consumer takes for a record.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{US_PER_S, exponential};

/// What one consumer handles in a second; above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServiceRate {
    /// Records, whatever their size.
    RecordsPerS(f64),
    /// Bytes.
    BytesPerS(f64),
}

impl ServiceRate {
    /// The number.
    #[must_use]
    pub fn per_s(self) -> f64 {
        match self {
            Self::RecordsPerS(rate) | Self::BytesPerS(rate) => rate,
        }
    }

    /// What it counts: `records` or `bytes`.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::RecordsPerS(_) => "records",
            Self::BytesPerS(_) => "bytes",
        }
    }

    /// Mean service time of a record of `bytes`, in microseconds.
    #[must_use]
    pub fn mean_us(self, bytes: u32) -> f64 {
        match self {
            Self::RecordsPerS(rate) => US_PER_S / rate,
            Self::BytesPerS(rate) => f64::from(bytes) * US_PER_S / rate,
        }
    }
}

/// How service times spread about their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Not at all: M/D/1, where records arrive as Poisson and all take equally long.
    Deterministic,
    /// Exponentially: M/M/1, where records arrive as Poisson.
    Exponential,
}

impl Service {
    /// `deterministic` or `exponential`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Deterministic => "deterministic",
            Self::Exponential => "exponential",
        }
    }
}

/// Service times, one record after the other.
#[derive(Clone, Debug)]
pub struct ServiceTimes {
    rate: ServiceRate,
    service: Service,
    random: Xoshiro256PlusPlus,
}

impl ServiceTimes {
    /// Service times of that rate; `seed` decides exponential ones.
    #[must_use]
    pub fn new(rate: ServiceRate, service: Service, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Far from what the same seed gives to arrivals and others.
        random.long_jump();
        Self { rate, service, random }
    }

    /// The service time of the next record, of `bytes`, in microseconds.
    pub fn next_us(&mut self, bytes: u32) -> f64 {
        let mean_us = self.rate.mean_us(bytes);
        match self.service {
            Service::Deterministic => mean_us,
            Service::Exponential => mean_us * exponential(&mut self.random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_records_or_of_bytes() {
        assert_eq!(ServiceRate::RecordsPerS(500.0).mean_us(9_999), 2_000.0);
        assert_eq!(ServiceRate::BytesPerS(1e6).mean_us(300), 300.0);
        let mut times = ServiceTimes::new(ServiceRate::BytesPerS(1e6), Service::Deterministic, 1);
        assert_eq!([0, 100, 200].map(|bytes| times.next_us(bytes)), [0.0, 100.0, 200.0]);
    }

    #[test]
    fn exponential_times_have_the_mean() {
        let mut times = ServiceTimes::new(ServiceRate::RecordsPerS(1_000.0), Service::Exponential, 3);
        let count = 200_000;
        let mean = (0..count).map(|_| times.next_us(1)).sum::<f64>() / f64::from(count);
        assert!((mean / 1_000.0 - 1.0).abs() < 4.0 / f64::from(count).sqrt(), "{mean}");
    }
}
