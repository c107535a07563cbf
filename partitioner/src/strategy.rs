//! What every way of choosing a partition has in common.

use crate::ids::PartitionCount;
use crate::route::{Record, Reject, Route, Step};
use crate::spread::OrderingScope;

/// A way of choosing a partition: a contract's [`Router`](crate::route::Router) or one of the
/// [baselines](crate::baseline), so that all can be simulated and explained by the same call.
///
/// Where rdkafka's `Partitioner` sees a topic name and returns an `i32`, a strategy sees one topic's record and says which
/// step decided, or why the record is refused.
pub trait Strategy: Send + Sync {
    /// The partition of `record` in a topic of `count` partitions.
    ///
    /// # Errors
    /// [`Reject`] when the record may not be sent.
    fn route(&self, record: &Record<'_>, count: PartitionCount) -> Result<Route, Reject>;

    /// Decides for records without a key, one of each size and time, and appends what [`route`](Self::route) would give for
    /// one after the other.
    ///
    /// A strategy may do for all of them at once what it costs to do for one, such as taking turns from a counter that
    /// threads share.
    fn route_unkeyed(
        &self,
        size_bytes: &[u32],
        now_us: &[u64],
        count: PartitionCount,
        routes: &mut Vec<Result<Route, Reject>>,
    ) {
        routes.extend(unkeyed(size_bytes, now_us).map(|record| self.route(&record, count)));
    }

    /// The finest unit that stays in order among the records for which `step` decided.
    fn ordering_scope(&self, step: Step) -> OrderingScope;

    /// The order kept by keyed records, in words.
    fn ordering(&self) -> String;

    /// Whether a keyed record's partition depends on nothing but its key and the count.
    ///
    /// Then a distinct key need be placed only once, however many records carry it. franz-go asks the same of its
    /// partitioners (`RequiresConsistency`). Records without a key depend on those before them under either answer.
    fn is_consistent(&self) -> bool;

    /// Whether a record's key, or that it has none, plays no part in where it goes.
    ///
    /// Then nobody need know the key of a record to place it. A strategy that is neither this nor
    /// [consistent](Self::is_consistent) has to be asked for every record, in order and with its key.
    fn ignores_keys(&self) -> bool {
        false
    }
}

/// Records without a key, from a column of sizes and one of times.
pub(crate) fn unkeyed<'c>(
    size_bytes: &'c [u32],
    now_us: &'c [u64],
) -> impl Iterator<Item = Record<'static>> + 'c {
    size_bytes.iter().zip(now_us).map(|(&size_bytes, &now_us)| Record::unkeyed(size_bytes, now_us))
}
