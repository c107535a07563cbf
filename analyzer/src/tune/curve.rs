//! How balance grows with every moved slot.

use super::balance::Move;
use super::layout::{Layout, max_mean};
use super::units::Units;

/// Most points of a curve.
const POINTS_MAX: usize = 64;

/// The balance after a number of moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Slots that have another owner than at the start.
    pub moved_slots: usize,
    /// Records to tune on in those slots, as a share of all.
    pub moved_record_share: f64,
    /// max / mean of the part to tune on.
    pub tuned: f64,
    /// max / mean of the part to judge on; `None` without one.
    pub later: Option<f64>,
}

/// The balance from `start` on, after none of the moves to after all of them.
pub(super) fn curve(start: &Layout, moves: &[Move], units: &Units) -> Vec<Point> {
    let slots = [&units.tuned, &units.later].map(|loads| start.slot_loads(units, loads));
    let mut partitions = slots.each_ref().map(|slots| start.partition_loads(slots));
    let mut moved: Vec<Vec<bool>> = start.pools.iter().map(|pool| vec![false; pool.owners.len()]).collect();
    let (mut moved_slots, mut moved_load) = (0usize, 0.0);
    let mut points = Vec::new();
    let step = moves.len().div_ceil(POINTS_MAX - 2).max(1);
    for (at, step_move) in moves.iter().map(Some).chain([None]).enumerate() {
        if at % step == 0 || step_move.is_none() {
            let tuned = max_mean(&partitions[0]);
            points.extend(tuned.map(|tuned| Point {
                moved_slots,
                moved_record_share: moved_load / units.tuned.total,
                tuned,
                later: max_mean(&partitions[1]),
            }));
        }
        let Some(&Move { pool, slot, from, to }) = step_move else {
            break;
        };
        for (partitions, slots) in partitions.iter_mut().zip(&slots) {
            let load = slots.pools[pool][slot];
            partitions[from as usize] -= load;
            partitions[to as usize] += load;
        }
        let load = slots[0].pools[pool][slot];
        let is_home = start.pools[pool].owners[slot] == to;
        let was_moved = std::mem::replace(&mut moved[pool][slot], !is_home);
        match (was_moved, is_home) {
            (false, false) => (moved_slots, moved_load) = (moved_slots + 1, moved_load + load),
            (true, true) => (moved_slots, moved_load) = (moved_slots - 1, moved_load - load),
            _ => {}
        }
    }
    points
}
