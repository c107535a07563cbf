//! Chooses VIP tenants, the size of their pool and the owners of slots, and judges the choice on later traffic.
//!
//! One pass counts records by *cell*: the keys of one tenant that have one hash, which no rule can tell apart. From the
//! cells the load of every slot of every layout follows without another look at the traffic, so thousands of layouts are
//! bounded and some tens tried in the time of a few thousand records.

use self::balance::{Goal, Move, balance};
use self::curve::{Point, curve};
use self::layout::Layout;
use self::outcome::Outcome;
use self::search::{Candidate, Found, Scope, TOLERANCE, search};
use self::units::{Loads, Units};

mod balance;
pub mod contract;
pub mod curve;
mod foresight;
pub mod layout;
pub mod objective;
pub mod outcome;
pub mod own_pools;
pub mod search;
pub mod tally;
pub mod units;
mod windows;

#[cfg(test)]
mod tests;

/// What was chosen.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// Pools and owners of slots.
    pub layout: Layout,
    /// The same with the owners that the search began with.
    pub start: Layout,
    /// What was chosen of the candidates; `None` when only the owners of slots were free.
    pub candidate: Option<Candidate>,
    /// How balance grows from `start` to `layout`.
    pub curve: Vec<Point>,
}

/// Chooses everything of a topic that is free to be chosen; `None` when there is nothing to tune on.
#[must_use]
pub fn tune(units: &Units, scope: &Scope) -> Option<Tuned> {
    let Found { candidate, layout, start, moves, .. } = search(units, scope.loads(units), scope)?;
    let (layout, moves) = not_worse(units, &start, (layout, moves), f64::INFINITY);
    let curve = curve(&start, &moves, units);
    Some(Tuned { layout, start, candidate: Some(candidate), curve })
}

/// Moves slots of a layout as it is, so that at most `moved_share_max` of the records move, 0 to 1.
#[must_use]
pub fn tune_owners(units: &Units, start: Layout, moved_share_max: f64) -> Tuned {
    let moved_load_max = moved_share_max * units.tuned.total;
    let chosen = balanced(units, &units.foreseen, &start, moved_load_max);
    let (layout, moves) = not_worse(units, &start, chosen, moved_load_max);
    let curve = curve(&start, &moves, units);
    Tuned { layout, start, candidate: None, curve }
}

/// What was chosen for the loads to expect, unless it is worse than no move on the loads that were counted: then slots are
/// moved for those.
fn not_worse(
    units: &Units,
    start: &Layout,
    chosen: (Layout, Vec<Move>),
    moved_load_max: f64,
) -> (Layout, Vec<Move>) {
    let value = |layout: &Layout| {
        Outcome::of(layout, units, &units.tuned).map_or(f64::INFINITY, |outcome| outcome.max_mean)
    };
    if value(&chosen.0) <= value(start) {
        return chosen;
    }
    balanced(units, &units.tuned, start, moved_load_max)
}

/// `start` with slots moved for `loads`, until it is as even as it can be or so much was moved.
fn balanced(units: &Units, loads: &Loads, start: &Layout, moved_load_max: f64) -> (Layout, Vec<Move>) {
    let mut layout = start.clone();
    let slots = layout.slot_loads(units, loads);
    let load_max = layout.load_bound(units, loads, &slots) * (1.0 + TOLERANCE);
    let moves = balance(&mut layout, &slots, Goal { load_max, moved_load_max });
    (layout, moves)
}
