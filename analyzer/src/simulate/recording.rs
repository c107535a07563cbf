//! Traffic kept record by record, for those who need it more than once.

use super::traffic::{Progress, Traffic};
use super::{Replay, SimulateError};
use crate::workload::key_book::{Columns, KeyBook};

/// The start of some traffic, in its order.
///
/// Where a [simulation](super::simulate) forgets records as soon as they are counted, this keeps the number of each
/// record's key: 4 bytes a record.
#[derive(Debug)]
pub struct Recording {
    /// What was counted, with the keys by number.
    pub replay: Replay,
    /// The number of each record's key, or [`NO_KEY`](crate::workload::key_book::NO_KEY).
    pub keys: Vec<u32>,
    /// Whether the traffic has more records than were kept.
    pub is_cut: bool,
}

impl Recording {
    /// Takes at most `records_max` records.
    ///
    /// # Errors
    /// [`SimulateError`] when the traffic cannot be read, a key cannot be made, or there are more distinct keys than fit.
    pub fn new(
        mut traffic: Traffic,
        book: KeyBook,
        records_max: u64,
        progress: &dyn Fn(Progress),
    ) -> Result<Self, SimulateError> {
        let (mut replay, mut columns) = (Replay::new(book), Columns::default());
        let (mut keys, mut is_cut) = (Vec::new(), false);
        let mut batch = traffic.new_batch();
        while !is_cut && traffic.read(&mut batch)? {
            let left = usize::try_from(records_max).unwrap_or(usize::MAX) - keys.len();
            is_cut = batch.truncate(left);
            replay.number(&batch, &mut columns)?;
            replay.count(&columns, None)?;
            keys.extend_from_slice(&columns.keys);
            progress(traffic.progress());
        }
        replay.volume.skipped = traffic.skipped();
        replay.finish(None)?;
        Ok(Self { replay, keys, is_cut })
    }
}

#[cfg(test)]
mod tests {
    use partitioner::key::KeyFormat;

    use super::*;
    use crate::workload::key_book::{Limits, NO_KEY};
    use crate::workload::trace::{TraceFields, TraceOptions, TraceReader};

    fn recorded(rows: usize, records_max: u64) -> Recording {
        let text: String = (0..rows).map(|row| format!("{{\"key\":\"a:{}\"}}\n{{}}\n", row % 7)).collect();
        let fields = TraceFields { key: Some("key".into()), ..TraceFields::default() };
        let options = TraceOptions { fields, ..TraceOptions::default() };
        let reader = TraceReader::from_reader("t", std::io::Cursor::new(text), options).unwrap();
        let book = KeyBook::of_trace(KeyFormat::default(), &[], Limits::default());
        Recording::new(Traffic::Trace(Box::new(reader)), book, records_max, &|_| {}).unwrap()
    }

    #[test]
    fn records_are_kept_in_their_order_and_counted() {
        let all = recorded(5_000, 1_000_000);
        assert_eq!((all.keys.len(), all.is_cut), (10_000, false));
        let numbers: Vec<u32> = all.keys.iter().copied().take(6).collect();
        assert_eq!(numbers, [0, NO_KEY, 1, NO_KEY, 2, NO_KEY]);
        assert_eq!(all.replay.volume().load.records, 10_000);
    }

    #[test]
    fn what_is_beyond_the_limit_is_neither_kept_nor_counted() {
        for limit in [1, 4_095, 4_096, 4_097, 9_999] {
            let start = recorded(5_000, limit);
            assert_eq!((start.keys.len() as u64, start.is_cut), (limit, true));
            assert_eq!(start.replay.volume().load.records, limit);
        }
        assert!(!recorded(5_000, 10_000).is_cut, "exactly all");
    }
}
