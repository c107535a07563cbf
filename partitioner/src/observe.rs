//! Counts of what was decided, kept beside the decision without a lock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::counters::Counters;
use crate::ids::PartitionCount;
use crate::reject::Reject;
use crate::route::{KeyFault, Route, Step};

/// Names of the steps, by their place in `Decisions::steps`.
const STEPS: [&str; 7] = ["explicit", "pin", "vip", "standard", "hash", "turn", "sticky"];

/// Names of the key faults, by their place in `Decisions::faults`.
const FAULTS: [&str; 3] = ["null-key", "empty-key", "malformed-key"];

/// Counts of the decisions about one topic.
///
/// Counts are of decisions, not of records: librdkafka may ask twice for a record that it parked until it knew the topic.
///
/// ```
/// use partitioner::ids::{PartitionCount, PartitionIndex};
/// use partitioner::observe::Decisions;
/// use partitioner::route::{Route, Step};
///
/// let decisions = Decisions::new(PartitionCount::new(3));
/// decisions.note(&Ok(Route { partition: PartitionIndex::new(2), step: Step::Standard, fault: None }));
/// let snapshot = decisions.snapshot();
/// assert_eq!(snapshot.partitions, [0, 0, 1]);
/// assert_eq!(snapshot.steps["standard"], 1);
/// ```
#[derive(Debug)]
pub struct Decisions {
    /// Steps, faults, rejects, sticky switches, then one for each partition that the contract knows and one for all others.
    counters: Counters,
    partitions: usize,
    /// Which faults and rejects were told of.
    told_faults: [AtomicBool; FAULTS.len()],
    told_rejects: [AtomicBool; Reject::REASONS.len()],
    /// One more than the last sticky partition, 0 before the first.
    last_sticky: AtomicU64,
}

/// Places of the counters.
const FAULT: usize = STEPS.len();
const REJECT: usize = FAULT + FAULTS.len();
const SWITCHES: usize = REJECT + Reject::REASONS.len();
const PARTITION: usize = SWITCHES + 1;

/// The counts at one moment. Counts that change meanwhile may be of slightly different moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Decisions for each partition of the contract.
    pub partitions: Vec<u64>,
    /// Decisions for partitions beyond those.
    pub other_partitions: u64,
    /// Decisions by the step that decided.
    pub steps: BTreeMap<&'static str, u64>,
    /// Decisions in which a policy stood in for a key, by what was wrong with the key.
    pub faults: BTreeMap<&'static str, u64>,
    /// Refusals by reason.
    pub rejects: BTreeMap<&'static str, u64>,
    /// How often the sticky partition changed.
    pub sticky_switches: u64,
}

/// What of a decision a log should tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notable {
    /// A record was refused, for the first time for this reason.
    FirstReject,
    /// A record was refused.
    Reject,
    /// A policy stood in for a key, for the first time for this fault.
    FirstFallback(KeyFault),
    /// The sticky partition changed.
    StickySwitch,
}

impl Decisions {
    /// Nothing decided yet, for a topic of `count` partitions; without a count all partitions are counted as one.
    #[must_use]
    pub fn new(count: Option<PartitionCount>) -> Self {
        let partitions = count.map_or(0, PartitionCount::as_usize);
        Self {
            counters: Counters::new(PARTITION + partitions + 1),
            partitions,
            told_faults: Default::default(),
            told_rejects: Default::default(),
            last_sticky: AtomicU64::new(0),
        }
    }

    /// Counts one decision, and says what of it a log should tell.
    #[inline]
    pub fn note(&self, decided: &Result<Route, Reject>) -> Option<Notable> {
        match decided {
            Ok(route) => self.note_route(route),
            Err(reject) => {
                self.counters.add(REJECT + reject.number());
                let is_first = is_first(&self.told_rejects[reject.number()]);
                Some(if is_first { Notable::FirstReject } else { Notable::Reject })
            }
        }
    }

    /// Counts a decision of which there is nothing else to tell. Cannot panic.
    #[inline]
    pub(crate) fn note_usual(&self, route: &Route) {
        self.counters.add(step_number(route.step));
        self.counters.add(PARTITION + route.partition.as_usize().min(self.partitions));
    }

    #[inline]
    fn note_route(&self, route: &Route) -> Option<Notable> {
        self.note_usual(route);
        let mut notable = None;
        if route.step == Step::Sticky {
            let next = u64::from(route.partition.get()) + 1;
            if self.last_sticky.load(Relaxed) != next {
                let last = self.last_sticky.swap(next, Relaxed);
                if last != next && last != 0 {
                    self.counters.add(SWITCHES);
                    notable = Some(Notable::StickySwitch);
                }
            }
        }
        if let Some(fault) = route.fault {
            self.counters.add(FAULT + fault_number(fault));
            if is_first(&self.told_faults[fault_number(fault)]) {
                notable = Some(Notable::FirstFallback(fault));
            }
        }
        notable
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let named = |names: &[&'static str], first: usize| {
            let counts = names.iter().zip(first..).map(|(name, index)| (*name, self.counters.get(index)));
            counts.filter(|(_, count)| *count > 0).collect()
        };
        Snapshot {
            partitions: (0..self.partitions)
                .map(|partition| self.counters.get(PARTITION + partition))
                .collect(),
            other_partitions: self.counters.get(PARTITION + self.partitions),
            steps: named(&STEPS, 0),
            faults: named(&FAULTS, FAULT),
            rejects: named(&Reject::REASONS, REJECT),
            sticky_switches: self.counters.get(SWITCHES),
        }
    }
}

/// Whether this is the first call for `told`. Later ones only read.
fn is_first(told: &AtomicBool) -> bool {
    !told.load(Relaxed) && !told.swap(true, Relaxed)
}

fn step_number(step: Step) -> usize {
    match step {
        Step::Explicit => 0,
        Step::PinnedKey | Step::PinnedTenant => 1,
        Step::Vip(_) => 2,
        Step::Standard => 3,
        Step::Hash => 4,
        Step::Turn => 5,
        Step::Sticky => 6,
    }
}

fn fault_number(fault: KeyFault) -> usize {
    match fault {
        KeyFault::Null => 0,
        KeyFault::Empty => 1,
        KeyFault::Malformed => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{PartitionIndex, PoolIndex};

    #[test]
    fn every_step_has_the_name_it_displays() {
        let steps = [
            Step::Explicit,
            Step::PinnedKey,
            Step::PinnedTenant,
            Step::Vip(PoolIndex::new(1)),
            Step::Standard,
            Step::Hash,
            Step::Turn,
            Step::Sticky,
        ];
        for step in steps {
            assert_eq!(STEPS[step_number(step)], step.to_string());
        }
    }

    #[test]
    fn refusals_and_switches_are_counted_apart() {
        let decisions = Decisions::new(PartitionCount::new(2));
        let mut notable = Vec::new();
        for partition in [0, 0, 1, 1, 0, 5] {
            let partition = PartitionIndex::new(partition);
            let route = Route { partition, step: Step::Sticky, fault: Some(KeyFault::Null) };
            notable.extend(decisions.note(&Ok(route)));
        }
        assert_eq!(notable[0], Notable::FirstFallback(KeyFault::Null));
        assert_eq!(notable[1..], [Notable::StickySwitch; 3]);
        assert_eq!(decisions.note(&Err(Reject::NullKey)), Some(Notable::FirstReject));
        assert_eq!(decisions.note(&Err(Reject::NullKey)), Some(Notable::Reject));
        let keyed =
            Route { partition: PartitionIndex::new(0), step: Step::Vip(PoolIndex::new(1)), fault: None };
        assert_eq!(decisions.note(&Ok(keyed)), None);
        let snapshot = decisions.snapshot();
        assert_eq!((snapshot.partitions, snapshot.other_partitions), (vec![4, 2], 1));
        assert_eq!(
            (snapshot.sticky_switches, snapshot.faults["null-key"], snapshot.rejects["null-key"]),
            (3, 6, 2)
        );
    }
}
