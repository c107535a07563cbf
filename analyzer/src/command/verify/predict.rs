//! Where the contract says each key goes, without asking any broker.

use partitioner::contract::{STANDARD_POOL, TopicContract, VIP_POOL};
use partitioner::ids::{PartitionCount, PartitionIndex, PartitionRange, PoolIndex};
use partitioner::route::{OnGrowth, Record, Router};
use partitioner::spread::OrderingScope;
use partitioner::strategy::Strategy;

use super::super::error::CommandError;
use crate::live::Expected;
use crate::report::display_bytes;
use crate::workload::key_book::KeyBook;

/// What is expected of records by their keys, and of the partitions by their pools.
#[derive(Debug)]
pub(super) struct Prediction {
    by_key: Vec<Expected>,
    unkeyed: Expected,
    /// Name and partitions of each pool, dedicated ones first.
    pools: Vec<(String, PartitionRange)>,
}

impl Prediction {
    /// Asks the production router about every key of `book`, for a topic of `count` partitions.
    ///
    /// # Errors
    /// When the contract cannot be used, or a key cannot be made.
    pub(super) fn new(
        contract: &TopicContract,
        count: PartitionCount,
        book: &KeyBook,
    ) -> Result<Self, CommandError> {
        // The seed starts sticky choices only, of which no partition is predicted.
        let router = contract.router(0)?;
        let (mut key, mut by_key) = (Vec::new(), Vec::with_capacity(book.key_count()));
        for number in (0..book.key_count()).map_while(|number| u32::try_from(number).ok()) {
            book.write_key(number, &mut key).map_err(|error| {
                let tenant = display_bytes(book.tenant_name(book.tenant_of(number)));
                CommandError::new(format!("no key can be made for the tenant {tenant}: {error}"))
            })?;
            by_key.push(expected(&router, &Record::keyed(&key), count));
        }
        let unkeyed = expected(&router, &Record::default(), count);
        Ok(Self { by_key, unkeyed, pools: pools(contract, &router, count) })
    }

    /// By the number of the key.
    pub(super) fn by_key(&self) -> &[Expected] {
        &self.by_key
    }

    /// Of records without a key.
    pub(super) fn unkeyed(&self) -> Expected {
        self.unkeyed
    }

    /// Name of the pool of a partition; `None` for one that the contract does not use.
    pub(super) fn pool_of(&self, partition: PartitionIndex) -> Option<&str> {
        let pool = self.pools.iter().find(|(_, range)| range.contains(partition));
        pool.map(|(name, _)| name.as_str())
    }
}

fn expected(router: &Router, record: &Record<'_>, count: PartitionCount) -> Expected {
    let Ok(route) = router.route(record, count) else {
        return Expected::Refused;
    };
    match router.ordering_scope(route.step) {
        OrderingScope::None => router.unkeyed_partitions(count).map_or(Expected::Refused, Expected::Within),
        _ => Expected::At(route.partition),
    }
}

fn pools(contract: &TopicContract, router: &Router, count: PartitionCount) -> Vec<(String, PartitionRange)> {
    // A contract that holds on to its count leaves the others unused.
    let is_held = contract.on_growth == OnGrowth::Hold;
    let used = router.contract_count().filter(|_| is_held).unwrap_or(count).min(count);
    let dedicated = match contract.vip_count {
        Some(_) => vec![VIP_POOL.to_owned()],
        None => contract.pools.iter().map(|pool| pool.name.clone().unwrap_or_default()).collect(),
    };
    let named = (1..).map(PoolIndex::new).zip(dedicated);
    let all = named.chain([(PoolIndex::STANDARD, STANDARD_POOL.to_owned())]);
    all.filter_map(|(index, name)| Some((name, router.pools().range(index, used)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predicted(contract: &str, count: u32) -> Prediction {
        let contract: partitioner::contract::Contract = contract.parse().unwrap();
        let book = KeyBook::of_trace(
            partitioner::key::KeyFormat::default(),
            &[],
            crate::workload::key_book::Limits::default(),
        );
        let section = contract.topics.values().next().unwrap();
        Prediction::new(section, PartitionCount::new(count).unwrap(), &book).unwrap()
    }

    fn pool_of(prediction: &Prediction, partition: u32) -> Option<&str> {
        prediction.pool_of(PartitionIndex::new(partition))
    }

    #[test]
    fn partitions_are_named_by_their_pools() {
        let vip = predicted("[topics.t]\npartitions = 6\nvip_count = 2\nvip.tenants = [\"m\"]", 6);
        assert_eq!((pool_of(&vip, 1), pool_of(&vip, 2)), (Some("vip"), Some("standard")));
        let held = predicted("[topics.t]\npartitions = 6\nvip_count = 2\nvip.tenants = [\"m\"]", 8);
        assert_eq!((pool_of(&held, 5), pool_of(&held, 6)), (Some("standard"), None));
        let pools = "[topics.t]\npools = [{ name = \"a\", range = \"0..2\", tenants = [\"m\"] }]";
        let open = predicted(pools, 8);
        assert_eq!((pool_of(&open, 0), pool_of(&open, 7)), (Some("a"), Some("standard")));
    }

    #[test]
    fn records_without_a_key_are_expected_by_their_policy() {
        let of = |policy: &str| predicted(&format!("[topics.t]\npartitions = 6\n{policy}"), 6).unkeyed();
        assert_eq!(of(""), Expected::Within(PartitionRange::new(0, 6).unwrap()));
        assert_eq!(of("key.null_key = \"reject\""), Expected::Refused);
        assert!(matches!(of("key.null_key = \"hash\""), Expected::At(_)));
        let vip = "vip_count = 2\nvip.tenants = [\"m\"]\n";
        assert_eq!(of(vip), Expected::Within(PartitionRange::new(2, 6).unwrap()));
        let into_vip = format!("{vip}unkeyed.pool = \"vip\"");
        assert_eq!(of(&into_vip), Expected::Within(PartitionRange::new(0, 2).unwrap()));
    }
}
