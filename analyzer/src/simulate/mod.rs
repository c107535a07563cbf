//! Replays a workload through strategies: each record is made once, whatever the number of strategies.
//!
//! A strategy whose choice depends on the key alone places each distinct key once, with all its records. Strategies that
//! look at no key walk the records one by one without keys, and those that look at keys and at what was before with them.
//! Past [`KEYS_MAX`](crate::workload::key_book::KEYS_MAX) distinct keys what was counted is placed and forgotten: loads
//! stay exact, while distinct counts and the largest entity come from sketches from then on.
//!
//! One thread makes records, a second numbers and counts them, a third walks them, each in order, so the result does not
//! depend on the machine. Where the second places keys, and where records are walked with their keys, lanes are shared by the
//! cores, but each lane sees them in order.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

pub use self::error::SimulateError;
pub use self::lane::Lane;
pub use self::pass::{pass, write_key};
pub use self::recording::Recording;
pub use self::replay::{Replay, UnitSize, Volume};
pub use self::traffic::{Progress, Traffic};

use self::keyed_walk::KeyedWalk;
use self::traffic::Batch;
use crate::workload::key_book::{Columns, KeyBook};

mod error;
mod heavy;
mod key_block;
mod keyed_walk;
mod lane;
mod pass;
mod record_block;
mod recording;
mod replay;
mod traffic;

/// Batches that the making thread may be ahead.
const BATCHES_AHEAD: usize = 4;

/// The lanes of a simulation, by what they need.
#[derive(Debug, Default)]
pub struct Lanes {
    /// Strategies that look at no key; they walk the records.
    pub sequence: Vec<Lane>,
    /// Strategies that look at keys and at what was before; they walk the records with their keys.
    pub keyed: Vec<Lane>,
    /// Strategies that place by key, where they could be built before the traffic was seen.
    pub by_key: Option<Vec<Lane>>,
}

/// Runs `traffic` through `lanes`.
///
/// Lanes by key that are not there yet can be placed from the [`Replay`] afterwards, as long as all keys fit.
///
/// # Errors
/// [`SimulateError`] when the traffic cannot be read, a key cannot be made, or there are more distinct keys than
/// fit and no lanes to place them in.
pub fn simulate(
    traffic: Traffic,
    book: KeyBook,
    lanes: &mut Lanes,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Replay, SimulateError> {
    let mut replay = Replay::new(book);
    let Lanes { sequence, keyed, by_key } = lanes;
    let mut by_key = by_key.as_deref_mut();
    let (full_sender, full) = sync_channel(BATCHES_AHEAD);
    let (empty_sender, empty) = channel();
    let (numbered_sender, numbered) = sync_channel::<Columns>(BATCHES_AHEAD);
    let (walked_sender, walked) = channel();
    let outcome = thread::scope(|scope| {
        let maker = scope.spawn(move || make(traffic, &full_sender, &empty, progress));
        scope.spawn(move || {
            for columns in numbered {
                sequence.iter_mut().for_each(|lane| lane.walk(&columns));
                // Whoever numbers may have ended already; then nobody needs the columns.
                let _ = walked_sender.send(columns);
            }
        });
        let keyed_walk = KeyedWalk::start(scope, keyed);
        let mut take = |batch: &Batch, columns: &mut Columns| {
            replay.number(batch, columns)?;
            if keyed_walk.has_lanes() && !keyed_walk.walk(replay.with_keys(columns)?) {
                return Ok(false);
            }
            replay.count(columns, by_key.as_deref_mut()).map(|()| true)
        };
        let mut counted = Ok(());
        for batch in full {
            let mut columns = walked.try_recv().unwrap_or_default();
            let taken = take(&batch, &mut columns);
            if !matches!(taken, Ok(true)) || numbered_sender.send(columns).is_err() {
                // Dropping the receiver ends the maker.
                counted = taken.map(drop);
                break;
            }
            // The maker may have ended already; then nobody needs an empty batch.
            let _ = empty_sender.send(batch);
        }
        // Ends the walks, which the scope waits for.
        drop((numbered_sender, keyed_walk));
        let made = maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        counted.and(made)
    });
    replay.volume.skipped = outcome?;
    replay.finish(by_key)?;
    Ok(replay)
}

/// Makes batches until the traffic ends or nobody takes them; returns what was left out.
fn make(
    mut traffic: Traffic,
    full: &SyncSender<Batch>,
    empty: &Receiver<Batch>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Option<SkippedRows>, SimulateError> {
    loop {
        let mut batch = empty.try_recv().unwrap_or_else(|_| traffic.new_batch());
        if !traffic.read(&mut batch)? {
            return Ok(traffic.skipped());
        }
        progress(traffic.progress());
        if full.send(batch).is_err() {
            return Ok(None);
        }
    }
}

/// Rows of a trace that could not be read and were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedRows {
    /// How many.
    pub count: u64,
    /// What was wrong with the first.
    pub first: String,
}

#[cfg(test)]
mod tests;
