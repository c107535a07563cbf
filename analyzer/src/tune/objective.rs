//! What the best layout is.

/// What is to be as small as can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// max / mean of the partitions.
    MaxMean,
    /// The 99th percentile of the time from a record's arrival to the end of its handling, over all records.
    LagP99(Rates),
}

/// How fast records come and go; both above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Records a second of the whole topic.
    pub arrival_records_per_s: f64,
    /// Records a second that the consumer of one partition handles.
    pub service_records_per_s: f64,
}

/// Halvings of the interval in which the percentile is looked for: enough for every digit of a double.
const HALVINGS: u32 = 64;

impl Rates {
    /// The 99th percentile of the latency in seconds, over all records; infinite when a partition gets more than its
    /// consumer handles.
    ///
    /// Each partition is taken for an M/M/1 queue (arrivals by chance, service times exponential), whose latency is
    /// exponential with rate μ − λ (Kleinrock, *Queueing Systems* 1, 1975, 3.2). Service of constant length waits about half
    /// as long, so the figure ranks layouts and is an upper estimate of the latency itself.
    ///
    /// ```
    /// use analyzer::tune::objective::Rates;
    ///
    /// let rates = Rates { arrival_records_per_s: 100.0, service_records_per_s: 100.0 };
    /// // Half of the records on each of two partitions: μ − λ = 50, and ln 100 / 50 seconds.
    /// assert!((rates.lag_p99_s(&[7.0, 7.0]) - 100f64.ln() / 50.0).abs() < 1e-12);
    /// assert_eq!(rates.lag_p99_s(&[14.0, 0.0]), f64::INFINITY);
    /// ```
    #[must_use]
    pub fn lag_p99_s(&self, partitions: &[f64]) -> f64 {
        let total: f64 = partitions.iter().sum();
        let queues = partitions.iter().filter(|load| **load > 0.0).map(|load| {
            let share = load / total;
            (share, self.service_records_per_s - share * self.arrival_records_per_s)
        });
        let slowest = queues.clone().map(|(_, rate)| rate).fold(f64::INFINITY, f64::min);
        if slowest <= 0.0 || !slowest.is_finite() {
            return f64::INFINITY;
        }
        let later_than =
            |time_s: f64| queues.clone().map(|(share, rate)| share * libm::exp(-rate * time_s)).sum::<f64>();
        // The slowest queue alone would have this percentile.
        let (mut low, mut high) = (0.0, libm::log(100.0) / slowest);
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if later_than(middle) > 0.01 { low = middle } else { high = middle }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hotter_partition_is_a_later_percentile() {
        let rates = Rates { arrival_records_per_s: 1_000.0, service_records_per_s: 400.0 };
        let even = rates.lag_p99_s(&[250.0; 4]);
        let uneven = rates.lag_p99_s(&[390.0, 210.0, 200.0, 200.0]);
        assert!(even < uneven && uneven.is_finite(), "{even} {uneven}");
        assert_eq!(rates.lag_p99_s(&[401.0, 199.0, 200.0, 200.0]), f64::INFINITY);
    }

    #[test]
    fn empty_partitions_have_no_records_to_be_late() {
        let rates = Rates { arrival_records_per_s: 10.0, service_records_per_s: 100.0 };
        assert_eq!(rates.lag_p99_s(&[5.0, 0.0, 5.0]), rates.lag_p99_s(&[5.0, 5.0]));
        assert_eq!(rates.lag_p99_s(&[0.0, 0.0]), f64::INFINITY, "nothing is known of no records");
    }
}
