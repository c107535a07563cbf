//! One strategy with the load that it has placed so far.

use std::collections::BTreeMap;

use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Reject, Route};
use partitioner::spread::OrderingScope;
use partitioner::strategy::Strategy;

use crate::load::{Load, LoadTable, TenantId};
use crate::workload::key_book::{Columns, NO_TENANT};

/// A strategy and what it has done with the traffic.
pub struct Lane {
    strategy: Box<dyn Strategy>,
    count: PartitionCount,
    table: LoadTable,
    rejected: BTreeMap<&'static str, u64>,
    units: Option<Units>,
}

/// The units that a strategy keeps in order, as far as their sizes are known.
#[derive(Debug, Default)]
struct Units {
    largest_entity_records: u64,
    /// Records kept in order by tenant.
    tenant_records: Vec<u64>,
}

impl Lane {
    /// A lane over `count` partitions; tenants numbered below `tracked_tenants` get a row in the load table.
    #[must_use]
    pub fn new(strategy: Box<dyn Strategy>, count: PartitionCount, tracked_tenants: u32) -> Self {
        let table = LoadTable::new(count, tracked_tenants);
        Self { strategy, count, table, rejected: BTreeMap::new(), units: Some(Units::default()) }
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

    /// Records of the largest unit that the strategy keeps in order, among the keys placed so far.
    ///
    /// An entity whose records were placed in several portions counts by its largest portion.
    #[must_use]
    pub fn largest_unit_records(&self) -> u64 {
        self.units.as_ref().map_or(0, |units| {
            units.tenant_records.iter().copied().max().unwrap_or(0).max(units.largest_entity_records)
        })
    }

    /// Places all records of one key at once, which a consistent strategy allows.
    pub fn place_key(&mut self, key: &[u8], tenant: TenantId, load: Load) {
        let routed = self.strategy.route(&Record::keyed(key), self.count);
        let Some(route) = self.settle(routed, tenant, load) else {
            return;
        };
        let Some(units) = &mut self.units else {
            return;
        };
        match self.strategy.ordering_scope(route.step) {
            OrderingScope::Tenant if tenant != NO_TENANT => {
                let at = tenant.as_usize();
                if at >= units.tenant_records.len() {
                    units.tenant_records.resize(at + 1, 0);
                }
                units.tenant_records[at] += load.records;
            }
            OrderingScope::None => {}
            _ => units.largest_entity_records = units.largest_entity_records.max(load.records),
        }
    }

    /// Places one record without a key.
    pub fn place_unkeyed(&mut self, size_bytes: u32, now_ms: u64) {
        let routed = self.strategy.route(&Record::unkeyed(size_bytes, now_ms), self.count);
        self.settle(routed, NO_TENANT, Load { records: 1, bytes: u64::from(size_bytes) });
    }

    /// Places every record of a batch by a strategy that looks at no key.
    pub fn walk(&mut self, columns: &Columns) {
        let records = columns.tenants.iter().zip(&columns.bytes).zip(&columns.time_ms);
        for ((&tenant, &size_bytes), &now_ms) in records {
            let routed = self.strategy.route(&Record::unkeyed(size_bytes, now_ms), self.count);
            self.settle(routed, tenant, Load { records: 1, bytes: u64::from(size_bytes) });
        }
    }

    #[inline]
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
    #[must_use]
    pub fn scope_of(&self, key: &[u8]) -> Option<OrderingScope> {
        let route = self.strategy.route(&Record::keyed(key), self.count).ok()?;
        Some(self.strategy.ordering_scope(route.step))
    }
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane").field("count", &self.count).field("table", &self.table).finish_non_exhaustive()
    }
}
