//! Jump consistent hashing.

use partitioner::ids::PartitionIndex;

use super::consistent::Consistent;

/// `jump`: when partitions are added, a key stays or goes to one of the new ones.
///
/// Lamping, Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014, <https://arxiv.org/abs/1406.2294>. From n to m
/// partitions 1 − n/m of the keys move, where `hash % n` moves nearly all; ln n steps a key and no memory. Hashes the whole
/// key, so it keeps the order of each entity while the count stays, and can balance no better than any hash.
#[must_use]
pub fn jump(seed: u64) -> Consistent {
    Consistent::new(seed, |key, count| PartitionIndex::new(jump_hash(key.entity, count.get())))
}

/// The bucket of `hash` among `buckets`, 1 or more; bit for bit what the paper's program gives.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)] // as in the paper
pub(super) fn jump_hash(mut hash: u64, buckets: u32) -> u32 {
    const TWO_TO_31: f64 = 2_147_483_648.0;
    let (mut bucket, mut next) = (0, 0u64);
    while next < u64::from(buckets) {
        bucket = next;
        hash = hash.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        next = ((bucket + 1) as f64 * (TWO_TO_31 / ((hash >> 33) + 1) as f64)) as u64;
    }
    bucket as u32
}

#[cfg(test)]
mod tests {
    use partitioner::splitmix::splitmix64;

    use super::*;

    #[test]
    fn buckets_are_those_of_other_implementations() {
        // From the tests of ClickHouse's jumpConsistentHash and of the crate jump-consistent-hash.
        let known = [
            (1, 1, 0),
            (42, 57, 43),
            (256, 1_024, 520),
            (0xdead_10cc, 1, 0),
            (0xdead_10cc, 666, 361),
            (0, 60, 0),
            (1, 60, 55),
            (2, 60, 46),
        ];
        for (hash, buckets, expected) in known {
            assert_eq!(jump_hash(hash, buckets), expected, "{hash} of {buckets}");
        }
    }

    #[test]
    fn growth_moves_keys_to_new_buckets_only_and_as_many_as_it_must() {
        let keys = 20_000u32;
        for (old, new) in [(12, 13), (12, 16), (12, 24), (24, 25)] {
            let moved = (0..keys).map(|key| splitmix64(3, u64::from(key))).filter(|&hash| {
                let (was, is) = (jump_hash(hash, old), jump_hash(hash, new));
                assert!(is == was || is >= old);
                is != was
            });
            let (moved, expected) =
                (moved.count(), f64::from(keys) * (1.0 - f64::from(old) / f64::from(new)));
            #[allow(clippy::cast_precision_loss)]
            let off = (moved as f64 - expected).abs();
            assert!(off < 5.0 * (f64::from(keys) / 4.0).sqrt(), "{old} to {new}: {moved}, not {expected}");
        }
    }
}
