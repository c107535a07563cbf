//! Lanes that have to see every record with its key, on threads of their own.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, Scope};

use super::BATCHES_AHEAD;
use super::lane::Lane;
use super::record_block::RecordBlock;

/// Threads that share the lanes; each lane sees all records in order.
#[derive(Debug)]
pub(super) struct KeyedWalk {
    walkers: Vec<SyncSender<Arc<RecordBlock>>>,
}

impl KeyedWalk {
    /// Starts as many threads as there are cores and lanes to share; without a lane none.
    pub(super) fn start<'scope>(scope: &'scope Scope<'scope, '_>, lanes: &'scope mut [Lane]) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let lanes_per_core = lanes.len().div_ceil(cores).max(1);
        let walkers = lanes.chunks_mut(lanes_per_core).map(|lanes| {
            let (sender, blocks) = sync_channel::<Arc<RecordBlock>>(BATCHES_AHEAD);
            scope.spawn(move || {
                for block in blocks {
                    lanes.iter_mut().for_each(|lane| lane.walk_keyed(&block));
                }
            });
            sender
        });
        Self { walkers: walkers.collect() }
    }

    /// Whether there is a lane to walk.
    pub(super) fn has_lanes(&self) -> bool {
        !self.walkers.is_empty()
    }

    /// Hands a block to every thread; false when one has ended, which it does only by a panic.
    pub(super) fn walk(&self, block: RecordBlock) -> bool {
        let block = Arc::new(block);
        self.walkers.iter().all(|walker| walker.send(Arc::clone(&block)).is_ok())
    }
}
