//! `XxHash32` with seed 0, unsigned.
//!
//! The default of the Rust clients `kafka` 0.10 and `rustfs-kafka`, and of no client in another language: a topic
//! written by one of them and by a Java producer has the records of one key on two partitions.
//!
//! Source: `DefaultPartitioner` in `kafka-rust`, `src/producer.rs`; the hash itself is
//! [`xxhash_rust`]'s.

/// The `XxHash32` of `key` with seed 0.
///
/// ```
/// use partitioner::hash::xxhash32::xxhash32;
///
/// assert_eq!(xxhash32(b""), 0x02cc_5d05);
/// assert_eq!(xxhash32(b"abc") % 12, 3);
/// ```
#[inline]
#[must_use]
pub fn xxhash32(key: &[u8]) -> u32 {
    xxhash_rust::xxh32::xxh32(key, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIMES: [u32; 5] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1];

    fn round(lane: u32, word: u32) -> u32 {
        lane.wrapping_add(word.wrapping_mul(PRIMES[1])).rotate_left(13).wrapping_mul(PRIMES[0])
    }

    fn word(bytes: &[u8]) -> u32 {
        (0..4).map(|at| u32::from(bytes[at]) << (8 * at)).sum()
    }

    /// Step by step after the specification, `doc/xxhash_spec.md` of xxHash.
    fn model(key: &[u8]) -> u32 {
        let mut rest = key;
        let mut hash = PRIMES[4];
        if key.len() >= 16 {
            let mut lanes = [PRIMES[0].wrapping_add(PRIMES[1]), PRIMES[1], 0, 0u32.wrapping_sub(PRIMES[0])];
            while rest.len() >= 16 {
                for (at, lane) in lanes.iter_mut().enumerate() {
                    *lane = round(*lane, word(&rest[4 * at..]));
                }
                rest = &rest[16..];
            }
            let turns = [1, 7, 12, 18];
            hash =
                lanes.iter().zip(turns).fold(0u32, |sum, (lane, by)| sum.wrapping_add(lane.rotate_left(by)));
        }
        hash = hash.wrapping_add(u32::try_from(key.len()).unwrap());
        while rest.len() >= 4 {
            hash = hash.wrapping_add(word(rest).wrapping_mul(PRIMES[2]));
            hash = hash.rotate_left(17).wrapping_mul(PRIMES[3]);
            rest = &rest[4..];
        }
        for byte in rest {
            hash = hash.wrapping_add(u32::from(*byte).wrapping_mul(PRIMES[4]));
            hash = hash.rotate_left(11).wrapping_mul(PRIMES[0]);
        }
        hash = (hash ^ (hash >> 15)).wrapping_mul(PRIMES[1]);
        hash = (hash ^ (hash >> 13)).wrapping_mul(PRIMES[2]);
        hash ^ (hash >> 16)
    }

    proptest! {
        #[test]
        fn equals_the_specification(key in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(xxhash32(&key), model(&key));
        }
    }
}
