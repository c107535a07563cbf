//! FNV-1a, 32 bits, in the sign treatments of the clients that place with it.
//!
//! | function | clients | placement |
//! |---|---|---|
//! | [`librdkafka_abs`] | librdkafka `fnv1a`, `fnv1a_random` | `abs(int32(hash)) % n` |
//! | [`sarama_negate`] | Sarama's default, kafka-go `Hash`, franz-go `SaramaCompatHasher` | `int32(hash) % n`, then negated |
//! | [`sarama_reference_mask`] | Sarama and kafka-go `ReferenceHash`, franz-go `KafkaHasher` | `(hash & 0x7fffffff) % n` |
//! | [`fnv1a`] itself | franz-go `SaramaHasher` on 64-bit machines | `hash % n` |
//!
//! The first two place alike. Sources: librdkafka's `src/rdfnv1a.c`, Sarama's `partitioner.go`, and
//! <http://www.isthe.com/chongo/tech/comp/fnv/>.

use super::sign;
use crate::ids::{PartitionCount, PartitionIndex};

const OFFSET_BASIS: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// The plain unsigned FNV-1a hash of `key`.
///
/// ```
/// use partitioner::hash::fnv1a::fnv1a;
///
/// assert_eq!(fnv1a(b""), 0x811c_9dc5);
/// assert_eq!(fnv1a(b"1468509572224"), 0x8000_0000);
/// ```
#[inline]
#[must_use]
pub fn fnv1a(key: &[u8]) -> u32 {
    key.iter().fold(OFFSET_BASIS, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME))
}

/// FNV-1a as librdkafka's `rd_fnv1a` returns it: the absolute value of the signed hash; 2^31 for the minimum.
///
/// ```
/// use partitioner::hash::fnv1a::librdkafka_abs;
///
/// assert_eq!(librdkafka_abs(b"kafka"), 0x0d33_c4e1);
/// assert_eq!(librdkafka_abs(b"1468509572224"), 0x8000_0000);
/// ```
#[inline]
#[must_use]
pub fn librdkafka_abs(key: &[u8]) -> u32 {
    sign::abs(fnv1a(key))
}

/// The partition on which Sarama's `HashPartitioner` puts `key`: the signed remainder, negated when negative.
///
/// Written out as Sarama does it; the same as `librdkafka_abs(key) % n`, which is what
/// [`KeyHash::Fnv1aAbs`](super::KeyHash::Fnv1aAbs) computes.
///
/// ```
/// use partitioner::hash::fnv1a::sarama_negate;
/// use partitioner::ids::PartitionCount;
///
/// let count = PartitionCount::new(12).unwrap();
/// assert_eq!(sarama_negate(b"tenant-a", count).get(), 1);
/// ```
#[inline]
#[must_use]
pub fn sarama_negate(key: &[u8], count: PartitionCount) -> PartitionIndex {
    let remainder = fnv1a(key).cast_signed() % count.as_i32();
    count.wrap(u64::from(remainder.unsigned_abs()))
}

/// FNV-1a as Sarama's and kafka-go's reference partitioners use it: with the sign bit cleared, as Java does.
///
/// ```
/// use partitioner::hash::fnv1a::sarama_reference_mask;
///
/// assert_eq!(sarama_reference_mask(b"1468509572224"), 0);
/// ```
#[inline]
#[must_use]
pub fn sarama_reference_mask(key: &[u8]) -> u32 {
    sign::mask(fnv1a(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// In 64 bits, with the modulus of the definition written out.
    fn model(key: &[u8]) -> u64 {
        let mut hash = 2_166_136_261u64;
        for byte in key {
            hash ^= u64::from(*byte);
            hash = hash * 16_777_619 % (1 << 32);
        }
        hash
    }

    fn assert_negate_equals_abs(key: &[u8], count: u32) {
        let count = PartitionCount::new(count).unwrap();
        let by_abs = librdkafka_abs(key) % count.get();
        assert_eq!(sarama_negate(key, count).get(), by_abs, "key {}, {count} partitions", key.escape_ascii());
    }

    #[test]
    fn negate_equals_abs_at_the_minimum() {
        for count in [1, 2, 3, 5, 6, 12, 16, 50, 64, 100, 1000] {
            assert_negate_equals_abs(b"1468509572224", count);
        }
    }

    proptest! {
        #[test]
        fn equals_the_wide_model(key in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(u64::from(fnv1a(&key)), model(&key));
        }

        #[test]
        fn negate_equals_abs(key in prop::collection::vec(any::<u8>(), 0..40), count in 1u32..=1_000_000) {
            assert_negate_equals_abs(&key, count);
        }
    }
}
