//! Whom a tenant can hurt.

use crate::load::{LoadTable, TenantId};

/// The share of other tenants' records that lie on a partition with at least one record of `tenant`, 0 to 1.
///
/// When the tenant bursts, or sends a record that its consumer cannot digest, this much of everyone else's traffic
/// waits behind it. 0 when the tenant is alone in the table; `None` when its partitions were not tracked or it was
/// never met, which is not the same as harmless.
///
/// ```
/// use analyzer::load::{Load, LoadTable, TenantId};
/// use analyzer::metrics::blast_radius;
/// use partitioner::ids::{PartitionCount, PartitionIndex};
///
/// let mut table = LoadTable::new(PartitionCount::new(2).unwrap(), 1);
/// table.add(PartitionIndex::new(0), TenantId(0), Load { records: 90, bytes: 0 });
/// table.add(PartitionIndex::new(0), TenantId(1), Load { records: 1, bytes: 0 });
/// table.add(PartitionIndex::new(1), TenantId(1), Load { records: 3, bytes: 0 });
/// assert_eq!(blast_radius(&table, TenantId(0)), Some(0.25));
/// assert_eq!(blast_radius(&table, TenantId(1)), None, "not tracked");
/// ```
#[must_use]
pub fn blast_radius(table: &LoadTable, tenant: TenantId) -> Option<f64> {
    let own = table.tenant_records(tenant)?;
    let (mut others, mut exposed) = (0_u128, 0_u128);
    for (load, &own) in table.partitions().iter().zip(own) {
        let neighbours = u128::from(load.records.saturating_sub(own));
        others += neighbours;
        if own > 0 {
            exposed += neighbours;
        }
    }
    Some(if others == 0 { 0.0 } else { exposed as f64 / others as f64 })
}

#[cfg(test)]
mod tests {
    use super::blast_radius;
    use crate::load::{Load, LoadTable, TenantId};
    use partitioner::ids::{PartitionCount, PartitionIndex};
    use proptest::prelude::*;

    fn table(count: u32, tracked: u32, records: &[(u32, u32, u64)]) -> LoadTable {
        let mut table = LoadTable::new(PartitionCount::new(count).unwrap(), tracked);
        for &(partition, tenant, records) in records {
            table.add(PartitionIndex::new(partition), TenantId(tenant), Load { records, bytes: 0 });
        }
        table
    }

    #[test]
    fn alone_hurts_nobody() {
        assert_eq!(blast_radius(&table(3, 1, &[(0, 0, 5), (1, 0, 5)]), TenantId(0)), Some(0.0));
    }

    #[test]
    fn own_pool_hurts_nobody_and_salting_hurts_all() {
        let pooled = table(3, 1, &[(0, 0, 5), (1, 0, 5), (2, 1, 7)]);
        assert_eq!(blast_radius(&pooled, TenantId(0)), Some(0.0));
        let salted = table(3, 1, &[(0, 0, 5), (1, 0, 5), (2, 0, 1), (0, 1, 2), (1, 2, 2)]);
        assert_eq!(blast_radius(&salted, TenantId(0)), Some(1.0));
    }

    #[test]
    fn unknown_tenants_have_none() {
        assert_eq!(blast_radius(&table(3, 2, &[]), TenantId(0)), None, "never met");
        assert_eq!(blast_radius(&table(3, 0, &[(0, 0, 1)]), TenantId(0)), None, "not tracked");
        assert_eq!(blast_radius(&table(3, 2, &[(0, 0, 1)]), TenantId(u32::MAX)), None);
    }

    proptest! {
        #[test]
        fn agrees_with_walking_the_records(
            records in prop::collection::vec((0..4_u32, 0..5_u32, 1..10_u64), 1..30),
        ) {
            let table = table(4, 5, &records);
            for tenant in records.iter().map(|record| record.1) {
                let mine: Vec<u32> = records.iter().filter(|r| r.1 == tenant).map(|r| r.0).collect();
                let others = records.iter().filter(|r| r.1 != tenant);
                let total: u64 = others.clone().map(|r| r.2).sum();
                let hurt: u64 = others.filter(|r| mine.contains(&r.0)).map(|r| r.2).sum();
                let expected = if total == 0 { 0.0 } else { hurt as f64 / total as f64 };
                prop_assert_eq!(blast_radius(&table, TenantId(tenant)), Some(expected));
            }
        }
    }
}
