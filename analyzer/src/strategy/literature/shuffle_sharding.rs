//! Shuffle sharding: each tenant on a few partitions of its own draw.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::splitmix::{below, splitmix64};

use super::consistent::Consistent;
use super::hash_draw::HashedKey;

/// Partitions of a tenant, where there are as many: what Amazon Route 53 gives a domain among its 2,048 name servers.
const SHARD_PARTITIONS: u32 = 4;

/// `shuffle-shard`: a tenant's entities are hashed over 4 partitions that are drawn for the tenant.
///
/// MacCárthaigh, "Workload isolation using shuffle-sharding", Amazon Builders' Library, 2019. Two tenants rarely share all of
/// their partitions, so a heavy one is in the way of few others; but it fills its four, however heavy it is. Keeps the order
/// of each entity: entities stay where they are inside the shard while the count stays.
#[must_use]
pub fn shuffle_shard(seed: u64, format: KeyFormat) -> Consistent {
    Consistent::new(seed, place).of_tenants(format)
}

fn place(key: HashedKey, count: PartitionCount) -> PartitionIndex {
    let (mut shard, mut len, all) = ([0; SHARD_PARTITIONS as usize], 0, count.get());
    // Floyd's draw of some out of all: the j-th of the last draws is one of `0..=j`, or `j` when that is taken.
    let drawn = SHARD_PARTITIONS.min(all);
    for (turn, last) in (0..).zip(all - drawn..all) {
        let draw = below(splitmix64(key.tenant, turn), last + 1);
        shard[len] = if shard[..len].contains(&draw) { last } else { draw };
        len += 1;
    }
    // The entity's own hash may be the tenant's, so another draw of it is taken.
    let within = below(splitmix64(key.entity, u64::MAX), drawn);
    PartitionIndex::new(shard[within as usize])
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn shard(tenant: u64, count: u32) -> BTreeSet<u32> {
        let count = PartitionCount::new(count).unwrap();
        let hashes = (0..200u64).map(|entity| splitmix64(tenant, entity));
        hashes.map(|entity| place(HashedKey { entity, tenant: splitmix64(1, tenant) }, count).get()).collect()
    }

    #[test]
    fn a_tenant_uses_four_partitions_or_all_of_fewer() {
        for (count, used) in [(1, 1), (3, 3), (4, 4), (5, 4), (12, 4), (1_000_000, 4)] {
            for tenant in 0..20 {
                assert_eq!(shard(tenant, count).len(), used, "of {count}");
            }
        }
    }

    #[test]
    fn every_set_of_partitions_is_drawn_about_equally_often() {
        let mut sets = BTreeMap::<BTreeSet<u32>, u32>::new();
        (0..1_500).for_each(|tenant| *sets.entry(shard(tenant, 6)).or_default() += 1);
        assert_eq!(sets.len(), 15, "four of six");
        // Five standard deviations of a binomial with mean 100.
        assert!(sets.values().all(|times| times.abs_diff(100) < 50), "{sets:?}");
    }
}
