//! What clients do with the sign of a 32-bit hash before they take it modulo the partition count.
//!
//! Java and Go hold the hash as a signed `int32`, whose remainder may be negative. There are four ways out, and two
//! clients with the same hash but another way agree only by chance on half of the keys. "Unsigned", the plain
//! `hash % n`, needs no function.

/// Clears the sign bit: `hash & 0x7fffffff`.
///
/// Java's `Utils.toPositive`, and every client that copies it.
///
/// ```
/// assert_eq!(partitioner::hash::sign::mask(0x8000_0001), 1);
/// ```
#[inline]
#[must_use]
pub const fn mask(hash: u32) -> u32 {
    hash & 0x7fff_ffff
}

/// The absolute value of the hash read as `int32`; of the minimum, `0x80000000`, it is 2^31.
///
/// librdkafka negates the `int32` and reads it as unsigned, and Sarama takes the remainder first and negates that;
/// both come to `abs(hash) % n` with the absolute value of the minimum not overflowing.
///
/// ```
/// use partitioner::hash::sign::abs;
///
/// assert_eq!(abs(0xffff_fffe), 2);
/// assert_eq!(abs(0x8000_0000), 0x8000_0000);
/// ```
#[inline]
#[must_use]
pub const fn abs(hash: u32) -> u32 {
    hash.cast_signed().unsigned_abs()
}

/// As [`abs`], but of the minimum it is −2^31 widened to 64 bits and read as unsigned: 2^64 − 2^31.
///
/// The Rust client `kafka_client` computes `hash.wrapping_abs() as usize % n`. One hash in 2^32 tells it from [`abs`].
///
/// ```
/// use partitioner::hash::sign::wrapping_abs;
///
/// assert_eq!(wrapping_abs(0xffff_fffe), 2);
/// assert_eq!(wrapping_abs(0x8000_0000), u64::MAX - 0x7fff_ffff);
/// ```
#[inline]
#[must_use]
pub const fn wrapping_abs(hash: u32) -> u64 {
    (hash.cast_signed().wrapping_abs() as i64).cast_unsigned()
}
