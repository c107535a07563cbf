//! Counters that hold up none of the threads that count.
//!
//! An addition that is atomic among threads makes the processor wait until all that it has written before has left for
//! the cache: in a producer that has just copied a record, longer than the whole decision about it takes. So each of a
//! few threads has counters of its own, which nobody else writes, and only those beyond share theirs.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Threads with counters of their own at one time.
const LANES: usize = u8::BITS as usize;

/// Counters on the edges of two allocations could lie in one cache line, for which two threads would fight.
const SPARE: usize = 8;

/// Lanes that some thread has: bit `i` for lane `i`.
static TAKEN: AtomicU8 = AtomicU8::new(0);

thread_local! {
    /// The lane of this thread, in all counters.
    static OWN: Lane = Lane::take();
}

/// A lane while a thread has it.
struct Lane(Option<usize>);

impl Lane {
    fn take() -> Self {
        // With what the thread before has counted in it.
        let taken = TAKEN.fetch_update(AcqRel, Acquire, |taken| {
            let free = taken.trailing_ones();
            (free < u8::BITS).then(|| taken | 1 << free)
        });
        Self(taken.ok().map(|taken| taken.trailing_ones() as usize))
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(lane) = self.0 {
            TAKEN.fetch_and(!(1 << lane), Release);
        }
    }
}

/// A row of counters. Counting takes no lock and allocates nothing, and no count is lost.
#[derive(Debug)]
pub(crate) struct Counters {
    lanes: [Box<[AtomicU64]>; LANES],
    shared: Box<[AtomicU64]>,
}

impl Counters {
    /// `len` counters, all 0.
    pub(crate) fn new(len: usize) -> Self {
        let zeros = || std::iter::repeat_with(AtomicU64::default).take(len + SPARE).collect::<Box<[_]>>();
        Self { lanes: std::array::from_fn(|_| zeros()), shared: zeros() }
    }

    /// Adds 1 to a counter; one that is not there counts nothing.
    #[inline]
    pub(crate) fn add(&self, index: usize) {
        // A thread that is ending may have given its lane to another.
        let own = OWN.try_with(|lane| lane.0).ok().flatten().and_then(|lane| self.lanes.get(lane));
        if let Some(count) = own.and_then(|lane| lane.get(index)) {
            count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
        } else if let Some(count) = self.shared.get(index) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// What a counter has come to.
    pub(crate) fn get(&self, index: usize) -> u64 {
        let lanes = self.lanes.iter().chain([&self.shared]);
        lanes.filter_map(|lane| lane.get(index)).map(|count| count.load(Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_count_is_lost_among_more_threads_than_lanes() {
        let counters = Counters::new(3);
        for _ in 0..3 {
            // Those of the round before have ended, and their lanes are taken again.
            std::thread::scope(|scope| {
                for thread in 0..2 * LANES {
                    let counters = &counters;
                    scope.spawn(move || (0..20_000).for_each(|_| counters.add(thread % 2)));
                }
            });
        }
        let each = 3 * LANES as u64 * 20_000;
        assert_eq!([0, 1, 2].map(|index| counters.get(index)), [each, each, 0]);
    }

    #[test]
    fn a_counter_that_is_not_there_counts_nothing() {
        let counters = Counters::new(0);
        counters.add(1_000);
        assert_eq!(counters.get(1_000), 0);
    }
}
