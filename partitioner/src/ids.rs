//! Partition numbers as types, so that an index, a count and a range cannot be swapped.
//!
//! Kafka's protocol carries partitions as `i32`; every cast between that and our types lives in this file.

use std::fmt;
use std::num::NonZeroU32;

/// The number of one partition, `0..=999_999`.
///
/// ```
/// use partitioner::ids::PartitionIndex;
///
/// let index = PartitionIndex::new(7);
/// assert_eq!(index.get(), 7);
/// assert_eq!(index.as_i32(), 7);
/// assert_eq!(index.to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartitionIndex(u32);

impl PartitionIndex {
    /// The partition numbered `index`.
    ///
    /// # Panics
    /// When `index` is not below [`PartitionCount::MAX`]: a partition that no topic can have is a bug of the caller.
    #[inline]
    #[must_use]
    pub const fn new(index: u32) -> Self {
        assert!(index < PartitionCount::MAX, "a partition index is below PartitionCount::MAX");
        Self(index)
    }

    /// The number as `u32`.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number as an index into a slice with one element per partition.
    #[inline]
    #[must_use]
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }

    /// The number as Kafka's protocol and librdkafka carry it.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_wrap)] // below PartitionCount::MAX, far below i32::MAX
    pub const fn as_i32(self) -> i32 {
        self.0 as i32
    }
}

impl fmt::Display for PartitionIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Which pool of a contract: 0 is the standard pool, 1.. the dedicated ones in the order of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PoolIndex(u32);

impl PoolIndex {
    /// The pool of every tenant that has none of its own.
    pub const STANDARD: Self = Self(0);

    /// The pool numbered `index`.
    #[inline]
    #[must_use]
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The number.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number as an index into a slice that starts with the standard pool.
    #[inline]
    #[must_use]
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// How many partitions a topic or a pool has, `1..=1_000_000`.
///
/// Kafka itself allows `1..=i32::MAX`; a whole KRaft cluster is tested to about two million partitions, so a larger
/// count for one topic is a typing error, and refused as one.
///
/// ```
/// use partitioner::ids::PartitionCount;
///
/// assert_eq!(PartitionCount::new(12).unwrap().get(), 12);
/// assert!(PartitionCount::new(0).is_none());
/// assert!(PartitionCount::new(1_000_000_000).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartitionCount(NonZeroU32);

impl PartitionCount {
    /// The largest count accepted.
    pub const MAX: u32 = 1_000_000;

    /// `count` partitions, or `None` outside `1..=1_000_000`.
    #[inline]
    #[must_use]
    pub const fn new(count: u32) -> Option<Self> {
        match NonZeroU32::new(count) {
            Some(count) if count.get() <= Self::MAX => Some(Self(count)),
            _ => None,
        }
    }

    /// The count as `u32`, never 0.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The count as the length of a slice with one element per partition.
    #[inline]
    #[must_use]
    pub const fn as_usize(self) -> usize {
        self.0.get() as usize
    }

    /// Whether `index` is one of this many partitions.
    #[inline]
    #[must_use]
    pub const fn contains(self, index: PartitionIndex) -> bool {
        index.0 < self.0.get()
    }

    /// The partition `value % count`.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // the remainder is below the count
    pub(crate) const fn wrap(self, value: u64) -> PartitionIndex {
        PartitionIndex((value % self.0.get() as u64) as u32)
    }

    /// The count as Kafka's protocol carries it.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_wrap)] // at most PartitionCount::MAX, far below i32::MAX
    pub const fn as_i32(self) -> i32 {
        self.0.get() as i32
    }
}

impl fmt::Display for PartitionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A non-empty contiguous range of partitions, `start..end`.
///
/// ```
/// use partitioner::ids::{PartitionIndex, PartitionRange};
///
/// let pool = PartitionRange::new(3, 8).unwrap();
/// assert_eq!(pool.len(), 5);
/// assert!(pool.contains(PartitionIndex::new(7)) && !pool.contains(PartitionIndex::new(8)));
/// assert_eq!(pool.to_string(), "3..8");
/// assert!(PartitionRange::new(4, 4).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PartitionRange {
    start: u32,
    end: u32,
}

#[allow(clippy::len_without_is_empty)] // never empty
impl PartitionRange {
    /// `start..end`, or `None` when that is empty or reaches past [`PartitionCount::MAX`].
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Option<Self> {
        if start < end && end <= PartitionCount::MAX { Some(Self { start, end }) } else { None }
    }

    /// All partitions of a topic.
    #[inline]
    #[must_use]
    pub const fn all(count: PartitionCount) -> Self {
        Self { start: 0, end: count.get() }
    }

    /// The first partition's number.
    #[inline]
    #[must_use]
    pub const fn start(self) -> u32 {
        self.start
    }

    /// One past the last partition's number.
    #[inline]
    #[must_use]
    pub const fn end(self) -> u32 {
        self.end
    }

    /// How many partitions the range holds, never 0.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether `index` lies in the range.
    #[inline]
    #[must_use]
    pub const fn contains(self, index: PartitionIndex) -> bool {
        self.start <= index.0 && index.0 < self.end
    }

    /// Every partition of the range, in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = PartitionIndex> + Clone {
        (self.start..self.end).map(PartitionIndex)
    }

    /// The partition `offset` places after the start.
    ///
    /// # Panics
    /// In debug builds when `offset >= len()`.
    #[inline]
    #[must_use]
    pub(crate) fn at(self, offset: u32) -> PartitionIndex {
        debug_assert!(offset < self.len());
        PartitionIndex(self.start + offset)
    }
}

impl fmt::Display for PartitionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
