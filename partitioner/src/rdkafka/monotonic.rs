//! The clock of sticky choices.

use std::time::Instant;

/// Microseconds since a start, never going back, each a hundredth longer than a microsecond is.
///
/// librdkafka closes a batch `linger.ms` after its first record, and the record after that opens the next one: `n` batches
/// last somewhat longer than `n` times `linger.ms`. A sticky time that is a multiple of it, as the usual 10 ms and 5 ms
/// are, would be over while the last batch still waits, with less in it than it could hold. librdkafka's own sticky choice
/// loses the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Monotonic(Instant);

impl Monotonic {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now_us(self) -> u64 {
        // 580,000 years.
        let elapsed_us = u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX);
        elapsed_us - elapsed_us / 101
    }
}
