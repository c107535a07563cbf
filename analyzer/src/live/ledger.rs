//! What was to become of each record of a run, and what became of it.

use partitioner::ids::{PartitionIndex, PartitionRange};

use crate::workload::key_book::NO_KEY;

/// Mismatches of a kind that are kept one by one; the others are counted.
const EXAMPLES_MAX: usize = 5;

/// Where records of a key are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// On this partition, in the order in which they were sent.
    At(PartitionIndex),
    /// On any of these, in no order: the contract makes them sticky.
    Within(PartitionRange),
    /// Nowhere: the contract refuses them.
    Refused,
}

/// What can be wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MismatchKind {
    /// It lies on another partition than was predicted, or on one although it was to be refused.
    Misplaced,
    /// It lies behind a later one of its entity.
    OutOfOrder,
    /// It was acknowledged and is not there.
    Missing,
    /// It is there more than once.
    Doubled,
    /// Its key or value is not what was sent.
    Altered,
    /// It was refused although a partition was predicted for it.
    Refused,
}

/// A record of which something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What is wrong.
    pub kind: MismatchKind,
    /// Number of its key, or [`NO_KEY`].
    pub key: u32,
    /// Number of the record among those of its key.
    pub sequence: u32,
    /// Where it was expected.
    pub expected: Expected,
    /// Partition and offset where it was found, if it was.
    pub found: Option<(i32, i64)>,
}

/// A record that was read.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    /// Number of the record.
    pub record: u32,
    /// Number of the record among those of its key.
    pub sequence: u32,
    /// Partition on which it lies.
    pub partition: i32,
    /// Its offset there.
    pub offset: i64,
    /// Whether it has the key that it was sent with.
    pub is_key_intact: bool,
}

/// What became of the records of one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Records that were given to the producer.
    pub sent: u64,
    /// Records that the cluster acknowledged.
    pub acknowledged: u64,
    /// Records that the producer refused, as was predicted.
    pub refused_as_predicted: u64,
    /// Records that were read, doubled ones too.
    pub read: u64,
    /// By partition: records predicted for it alone.
    pub predicted: Vec<u64>,
    /// By partition: records read of those that were predicted for one partition alone, or to be refused.
    pub found: Vec<u64>,
    /// By partition: records read of those that were predicted only to be in a pool.
    pub found_in_pool: Vec<u64>,
    /// Entities whose order was looked at.
    pub entities_ordered: u64,
    /// How often each kind of mismatch was met.
    pub counts: [u64; MismatchKind::ALL.len()],
    /// The first of each kind.
    pub examples: Vec<Mismatch>,
}

impl MismatchKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Misplaced, Self::OutOfOrder, Self::Missing, Self::Doubled, Self::Altered, Self::Refused];
}

impl Tally {
    /// How often a kind of mismatch was met.
    #[must_use]
    pub fn count(&self, kind: MismatchKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Whether there was no mismatch.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts.iter().all(|&count| count == 0)
    }

    fn note(&mut self, mismatch: Mismatch) {
        let count = &mut self.counts[mismatch.kind as usize];
        *count += 1;
        if *count <= EXAMPLES_MAX as u64 {
            self.examples.push(mismatch);
        }
    }
}

/// The records of one phase, each by its number.
///
/// ```
/// use analyzer::live::{Expected, Ledger, MismatchKind, Sighting};
/// use partitioner::ids::PartitionIndex;
///
/// // Two records of key 0, which is expected on partition 1.
/// let expected = [Expected::At(PartitionIndex::new(1))];
/// let mut ledger = Ledger::new(&[0, 0], &expected, Expected::Refused);
/// for record in [0, 1] {
///     ledger.sent(record);
///     ledger.acknowledged(record);
/// }
/// let partition = 2;
/// ledger.sighted(Sighting { record: 1, sequence: 1, partition, offset: 0, is_key_intact: true });
/// let tally = ledger.close();
/// assert_eq!((tally.count(MismatchKind::Misplaced), tally.count(MismatchKind::Missing)), (1, 1));
/// ```
#[derive(Debug)]
pub struct Ledger<'a> {
    keys: &'a [u32],
    expected: &'a [Expected],
    expected_unkeyed: Expected,
    states: Vec<State>,
    /// Number of each record among those of its key.
    sequences: Vec<u32>,
    /// By key: one more than the highest sequence that was read at the right place, 0 before the first.
    last: Vec<u32>,
    tally: Tally,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    is_sent: bool,
    is_acknowledged: bool,
    is_read: bool,
}

impl<'a> Ledger<'a> {
    /// Records by the numbers of their keys ([`NO_KEY`] for none), and where the records of each key are expected.
    ///
    /// # Panics
    /// When a key has no expectation.
    #[must_use]
    pub fn new(keys: &'a [u32], expected: &'a [Expected], expected_unkeyed: Expected) -> Self {
        let mut counts = vec![0; expected.len()];
        let mut unkeyed = 0;
        let sequences = keys.iter().map(|&key| {
            let count = if key == NO_KEY { &mut unkeyed } else { &mut counts[key as usize] };
            *count += 1;
            *count - 1
        });
        let sequences = sequences.collect();
        let states = vec![State::default(); keys.len()];
        let last = vec![0; expected.len()];
        let mut ledger =
            Self { keys, expected, expected_unkeyed, states, sequences, last, tally: Tally::default() };
        for &key in keys {
            if let Expected::At(partition) = ledger.expected(key) {
                add(&mut ledger.tally.predicted, partition.as_usize());
            }
        }
        let is_ordered =
            |(&count, expected): (&u32, &Expected)| count > 0 && matches!(expected, Expected::At(_));
        let ordered = counts.iter().zip(expected).filter(|&pair| is_ordered(pair)).count();
        ledger.tally.entities_ordered = ordered as u64;
        ledger
    }

    /// How many records there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Number of a record's key, and of the record among those of that key.
    #[must_use]
    pub fn key_and_sequence(&self, record: usize) -> (u32, u32) {
        (self.keys[record], self.sequences[record])
    }

    /// How many records were read so far.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.tally.read
    }

    /// Notes that a record was given to the producer.
    pub fn sent(&mut self, record: usize) {
        self.states[record].is_sent = true;
        self.tally.sent += 1;
    }

    /// Notes that the cluster has acknowledged a record.
    pub fn acknowledged(&mut self, record: usize) {
        self.states[record].is_acknowledged = true;
        self.tally.acknowledged += 1;
    }

    /// Notes that the producer has refused a record.
    pub fn refused(&mut self, record: usize) {
        if self.expected(self.keys[record]) == Expected::Refused {
            self.tally.refused_as_predicted += 1;
        } else {
            self.note(MismatchKind::Refused, record, None);
        }
    }

    /// Notes a record that was read and says that it is one of this phase.
    pub fn sighted(&mut self, seen: Sighting) {
        self.tally.read += 1;
        let (record, at) = (seen.record as usize, (seen.partition, seen.offset));
        let known = self.sequences.get(record).filter(|_| self.states[record].is_sent);
        if known != Some(&seen.sequence) {
            let expected = self.expected_unkeyed;
            let (kind, key, found) = (MismatchKind::Altered, NO_KEY, Some(at));
            return self.tally.note(Mismatch { kind, key, sequence: seen.sequence, expected, found });
        }
        if !seen.is_key_intact {
            self.note(MismatchKind::Altered, record, Some(at));
        }
        let key = self.keys[record];
        let expected = self.expected(key);
        let partition = usize::try_from(seen.partition).unwrap_or(usize::MAX);
        let of_pool = matches!(expected, Expected::Within(_));
        add(if of_pool { &mut self.tally.found_in_pool } else { &mut self.tally.found }, partition);
        let is_placed = match expected {
            Expected::At(at) => at.as_usize() == partition,
            Expected::Within(range) => (range.start() as usize..range.end() as usize).contains(&partition),
            Expected::Refused => false,
        };
        if !is_placed {
            self.note(MismatchKind::Misplaced, record, Some(at));
        }
        if std::mem::replace(&mut self.states[record].is_read, true) {
            return self.note(MismatchKind::Doubled, record, Some(at));
        }
        // Kafka keeps order within a partition only, so what lies elsewhere has none to break.
        if key != NO_KEY && is_placed && matches!(expected, Expected::At(_)) {
            let last = &mut self.last[key as usize];
            if seen.sequence < *last {
                self.note(MismatchKind::OutOfOrder, record, Some(at));
            } else {
                *last = seen.sequence + 1;
            }
        }
    }

    /// The end: what was acknowledged and has not been read is missing.
    #[must_use]
    pub fn close(mut self) -> Tally {
        for record in 0..self.states.len() {
            let state = self.states[record];
            if state.is_acknowledged && !state.is_read {
                self.note(MismatchKind::Missing, record, None);
            }
        }
        self.tally.examples.sort_by_key(|example| example.kind);
        self.tally
    }

    fn expected(&self, key: u32) -> Expected {
        if key == NO_KEY { self.expected_unkeyed } else { self.expected[key as usize] }
    }

    fn note(&mut self, kind: MismatchKind, record: usize, found: Option<(i32, i64)>) {
        let (key, sequence) = self.key_and_sequence(record);
        self.tally.note(Mismatch { kind, key, sequence, expected: self.expected(key), found });
    }
}

/// One more at `index`, which may be beyond what was counted so far: a topic may grow.
fn add(counts: &mut Vec<u64>, index: usize) {
    if index >= counts.len() {
        counts.resize(index + 1, 0);
    }
    counts[index] += 1;
}

#[cfg(test)]
mod tests {
    use super::MismatchKind::{Altered, Doubled, Misplaced, Missing, OutOfOrder, Refused};
    use super::*;

    /// Key 0 on partition 1, key 1 anywhere of 2 and 3, key 2 nowhere.
    const EXPECTED: [Expected; 3] = [
        Expected::At(PartitionIndex::new(1)),
        Expected::Within(PartitionRange::new(2, 4).unwrap()),
        Expected::Refused,
    ];

    /// What is read in place of record 0: the fields that differ.
    fn seen(record: u32, sequence: u32, partition: i32) -> Sighting {
        Sighting { record, sequence, partition, offset: i64::from(record), is_key_intact: true }
    }

    /// Keys of records, all of them acknowledged, and what is read.
    fn closed(keys: &[u32], sightings: &[Sighting]) -> Tally {
        let mut ledger = Ledger::new(keys, &EXPECTED, EXPECTED[1]);
        for record in 0..keys.len() {
            ledger.sent(record);
            ledger.acknowledged(record);
        }
        sightings.iter().for_each(|&sighting| ledger.sighted(sighting));
        ledger.close()
    }

    #[track_caller]
    fn assert_counts(tally: &Tally, expected: &[(MismatchKind, u64)]) {
        for kind in MismatchKind::ALL {
            let count = expected.iter().find(|(of, _)| *of == kind).map_or(0, |(_, count)| *count);
            assert_eq!(tally.count(kind), count, "{kind:?} of {tally:?}");
        }
        assert_eq!(tally.is_clean(), expected.is_empty());
    }

    #[test]
    fn all_is_well() {
        let keys = [0, 0, 1, NO_KEY, 1];
        let read = [seen(0, 0, 1), seen(1, 1, 1), seen(4, 1, 3), seen(3, 0, 2), seen(2, 0, 2)];
        let tally = closed(&keys, &read);
        assert_counts(&tally, &[]);
        assert_eq!((tally.sent, tally.acknowledged, tally.read), (5, 5, 5));
        assert_eq!((tally.predicted, tally.found), (vec![0, 2], vec![0, 2]));
        assert_eq!((tally.found_in_pool, tally.entities_ordered), (vec![0, 0, 2, 1], 1));
    }

    #[test]
    fn a_record_elsewhere() {
        assert_counts(&closed(&[0], &[seen(0, 0, 2)]), &[(Misplaced, 1)]);
        assert_counts(&closed(&[1], &[seen(0, 0, 1)]), &[(Misplaced, 1)]);
        assert_counts(&closed(&[NO_KEY], &[seen(0, 0, 4)]), &[(Misplaced, 1)]);
        assert_counts(&closed(&[2], &[seen(0, 0, 0)]), &[(Misplaced, 1)]);
        assert_eq!(closed(&[0], &[seen(0, 0, 9)]).found[9], 1, "beyond the partitions that were predicted");
    }

    #[test]
    fn order_is_that_of_each_key_on_its_partition() {
        let keys = [0, 0, 0];
        let swapped = closed(&keys, &[seen(1, 1, 1), seen(0, 0, 1), seen(2, 2, 1)]);
        assert_counts(&swapped, &[(OutOfOrder, 1)]);
        assert_eq!(swapped.examples[0].found, Some((1, 0)));
        let last_first = closed(&keys, &[seen(2, 2, 1), seen(0, 0, 1), seen(1, 1, 1)]);
        assert_counts(&last_first, &[(OutOfOrder, 2)]);
        assert_counts(&closed(&[1, 1], &[seen(1, 1, 2), seen(0, 0, 2)]), &[]);
    }

    #[test]
    fn a_record_that_is_not_there_or_there_twice() {
        assert_counts(&closed(&[0, 0], &[seen(1, 1, 1)]), &[(Missing, 1)]);
        assert_counts(&closed(&[0], &[seen(0, 0, 1), seen(0, 0, 1)]), &[(Doubled, 1)]);
        assert_counts(&closed(&[0], &[seen(0, 0, 1), seen(0, 0, 3)]), &[(Doubled, 1), (Misplaced, 1)]);
    }

    #[test]
    fn what_was_never_acknowledged_is_not_missing() {
        let mut ledger = Ledger::new(&[0, 2, 0], &EXPECTED, EXPECTED[1]);
        (0..3).for_each(|record| ledger.sent(record));
        ledger.refused(1);
        ledger.refused(2);
        let tally = ledger.close();
        assert_counts(&tally, &[(Refused, 1)]);
        assert_eq!((tally.refused_as_predicted, tally.acknowledged), (1, 0));
    }

    #[test]
    fn a_record_that_is_not_as_it_was_sent() {
        let altered = Sighting { is_key_intact: false, ..seen(0, 0, 1) };
        assert_counts(&closed(&[0], &[altered]), &[(Altered, 1)]);
        let tally = closed(&[0], &[seen(0, 0, 1), seen(0, 7, 1), seen(8, 0, 1)]);
        assert_counts(&tally, &[(Altered, 2)]);
        let mut unsent = Ledger::new(&[0], &EXPECTED, EXPECTED[1]);
        unsent.sighted(seen(0, 0, 1));
        assert_counts(&unsent.close(), &[(Altered, 1)]);
    }

    #[test]
    fn only_the_first_of_each_kind_are_kept() {
        let keys = vec![0; 100];
        let tally = closed(&keys, &(0..50).map(|record| seen(record, record, 0)).collect::<Vec<_>>());
        assert_counts(&tally, &[(Misplaced, 50), (Missing, 50)]);
        assert_eq!(tally.examples.len(), 2 * EXAMPLES_MAX);
    }
}
