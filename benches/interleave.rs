//! Compares contestants inside one run, turn by turn.
//!
//! Criterion measures one function to its end and then the next, so what the machine does in between (another process,
//! another clock rate) is charged to one of them. Here every round gives each contestant one short turn.

use std::time::{Duration, Instant};

/// One contestant: its name, and one turn of its work.
pub struct Contestant<'a> {
    /// The column head.
    pub name: &'static str,
    /// One turn; every contestant's turn is of the same work, of a fraction of a millisecond.
    pub turn: Box<dyn FnMut() + 'a>,
}

/// How long each contestant's turn takes: the first decile over `rounds` rounds, in the order of `contestants`.
///
/// A low quantile, since an interruption can only ever add time; not the minimum, which one lucky turn decides.
///
/// # Panics
/// When `rounds` is 0.
#[must_use]
pub fn first_deciles(contestants: &mut [Contestant<'_>], rounds: usize) -> Vec<Duration> {
    let turns = in_rounds(contestants.len(), rounds, |at| {
        let start = Instant::now();
        (contestants[at].turn)();
        start.elapsed()
    });
    turns
        .into_iter()
        .map(|mut turns| {
            turns.sort_unstable();
            turns[rounds / 10]
        })
        .collect()
}

/// What `turn` gave for each of `contestants`, round by round; who starts a round changes from round to round.
///
/// # Panics
/// When `rounds` is 0.
pub fn in_rounds<T>(contestants: usize, rounds: usize, mut turn: impl FnMut(usize) -> T) -> Vec<Vec<T>> {
    assert!(rounds > 0, "no round, no figure");
    let mut turns: Vec<_> = (0..contestants).map(|_| Vec::with_capacity(rounds)).collect();
    for round in 0..rounds {
        for place in 0..contestants {
            let at = (round + place) % contestants;
            turns[at].push(turn(at));
        }
    }
    turns
}
