//! Murmur2 as the Java producer computes it: 32 bits, seed `0x9747b28c`, words read little-endian.
//!
//! Used by the Java client, franz-go, kafka-python, aiokafka, KafkaJS 2 and up, `@platformatic/kafka`, and by
//! librdkafka (`murmur2`, `murmur2_random`), Sarama and kafka-go where it is asked for. They differ in what they do
//! with the sign: see [`KeyHash`](super::KeyHash).
//!
//! Sources: `org.apache.kafka.common.utils.Utils.murmur2` and librdkafka's `src/rdmurmur2.c`, both after
//! `MurmurHash2` by Austin Appleby.

/// The seed that Kafka chose; another seed is another placement.
const SEED: u32 = 0x9747_b28c;
/// The multiplier of `MurmurHash2`.
const M: u32 = 0x5bd1_e995;

/// The murmur2 hash of `key`, as the unsigned reading of what Java returns as `int`.
///
/// Kafka places a key on `(murmur2(key) & 0x7fffffff) % n`; that is
/// [`KeyHash::Murmur2`](super::KeyHash::Murmur2).
///
/// ```
/// use partitioner::hash::murmur2::murmur2;
///
/// assert_eq!(murmur2(b"abc"), 479_470_107);
/// assert_eq!(murmur2(b"21").cast_signed(), -973_932_308);
/// ```
#[inline]
#[must_use]
pub fn murmur2(key: &[u8]) -> u32 {
    let length = length_mix(key.len());
    let mut hash = SEED ^ length;
    let Some(last_word) = key.last_chunk::<4>() else {
        return finish(absorb_short(hash, key));
    };
    // Two words a turn, written out: LLVM unrolls a plain loop over words by two as well, but takes an odd word before
    // it, and that set-up is what keys below 16 bytes pay for. Four words a turn cost short keys more, and gain
    // nothing on long ones, where each word waits for the one before.
    let mut rest = key;
    while let Some((pair, after)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, e, f, g, h] = *pair;
        hash = absorb(hash, [a, b, c, d]);
        hash = absorb(hash, [e, f, g, h]);
        rest = after;
    }
    if !rest.is_empty() {
        if let Some(word) = rest.first_chunk::<4>() {
            hash = absorb(hash, *word);
        }
        if !key.len().is_multiple_of(4) {
            // The last four bytes of the key overlap words already taken in, and the shift by 32 − 8 × (length mod 4)
            // drops those. So one load replaces up to three, and the branches between one, two and three bytes, which
            // keys of mixed lengths mispredict. The shift is modulo 32, so the length need not be reduced first.
            let tail = u32::from_le_bytes(*last_word).wrapping_shr(length.wrapping_mul(8).wrapping_neg());
            hash = (hash ^ tail).wrapping_mul(M);
        }
    }
    finish(hash)
}

/// The murmur2 hash of the first `len` bytes, at most 15, of a longer text.
///
/// As the bytes after them may be read too, lengths below four need no way of their own.
#[inline]
pub(crate) fn murmur2_of_start(text: &[u8; 16], len: usize) -> u32 {
    debug_assert!(len < text.len());
    let length = length_mix(len);
    let mut hash = SEED ^ length;
    let mut words = text.as_chunks().0.iter();
    for word in words.by_ref().take(len / 4) {
        hash = absorb(hash, *word);
    }
    if let Some(last) = words.next().filter(|_| !len.is_multiple_of(4)) {
        // Drops the bytes after the last one; see `murmur2` about the shift.
        let shift = length.wrapping_mul(8).wrapping_neg();
        let tail = u32::from_le_bytes(*last).wrapping_shl(shift).wrapping_shr(shift);
        hash = (hash ^ tail).wrapping_mul(M);
    }
    finish(hash)
}

/// Takes in a key of up to three bytes, which has no last four to read at once.
#[inline]
fn absorb_short(hash: u32, key: &[u8]) -> u32 {
    if let Some((two, rest)) = key.split_first_chunk::<2>() {
        let two = u32::from(u16::from_le_bytes(*two));
        let tail = rest.first().map_or(two, |third| two | u32::from(*third) << 16);
        (hash ^ tail).wrapping_mul(M)
    } else if let Some(one) = key.first() {
        (hash ^ u32::from(*one)).wrapping_mul(M)
    } else {
        hash
    }
}

/// Takes in one word.
///
/// Only the multiplication of `hash` waits for the word before; the two of the word run ahead of it.
#[inline]
const fn absorb(hash: u32, word: [u8; 4]) -> u32 {
    let word = u32::from_le_bytes(word).wrapping_mul(M);
    hash.wrapping_mul(M) ^ (word ^ word >> 24).wrapping_mul(M)
}

/// Spreads the last words over all bits.
#[inline]
const fn finish(hash: u32) -> u32 {
    let hash = (hash ^ hash >> 13).wrapping_mul(M);
    hash ^ hash >> 15
}

/// The length as it enters the hash.
#[inline]
#[allow(clippy::cast_possible_truncation)] // librdkafka truncates too; a Kafka record is below 2^31 bytes
const fn length_mix(len: usize) -> u32 {
    len as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Byte by byte, as one reads it in Java.
    fn model(key: &[u8]) -> u32 {
        let mut hash = 0x9747_b28c ^ u32::try_from(key.len()).unwrap();
        let mut at = 0;
        while at + 4 <= key.len() {
            let mut word = 0u32;
            for byte in 0..4 {
                word |= u32::from(key[at + byte]) << (8 * byte);
            }
            word = word.wrapping_mul(0x5bd1_e995);
            word ^= word >> 24;
            word = word.wrapping_mul(0x5bd1_e995);
            hash = hash.wrapping_mul(0x5bd1_e995);
            hash ^= word;
            at += 4;
        }
        let left = key.len() - at;
        if left == 3 {
            hash ^= u32::from(key[at + 2]) << 16;
        }
        if left >= 2 {
            hash ^= u32::from(key[at + 1]) << 8;
        }
        if left >= 1 {
            hash ^= u32::from(key[at]);
            hash = hash.wrapping_mul(0x5bd1_e995);
        }
        hash ^= hash >> 13;
        hash = hash.wrapping_mul(0x5bd1_e995);
        hash ^ (hash >> 15)
    }

    /// `java.util.SplittableRandom` of Java 17, which Kafka's test draws its keys from.
    struct SplittableRandom(u64);

    impl SplittableRandom {
        fn next_long(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        /// A fresh long for every eight bytes, lowest byte first, and one more for what is left.
        fn next_bytes(&mut self, bytes: &mut [u8]) {
            for part in bytes.chunks_mut(8) {
                let long = self.next_long().to_le_bytes();
                part.copy_from_slice(&long[..part.len()]);
            }
        }
    }

    /// Kafka's `UtilsTest.testMurmur2Checksum`: frozen there, because another sum would mean that records of one key
    /// change their partition with an upgrade of the client. Frozen here for the same reason.
    #[test]
    fn checksum_of_kafkas_100_100_arrays() {
        let mut random = SplittableRandom(0);
        let mut checksum = 0u64;
        for len in 0..=1000 {
            let mut key = vec![0; len];
            for _ in 0..100 {
                random.next_bytes(&mut key);
                checksum += u64::from(murmur2(&key));
            }
        }
        assert_eq!(checksum, 0xc3b8_cf7c_99fc);
    }

    proptest! {
        #[test]
        fn the_start_of_a_text_hashes_as_if_it_stood_alone(text: [u8; 16], len in 0usize..16) {
            prop_assert_eq!(murmur2_of_start(&text, len), model(&text[..len]));
        }

        #[test]
        fn equals_the_bytewise_model(key in prop::collection::vec(any::<u8>(), 0..600), skip in 0usize..4) {
            // An unaligned start must not matter: librdkafka reads such keys by another path.
            let key = key.get(skip..).unwrap_or_default();
            prop_assert_eq!(murmur2(key), model(key));
        }
    }
}
