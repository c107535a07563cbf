//! What else could have been chosen.

use std::collections::BTreeSet;

use super::assemble::Measured;
use crate::report::tune::model::Alternative;
use crate::tune::layout::Layout;
use crate::tune::outcome::{Outcome, blast_radius};
use crate::tune::own_pools::each;
use crate::tune::search::{Scope, best_of};

impl Measured<'_> {
    /// What other numbers of VIP tenants come to, all others in order as a whole, and a pool for each VIP tenant.
    pub(super) fn alternatives(&self) -> Vec<Alternative> {
        let (Some(scope), Some(candidate)) = (&self.scope, self.tuned.candidate) else {
            return Vec::new();
        };
        let loads = scope.loads(self.units);
        let chosen = &self.tuned.layout;
        let is_like_chosen = |layout: &Layout| {
            layout.pool_of == chosen.pool_of && layout.pools[0].spread == chosen.pools[0].spread
        };
        let layouts = numbers(scope, candidate.vips)
            .into_iter()
            .filter_map(|vips| best_of(self.units, loads, scope, vips))
            .chain(each(self.units, loads, scope).filter(|found| found.candidate.vips > 1));
        let others = layouts.map(|found| found.layout).filter(|layout| !is_like_chosen(layout));
        let mut all: Vec<_> = others.filter_map(|layout| self.alternative(&layout, false)).collect();
        all.extend(self.alternative(chosen, true));
        all.sort_by_key(|alternative| (alternative.vips, alternative.pools));
        all
    }

    fn alternative(&self, layout: &Layout, is_chosen: bool) -> Option<Alternative> {
        let units = self.units;
        let tuned = Outcome::of(layout, units, &units.tuned)?;
        let radius = |rank| blast_radius(layout, units, &units.tuned, &tuned.partitions, rank);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Some(Alternative {
            vips: number(layout.vips().count()),
            pools: number(layout.pools.len() - 1),
            vip_count: layout.vip_count(),
            standard_spread: layout.pools[0].spread.ordering_scope().to_string(),
            tuned_max_mean: tuned.max_mean,
            judged_max_mean: Outcome::of(layout, units, &units.later).map(|outcome| outcome.max_mean),
            blast_radius: layout.vips().map(radius).reduce(f64::max),
            is_chosen,
        })
    }
}

/// Numbers of VIP tenants that are compared.
fn numbers(scope: &Scope, chosen: usize) -> BTreeSet<usize> {
    let most = scope.eligible.len();
    if scope.is_membership_given {
        return [most].into();
    }
    let numbers = [0, 1, 2, 3, chosen.saturating_sub(1), chosen, chosen + 1, most];
    numbers.into_iter().filter(|&vips| vips <= most).collect()
}
