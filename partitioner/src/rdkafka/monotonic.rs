//! The clock of sticky choices.

use std::time::Instant;

/// Milliseconds since a start, never going back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Monotonic(Instant);

impl Monotonic {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now_ms(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
