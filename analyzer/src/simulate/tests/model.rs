//! The model: one record after the other, and a map for everything.

use std::collections::BTreeMap;

use partitioner::key::KeyFormat;
use partitioner::route::Record;
use partitioner::spread::OrderingScope;
use partitioner::strategy::Strategy;

use super::{Row, six};
use crate::load::LoadTable;
use crate::simulate::Replay;

/// A tenant's name, or a key.
type Bytes = Vec<u8>;

/// What a strategy did.
#[derive(Debug, Default)]
pub(super) struct Placed {
    records: BTreeMap<u32, u64>,
    bytes: BTreeMap<u32, u64>,
    tenant_records: BTreeMap<(Bytes, u32), u64>,
    pub(super) rejected: BTreeMap<&'static str, u64>,
    units: BTreeMap<(OrderingScope, Bytes), u64>,
}

pub(super) fn tenant_of(key: &[u8]) -> Bytes {
    KeyFormat::default().decode(key).map_or_else(|_| key.to_vec(), |key| key.tenant.into_owned())
}

/// Records by what `of` makes of their keys.
pub(super) fn count_by(rows: &[Row], of: impl Fn(&[u8]) -> Bytes) -> BTreeMap<Bytes, u64> {
    let mut counts = BTreeMap::new();
    for key in rows.iter().filter_map(|row| row.key.as_deref()) {
        *counts.entry(of(key)).or_default() += 1;
    }
    counts
}

pub(super) fn place(strategy: &dyn Strategy, rows: &[Row]) -> Placed {
    let mut placed = Placed::default();
    for row in rows {
        let key = row.key.as_deref();
        let record = Record { key, ..Record::unkeyed(row.size_bytes, row.now_us) };
        let route = match strategy.route(&record, six()) {
            Ok(route) => route,
            Err(reject) => {
                *placed.rejected.entry(reject.reason()).or_default() += 1;
                continue;
            }
        };
        let partition = route.partition.get();
        *placed.records.entry(partition).or_default() += 1;
        *placed.bytes.entry(partition).or_default() += u64::from(row.size_bytes);
        let Some(key) = key else { continue };
        *placed.tenant_records.entry((tenant_of(key), partition)).or_default() += 1;
        let scope = strategy.ordering_scope(route.step);
        let unit = if scope == OrderingScope::Tenant { tenant_of(key) } else { key.to_vec() };
        if scope != OrderingScope::None {
            *placed.units.entry((scope, unit)).or_default() += 1;
        }
    }
    placed
}

impl Placed {
    pub(super) fn largest_unit_records(&self) -> u64 {
        self.units.values().copied().max().unwrap_or(0)
    }

    /// Whether a table holds the same loads, and the same rows for the tenants that it tracks.
    #[track_caller]
    pub(super) fn assert_same(
        &self,
        table: &LoadTable,
        replay: &Replay,
        tenants: &BTreeMap<Bytes, u64>,
        name: &str,
    ) {
        let by_partition = |loads: &BTreeMap<u32, u64>| -> Vec<u64> {
            (0..six().get()).map(|partition| loads.get(&partition).copied().unwrap_or(0)).collect()
        };
        assert_eq!(table.records(), by_partition(&self.records), "records of {name}");
        assert_eq!(table.bytes(), by_partition(&self.bytes), "bytes of {name}");
        for tenant in tenants.keys() {
            let Some(id) = replay.book().tenant_id(tenant) else { continue };
            let of = |partition| self.tenant_records.get(&(tenant.clone(), partition)).copied().unwrap_or(0);
            let expected: Vec<u64> = (0..six().get()).map(of).collect();
            let expected = expected.iter().any(|&records| records > 0).then_some(&expected[..]);
            assert_eq!(table.tenant_records(id), expected, "{} under {name}", tenant.escape_ascii());
        }
    }
}
