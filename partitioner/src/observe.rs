//! Counts of what was decided, kept beside the decision without a lock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
    /// By step, for each partition that the contract knows, and in the last row for all others: a look at those must not
    /// allocate. One table, so that a decision is one addition: an atomic one costs as much as the decision.
    steps: Box<[StepCounts]>,
    faults: [AtomicU64; FAULTS.len()],
    rejects: [AtomicU64; Reject::REASONS.len()],
    sticky_switches: AtomicU64,
    /// One more than the last sticky partition, 0 before the first.
    last_sticky: AtomicU64,
}

type StepCounts = [AtomicU64; STEPS.len()];

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
        let rows = count.map_or(0, PartitionCount::as_usize) + 1;
        Self {
            steps: std::iter::repeat_with(StepCounts::default).take(rows).collect(),
            faults: Default::default(),
            rejects: Default::default(),
            sticky_switches: AtomicU64::new(0),
            last_sticky: AtomicU64::new(0),
        }
    }

    /// Counts one decision, and says what of it a log should tell.
    #[inline]
    pub fn note(&self, decided: &Result<Route, Reject>) -> Option<Notable> {
        match decided {
            Ok(route) => self.note_route(route),
            Err(reject) => {
                let is_first = self.rejects[reject.number()].fetch_add(1, Relaxed) == 0;
                Some(if is_first { Notable::FirstReject } else { Notable::Reject })
            }
        }
    }

    #[inline]
    fn note_route(&self, route: &Route) -> Option<Notable> {
        let row = route.partition.as_usize().min(self.steps.len() - 1);
        self.steps[row][step_number(route.step)].fetch_add(1, Relaxed);
        let is_first = |fault| self.faults[fault_number(fault)].fetch_add(1, Relaxed) == 0;
        let first_fallback = route.fault.filter(|&fault| is_first(fault));
        let mut is_switch = false;
        if route.step == Step::Sticky {
            let next = u64::from(route.partition.get()) + 1;
            if self.last_sticky.load(Relaxed) != next {
                let last = self.last_sticky.swap(next, Relaxed);
                is_switch = last != next && last != 0;
                self.sticky_switches.fetch_add(u64::from(is_switch), Relaxed);
            }
        }
        let switch = is_switch.then_some(Notable::StickySwitch);
        first_fallback.map(Notable::FirstFallback).or(switch)
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let named = |names: &[&'static str], counts: &[u64]| {
            names.iter().copied().zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect()
        };
        let (mut partitions, mut steps) = (Vec::with_capacity(self.steps.len()), [0; STEPS.len()]);
        for row in &self.steps {
            let row = row.each_ref().map(|count| count.load(Relaxed));
            steps.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
            partitions.push(row.iter().sum());
        }
        Snapshot {
            // There is always the last row.
            other_partitions: partitions.pop().unwrap_or(0),
            partitions,
            steps: named(&STEPS, &steps),
            faults: named(&FAULTS, &self.faults.each_ref().map(|count| count.load(Relaxed))),
            rejects: named(&Reject::REASONS, &self.rejects.each_ref().map(|count| count.load(Relaxed))),
            sticky_switches: self.sticky_switches.load(Relaxed),
        }
    }
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
