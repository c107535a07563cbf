//! Rendezvous hashing: the partition that wants the key most.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::splitmix::splitmix64;

use super::consistent::Consistent;
use super::hash_draw::HashedKey;

/// `rendezvous`: each partition draws a weight for the key, the highest wins.
///
/// Thaler, Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", IEEE/ACM Transactions on Networking 6 (1), 1998,
/// known as highest random weight. From n to m partitions 1 − n/m of the keys move, and if any partition is taken away, only
/// its own keys. One mix of 64 bits a partition, so n of them a key. Hashes the whole key: it keeps the order of each entity
/// while the count stays, and can balance no better than any hash.
#[must_use]
pub fn rendezvous(seed: u64) -> Consistent {
    Consistent::new(seed, highest)
}

/// Of equal weights, which 64 bits make as good as impossible, the first partition's counts.
fn highest(key: HashedKey, count: PartitionCount) -> PartitionIndex {
    let (mut best, mut most) = (0, 0);
    for partition in 0..count.get() {
        let weight = splitmix64(key.entity, u64::from(partition));
        (best, most) = if weight > most { (partition, weight) } else { (best, most) };
    }
    PartitionIndex::new(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(hash: u64, count: u32) -> u32 {
        let key = HashedKey { entity: hash, tenant: hash };
        highest(key, PartitionCount::new(count).unwrap()).get()
    }

    #[test]
    fn the_highest_weight_wins_whatever_the_count() {
        for key in 0..2_000u64 {
            let hash = splitmix64(5, key);
            for count in [1, 2, 12, 13, 48] {
                let by_weight = (0..count).max_by_key(|&partition| splitmix64(hash, u64::from(partition)));
                assert_eq!(Some(place(hash, count)), by_weight);
            }
        }
    }

    #[test]
    fn growth_moves_keys_to_new_partitions_only_and_as_many_as_it_must() {
        let hashes = (0..20_000u64).map(|key| splitmix64(5, key));
        let moved = hashes.filter(|&hash| {
            let (was, is) = (place(hash, 12), place(hash, 16));
            assert!(is == was || is >= 12);
            is != was
        });
        // A quarter of 20,000; five standard deviations.
        assert!(moved.count().abs_diff(5_000) < 310);
    }

    #[test]
    fn partitions_get_about_equally_many_keys() {
        let mut keys = [0u32; 12];
        (0..12_000u64).for_each(|key| keys[place(splitmix64(5, key), 12) as usize] += 1);
        assert!(keys.iter().all(|keys| keys.abs_diff(1_000) < 150), "{keys:?}");
    }
}
