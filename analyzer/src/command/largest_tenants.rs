//! The largest tenants of the traffic, whose place each strategy shows.

use partitioner::ids::PartitionCount;

use crate::load::{LoadTable, TenantId};
use crate::simulate::{Replay, UnitSize};
use crate::workload::profile::Profile;

/// Most tenants whose records per partition a report has.
const TENANTS_MAX: u32 = 12;

/// Most cells that these tenants have in a report for each strategy; a topic of more partitions shows fewer tenants.
const CELLS_MAX: u32 = 4_096;

/// Tenants that a report of `count` partitions has room for.
fn tenants_max(count: PartitionCount) -> usize {
    (CELLS_MAX / count.get()).min(TENANTS_MAX) as usize
}

/// Those of the largest tenants that have a number, largest first.
pub(super) fn numbered(count: PartitionCount, replay: &Replay) -> Vec<TenantId> {
    let mut tenants = replay.tenants_from(1);
    tenants.truncate(tenants_max(count));
    tenants
}

/// The `tenants_max` tenants of which a profile is expected to make the most records, in order of their numbers.
pub(super) fn expected(profile: &Profile, tenants_max: usize) -> Vec<TenantId> {
    let mut tenants: Vec<(TenantId, f64)> = (0..profile.tenant_count())
        .map(TenantId)
        .map(|tenant| (tenant, profile.expected_share(tenant)))
        .collect();
    if tenants.len() > tenants_max {
        tenants.select_nth_unstable_by(tenants_max, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        tenants.truncate(tenants_max);
    }
    let mut tenants: Vec<TenantId> = tenants.into_iter().map(|(tenant, _)| tenant).collect();
    tenants.sort_unstable();
    tenants
}

/// The largest tenants with their sizes, largest first, those that came too late to get a number included.
pub(super) fn largest(count: PartitionCount, replay: &Replay) -> Vec<UnitSize> {
    let tenants_max = tenants_max(count);
    let numbered = numbered(count, replay);
    let smallest = numbered.last().filter(|_| numbered.len() == tenants_max);
    let records_min = smallest.and_then(|&tenant| replay.tenant_records(tenant)).unwrap_or(1);
    let mut largest = if tenants_max == 0 { Vec::new() } else { replay.heavy_tenants(records_min) };
    largest.truncate(tenants_max);
    largest
}

/// Records of each of `tenants` per partition; `None` for one that `table` did not track.
pub(super) fn records(tenants: &[UnitSize], replay: &Replay, table: &LoadTable) -> Vec<Option<Vec<u64>>> {
    let of = |tenant: &UnitSize| {
        let id = replay.book().tenant_id(&tenant.name).filter(|&id| table.is_tracked(id))?;
        // A tenant that was tracked and has no row had all its records refused.
        let nowhere = || vec![0; table.partitions().len()];
        Some(table.tenant_records(id).map_or_else(nowhere, <[u64]>::to_vec))
    };
    tenants.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(groups: &str) -> Profile {
        let head = "name = \"p\"\ndescription = \"d\"\npartitions = 3\nrecords = 100\n";
        Profile::from_toml(&format!("{head}{groups}"), "p.toml").unwrap()
    }

    #[test]
    fn the_expected_largest_are_found_wherever_they_stand() {
        let profile = profile(
            "[[tenants]]\nname = \"small-{}\"\ncount = 50\nentities = 2\n\
             [[tenants]]\nname = \"whale-{}\"\ncount = 2\nentities = 2\nweight = 500\n",
        );
        assert_eq!(expected(&profile, 2), [TenantId(50), TenantId(51)]);
        assert_eq!(expected(&profile, 3), [TenantId(0), TenantId(50), TenantId(51)]);
        assert_eq!(expected(&profile, 1_000).len(), 52);
    }

    #[test]
    fn a_large_topic_has_room_for_fewer_tenants() {
        let room = |count| tenants_max(PartitionCount::new(count).unwrap());
        assert_eq!([room(1), room(341), room(342), room(4_096), room(4_097)], [12, 12, 11, 1, 0]);
    }
}
