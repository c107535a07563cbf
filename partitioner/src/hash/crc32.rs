//! CRC-32 (IEEE 802.3, reflected polynomial `0xedb88320`), the same as zlib's.
//!
//! The default of librdkafka and of what is built on it (rust-rdkafka, confluent-kafka for Go, Python and .NET,
//! node-rdkafka), and of ruby-kafka; opt-in in Sarama, kafka-go and franz-go. They differ in what they do with the
//! sign: see [`KeyHash`](super::KeyHash).
//!
//! Source: librdkafka's `src/rdcrc32.c`. That one is a bytewise table; ours is [`crc32fast`], which uses the
//! carry-less multiplication of the processor where there is one.

/// The CRC-32 of `key`; 0 for the empty key.
///
/// ```
/// use partitioner::hash::crc32::crc32;
///
/// assert_eq!(crc32(b"123456789"), 0xcbf4_3926); // the check value of the CRC catalogue
/// assert_eq!(crc32(b""), 0);
/// ```
#[inline]
#[must_use]
pub fn crc32(key: &[u8]) -> u32 {
    crc32fast::hash(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bit by bit, as the polynomial is defined.
    fn model(key: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in key {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            }
        }
        !crc
    }

    proptest! {
        #[test]
        fn equals_the_bitwise_model(key in prop::collection::vec(any::<u8>(), 0..600)) {
            prop_assert_eq!(crc32(&key), model(&key));
        }
    }
}
