//! One pass over the traffic for whoever wants its numbers and no strategy.

use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use super::traffic::{Batch, Progress, Traffic};
use super::{BATCHES_AHEAD, SimulateError, SkippedRows, make};
use crate::workload::key_book::{Columns, KeyBook};

/// Numbers every record of `traffic` in `book` and shows each batch to `visit`, in order.
///
/// One thread makes records while the caller's numbers and visits them. `visit` may let the book forget its keys.
///
/// # Errors
/// [`SimulateError`] when the traffic cannot be read, a key cannot be made, or `visit` ends the pass.
pub fn pass(
    traffic: Traffic,
    book: &mut KeyBook,
    progress: &(dyn Fn(Progress) + Sync),
    visit: &mut dyn FnMut(&mut KeyBook, &Columns) -> Result<(), SimulateError>,
) -> Result<Option<SkippedRows>, SimulateError> {
    let (full_sender, full) = sync_channel(BATCHES_AHEAD);
    let (empty_sender, empty) = channel();
    thread::scope(|scope| {
        let maker = scope.spawn(move || make(traffic, &full_sender, &empty, progress));
        let mut columns = Columns::default();
        let mut visited = Ok(());
        for batch in full {
            visited = number(&batch, book, &mut columns).and_then(|()| visit(book, &columns));
            if visited.is_err() {
                // Dropping the receiver ends the maker.
                break;
            }
            // The maker may have ended already; then nobody needs an empty batch.
            let _ = empty_sender.send(batch);
        }
        let made = maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        visited.and(made)
    })
}

/// Replaces `key` by the bytes of the key that has this number in the book.
///
/// # Errors
/// [`SimulateError`] when the key format cannot hold a profile's tenant and entity.
pub fn write_key(book: &KeyBook, number: u32, key: &mut Vec<u8>) -> Result<(), SimulateError> {
    let tenant = || book.tenant_name(book.tenant_of(number)).to_vec();
    book.write_key(number, key).map_err(|error| SimulateError::key(tenant(), error))
}

/// Numbers one batch.
pub(super) fn number(batch: &Batch, book: &mut KeyBook, columns: &mut Columns) -> Result<(), SimulateError> {
    match batch {
        Batch::Profile(batch) => {
            book.number_profile(batch, columns);
            Ok(())
        }
        Batch::Trace(batch) => {
            book.number_trace(batch, columns).map_err(|(tenant, error)| SimulateError::key(tenant, error))
        }
    }
}
