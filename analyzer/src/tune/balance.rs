//! Moves slots from hot partitions to cold ones, as few as will do.

use partitioner::slot::Isolation;

use super::layout::{Layout, SlotLoads};

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Load at which the hottest partition may stay as it is.
    pub(super) load_max: f64,
    /// Load that may be moved in all.
    pub(super) moved_load_max: f64,
}

/// One slot that went to another partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Move {
    pub(super) pool: usize,
    pub(super) slot: usize,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// A slot where it lies at the moment.
#[derive(Clone, Copy, Debug)]
struct Placed {
    pool: usize,
    slot: usize,
    load: f64,
}

struct Balance<'a> {
    layout: &'a Layout,
    partitions: Vec<f64>,
    /// Slots with a load, by partition.
    slots_on: Vec<Vec<Placed>>,
    /// Mean load of the partitions that the slots of each pool may go to.
    means: Vec<f64>,
}

/// Moves slots in `layout` until no partition is above the goal, or the hottest cannot be helped.
///
/// While the hottest partition is too hot, one of its slots goes to the coldest partition that may have it: the slot whose
/// load is nearest to the smaller of what the one has above the mean and the other below. A slot that would make its
/// new partition as hot as the old one stays, so that every move lowers the hottest load or the number of partitions
/// that have it. One slot as large as the goal therefore ends the search: its partition is emptied of all others first.
pub(super) fn balance(layout: &mut Layout, loads: &SlotLoads, goal: Goal) -> Vec<Move> {
    let mut state = Balance::new(layout, loads);
    let (mut moves, mut moved_load) = (Vec::new(), 0.0);
    while let Some(hottest) = state.hottest(goal.load_max)
        && let Some((at, to)) = state.best_move(hottest)
    {
        let placed = state.slots_on[hottest][at];
        if moved_load + placed.load > goal.moved_load_max {
            break;
        }
        moved_load += placed.load;
        state.slots_on[hottest].swap_remove(at);
        state.slots_on[to].push(placed);
        state.partitions[hottest] -= placed.load;
        state.partitions[to] += placed.load;
        moves.push(Move {
            pool: placed.pool,
            slot: placed.slot,
            from: partition(hottest),
            to: partition(to),
        });
    }
    for moved in &moves {
        layout.pools[moved.pool].owners[moved.slot] = moved.to;
    }
    moves
}

fn partition(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'a> Balance<'a> {
    fn new(layout: &'a Layout, loads: &SlotLoads) -> Self {
        let partitions = layout.partition_loads(loads);
        let mut slots_on = vec![Vec::new(); partitions.len()];
        for (pool, (plan, slots)) in layout.pools.iter().zip(&loads.pools).enumerate() {
            for (slot, (&owner, &load)) in plan.owners.iter().zip(slots).enumerate() {
                if load > 0.0 {
                    slots_on[owner as usize].push(Placed { pool, slot, load });
                }
            }
        }
        let mut state = Self { layout, partitions, slots_on, means: Vec::new() };
        state.means = (0..layout.pools.len()).map(|pool| state.mean_of(pool)).collect();
        state
    }

    /// Partitions that a pool's slots may go to.
    fn allowed(&self, pool: usize) -> std::ops::Range<usize> {
        let plan = &self.layout.pools[pool];
        match plan.isolation {
            Isolation::Strict => plan.range.start() as usize..plan.range.end() as usize,
            Isolation::Shared => 0..self.partitions.len(),
        }
    }

    #[allow(clippy::cast_precision_loss)] // partitions
    fn mean_of(&self, pool: usize) -> f64 {
        let allowed = &self.partitions[self.allowed(pool)];
        allowed.iter().sum::<f64>() / allowed.len() as f64
    }

    /// The hottest partition above `load_max`, the first of equals.
    fn hottest(&self, load_max: f64) -> Option<usize> {
        let loads = self.partitions.iter().copied().enumerate();
        let hottest = loads.reduce(|hottest, other| if other.1 > hottest.1 { other } else { hottest });
        hottest.filter(|&(_, load)| load > load_max).map(|(at, _)| at)
    }

    /// The best slot to take from `hottest`, by position, and where it goes.
    fn best_move(&self, hottest: usize) -> Option<(usize, usize)> {
        let hot = self.partitions[hottest];
        let coldest = |pool| {
            let allowed = self.allowed(pool).map(|at| (at, self.partitions[at]));
            allowed.reduce(|coldest, other| if other.1 < coldest.1 { other } else { coldest })
        };
        let coldest: Vec<_> = (0..self.layout.pools.len()).map(coldest).collect();
        let mut best: Option<(f64, usize, usize)> = None;
        for (at, placed) in self.slots_on[hottest].iter().enumerate() {
            let Some((to, cold)) = coldest[placed.pool] else {
                continue;
            };
            let mean = self.means[placed.pool];
            let wanted = (hot - mean).min(mean - cold);
            let miss = (placed.load - wanted).abs();
            if cold + placed.load < hot && best.is_none_or(|best| miss < best.0) {
                best = Some((miss, at, to));
            }
        }
        best.map(|(_, at, to)| (at, to))
    }
}
