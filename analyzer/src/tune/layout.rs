//! Pools, who is in them, and which partition owns each slot: everything of a contract that places load.

use partitioner::ids::{PartitionCount, PartitionRange};
use partitioner::slot::Isolation;
use partitioner::spread::Spread;

use super::units::{Loads, Units};

pub use partitioner::slot::SLOTS_MAX;

/// A pool and the owners of its slots.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolPlan {
    /// Its partitions.
    pub range: PartitionRange,
    /// What stays together in it.
    pub spread: Spread,
    /// Who may own its slots.
    pub isolation: Isolation,
    /// Partition of each slot.
    pub owners: Vec<u32>,
}

/// A way of placing the tenants of [`Units`].
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Partitions of the topic.
    pub count: PartitionCount,
    /// The standard pool, then dedicated ones in the order of their partitions.
    pub pools: Vec<PoolPlan>,
    /// The pool of each tenant, by rank.
    pub pool_of: Vec<u16>,
    /// Tenants, by rank, with a partition of their own.
    pub pinned_tenants: Vec<(usize, u32)>,
    /// Cells with a partition of their own.
    pub pinned_cells: Vec<(usize, u32)>,
    /// Share of the records without a key that each partition gets.
    pub unkeyed: Vec<f64>,
}

/// Load of each slot of each pool, and what lies on partitions whoever owns the slots.
#[derive(Clone, Debug)]
pub(super) struct SlotLoads {
    pub(super) pools: Vec<Vec<f64>>,
    pub(super) fixed: Vec<f64>,
    pub(super) total: f64,
}

impl PoolPlan {
    /// A pool in which no slot is moved.
    pub(super) fn unmoved(
        range: PartitionRange,
        spread: Spread,
        isolation: Isolation,
        slots_per_partition: u32,
    ) -> Self {
        let slots = slots_per_partition * range.len();
        let owners = (0..slots).map(|slot| default_owner(range, slot)).collect();
        Self { range, spread, isolation, owners }
    }

    /// The slots that are not where a plain modulo puts them, with their owners.
    #[must_use]
    pub fn moved(&self) -> Vec<(u32, u32)> {
        let slots = (0u32..).zip(&self.owners);
        slots
            .filter(|&(slot, &owner)| owner != default_owner(self.range, slot))
            .map(|(slot, &owner)| (slot, owner))
            .collect()
    }

    /// Slots for each partition of the pool.
    #[must_use]
    pub fn slots_per_partition(&self) -> u32 {
        u32::try_from(self.owners.len()).unwrap_or(SLOTS_MAX) / self.range.len()
    }
}

/// The partition that owns a slot unless it is moved.
pub(super) fn default_owner(range: PartitionRange, slot: u32) -> u32 {
    range.start() + slot % range.len()
}

/// Equal shares for the partitions of `range`.
pub(super) fn evenly(count: PartitionCount, range: PartitionRange) -> Vec<f64> {
    let share = 1.0 / f64::from(range.len());
    (0..count.get()).map(|at| if (range.start()..range.end()).contains(&at) { share } else { 0.0 }).collect()
}

/// Slots a partition that a pool of a topic may have: `wanted`, or fewer where there are very many partitions.
pub(super) fn slots_per_partition(count: PartitionCount, wanted: u32) -> u32 {
    wanted.min(SLOTS_MAX / count.get()).max(1)
}

impl Layout {
    /// The load of each slot.
    pub(super) fn slot_loads(&self, units: &Units, loads: &Loads) -> SlotLoads {
        let mut slots: Vec<Vec<f64>> = self.pools.iter().map(|pool| vec![0.0; pool.owners.len()]).collect();
        let mut fixed = vec![0.0; self.count.as_usize()];
        let mut even = vec![0.0; self.pools.len()];
        for (rank, tenant) in units.tenants.iter().enumerate() {
            let at = usize::from(self.pool_of[rank]);
            let pool = &mut slots[at];
            let divisor = pool.len() as u64;
            match self.pools[at].spread {
                Spread::Tenant => pool[slot(tenant.raw_hash, divisor)] += loads.tenants[rank],
                Spread::Entity => {
                    let cells = tenant.cells.clone();
                    for (&hash, &load) in units.hashes[cells.clone()].iter().zip(&loads.cells[cells]) {
                        pool[slot(hash, divisor)] += load;
                    }
                    even[at] += loads.light[rank];
                }
            }
        }
        let cells = units.foreign.clone();
        let divisor = slots[0].len() as u64;
        for (&hash, &load) in units.hashes[cells.clone()].iter().zip(&loads.cells[cells]) {
            slots[0][slot(hash, divisor)] += load;
        }
        even[0] += loads.light_foreign;
        self.fix_pinned(units, loads, &mut slots, &mut even, &mut fixed);
        for (pool, even) in slots.iter_mut().zip(even) {
            #[allow(clippy::cast_precision_loss)] // at most 65,536 slots
            let share = even / pool.len() as f64;
            pool.iter_mut().for_each(|slot| *slot += share);
        }
        fixed.iter_mut().zip(&self.unkeyed).for_each(|(load, share)| *load += share * loads.unkeyed);
        SlotLoads { pools: slots, fixed, total: loads.total }
    }

    /// Takes what is pinned out of the slots. A pin of a key comes before one of its tenant.
    fn fix_pinned(
        &self,
        units: &Units,
        loads: &Loads,
        slots: &mut [Vec<f64>],
        even: &mut [f64],
        fixed: &mut [f64],
    ) {
        for &(rank, partition) in &self.pinned_tenants {
            let (tenant, at) = (&units.tenants[rank], usize::from(self.pool_of[rank]));
            let divisor = slots[at].len() as u64;
            if self.pools[at].spread == Spread::Tenant {
                slots[at][slot(tenant.raw_hash, divisor)] -= loads.tenants[rank];
            } else {
                for cell in tenant.cells.clone() {
                    slots[at][slot(units.hashes[cell], divisor)] -= loads.cells[cell];
                }
                even[at] -= loads.light[rank];
            }
            fixed[partition as usize] += loads.tenants[rank];
        }
        for &(cell, partition) in &self.pinned_cells {
            let load = loads.cells[cell];
            let rank = units.tenants.partition_point(|tenant| tenant.cells.end <= cell);
            let pinned = self.pinned_tenants.iter().find(|(pinned, _)| *pinned == rank);
            if let Some(&(_, tenants)) = pinned {
                fixed[tenants as usize] -= load;
            } else {
                let (at, hash) = match units.tenants.get(rank) {
                    Some(tenant) => {
                        let at = usize::from(self.pool_of[rank]);
                        let by_tenant = self.pools[at].spread == Spread::Tenant;
                        (at, if by_tenant { tenant.raw_hash } else { units.hashes[cell] })
                    }
                    None => (0, units.hashes[cell]),
                };
                let divisor = slots[at].len() as u64;
                slots[at][slot(hash, divisor)] -= load;
            }
            fixed[partition as usize] += load;
        }
    }

    /// The load of each partition.
    pub(super) fn partition_loads(&self, slots: &SlotLoads) -> Vec<f64> {
        let mut partitions = slots.fixed.clone();
        for (plan, loads) in self.pools.iter().zip(&slots.pools) {
            for (&owner, load) in plan.owners.iter().zip(loads) {
                partitions[owner as usize] += load;
            }
        }
        partitions
    }

    /// All tenants in one pool over all partitions, no slot moved: what a plain client does with the tenant or the whole key.
    #[must_use]
    pub fn plain(units: &Units, count: PartitionCount, spread: Spread) -> Self {
        let all = PartitionRange::all(count);
        Self {
            count,
            pools: vec![PoolPlan::unmoved(all, spread, Isolation::Strict, 1)],
            pool_of: vec![0; units.tenants.len()],
            pinned_tenants: Vec::new(),
            pinned_cells: Vec::new(),
            unkeyed: evenly(count, all),
        }
    }

    /// Ranks of the tenants in dedicated pools, largest first.
    pub fn vips(&self) -> impl Iterator<Item = usize> {
        self.pool_of.iter().enumerate().filter(|(_, pool)| **pool != 0).map(|(rank, _)| rank)
    }

    /// Partitions of dedicated pools.
    #[must_use]
    pub fn vip_count(&self) -> u32 {
        self.pools[1..].iter().map(|pool| pool.range.len()).sum()
    }

    /// Units that are looked at when all of a part of the traffic is placed.
    pub(super) fn placed_units(&self, units: &Units) -> u64 {
        let placed = units.tenants.iter().zip(&self.pool_of).map(|(tenant, &pool)| {
            if self.pools[usize::from(pool)].spread == Spread::Entity { tenant.cells.len() } else { 1 }
        });
        placed.sum::<usize>() as u64 + self.pools.iter().map(|pool| pool.owners.len() as u64).sum::<u64>()
    }

    /// Load that the hottest partition has at least, whoever owns the slots: the mean of the topic or of a pool whose slots
    /// stay in it, the largest unit, or what is fixed.
    pub(super) fn load_bound(&self, units: &Units, loads: &Loads, slots: &SlotLoads) -> f64 {
        let topic = slots.total / f64::from(self.count.get());
        let fixed = slots.fixed.iter().copied();
        let pools = self.pools.iter().zip(&slots.pools).map(|(pool, slots)| {
            let sum: f64 = slots.iter().sum();
            if pool.isolation == Isolation::Strict { sum / f64::from(pool.range.len()) } else { 0.0 }
        });
        let unit = super::outcome::largest_unit(self, units, loads);
        fixed.chain(pools).chain([unit]).fold(topic, f64::max)
    }

    /// The load of each partition under a part of the traffic.
    #[must_use]
    pub fn place(&self, units: &Units, loads: &Loads) -> Vec<f64> {
        self.partition_loads(&self.slot_loads(units, loads))
    }

    /// Distinct keys in slots that have another owner than in `other`, a layout of the same pools.
    #[must_use]
    pub fn moved_keys(&self, other: &Self, units: &Units) -> u64 {
        let is_moved = |pool: usize, hash: u64| {
            let (owners, others) = (&self.pools[pool].owners, &other.pools[pool].owners);
            let slot = slot(hash, owners.len() as u64);
            owners[slot] != others[slot]
        };
        let mut keys = units.hashes[units.foreign.clone()].iter().filter(|&&hash| is_moved(0, hash)).count();
        for (tenant, &pool) in units.tenants.iter().zip(&self.pool_of) {
            let pool = usize::from(pool);
            keys += match self.pools[pool].spread {
                Spread::Tenant if is_moved(pool, tenant.raw_hash) => tenant.cells.len(),
                Spread::Tenant => 0,
                Spread::Entity => {
                    units.hashes[tenant.cells.clone()].iter().filter(|&&hash| is_moved(pool, hash)).count()
                }
            };
        }
        keys as u64
    }

    /// The records of one tenant on each partition.
    pub(super) fn place_tenant(&self, units: &Units, loads: &Loads, rank: usize) -> Vec<f64> {
        let mut partitions = vec![0.0; self.count.as_usize()];
        let tenant = &units.tenants[rank];
        if let Some((_, partition)) = self.pinned_tenants.iter().find(|(pinned, _)| *pinned == rank) {
            partitions[*partition as usize] = loads.tenants[rank];
            return partitions;
        }
        let pool = &self.pools[usize::from(self.pool_of[rank])];
        let slots = pool.owners.len() as u64;
        if pool.spread == Spread::Tenant {
            partitions[pool.owners[slot(tenant.raw_hash, slots)] as usize] = loads.tenants[rank];
            return partitions;
        }
        for cell in tenant.cells.clone() {
            partitions[pool.owners[slot(units.hashes[cell], slots)] as usize] += loads.cells[cell];
        }
        #[allow(clippy::cast_precision_loss)] // at most 65,536 slots
        let light = loads.light[rank] / pool.owners.len() as f64;
        if light > 0.0 {
            pool.owners.iter().for_each(|&owner| partitions[owner as usize] += light);
        }
        for &(cell, partition) in self.pinned_cells.iter().filter(|(cell, _)| tenant.cells.contains(cell)) {
            partitions[pool.owners[slot(units.hashes[cell], slots)] as usize] -= loads.cells[cell];
            partitions[partition as usize] += loads.cells[cell];
        }
        partitions
    }
}

/// The slot of a hash.
#[allow(clippy::cast_possible_truncation)] // below the number of slots
#[inline]
pub(super) fn slot(hash: u64, slots: u64) -> usize {
    (match (u32::try_from(hash), u32::try_from(slots)) {
        // Dividing 32 bits is several times as fast as dividing 64.
        (Ok(hash), Ok(slots)) => u64::from(hash % slots),
        _ => hash % slots,
    }) as usize
}

/// max / mean of partition loads; `None` when there is no load.
#[must_use]
pub fn max_mean(partitions: &[f64]) -> Option<f64> {
    let total: f64 = partitions.iter().sum();
    let hottest = partitions.iter().copied().fold(0.0, f64::max);
    #[allow(clippy::cast_precision_loss)] // partitions
    (total > 0.0).then(|| hottest * partitions.len() as f64 / total)
}
