//! Shuffle sharding by rate: the heavier the tenant, the more partitions it gets.

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::splitmix::{below, splitmix64};

use super::hash_draw::{DistinctDraw, HashedKey, candidate};
use super::jump::jump_hash;
use super::source::{Choose, Source};
use super::space_saving::SpaceSaving;

/// Records of the first window; each is twice as long as the one before, as long as there are longer ones.
const FIRST_WINDOW_RECORDS: u32 = 1_024;

/// Records of the longest window.
const WINDOW_RECORDS: u32 = 16_384;

/// Counters of heavy tenants, and of heavy keys; at most 512 can have a rate that counts in a topic of as many partitions.
const COUNTERS: u32 = 1_024;

/// `shuffle-shard-rate`: a tenant gets as many partitions as its measured rate fills, and so does each of its keys.
///
/// Grafana Loki's distributors do so when they write to Kafka (`pkg/distributor/segment.go`): a tenant's shard has
/// ⌊rate / rate of a partition⌋ partitions, 1 to n, drawn for the tenant; a key is split into ⌊its rate / rate of a partition⌋
/// sub-keys of which each record takes a random one; the sub-key is hashed inside the shard. Loki takes the tenant's rate from its
/// limit and a partition's from its configuration. Here the tenant's is measured too, over windows of 1,024 records at first
/// and 16,384 in the end, and a partition's is the mean, so a tenant with the share s of a window has ⌊s·n⌋ partitions in the
/// next. Inside the shard keys are placed by [`jump`](super::jump): a shard that grows by one takes 1/k of the tenant's keys
/// along. Breaks entity order: keys move whenever their tenant's measured rate passes a whole partition, and heavy keys are
/// split. Two counters of Space-Saving a record.
#[derive(Clone, Debug)]
pub struct RateSharding {
    count: PartitionCount,
    seed: u64,
    draws: u64,
    window: Window,
    /// What follows from the window before.
    shards: Shards,
    draw: DistinctDraw,
}

/// What is counted of the current window.
#[derive(Clone, Debug)]
struct Window {
    records: u32,
    tenants: SpaceSaving,
    keys: SpaceSaving,
}

/// Units that are worth 2 partitions or more, ascending by hash; all others have one.
#[derive(Clone, Debug, Default)]
struct Shards {
    /// Heavy tenants, with where their partitions are.
    tenants: Vec<(u64, std::ops::Range<usize>)>,
    partitions: Vec<u32>,
    /// Heavy keys with their numbers of sub-keys.
    keys: Vec<(u64, u32)>,
}

impl Window {
    fn new(records: u32) -> Self {
        Self { records, tenants: SpaceSaving::new(COUNTERS), keys: SpaceSaving::new(COUNTERS) }
    }
}

impl RateSharding {
    /// What one producer remembers of a topic of `count` partitions; sub-keys are drawn by `seed`.
    #[must_use]
    pub fn new(count: PartitionCount, seed: u64) -> Self {
        let (window, draw) = (Window::new(FIRST_WINDOW_RECORDS), DistinctDraw::new(count));
        Self { count, seed, draws: 0, window, shards: Shards::default(), draw }
    }

    /// The strategy for keys of `format`, under the hashes of `seed`.
    #[must_use]
    pub fn strategy(seed: u64, format: KeyFormat) -> Source<Self> {
        Source::new(seed, Self::new).of_tenants(format)
    }

    /// Partitions that a window's heaviest units are worth, where that is more than one, ascending by hash.
    fn worth(&self, counts: &SpaceSaving) -> Vec<(u64, u32)> {
        let all = u64::from(self.count.get());
        // What a key took over from another is no rate of its own.
        let of = |records: u64| {
            u32::try_from((records * all / u64::from(self.window.records)).min(all)).unwrap_or(u32::MAX)
        };
        let heavy = counts.counters().map(|counter| (counter.key, of(counter.count - counter.error)));
        let mut heavy: Vec<_> = heavy.filter(|(_, partitions)| *partitions > 1).collect();
        heavy.sort_unstable();
        heavy
    }

    fn end_window(&mut self) {
        let (tenants, keys) = (self.worth(&self.window.tenants), self.worth(&self.window.keys));
        let mut shards = Shards { keys, ..Shards::default() };
        for (tenant, partitions) in tenants {
            let start = shards.partitions.len();
            self.draw.draw(tenant, partitions, &mut shards.partitions);
            shards.tenants.push((tenant, start..shards.partitions.len()));
        }
        (self.shards, self.window) = (shards, Window::new((2 * self.window.records).min(WINDOW_RECORDS)));
    }

    /// The hash of the key, or of one of its sub-keys.
    #[inline]
    fn sub_key(&mut self, entity: u64) -> u64 {
        let Ok(at) = self.shards.keys.binary_search_by_key(&entity, |(key, _)| *key) else {
            return entity;
        };
        let random = splitmix64(self.seed, self.draws);
        self.draws += 1;
        splitmix64(entity, u64::from(below(random, self.shards.keys[at].1)))
    }
}

impl Choose for RateSharding {
    #[inline]
    fn choose(&mut self, key: HashedKey) -> PartitionIndex {
        self.window.tenants.add(key.tenant);
        self.window.keys.add(key.entity);
        if self.window.tenants.total() == u64::from(self.window.records) {
            self.end_window();
        }
        let tenants = &self.shards.tenants;
        match tenants.binary_search_by_key(&key.tenant, |(tenant, _)| *tenant) {
            // The first of the partitions that the tenant gets when it is heavier.
            Err(_) => candidate(key.tenant, 0, self.count),
            Ok(at) => {
                let shard = tenants[at].1.clone();
                let within =
                    jump_hash(self.sub_key(key.entity), u32::try_from(shard.len()).unwrap_or(u32::MAX));
                PartitionIndex::new(self.shards.partitions[shard][within as usize])
            }
        }
    }

    fn placed(&mut self, _: PartitionIndex) {}
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A tenant with 1/4 of 12 partitions' records in keys of equal weight, among 500 light ones.
    fn placed(records: u32) -> Vec<(HashedKey, PartitionIndex)> {
        let mut sharding = RateSharding::new(PartitionCount::new(12).unwrap(), 3);
        let key = |record: u32| {
            let record = u64::from(record);
            let tenant = if record.is_multiple_of(4) { 1 } else { splitmix64(2, record % 501) };
            HashedKey { entity: splitmix64(tenant, record % 97), tenant }
        };
        (0..records).map(|record| (key(record), sharding.choose(key(record)))).collect()
    }

    fn used(placed: &[(HashedKey, PartitionIndex)], is_wanted: impl Fn(HashedKey) -> bool) -> BTreeSet<u32> {
        placed.iter().filter(|(key, _)| is_wanted(*key)).map(|(_, partition)| partition.get()).collect()
    }

    #[test]
    fn a_heavy_tenant_gets_the_partitions_that_it_fills_from_the_second_window_on() {
        let placed = placed(50_000);
        let (first, later) = placed.split_at(FIRST_WINDOW_RECORDS as usize - 1);
        assert_eq!(used(first, |key| key.tenant == 1).len(), 1);
        assert_eq!(used(later, |key| key.tenant == 1).len(), 3, "a quarter of 12");
        assert!(used(later, |key| key.tenant == 1).is_superset(&used(first, |key| key.tenant == 1)));
        let light = splitmix64(2, 5);
        assert_eq!(used(&placed, |key| key.tenant == light).len(), 1, "a light tenant stays");
    }

    #[test]
    fn a_key_inside_a_shard_stays_while_the_shard_does() {
        let placed = placed(50_000);
        let later = &placed[FIRST_WINDOW_RECORDS as usize..];
        let entity = later.iter().find(|(key, _)| key.tenant == 1).unwrap().0.entity;
        assert_eq!(used(later, |key| key.entity == entity).len(), 1);
    }

    #[test]
    fn a_heavy_key_is_split() {
        let mut sharding = RateSharding::new(PartitionCount::new(12).unwrap(), 3);
        let hot = HashedKey { entity: 5, tenant: 6 };
        let placed: Vec<_> = (0..3_000).map(|_| (hot, sharding.choose(hot))).collect();
        assert_eq!(used(&placed[..1_000], |_| true).len(), 1);
        assert!(used(&placed[2_000..], |_| true).len() > 5);
    }
}
