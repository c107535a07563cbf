//! What other clients do, and the plain strategies to compare with.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::hash::KeyHash;
use crate::ids::{PartitionCount, PartitionIndex, PartitionRange};
use crate::key::KeyFormat;
use crate::name_table::NameTable;
use crate::route::{KeyFault, Record, Reject, Route, Step, explicit};
use crate::splitmix::{below, splitmix64};
use crate::spread::OrderingScope;
use crate::sticky::{Sticky, StickyLimits};
use crate::strategy::{Strategy, unkeyed};

/// A client's keyed partitioner: `hash(key) % count`, and something else for records without a key.
///
/// ```
/// use partitioner::baseline::KeyedHash;
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::Record;
/// use partitioner::strategy::Strategy;
///
/// let six = PartitionCount::new(6).unwrap();
/// let place = |strategy: &KeyedHash| strategy.route(&Record::keyed(b"TLKM"), six).unwrap().partition.get();
/// assert_eq!(place(&KeyedHash::java(1)), 5);
/// ```
#[derive(Debug)]
pub struct KeyedHash {
    hash: KeyHash,
    /// Hash the tenant of a key of this format, not the key.
    tenant_of: Option<KeyFormat>,
    empty_is_null: bool,
    unkeyed: KeyIgnored,
}

impl KeyedHash {
    /// The Java client's default: murmur2, sticky by bytes for null keys (KIP-480, KIP-794).
    #[must_use]
    pub fn java(seed: u64) -> Self {
        let unkeyed = KeyIgnored::sticky(seed);
        Self { hash: KeyHash::Murmur2, tenant_of: None, empty_is_null: false, unkeyed }
    }

    /// librdkafka's default, `consistent_random`: CRC32; null **and empty** keys are sticky by time (10 ms).
    #[must_use]
    pub fn librdkafka(seed: u64) -> Self {
        let limits = StickyLimits { sticky_bytes: u32::MAX, ..StickyLimits::default() };
        let unkeyed = KeyIgnored(Choice::Sticky(Sticky::new(limits, seed)));
        Self { hash: KeyHash::Crc32, tenant_of: None, empty_is_null: true, unkeyed }
    }

    /// Sarama's default, `HashPartitioner`: FNV-1a, negated when negative; null keys at random.
    #[must_use]
    pub fn sarama(seed: u64) -> Self {
        let unkeyed = KeyIgnored::random(seed);
        Self { hash: KeyHash::Fnv1aAbs, tenant_of: None, empty_is_null: false, unkeyed }
    }

    /// The same partitioner as seen by an application that keys its records by the tenant alone.
    ///
    /// The tenant is taken from keys of `format`; a malformed key is hashed whole.
    #[must_use]
    pub fn of_tenant(self, format: KeyFormat) -> Self {
        Self { tenant_of: Some(format), ..self }
    }
}

impl Strategy for KeyedHash {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(partition) = record.partition {
            return explicit(partition, count);
        }
        let fault = match record.key {
            None => Some(KeyFault::Null),
            Some([]) if self.empty_is_null => Some(KeyFault::Empty),
            Some(key) => {
                let tenant = self.tenant_of.and_then(|format| format.decode(key).ok()).map(|key| key.tenant);
                let partition = self.hash.partition(tenant.as_deref().unwrap_or(key), count);
                return Ok(Route { partition, step: Step::Hash, fault: None });
            }
        };
        Ok(Route { fault, ..self.unkeyed.route(record, count)? })
    }

    fn ordering_scope(&self, step: Step) -> OrderingScope {
        match (step, self.tenant_of) {
            (Step::Hash, Some(_)) => OrderingScope::Tenant,
            (Step::Hash, None) => OrderingScope::Entity,
            _ => OrderingScope::None,
        }
    }

    fn ordering(&self) -> String {
        self.ordering_scope(Step::Hash).to_string()
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

/// A choice that looks at no key, so that it breaks the order of every entity with more than one record.
///
/// ```
/// use partitioner::baseline::KeyIgnored;
/// use partitioner::ids::PartitionCount;
/// use partitioner::route::Record;
/// use partitioner::strategy::Strategy;
///
/// let (turns, three) = (KeyIgnored::round_robin(), PartitionCount::new(3).unwrap());
/// let mut next = || turns.route(&Record::keyed(b"acme:order-7"), three).unwrap().partition.get();
/// assert_eq!([next(), next(), next(), next()], [0, 1, 2, 0]);
/// assert!(!turns.is_consistent());
/// ```
#[derive(Debug)]
pub struct KeyIgnored(Choice);

#[derive(Debug)]
enum Choice {
    RoundRobin(AtomicU64),
    Random { seed: u64, draws: AtomicU64 },
    Sticky(Sticky),
}

impl KeyIgnored {
    /// One partition after the other, as Java's `RoundRobinPartitioner` and kafka-go's default.
    #[must_use]
    pub fn round_robin() -> Self {
        Self(Choice::RoundRobin(AtomicU64::new(0)))
    }

    /// A partition at random for every record, as librdkafka's `random`; SplitMix64 from the seed.
    #[must_use]
    pub fn random(seed: u64) -> Self {
        Self(Choice::Random { seed, draws: AtomicU64::new(0) })
    }

    /// Sticky by Java's `batch.size` of 16 KiB, as Java with `partitioner.ignore.keys=true`.
    #[must_use]
    pub fn sticky(seed: u64) -> Self {
        Self(Choice::Sticky(Sticky::new(StickyLimits { sticky_ms: 0, ..StickyLimits::default() }, seed)))
    }
}

impl Strategy for KeyIgnored {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(partition) = record.partition {
            return explicit(partition, count);
        }
        Ok(match &self.0 {
            Choice::RoundRobin(next) => in_turn(next.fetch_add(1, Relaxed), count),
            Choice::Random { seed, draws } => at_random(*seed, draws.fetch_add(1, Relaxed), count),
            Choice::Sticky(sticky) => {
                let all = PartitionRange::all(count);
                let partition = sticky.choose(all, record.size_bytes, record.now_us, record.edge);
                Route { partition, step: Step::Sticky, fault: None }
            }
        })
    }

    fn route_unkeyed(
        &self,
        size_bytes: &[u32],
        now_us: &[u64],
        count: PartitionCount,
        routes: &mut Vec<Result<Route, Reject>>,
    ) {
        let records = size_bytes.len().min(now_us.len());
        let take_from = |counter: &AtomicU64| {
            let first = counter.fetch_add(records as u64, Relaxed);
            (0..records as u64).map(move |later| first.wrapping_add(later))
        };
        match &self.0 {
            Choice::RoundRobin(next) => routes.extend(take_from(next).map(|turn| Ok(in_turn(turn, count)))),
            Choice::Random { seed, draws } => {
                routes.extend(take_from(draws).map(|draw| Ok(at_random(*seed, draw, count))));
            }
            Choice::Sticky(_) => {
                routes.extend(unkeyed(size_bytes, now_us).map(|record| self.route(&record, count)));
            }
        }
    }

    fn ordering_scope(&self, _: Step) -> OrderingScope {
        OrderingScope::None
    }

    fn ordering(&self) -> String {
        OrderingScope::None.to_string()
    }

    fn is_consistent(&self) -> bool {
        false
    }

    fn ignores_keys(&self) -> bool {
        true
    }
}

/// The choice of round robin.
fn in_turn(turn: u64, count: PartitionCount) -> Route {
    Route { partition: count.wrap(turn), step: Step::Turn, fault: None }
}

/// The random choice numbered `draw`.
fn at_random(seed: u64, draw: u64, count: PartitionCount) -> Route {
    let partition = PartitionRange::all(count).at(below(splitmix64(seed, draw), count.get()));
    Route { partition, step: Step::Turn, fault: None }
}

/// A table from tenant to partition, as teams write by hand (region → partition); tenants not in it are hashed as by
/// [`KeyedHash::java`] over the tenant.
#[derive(Debug)]
pub struct ExplicitMap {
    partitions: NameTable,
    format: KeyFormat,
    others: KeyedHash,
}

impl ExplicitMap {
    /// Tenants by name, each with its partition; of equal names the first counts.
    #[must_use]
    pub fn new<'n>(
        map: impl IntoIterator<Item = (&'n [u8], PartitionIndex)>,
        format: KeyFormat,
        seed: u64,
    ) -> Self {
        let numbered = map.into_iter().map(|(tenant, partition)| (tenant, partition.get()));
        Self { partitions: NameTable::new(numbered), format, others: KeyedHash::java(seed).of_tenant(format) }
    }
}

impl Strategy for ExplicitMap {
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        let mapped = || {
            let key = self.format.decode(record.key?).ok()?;
            self.partitions.get(&key.tenant).map(PartitionIndex::new)
        };
        match mapped().filter(|_| record.partition.is_none()) {
            Some(partition) if count.contains(partition) => {
                Ok(Route { partition, step: Step::PinnedTenant, fault: None })
            }
            Some(partition) => Err(Reject::TopicTooSmall { contract: partition.get() + 1, topic: count }),
            None => self.others.route(record, count),
        }
    }

    fn ordering_scope(&self, step: Step) -> OrderingScope {
        match step {
            Step::PinnedTenant => OrderingScope::Tenant,
            step => self.others.ordering_scope(step),
        }
    }

    fn ordering(&self) -> String {
        OrderingScope::Tenant.to_string()
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sticky::BatchEdge;

    fn count(count: u32) -> PartitionCount {
        PartitionCount::new(count).unwrap()
    }

    fn routes(strategy: &dyn Strategy, records: u32, record: &Record<'_>, topic: u32) -> Vec<Route> {
        (0..records).map(|_| strategy.route(record, count(topic)).unwrap()).collect()
    }

    fn partitions(strategy: &dyn Strategy, records: u32, record: &Record<'_>, topic: u32) -> Vec<u32> {
        routes(strategy, records, record, topic).iter().map(|route| route.partition.get()).collect()
    }

    fn distinct(partitions: &[u32]) -> usize {
        partitions.iter().collect::<std::collections::BTreeSet<_>>().len()
    }

    #[test]
    fn round_robin_takes_every_partition_in_turn_whatever_the_key() {
        let turns = KeyIgnored::round_robin();
        let keys = [Record::keyed(b"a:1"), Record::unkeyed(10, 0), Record::keyed(b""), Record::keyed(b"a:1")];
        let taken: Vec<_> =
            (0..8).map(|i| turns.route(&keys[i % 4], count(3)).unwrap().partition.get()).collect();
        assert_eq!(taken, [0, 1, 2, 0, 1, 2, 0, 1]);
        assert!(partitions(&turns, 9, &keys[0], 2).iter().all(|&partition| partition < 2), "a smaller topic");
        assert_eq!(routes(&turns, 1, &keys[0], 3)[0].step, Step::Turn);
    }

    #[test]
    fn many_unkeyed_records_at_once_go_where_each_would_by_itself() {
        let made: [fn() -> Box<dyn Strategy>; 4] = [
            || Box::new(KeyIgnored::round_robin()),
            || Box::new(KeyIgnored::random(7)),
            || Box::new(KeyIgnored::sticky(7)),
            || Box::new(KeyedHash::librdkafka(7)),
        ];
        let size_bytes: Vec<u32> = (0..1_000).map(|at| at * 37 % 900).collect();
        let now_us: Vec<u64> = (0..1_000).map(|at| at * 333).collect();
        for make in made {
            let (by_itself, at_once) = (make(), make());
            let expected: Vec<_> = size_bytes
                .iter()
                .zip(&now_us)
                .map(|(&size, &now)| by_itself.route(&Record::unkeyed(size, now), count(7)))
                .collect();
            let mut routes = Vec::new();
            for part in [0..1, 1..1, 1..600, 600..1_000] {
                at_once.route_unkeyed(&size_bytes[part.clone()], &now_us[part], count(7), &mut routes);
            }
            assert_eq!(routes, expected);
            let next = Record::unkeyed(1, 400_000);
            assert_eq!(at_once.route(&next, count(7)), by_itself.route(&next, count(7)));
        }
    }

    #[test]
    fn random_is_drawn_from_the_seed_and_uses_every_partition_about_equally() {
        let drawn = |seed| partitions(&KeyIgnored::random(seed), 12_000, &Record::keyed(b"a:1"), 12);
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        for partition in 0..12 {
            let taken = drawn(7).iter().filter(|&&drawn| drawn == partition).count();
            // Five standard deviations of a binomial with mean 1,000.
            assert!(taken.abs_diff(1_000) < 150, "partition {partition} was drawn {taken} times");
        }
    }

    #[test]
    fn sticky_fills_a_batch_of_16_kib_and_knows_no_time() {
        let sticky = KeyIgnored::sticky(1);
        let record = Record { size_bytes: 1_024, now_us: 0, ..Record::keyed(b"a:1") };
        let first = partitions(&sticky, 16, &record, 12);
        assert_eq!(distinct(&first), 1, "{first:?}");
        let late = Record { now_us: 3_600_000_000, ..record };
        let second = partitions(&sticky, 16, &late, 12);
        assert_eq!(distinct(&second), 1, "{second:?}");
        assert_ne!(first[0], second[0]);
    }

    #[test]
    fn a_null_key_is_what_tells_the_clients_apart() {
        let null = Record { size_bytes: 100, edge: BatchEdge::Unknown, ..Record::default() };
        let java = routes(&KeyedHash::java(1), 100, &null, 12);
        assert!(java.iter().all(|route| *route == java[0]), "one batch");
        assert_eq!((java[0].step, java[0].fault), (Step::Sticky, Some(KeyFault::Null)));

        let librdkafka = KeyedHash::librdkafka(1);
        let stays = partitions(&librdkafka, 10_000, &null, 12);
        assert_eq!(distinct(&stays), 1, "librdkafka's sticky choice counts no bytes");
        let later = partitions(&librdkafka, 1, &Record { now_us: 10_000, ..null }, 12);
        assert_ne!(later[0], stays[0], "but 10 ms");

        let sarama = partitions(&KeyedHash::sarama(1), 1_000, &null, 12);
        assert_eq!(distinct(&sarama), 12, "at random for every record");
        assert_eq!(sarama, partitions(&KeyedHash::sarama(1), 1_000, &null, 12));
    }

    #[test]
    fn of_tenant_hashes_the_name_without_escapes_and_a_malformed_key_whole() {
        let strategy = KeyedHash::java(1).of_tenant(KeyFormat::default());
        let place = |key: &[u8]| strategy.route(&Record::keyed(key), count(12)).unwrap().partition;
        let murmur2 = |bytes: &[u8]| KeyHash::Murmur2.partition(bytes, count(12));
        assert_eq!(place(b"tenant-a:order-1"), murmur2(b"tenant-a"));
        assert_eq!(place(b"tenant-a:order-2"), murmur2(b"tenant-a"));
        assert_eq!(place(br"acme\:eu:order-1"), murmur2(b"acme:eu"));
        assert_eq!(place(b"user-42"), murmur2(b"user-42"));
        assert_eq!(strategy.ordering_scope(Step::Hash), OrderingScope::Tenant);
        assert_eq!(KeyedHash::java(1).ordering_scope(Step::Hash), OrderingScope::Entity);
        assert_eq!(KeyedHash::java(1).ordering_scope(Step::Sticky), OrderingScope::None);
    }

    fn map() -> ExplicitMap {
        let table = [(&b"eu"[..], 5), (b"us", 0), (b"a:b", 2), (b"eu", 1)];
        let table = table.map(|(tenant, partition)| (tenant, PartitionIndex::new(partition)));
        ExplicitMap::new(table, KeyFormat::default(), 1)
    }

    #[test]
    fn a_map_places_its_tenants_and_hashes_the_others() {
        let map = map();
        let route = |key: &[u8]| map.route(&Record::keyed(key), count(6)).unwrap();
        for (key, partition) in [(&b"eu:1"[..], 5), (b"eu:2", 5), (b"us:1", 0), (br"a\:b:1", 2)] {
            let Route { partition: mapped, step, .. } = route(key);
            assert_eq!((mapped.get(), step), (partition, Step::PinnedTenant), "{}", key.escape_ascii());
        }
        let other = route(b"asia:1");
        assert_eq!(
            (other.partition, other.step),
            (KeyHash::Murmur2.partition(b"asia", count(6)), Step::Hash)
        );
        assert_eq!(map.route(&Record::unkeyed(1, 0), count(6)).unwrap().step, Step::Sticky);
        assert_eq!(map.ordering_scope(Step::PinnedTenant), OrderingScope::Tenant);
    }

    #[test]
    fn a_map_to_a_partition_that_the_topic_lacks_is_refused() {
        let refused = map().route(&Record::keyed(b"eu:1"), count(5)).unwrap_err();
        assert_eq!(refused, Reject::TopicTooSmall { contract: 6, topic: count(5) });
        assert!(map().route(&Record::keyed(b"us:1"), count(5)).is_ok());
    }

    #[test]
    fn the_partition_that_the_application_names_wins_everywhere() {
        let format = KeyFormat::default();
        let strategies: [Box<dyn Strategy>; 8] = [
            Box::new(KeyedHash::java(1)),
            Box::new(KeyedHash::librdkafka(1)),
            Box::new(KeyedHash::sarama(1)),
            Box::new(KeyedHash::java(1).of_tenant(format)),
            Box::new(KeyIgnored::round_robin()),
            Box::new(KeyIgnored::random(1)),
            Box::new(KeyIgnored::sticky(1)),
            Box::new(map()),
        ];
        let named = |partition| Record {
            partition: Some(PartitionIndex::new(partition)),
            size_bytes: 1_000,
            ..Record::keyed(b"eu:1")
        };
        for strategy in &strategies {
            for route in routes(&**strategy, 40, &named(3), 6) {
                assert_eq!(
                    route,
                    Route { partition: PartitionIndex::new(3), step: Step::Explicit, fault: None }
                );
            }
            let refused = strategy.route(&named(6), count(6)).unwrap_err();
            assert_eq!(refused.reason(), "explicit-out-of-range", "{}", strategy.ordering());
        }
    }

    #[test]
    fn only_strategies_that_look_at_the_key_alone_are_consistent() {
        let keyed: [&dyn Strategy; 3] = [&KeyedHash::java(1), &KeyedHash::librdkafka(1), &map()];
        for strategy in keyed {
            assert!(strategy.is_consistent() && !strategy.ignores_keys());
            assert_eq!(distinct(&partitions(strategy, 100, &Record::keyed(b"tenant-a:7"), 12)), 1);
        }
        let ignored: [&dyn Strategy; 3] =
            [&KeyIgnored::round_robin(), &KeyIgnored::random(1), &KeyIgnored::sticky(1)];
        for strategy in ignored {
            assert!(!strategy.is_consistent() && strategy.ignores_keys());
            let record = Record { size_bytes: 16_384, ..Record::keyed(b"tenant-a:7") };
            assert!(distinct(&partitions(strategy, 100, &record, 12)) > 1);
        }
    }
}
