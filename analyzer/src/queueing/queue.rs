//! One partition and its consumer.

/// A first-in-first-out queue with one server: records of a partition and their consumer.
///
/// Lindley's recursion (Lindley 1952, "The theory of queues with a single server"): a record begins when it arrives or
/// when the one before it is done, whichever is later.
///
/// ```
/// use analyzer::queueing::Queue;
///
/// let mut queue = Queue::default();
/// assert_eq!(queue.serve(0.0, 2_000.0), 2_000.0);
/// assert_eq!(queue.serve(500.0, 2_000.0), 3_500.0, "it waited 1.5 ms");
/// assert_eq!(queue.serve(9_000.0, 2_000.0), 2_000.0, "the consumer was idle");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Queue {
    free_at_us: f64,
    work_us: f64,
}

impl Queue {
    /// Handles a record that arrives at `arrival_us`, not before the one before it, and takes `service_us`; returns its
    /// latency, wait and service, in microseconds.
    #[inline]
    pub fn serve(&mut self, arrival_us: f64, service_us: f64) -> f64 {
        self.free_at_us = self.free_at_us.max(arrival_us) + service_us;
        self.work_us += service_us;
        self.free_at_us - arrival_us
    }

    /// When the last record is done; 0 when there was none.
    #[must_use]
    pub fn free_at_us(&self) -> f64 {
        self.free_at_us
    }

    /// The service times of all records together.
    #[must_use]
    pub fn work_us(&self) -> f64 {
        self.work_us
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// Latencies by a clock that goes on microsecond by microsecond: whoever has come stands in line, and the first in
    /// line is worked on for one microsecond.
    fn by_clock(records: &[(u32, u32)]) -> Vec<f64> {
        let mut latencies = vec![0.0; records.len()];
        let (mut line, mut next, mut now) = (VecDeque::new(), 0, 0);
        while next < records.len() || !line.is_empty() {
            while next < records.len() && records[next].0 <= now {
                line.push_back((next, records[next].1));
                next += 1;
            }
            now += 1;
            if let Some((record, left)) = line.front_mut() {
                *left -= 1;
                if *left == 0 {
                    latencies[*record] = f64::from(now - records[*record].0);
                    line.pop_front();
                }
            }
        }
        latencies
    }

    proptest! {
        #[test]
        fn latencies_are_those_of_a_line_worked_off_bit_by_bit(
            gaps in prop::collection::vec((0..40_u32, 1..30_u32), 1..100),
        ) {
            let mut at = 0;
            let records: Vec<(u32, u32)> = gaps.into_iter().map(|(gap, service)| { at += gap; (at, service) }).collect();
            let mut queue = Queue::default();
            let latencies: Vec<f64> =
                records.iter().map(|&(at, service)| queue.serve(at.into(), service.into())).collect();
            prop_assert_eq!(latencies, by_clock(&records));
            prop_assert_eq!(queue.work_us(), f64::from(records.iter().map(|record| record.1).sum::<u32>()));
        }
    }
}
