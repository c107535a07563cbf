//! Finds the layout: which tenants are VIP, how many partitions they get, and which slots move.

use partitioner::ids::{PartitionCount, PartitionRange};
use partitioner::slot::{Isolation, SLOTS_PER_PARTITION_DEFAULT};
use partitioner::spread::Spread;

use super::balance::{Goal, Move, balance};
use super::layout::{Layout, PoolPlan, evenly, max_mean, slots_per_partition};
use super::objective::{Objective, Rates};
use super::own_pools::{VipPools, apart};
use super::units::{Loads, Units};

/// Most tenants that are taken into the VIP pool unless the user names more.
const VIPS_MAX: usize = 64;

/// A tenant may become VIP when it fills at least this share of a partition. Lighter ones are those that a VIP pool is to
/// keep clear of: beside a heavy tenant they would lose more than the balance gains.
const VIP_PARTITION_SHARE_MIN: f64 = 0.5;

/// The result is above the best max/mean of all candidates by no more than this share.
pub(super) const LOSS_MAX: f64 = 0.02;

/// Of layouts that keep standard tenants in order, one with fewer VIP tenants is taken when it is above the best of them by
/// no more than this share.
const PREFERENCE: f64 = 0.01;

/// Most sizes of the VIP pool that are compared.
const POOL_SIZES_MAX: u32 = 256;

/// Largest topic whose slots are moved: with more partitions a pool has too few slots for each to even anything out.
pub const SLOTTED_PARTITIONS_MAX: u32 = 4_096;

/// Most candidates of which the slots are balanced. Their bounds are close to what they reach, so the first few decide.
const BALANCED_MAX: usize = 48;

/// Most cells that are placed while candidates are compared without moving slots: a few seconds.
const PLACED_CELLS_MAX: u64 = 1 << 31;

/// Slots are moved until the hottest partition is within this share of what the layout allows at best.
pub(super) const TOLERANCE: f64 = 0.005;

/// What may be chosen.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Partitions of the topic.
    pub count: PartitionCount,
    /// Whether VIP slots may be owned by standard partitions.
    pub isolation: Isolation,
    /// Slots for each partition; `None` moves no slot.
    pub slots_per_partition: Option<u32>,
    /// Tenants that may become VIP, by rank, in the order in which they would.
    pub eligible: Vec<usize>,
    /// Whether all of them must.
    pub is_membership_given: bool,
    /// Whether the standard pool may be spread by entity.
    pub may_spread_standard: bool,
    /// What is to be as small as can be.
    pub objective: Objective,
    /// Whether VIP tenants share a pool.
    pub vip_pools: VipPools,
}

/// A layout that could be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// So many of the eligible tenants are VIP.
    pub vips: usize,
    /// Partitions of their pool; 0 without one.
    pub vip_count: u32,
    /// What stays together in the standard pool.
    pub standard_spread: Spread,
    /// No placement has a lower max/mean.
    pub bound: f64,
}

/// What became of a candidate.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which one.
    pub candidate: Candidate,
    /// Its layout, slots moved.
    pub layout: Layout,
    /// The same before slots were moved.
    pub start: Layout,
    /// max/mean of the loads it was made for.
    pub max_mean: f64,
    pub(super) moves: Vec<Move>,
}

/// Ranks of the tenants that may become VIP by their share of the records to tune on, largest first.
#[must_use]
pub fn eligible(units: &Units, count: PartitionCount) -> Vec<usize> {
    let records_min = VIP_PARTITION_SHARE_MIN * units.tuned.total / f64::from(count.get());
    let heavy = |rank: &usize| units.tuned.tenants[*rank] >= records_min;
    let heavy = (0..units.tenants.len()).filter(heavy).take(VIPS_MAX);
    // One partition has no room for a second pool.
    if count.get() > 1 { heavy.collect() } else { Vec::new() }
}

/// Looks for the best layout of `loads`; `None` when there is no load.
///
/// Every candidate has a bound: the mean of its fuller pool, or the largest unit that it cannot divide. They are tried in
/// the order of their bounds until none is left whose bound is below the best found, so the result is that of trying all;
/// only for topics of hundreds of partitions the search ends sooner. Of those close to the best the one wins that changes
/// the order of the fewest tenants, then the one that shares the fewest partitions, then the most even one.
///
/// The VIP tenants of that one then get pools of their own where [`VipPools`] says so.
#[must_use]
pub fn search(units: &Units, loads: &Loads, scope: &Scope) -> Option<Found> {
    let (found, limit) = one_pool(units, loads, scope)?;
    Some(apart(units, loads, scope, &found, limit).unwrap_or(found))
}

/// The best layout of at most one VIP pool, and the max/mean up to which another may take its place.
fn one_pool(units: &Units, loads: &Loads, scope: &Scope) -> Option<(Found, f64)> {
    let mut candidates = Bounds::new(units, loads, scope).candidates();
    candidates.sort_by(|a, b| {
        let bounds = a.bound.total_cmp(&b.bound);
        bounds.then(a.vips.cmp(&b.vips)).then(b.vip_count.cmp(&a.vip_count))
    });
    let mut tried = Tried { units, loads, scope, found: Vec::new(), placed_cells: 0 };
    if let Objective::LagP99(rates) = scope.objective {
        let found = tried.least_late(&candidates, rates)?;
        let limit = found.max_mean;
        return Some((found, limit));
    }
    let of = |spread| candidates.iter().filter(move |candidate| candidate.standard_spread == spread);
    let best_by_tenant = tried.best(of(Spread::Tenant), f64::INFINITY);
    let best = tried.best(of(Spread::Entity), best_by_tenant).min(best_by_tenant);
    let keeps_order = best_by_tenant <= best * (1.0 + LOSS_MAX);
    let spread = if keeps_order { Spread::Tenant } else { Spread::Entity };
    let limit = if keeps_order { best_by_tenant * (1.0 + PREFERENCE) } else { best * (1.0 + LOSS_MAX) };
    let found = tried.fewest_vips(of(spread), limit.min(best * (1.0 + LOSS_MAX)))?;
    let limit = (found.max_mean * (1.0 + PREFERENCE)).min(best * (1.0 + LOSS_MAX));
    Some((found, limit))
}

/// The best pool for a given number of VIP tenants, the standard pool spread by tenant; `None` without load or when there
/// is no such pool.
#[must_use]
pub fn best_of(units: &Units, loads: &Loads, scope: &Scope, vips: usize) -> Option<Found> {
    let mut candidates = Bounds::new(units, loads, scope).candidates();
    candidates.retain(|candidate| candidate.vips == vips && candidate.standard_spread == Spread::Tenant);
    candidates.sort_by(|a, b| a.bound.total_cmp(&b.bound).then(b.vip_count.cmp(&a.vip_count)));
    let mut tried = Tried { units, loads, scope, found: Vec::new(), placed_cells: 0 };
    let best = tried.best(candidates.iter(), f64::INFINITY);
    tried.found.into_iter().find(|found| found.max_mean <= best)
}

/// The lowest max/mean that any candidate may reach with `count` partitions, the standard pool spread as given; `None`
/// without load.
#[must_use]
pub fn bound_at(
    units: &Units,
    loads: &Loads,
    scope: &Scope,
    count: PartitionCount,
    spread: Spread,
) -> Option<f64> {
    let scope = Scope { count, ..scope.clone() };
    let candidates = Bounds::new(units, loads, &scope).candidates();
    let bounds = candidates.iter().filter(|candidate| candidate.standard_spread == spread);
    bounds.map(|candidate| candidate.bound).min_by(f64::total_cmp).filter(|bound| bound.is_finite())
}

/// Candidates that were tried, so that none is tried twice.
struct Tried<'a> {
    units: &'a Units,
    loads: &'a Loads,
    scope: &'a Scope,
    found: Vec<Found>,
    placed_cells: u64,
}

impl Tried<'_> {
    /// The lowest max/mean of candidates that come in the order of their bounds, where it is below `best`; else `best`.
    fn best<'c>(&mut self, candidates: impl Iterator<Item = &'c Candidate>, mut best: f64) -> f64 {
        for (tried, candidate) in candidates.enumerate() {
            let is_enough = self.scope.slots_per_partition.is_some() && tried >= BALANCED_MAX;
            if candidate.bound * (1.0 + self.scope.slack()) >= best || is_enough || self.is_long() {
                break;
            }
            best = best.min(self.value(candidate));
        }
        best
    }

    /// Of the candidates within the limit those with the fewest VIP tenants, and of these the best.
    fn fewest_vips<'c>(
        mut self,
        candidates: impl Iterator<Item = &'c Candidate>,
        limit: f64,
    ) -> Option<Found> {
        let mut within: Vec<_> = candidates.filter(|candidate| candidate.bound <= limit).collect();
        let shares = self.scope.isolation == Isolation::Shared;
        within.sort_by(|a, b| {
            let bounds = a.bound.total_cmp(&b.bound);
            let largest_pool = b.vip_count.cmp(&a.vip_count);
            a.vips.cmp(&b.vips).then(if shares { largest_pool } else { bounds })
        });
        for group in within.chunk_by(|a, b| a.vips == b.vips) {
            let mut best: Option<(f64, &Candidate)> = None;
            for candidate in group {
                let is_beaten = |best: &(f64, _)| candidate.bound * (1.0 + self.scope.slack()) >= best.0;
                if best.as_ref().is_some_and(is_beaten) || (self.is_long() && !self.is_tried(candidate)) {
                    continue;
                }
                let value = self.value(candidate);
                if value <= limit && best.is_none_or(|best| value < best.0) {
                    best = Some((value, candidate));
                }
                // The larger the pool, the less of it lies on partitions of others.
                if shares && best.is_some() {
                    break;
                }
            }
            if let Some((_, candidate)) = best {
                return self.found.into_iter().find(|found| found.candidate == *candidate);
            }
        }
        None
    }

    /// Of the most even candidates the one under which records are least late, or the most even one when under all of them
    /// a partition gets more than its consumer handles.
    fn least_late(mut self, candidates: &[Candidate], rates: Rates) -> Option<Found> {
        let tried = candidates.iter().take(BALANCED_MAX);
        let lags: Vec<_> = tried
            .map(|candidate| {
                self.value(candidate);
                let found = self.found.iter().find(|found| found.candidate == *candidate);
                let placed = found.map(|found| found.layout.place(self.units, self.loads));
                (placed.map_or(f64::INFINITY, |partitions| rates.lag_p99_s(&partitions)), candidate)
            })
            .collect();
        let least = lags.iter().map(|(lag, _)| *lag).fold(f64::INFINITY, f64::min);
        if least.is_infinite() {
            return self.found.into_iter().min_by(|a, b| a.max_mean.total_cmp(&b.max_mean));
        }
        let close = lags.iter().filter(|(lag, _)| *lag <= least * (1.0 + PREFERENCE));
        let (_, candidate) = close.min_by(|a, b| {
            let (a_spread, b_spread) = (a.1.standard_spread, b.1.standard_spread);
            let changes_all = |spread| spread == Spread::Entity;
            changes_all(a_spread)
                .cmp(&changes_all(b_spread))
                .then(a.1.vips.cmp(&b.1.vips))
                .then(a.0.total_cmp(&b.0))
        })?;
        self.found.into_iter().find(|found| found.candidate == **candidate)
    }

    fn is_long(&self) -> bool {
        self.placed_cells > PLACED_CELLS_MAX
    }

    fn is_tried(&self, candidate: &Candidate) -> bool {
        self.found.iter().any(|found| found.candidate == *candidate)
    }

    /// max/mean that a candidate reaches; infinite when there is no load.
    fn value(&mut self, candidate: &Candidate) -> f64 {
        if let Some(found) = self.found.iter().find(|found| found.candidate == *candidate) {
            return found.max_mean;
        }
        let found = self.scope.try_out(self.units, self.loads, *candidate);
        self.placed_cells += found.as_ref().map_or(0, |found| found.layout.placed_units(self.units));
        let value = found.as_ref().map_or(f64::INFINITY, |found| found.max_mean);
        self.found.extend(found);
        value
    }
}

impl Scope {
    /// The usual choice: strict pools with 64 slots for each partition, VIP tenants by their share, the most even load.
    #[must_use]
    pub fn new(units: &Units, count: PartitionCount) -> Self {
        Self {
            count,
            isolation: Isolation::Strict,
            slots_per_partition: Some(SLOTS_PER_PARTITION_DEFAULT),
            eligible: eligible(units, count),
            is_membership_given: false,
            may_spread_standard: true,
            objective: Objective::MaxMean,
            vip_pools: VipPools::Auto,
        }
    }

    /// The loads to choose for: those to expect where slots are moved, else those that were counted.
    #[must_use]
    pub fn loads<'u>(&self, units: &'u Units) -> &'u Loads {
        if self.slots_per_partition.is_some() { &units.foreseen } else { &units.tuned }
    }

    /// Slots for each partition, 1 where none is moved.
    pub(super) fn slots(&self) -> u32 {
        self.slots_per_partition.map_or(1, |wanted| slots_per_partition(self.count, wanted))
    }

    /// By how much a candidate is expected to miss its bound at best.
    fn slack(&self) -> f64 {
        if self.slots_per_partition.is_some() { TOLERANCE } else { 0.0 }
    }

    /// The layout of a candidate, no slot moved.
    #[must_use]
    pub fn layout(&self, units: &Units, candidate: &Candidate) -> Option<Layout> {
        let n = self.count.get();
        let slots = self.slots();
        let mut pool_of = vec![0; units.tenants.len()];
        let rest = PartitionRange::new(candidate.vip_count, n)?;
        let standard = PoolPlan::unmoved(rest, candidate.standard_spread, Isolation::Strict, slots);
        let mut pools = vec![standard];
        if let Some(vip) = PartitionRange::new(0, candidate.vip_count) {
            pools.push(PoolPlan::unmoved(vip, Spread::Entity, self.isolation, slots));
            self.eligible[..candidate.vips].iter().for_each(|&rank| pool_of[rank] = 1);
        }
        Some(Layout {
            count: self.count,
            pools,
            pool_of,
            pinned_tenants: Vec::new(),
            pinned_cells: Vec::new(),
            unkeyed: evenly(self.count, rest),
        })
    }

    fn try_out(&self, units: &Units, loads: &Loads, candidate: Candidate) -> Option<Found> {
        let start = self.layout(units, &candidate)?;
        let mut layout = start.clone();
        let slots = layout.slot_loads(units, loads);
        let moves = if self.slots_per_partition.is_some() {
            let mean = slots.total / f64::from(self.count.get());
            let load_max = candidate.bound * mean * (1.0 + TOLERANCE);
            balance(&mut layout, &slots, Goal { load_max, moved_load_max: f64::INFINITY })
        } else {
            Vec::new()
        };
        let max_mean = max_mean(&layout.partition_loads(&slots))?;
        Some(Found { candidate, layout, start, max_mean, moves })
    }
}

/// Sums that bound what a candidate can reach.
struct Bounds<'a> {
    scope: &'a Scope,
    total: f64,
    keyed: f64,
    unkeyed: f64,
    largest_foreign: f64,
    /// By number of VIPs: their load, and their largest cell.
    vips: Vec<(f64, f64)>,
    /// By number of VIPs: the largest other tenant, and the largest cell of one.
    others: Vec<(f64, f64)>,
}

impl<'a> Bounds<'a> {
    fn new(units: &Units, loads: &Loads, scope: &'a Scope) -> Self {
        let largest_foreign = loads.cells[units.foreign.clone()].iter().copied().fold(0.0, f64::max);
        let of = |rank: usize| (loads.tenants[rank], units.largest_cell(loads, rank));
        let larger = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
        let mut vips = vec![(0.0, 0.0)];
        for &rank in &scope.eligible {
            let ((sum, largest), (load, cell)) = (vips[vips.len() - 1], of(rank));
            vips.push((sum + load, f64::max(largest, cell)));
        }
        let mut is_eligible = vec![false; units.tenants.len()];
        scope.eligible.iter().for_each(|&rank| is_eligible[rank] = true);
        let never = (0..units.tenants.len()).filter(|&rank| !is_eligible[rank]).map(of);
        let mut others = vec![never.fold((0.0, 0.0), larger)];
        for &rank in scope.eligible.iter().rev() {
            others.push(larger(others[others.len() - 1], of(rank)));
        }
        others.reverse();
        Self {
            scope,
            total: loads.total,
            keyed: loads.total - loads.unkeyed,
            unkeyed: loads.unkeyed,
            largest_foreign,
            vips,
            others,
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let n = self.scope.count.get();
        let eligible = self.scope.eligible.len();
        let fewest = if self.scope.is_membership_given { eligible } else { 0 };
        let spreads: &[Spread] = if self.scope.may_spread_standard {
            &[Spread::Tenant, Spread::Entity]
        } else {
            &[Spread::Tenant]
        };
        let mut candidates = Vec::new();
        for &standard_spread in spreads {
            // Where there are heavy tenants, spreading all by entity would put them in everyone's way.
            let fewest = if standard_spread == Spread::Entity {
                fewest.max(usize::from(eligible > 0))
            } else {
                fewest
            };
            for vips in fewest..=eligible {
                let vip_counts = if vips == 0 { 0..1 } else { self.pool_sizes(vips, n) };
                candidates.extend(vip_counts.map(|vip_count| Candidate {
                    vips,
                    vip_count,
                    standard_spread,
                    bound: self.of(vips, vip_count, standard_spread),
                }));
            }
        }
        candidates
    }

    /// Sizes of the VIP pool that are compared: all, or in a large topic those about the share of the VIP tenants, from
    /// where bounds rise to both sides.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 1,000,000
    fn pool_sizes(&self, vips: usize, n: u32) -> std::ops::Range<u32> {
        if n <= POOL_SIZES_MAX {
            return 1..n;
        }
        let even = (self.vips[vips].0 / self.total * f64::from(n)) as u32;
        let start = even.saturating_sub(POOL_SIZES_MAX / 2).clamp(1, n - POOL_SIZES_MAX);
        start..start + POOL_SIZES_MAX
    }

    /// max/mean that no choice of owners is below.
    fn of(&self, vips: usize, vip_count: u32, standard_spread: Spread) -> f64 {
        let n = f64::from(self.scope.count.get());
        let (vip_load, vip_cell) = self.vips[vips];
        let (tenant, cell) = self.others[vips];
        let standard_count = n - f64::from(vip_count);
        let standard_load = (self.keyed - vip_load).max(0.0) + self.unkeyed;
        let standard_unit = match standard_spread {
            Spread::Tenant => tenant.max(self.largest_foreign),
            Spread::Entity => cell.max(self.largest_foreign),
        };
        let vip_mean = match self.scope.isolation {
            Isolation::Strict if vip_count > 0 => vip_load / f64::from(vip_count),
            _ => 0.0,
        };
        let hottest = [vip_mean, standard_load / standard_count, vip_cell, standard_unit];
        let hottest = hottest.into_iter().fold(self.total / n, f64::max);
        hottest * n / self.total
    }
}
