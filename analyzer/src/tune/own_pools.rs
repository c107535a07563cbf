//! Pools of their own for VIP tenants, which keep them apart from each other as well.

use partitioner::ids::PartitionRange;
use partitioner::slot::Isolation;
use partitioner::spread::Spread;

use super::balanced;
use super::layout::{Layout, PoolPlan, evenly, max_mean};
use super::search::{Candidate, Found, LOSS_MAX, Scope};
use super::units::{Loads, Units};

/// Which VIP tenants share a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VipPools {
    /// As few as balance allows: the largest ones get a pool each where that costs no more than a percent.
    Auto,
    /// All of them.
    One,
    /// None; every tenant that may become VIP does.
    Each,
}

/// The layout of `found`, one VIP pool, with pools of their own for as many of the largest VIP tenants as `scope` wants and
/// `limit`, a max/mean, allows; `None` where they stay in one pool.
///
/// Partitions are dealt out so that the fullest pool is as empty as can be. For [`VipPools::Each`] there is no limit.
pub(super) fn apart(units: &Units, loads: &Loads, scope: &Scope, found: &Found, limit: f64) -> Option<Found> {
    // Slots that may lie anywhere would mix what the pools keep apart.
    if scope.isolation == Isolation::Shared {
        return None;
    }
    match scope.vip_pools {
        VipPools::One => None,
        VipPools::Auto => {
            let Candidate { vips, standard_spread, .. } = found.candidate;
            let kept = Some(found.candidate.vip_count);
            // All but one with a pool of its own is each with one.
            let numbers = (1..=vips).rev().filter(|&own| own + 1 != vips && vips > 1);
            let mut deals = numbers.map(|own| Deal { vips, own, standard_spread, kept });
            deals.find_map(|deal| deal.best(units, loads, scope, limit))
        }
        VipPools::Each => each(units, loads, scope),
    }
}

/// A pool for each tenant that may become VIP, the largest ones where partitions are too few for all; `None` without one, or
/// where slots may leave their pools. Of the standard pool's spreads the one that keeps more order where it is nearly as even.
#[must_use]
pub fn each(units: &Units, loads: &Loads, scope: &Scope) -> Option<Found> {
    if scope.isolation == Isolation::Shared || scope.eligible.is_empty() {
        return None;
    }
    let vips = scope.eligible.len().min(scope.count.as_usize() - 1);
    let of = |standard_spread| {
        let deal = Deal { vips, own: vips, standard_spread, kept: None };
        deal.best(units, loads, scope, f64::INFINITY)
    };
    let by_tenant = of(Spread::Tenant)?;
    let by_entity = scope.may_spread_standard.then(|| of(Spread::Entity)).flatten();
    let is_better = |other: &Found| by_tenant.max_mean > other.max_mean * (1.0 + LOSS_MAX);
    Some(by_entity.filter(is_better).unwrap_or(by_tenant))
}

/// Who gets a pool.
struct Deal {
    /// So many of the eligible tenants are VIP.
    vips: usize,
    /// So many of these have pools of their own; the others share one.
    own: usize,
    standard_spread: Spread,
    /// A number of VIP partitions that is tried as well.
    kept: Option<u32>,
}

impl Deal {
    /// The most even layout that is within `limit`.
    fn best(&self, units: &Units, loads: &Loads, scope: &Scope, limit: f64) -> Option<Found> {
        let n = scope.count.get();
        let vip_loads: Vec<_> = scope.eligible[..self.vips].iter().map(|&rank| loads.tenants[rank]).collect();
        let mut pools: Vec<f64> = vip_loads[..self.own].to_vec();
        pools.extend((self.own < self.vips).then(|| vip_loads[self.own..].iter().sum::<f64>()));
        let all_vips: f64 = vip_loads.iter().sum();
        let with_standard: Vec<_> =
            pools.iter().copied().chain([(loads.total - all_vips).max(0.0)]).collect();
        let mut all_sizes: Vec<Vec<u32>> = sizes(&with_standard, n).into_iter().collect();
        // The largest unit of the standard pool may want another size of it than its load does.
        if let Some(kept) = self.kept
            && let Some(mut of_vips) = sizes(&pools, kept)
        {
            of_vips.push(n - kept);
            all_sizes.push(of_vips);
        }
        all_sizes.dedup();
        let tried = all_sizes.into_iter().filter_map(|sizes| {
            let loads_of = with_standard.iter().zip(&sizes).map(|(load, &size)| load / f64::from(size));
            let bound = loads_of.fold(0.0, f64::max) * f64::from(n) / loads.total;
            (bound <= limit).then(|| self.dealt(units, loads, scope, &sizes, bound)).flatten()
        });
        tried.filter(|found| found.max_mean <= limit).min_by(|a, b| a.max_mean.total_cmp(&b.max_mean))
    }

    /// What pools of these sizes come to, the standard pool last.
    fn dealt(&self, units: &Units, loads: &Loads, scope: &Scope, sizes: &[u32], bound: f64) -> Option<Found> {
        let start = self.layout(units, scope, sizes)?;
        let (layout, moves) = match scope.slots_per_partition {
            Some(_) => balanced(units, loads, &start, f64::INFINITY),
            None => (start.clone(), Vec::new()),
        };
        let candidate = Candidate {
            vips: self.vips,
            vip_count: start.vip_count(),
            standard_spread: self.standard_spread,
            bound,
        };
        let max_mean = max_mean(&layout.place(units, loads))?;
        Some(Found { candidate, layout, start, max_mean, moves })
    }

    /// The pools from partition 0 on, the standard pool last; no slot moved.
    fn layout(&self, units: &Units, scope: &Scope, sizes: &[u32]) -> Option<Layout> {
        let mut start = 0;
        let ranges = sizes.iter().map(|&size| {
            start += size;
            PartitionRange::new(start - size, start)
        });
        let mut ranges: Vec<_> = ranges.collect::<Option<_>>()?;
        let standard = ranges.pop()?;
        let plan = |range, spread| PoolPlan::unmoved(range, spread, Isolation::Strict, scope.slots());
        let mut pools = vec![plan(standard, self.standard_spread)];
        pools.extend(ranges.into_iter().map(|range| plan(range, Spread::Entity)));
        let mut pool_of = vec![0; units.tenants.len()];
        for (at, &rank) in scope.eligible[..self.vips].iter().enumerate() {
            pool_of[rank] = u16::try_from(at.min(self.own) + 1).ok()?;
        }
        Some(Layout {
            count: scope.count,
            pools,
            pool_of,
            pinned_tenants: Vec::new(),
            pinned_cells: Vec::new(),
            unkeyed: evenly(scope.count, standard),
        })
    }
}

/// Partitions for each pool, at least one, `partitions` in all, so that the largest load of a partition is as small as can
/// be; `None` when there are more pools than partitions.
fn sizes(loads: &[f64], partitions: u32) -> Option<Vec<u32>> {
    let mut left = partitions.checked_sub(u32::try_from(loads.len()).ok()?)?;
    let total: f64 = loads.iter().sum();
    // Every pool fills this many at a load which no choice is below, so none of them is one too many.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to partitions
    let sure = |load: f64| (load / total * f64::from(left)) as u32;
    let more: Vec<_> = loads.iter().map(|&load| if total > 0.0 { sure(load) } else { 0 }).collect();
    left -= more.iter().sum::<u32>().min(left);
    let mut sizes: Vec<_> = more.iter().map(|more| more + 1).collect();
    for _ in 0..left {
        let load_of = |at: &usize| loads[*at] / f64::from(sizes[*at]);
        let fullest = (0..loads.len()).reduce(|a, b| if load_of(&b) > load_of(&a) { b } else { a })?;
        sizes[fullest] += 1;
    }
    Some(sizes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::sizes;

    /// The smallest load of the fullest partition, every way of dealing out being tried.
    fn best(loads: &[f64], partitions: u32) -> f64 {
        let Some((&first, rest)) = loads.split_first() else {
            return 0.0;
        };
        if rest.is_empty() {
            return first / f64::from(partitions);
        }
        let most = partitions - u32::try_from(rest.len()).unwrap();
        let with = |size| f64::max(first / f64::from(size), best(rest, partitions - size));
        (1..=most).map(with).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn the_fullest_pool_is_as_empty_as_can_be(
            loads in proptest::collection::vec(0u32..1_000, 1..5), partitions in 1u32..20,
        ) {
            let loads: Vec<_> = loads.into_iter().map(f64::from).collect();
            let sizes = sizes(&loads, partitions);
            prop_assert_eq!(sizes.is_some(), loads.len() <= partitions as usize);
            if let Some(sizes) = sizes {
                prop_assert_eq!(sizes.iter().sum::<u32>(), partitions);
                prop_assert!(sizes.iter().all(|&size| size > 0));
                let fullest = loads.iter().zip(&sizes).map(|(load, &size)| load / f64::from(size));
                let fullest = fullest.fold(0.0, f64::max);
                prop_assert!((fullest - best(&loads, partitions)).abs() < 1e-9, "{:?}", sizes);
            }
        }
    }
}
