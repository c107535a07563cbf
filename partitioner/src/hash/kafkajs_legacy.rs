//! Murmur2 as KafkaJS before 2.0 computed it, and as its `LegacyPartitioner` still does.
//!
//! It differs from [`murmur2`](super::murmur2) in two ways, both of them mistakes that placed users' data and so had
//! to stay: the multiplications are of doubles, which lose the low bits of every product above 2^53, and the loop
//! takes one turn more when the length is not a multiple of four, so that the last bytes enter twice.
//!
//! Source: KafkaJS, `src/producer/partitioners/legacy/murmur2.js`; [KafkaJS's migration guide for 2.0] tells how to
//! keep it.
//!
//! [KafkaJS's migration guide for 2.0]: https://kafka.js.org/docs/migration-guide-v2.0.0

const SEED: u32 = 0x9747_b28c;
const M: f64 = 1_540_483_477.0; // 0x5bd1e995

/// The legacy hash of `key`, as the unsigned reading of what KafkaJS returns as a signed number.
///
/// KafkaJS places a key on `(hash & 0x7fffffff) % n`; that is
/// [`KeyHash::KafkaJsLegacy`](super::KeyHash::KafkaJsLegacy).
///
/// ```
/// use partitioner::hash::kafkajs_legacy::kafkajs_legacy;
///
/// assert_eq!(kafkajs_legacy(b"0").cast_signed(), 272_173_970);
/// assert_eq!(kafkajs_legacy(b"2187").cast_signed(), -2_081_355_488);
/// ```
#[must_use]
pub fn kafkajs_legacy(key: &[u8]) -> u32 {
    let (words, tail) = key.as_chunks::<4>();
    let mut hash = SEED ^ length_mix(key.len());
    for word in words {
        hash = times_m(hash) ^ scramble(*word);
    }
    if !tail.is_empty() {
        // The turn that Java does not take: JavaScript reads past the end as `undefined & 0xff`, which is 0.
        let mut word = [0; 4];
        word[..tail.len()].copy_from_slice(tail);
        hash = times_m(hash) ^ scramble(word);
        hash = times_m(hash ^ u32::from_le_bytes(word));
    }
    hash = times_m(hash ^ hash >> 13);
    hash ^ hash >> 15
}

fn scramble(word: [u8; 4]) -> u32 {
    let word = times_m(u32::from_le_bytes(word));
    times_m(word ^ word >> 24)
}

/// `hash * m` of two JavaScript numbers, and then `ToInt32`, which the next bitwise operator applies.
///
/// The product is rounded to 53 bits, and stays below 2^63 in size.
#[allow(clippy::cast_possible_truncation)] // ToInt32 keeps the low 32 bits
fn times_m(hash: u32) -> u32 {
    let product = f64::from(hash.cast_signed()) * M;
    (product as i64).cast_unsigned() as u32
}

/// The length as it enters the hash.
#[allow(clippy::cast_possible_truncation)] // `^` in JavaScript is of 32 bits
const fn length_mix(len: usize) -> u32 {
    len as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::murmur2::murmur2;
    use proptest::prelude::*;

    /// An `f64` holding an integer, made an `int32` by the text of ECMAScript's `ToInt32`: modulo 2^32, then signed.
    fn to_int32(number: f64) -> i32 {
        let modulo = number.rem_euclid(4_294_967_296.0);
        let signed = if modulo >= 2_147_483_648.0 { modulo - 4_294_967_296.0 } else { modulo };
        format!("{signed:.0}").parse().unwrap()
    }

    /// The JavaScript, line by line.
    fn model(key: &[u8]) -> u32 {
        let m = 1_540_483_477.0;
        let at = |index: usize| i32::from(key.get(index).copied().unwrap_or(0));
        let len = i32::try_from(key.len()).unwrap();
        let mut h = f64::from(0x9747_b28c_u32.cast_signed() ^ len);
        let mut i = 0;
        while 4 * i < key.len() {
            let mut k =
                f64::from(at(4 * i) + (at(4 * i + 1) << 8) + (at(4 * i + 2) << 16) + (at(4 * i + 3) << 24));
            k *= m;
            k = f64::from(to_int32(k) ^ (to_int32(k).cast_unsigned() >> 24).cast_signed());
            k *= m;
            h *= m;
            h = f64::from(to_int32(h) ^ to_int32(k));
            i += 1;
        }
        let whole = key.len() & !3;
        if len % 4 == 3 {
            h = f64::from(to_int32(h) ^ (at(whole + 2) << 16));
        }
        if len % 4 >= 2 {
            h = f64::from(to_int32(h) ^ (at(whole + 1) << 8));
        }
        if len % 4 >= 1 {
            h = f64::from(to_int32(h) ^ at(whole));
            h *= m;
        }
        h = f64::from(to_int32(h) ^ (to_int32(h).cast_unsigned() >> 13).cast_signed());
        h *= m;
        let h = to_int32(h).cast_unsigned();
        h ^ (h >> 15)
    }

    /// The empty key is where both hashes would agree if the products were exact.
    #[test]
    fn differs_from_murmur2_even_on_the_empty_key() {
        assert_ne!(kafkajs_legacy(b""), murmur2(b""));
    }

    proptest! {
        #[test]
        fn equals_the_javascript(key in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(kafkajs_legacy(&key), model(&key));
        }
    }
}
