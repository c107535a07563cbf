//! Weights from the queues of a producer, as KIP-794's adaptive choice has them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Enough segments for every partition of the largest topic.
const SEGMENTS: usize = 20;

/// One weight per partition of a range that may grow. Reading takes no lock and allocates nothing; a reader beside a
/// writer may see some weights of before and some of after.
#[derive(Debug, Default)]
pub(super) struct QueueWeights {
    /// The `k`-th holds the weights of 2^k offsets from 2^k - 1 on.
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
    /// What an empty queue weighs; 0 while all weigh the same.
    largest: AtomicU64,
}

impl QueueWeights {
    /// Takes the lengths of the queues; `None` is a partition that cannot be written to.
    pub(super) fn set(&self, lengths: &[Option<u32>]) {
        let longest = lengths.iter().flatten().max().copied().unwrap_or(0);
        let is_level = lengths.iter().all(|length| *length == lengths[0]);
        let weight = |length: u32| u64::from(longest - length) + 1;
        for (offset, length) in lengths.iter().enumerate() {
            let (segment, at) = place(offset);
            let Some(segment) = self.segments.get(segment) else {
                break;
            };
            let zeros = || std::iter::repeat_with(AtomicU64::default).take(at.1).collect();
            segment.get_or_init(zeros)[at.0].store(length.map_or(0, weight), Relaxed);
        }
        self.largest.store(if is_level { 0 } else { weight(0) }, Relaxed);
    }

    /// Whether the weights differ at all.
    pub(super) fn differ(&self) -> bool {
        self.largest.load(Relaxed) != 0
    }

    /// The weight of the `offset`-th partition. One that is not known yet has an empty queue.
    pub(super) fn get(&self, offset: u32) -> u64 {
        let (segment, at) = place(offset as usize);
        let known = self.segments.get(segment).and_then(OnceLock::get);
        known.map_or_else(|| self.largest.load(Relaxed), |weights| weights[at.0].load(Relaxed))
    }
}

/// The segment of an offset, and its place in that segment of so many.
fn place(offset: usize) -> (usize, (usize, usize)) {
    let segment = (offset + 1).ilog2() as usize;
    (segment, (offset + 1 - (1 << segment), 1 << segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_proposal() {
        // KIP-794's own example: queues 0, 3, 1 give the weights 4, 1, 3.
        let weights = QueueWeights::default();
        assert!(!weights.differ());
        weights.set(&[Some(0), Some(3), Some(1), None]);
        assert!(weights.differ());
        assert_eq!([0, 1, 2, 3].map(|offset| weights.get(offset)), [4, 1, 3, 0]);
        assert_eq!(weights.get(100), 4, "not known yet");
        weights.set(&[Some(2); 4]);
        assert!(!weights.differ());
        weights.set(&[]);
        assert!(!weights.differ());
    }

    #[test]
    fn every_offset_has_a_place_of_its_own() {
        let places: std::collections::BTreeSet<_> = (0..5_000).map(place).collect();
        assert_eq!(places.len(), 5_000);
        assert!(places.iter().all(|(segment, (at, len))| at < len && *segment < SEGMENTS));
        assert_eq!(place(999_999).0, SEGMENTS - 1, "the last partition of the largest topic");
    }
}
