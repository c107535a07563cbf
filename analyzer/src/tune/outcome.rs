//! What a layout comes to on a part of the traffic.

use partitioner::spread::Spread;

use super::layout::{Layout, max_mean};
use super::units::{Loads, Units};

/// A layout's load and what can be said of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Records by partition; fractions where light keys and records without a key are taken to be spread evenly.
    pub partitions: Vec<f64>,
    /// max / mean, 1 to n.
    pub max_mean: f64,
    /// Share of the largest unit that is kept in order, 0 to 1.
    pub largest_unit_share: f64,
}

impl Outcome {
    /// Places a part of the traffic; `None` when it has no records.
    #[must_use]
    pub fn of(layout: &Layout, units: &Units, loads: &Loads) -> Option<Self> {
        let partitions = layout.place(units, loads);
        let max_mean = max_mean(&partitions)?;
        let largest_unit_share = largest_unit(layout, units, loads) / loads.total;
        Some(Self { partitions, max_mean, largest_unit_share })
    }
}

/// Records of the largest unit that a layout keeps in order.
pub(super) fn largest_unit(layout: &Layout, units: &Units, loads: &Loads) -> f64 {
    let foreign = loads.cells[units.foreign.clone()].iter().copied();
    let pinned = layout.pinned_tenants.iter().map(|&(rank, _)| loads.tenants[rank]);
    let of_tenants = layout.pool_of.iter().enumerate().map(|(rank, &pool)| {
        if layout.pools[usize::from(pool)].spread == Spread::Tenant {
            loads.tenants[rank]
        } else {
            units.largest_cell(loads, rank)
        }
    });
    foreign.chain(pinned).chain(of_tenants).fold(0.0, f64::max)
}

/// The share of other tenants' records that lie on a partition with records of this tenant, 0 to 1.
///
/// As [`blast_radius`](crate::metrics::blast_radius()) of a load table.
#[must_use]
pub fn blast_radius(layout: &Layout, units: &Units, loads: &Loads, partitions: &[f64], rank: usize) -> f64 {
    let own = layout.place_tenant(units, loads, rank);
    let (mut others, mut exposed) = (0.0, 0.0);
    for (all, own) in partitions.iter().zip(own) {
        // Sums of the same numbers in another order may differ in their last digits.
        let neighbours = (all - own).max(0.0);
        others += neighbours;
        if own > 0.0 {
            exposed += neighbours;
        }
    }
    if others > 0.0 { exposed / others } else { 0.0 }
}
