//! One strategy with the load that it has placed so far.

use std::collections::BTreeMap;

use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Reject, Route};
use partitioner::spread::OrderingScope;
use partitioner::strategy::Strategy;

use super::key_block::KeyBlock;
use super::record_block::RecordBlock;
use crate::load::{Load, LoadTable, TenantId};
use crate::workload::key_book::{Columns, NO_TENANT};

/// A strategy and what it has done with the traffic.
pub struct Lane {
    strategy: Box<dyn Strategy>,
    count: PartitionCount,
    table: LoadTable,
    rejected: BTreeMap<&'static str, u64>,
    units: Option<Units>,
    /// Decisions of a part of a batch, used again and again.
    routes: Vec<Result<Route, Reject>>,
}

/// Records for which a strategy that looks at no key decides at once; their decisions stay in the core's first cache.
const WALKED_RECORDS: usize = 512;

/// The units that a strategy keeps in order, as far as their sizes are known.
#[derive(Debug, Default)]
struct Units {
    largest_entity_records: u64,
    /// Records kept in order by tenant.
    tenant_records: Vec<u64>,
}

impl Units {
    fn add_to_tenant(&mut self, tenant: TenantId, records: u64) {
        let at = tenant.as_usize();
        if at >= self.tenant_records.len() {
            self.tenant_records.resize(at + 1, 0);
        }
        self.tenant_records[at] += records;
    }
}

impl Lane {
    /// A lane over `count` partitions; tenants numbered below `tracked_tenants` get a row in the load table.
    #[must_use]
    pub fn new(strategy: Box<dyn Strategy>, count: PartitionCount, tracked_tenants: u32) -> Self {
        Self::with_table(strategy, count, LoadTable::new(count, tracked_tenants))
    }

    /// A lane over `count` partitions; `tenants` get a row each in the load table.
    #[must_use]
    pub fn of_tenants(strategy: Box<dyn Strategy>, count: PartitionCount, tenants: &[TenantId]) -> Self {
        Self::with_table(strategy, count, LoadTable::of_tenants(count, tenants))
    }

    fn with_table(strategy: Box<dyn Strategy>, count: PartitionCount, table: LoadTable) -> Self {
        Self {
            strategy,
            count,
            table,
            rejected: BTreeMap::new(),
            units: Some(Units::default()),
            routes: Vec::new(),
        }
    }

    /// A lane that knows its load per partition and nothing else.
    #[must_use]
    pub fn of_load_only(strategy: Box<dyn Strategy>, count: PartitionCount) -> Self {
        Self { units: None, ..Self::new(strategy, count, 0) }
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> &dyn Strategy {
        &*self.strategy
    }

    /// The load placed so far.
    #[must_use]
    pub fn table(&self) -> &LoadTable {
        &self.table
    }

    /// Records refused so far, by reason.
    #[must_use]
    pub fn rejected(&self) -> &BTreeMap<&'static str, u64> {
        &self.rejected
    }

    /// Records of the largest unit that the strategy keeps in order, among what was placed so far.
    ///
    /// An entity whose records were placed in several portions counts by its largest portion, and one that was placed
    /// record by record not at all: [`Replay::largest_unit_records`](super::Replay::largest_unit_records) knows better.
    pub(super) fn largest_placed_unit_records(&self) -> u64 {
        self.units.as_ref().map_or(0, |units| {
            units.tenant_records.iter().copied().max().unwrap_or(0).max(units.largest_entity_records)
        })
    }

    /// Places distinct keys, each with all its records at once, which a consistent strategy allows.
    pub(super) fn place_keys(&mut self, keys: &KeyBlock) {
        for (key, tenant, load) in keys.iter() {
            let routed = self.strategy.route(&Record::keyed(key), self.count);
            let Some(route) = self.settle(routed, tenant, load) else {
                continue;
            };
            if let Some(units) = &mut self.units {
                match self.strategy.ordering_scope(route.step) {
                    OrderingScope::None => {}
                    OrderingScope::Tenant if tenant != NO_TENANT => units.add_to_tenant(tenant, load.records),
                    _ => units.largest_entity_records = units.largest_entity_records.max(load.records),
                }
            }
        }
    }

    /// Places one record, for whose key the strategy may do what depends on the records before.
    pub(super) fn place_record(&mut self, record: &Record<'_>, tenant: TenantId) {
        let routed = self.strategy.route(record, self.count);
        let settled = self.settle(routed, tenant, Load { records: 1, bytes: u64::from(record.size_bytes) });
        if let (Some(route), Some(units)) = (settled, &mut self.units)
            && tenant != NO_TENANT
            && self.strategy.ordering_scope(route.step) == OrderingScope::Tenant
        {
            units.add_to_tenant(tenant, 1);
        }
    }

    /// Places every record of a batch by a strategy that looks at no key.
    pub(super) fn walk(&mut self, columns: &Columns) {
        let parts = columns.bytes.chunks(WALKED_RECORDS).zip(columns.time_us.chunks(WALKED_RECORDS));
        let mut routes = std::mem::take(&mut self.routes);
        for ((size_bytes, now_us), tenants) in parts.zip(columns.tenants.chunks(WALKED_RECORDS)) {
            self.strategy.route_unkeyed(size_bytes, now_us, self.count, &mut routes);
            for ((routed, &tenant), &size_bytes) in routes.drain(..).zip(tenants).zip(size_bytes) {
                self.settle(routed, tenant, Load { records: 1, bytes: u64::from(size_bytes) });
            }
        }
        self.routes = routes;
    }

    /// Places every record of a batch by a strategy that looks at its key and at the records before.
    pub(super) fn walk_keyed(&mut self, block: &RecordBlock) {
        for (record, tenant) in block.iter() {
            self.place_record(&record, tenant);
        }
    }

    // Inlined into the loop over records, the load of one record is known outside it.
    #[inline(always)]
    fn settle(&mut self, routed: Result<Route, Reject>, tenant: TenantId, load: Load) -> Option<Route> {
        match routed {
            Ok(route) => {
                self.table.add(route.partition, tenant, load);
                Some(route)
            }
            Err(reject) => {
                *self.rejected.entry(reject.reason()).or_default() += load.records;
                None
            }
        }
    }

    /// The scope that the strategy keeps for records of `key`; `None` when it refuses them.
    pub(super) fn scope_of(&self, key: &[u8]) -> Option<OrderingScope> {
        let route = self.strategy.route(&Record::keyed(key), self.count).ok()?;
        Some(self.strategy.ordering_scope(route.step))
    }
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane").field("count", &self.count).field("table", &self.table).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use partitioner::baseline::{KeyIgnored, KeyedHash};
    use partitioner::contract::Contract;
    use partitioner::key::KeyFormat;

    use super::*;

    fn three() -> PartitionCount {
        PartitionCount::new(3).unwrap()
    }

    fn by_tenant() -> Box<dyn Strategy> {
        Box::new(KeyedHash::java(1).of_tenant(KeyFormat::default()))
    }

    fn keys(of: &[(&[u8], TenantId, u64)]) -> KeyBlock {
        let mut keys = KeyBlock::default();
        of.iter()
            .for_each(|&(key, tenant, records)| keys.push(key, tenant, Load { records, bytes: records }));
        keys
    }

    #[test]
    fn a_tenants_records_add_up_to_one_unit_where_it_is_kept_in_order() {
        let keys = keys(&[(b"a:1", TenantId(0), 5), (b"b:1", TenantId(1), 8), (b"a:2", TenantId(0), 4)]);
        let mut tenants = Lane::new(by_tenant(), three(), 2);
        tenants.place_keys(&keys);
        assert_eq!(tenants.largest_placed_unit_records(), 9);
        let mut entities = Lane::new(Box::new(KeyedHash::java(1)), three(), 2);
        entities.place_keys(&keys);
        assert_eq!(entities.largest_placed_unit_records(), 8);
        let mut none = Lane::of_load_only(by_tenant(), three());
        none.place_keys(&keys);
        assert_eq!((none.largest_placed_unit_records(), none.table().total().records), (0, 17));
    }

    #[test]
    fn only_chosen_tenants_have_rows_whatever_their_number() {
        let keys = keys(&[(b"a:1", TenantId(0), 5), (b"b:1", TenantId(900_000), 8)]);
        let mut lane = Lane::of_tenants(by_tenant(), three(), &[TenantId(900_000)]);
        lane.place_keys(&keys);
        assert_eq!(lane.table().tenant_records(TenantId(0)), None);
        assert_eq!(lane.table().tenant_records(TenantId(900_000)).map(|row| row.iter().sum()), Some(8));
    }

    #[test]
    fn refused_records_are_counted_by_reason_and_are_no_load() {
        let contract: Contract = "[topics.t]\nkey.malformed_key = \"reject\"".parse().unwrap();
        let router = contract.topic("t").unwrap().router(1).unwrap();
        let mut lane = Lane::new(Box::new(router), three(), 1);
        lane.place_keys(&keys(&[(b"malformed", TenantId(0), 7), (b"a:1", TenantId(1), 2)]));
        lane.place_record(&Record::keyed(b"malformed"), TenantId(0));
        assert_eq!(lane.rejected().iter().collect::<Vec<_>>(), [(&"malformed-key", &8)]);
        assert_eq!(lane.table().total().records, 2);
        assert_eq!(lane.scope_of(b"malformed"), None);
        assert_eq!(lane.scope_of(b"a:1"), Some(OrderingScope::Tenant));
    }

    #[test]
    fn walking_takes_every_record_by_itself() {
        let columns = Columns {
            keys: vec![0, 0, 0, 0],
            tenants: [0, 0, 0, 1].map(TenantId).to_vec(),
            bytes: vec![10, 20, 30, 40],
            time_us: vec![0; 4],
        };
        let mut lane = Lane::new(Box::new(KeyIgnored::round_robin()), three(), 1);
        lane.walk(&columns);
        assert_eq!(lane.table().records(), [2, 1, 1]);
        assert_eq!(lane.table().bytes(), [50, 20, 30]);
        assert_eq!(lane.table().tenant_records(TenantId(0)), Some(&[1, 1, 1][..]));
        assert_eq!(lane.largest_placed_unit_records(), 0, "round robin keeps no order");
    }
}
