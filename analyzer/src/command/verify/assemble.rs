//! Puts a verification's report together.

use partitioner::contract::{STANDARD_POOL, TopicContract};
use partitioner::ids::PartitionIndex;

use super::super::error::CommandError;
use super::super::plan::Plan;
use super::predict::Prediction;
use crate::live::{AtEnd, Expected, LiveTopic, Mismatch, MismatchKind, Phase, RunId, Tally};
use crate::report::verify::model::{
    Check, MismatchRow, PartitionRow, PhaseSummary, TopicSummary, VerifyReport, VerifyWorkload,
};
use crate::report::{display_bytes, display_count as count};
use crate::settings::VerifySettings;
use crate::simulate::Recording;
use crate::workload::key_book::NO_KEY;

/// Version of the report's shape.
const SCHEMA_VERSION: u32 = 1;

/// All that is known at the end of a run.
pub(super) struct Verified<'a> {
    pub(super) settings: &'a VerifySettings,
    pub(super) plan: &'a Plan,
    pub(super) recording: &'a Recording,
    pub(super) prediction: &'a Prediction,
    pub(super) section: &'a TopicContract,
    pub(super) topic: &'a LiveTopic<'a>,
    pub(super) run: &'a RunId,
    /// Of the keyed and of the unkeyed phase.
    pub(super) tallies: [Tally; 2],
    pub(super) at_end: AtEnd,
}

impl Verified<'_> {
    /// The report.
    ///
    /// # Errors
    /// When the contract cannot be used, or a key cannot be made.
    pub(super) fn report(&self) -> Result<VerifyReport, CommandError> {
        let checks = self.checks();
        let simulation = &self.settings.simulation;
        let dedicated = self.section.router(0)?.pools().partitions_min() - 1;
        let volume = self.recording.replay.volume();
        let [keyed, unkeyed] = &self.tallies;
        Ok(VerifyReport {
            schema_version: SCHEMA_VERSION,
            command: simulation.command.clone(),
            passed: checks.iter().all(|check| check.passed),
            seed: simulation.seed,
            run: self.run.to_string(),
            topic: TopicSummary {
                name: self.topic.name().to_owned(),
                cluster: self.topic.address().to_string(),
                partitions: self.topic.count().get(),
                partitions_at_end: self.at_end.count.map(partitioner::ids::PartitionCount::get),
                is_created: self.topic.is_created(),
            },
            vip_count: Some(dedicated).filter(|&count| count > 0),
            choices: self.plan.choices.clone(),
            workload: VerifyWorkload {
                name: simulation.source.name(),
                records: volume.load.records,
                keys: self.recording.replay.distinct_entities().0,
                skipped_rows: volume.skipped.as_ref().map_or(0, |skipped| skipped.count),
            },
            partitions: self.partitions(),
            keyed: summary(keyed),
            unkeyed: summary(unkeyed),
            foreign_records: self.at_end.foreign_records,
            checks,
            mismatches: self.mismatches()?,
        })
    }

    fn partitions(&self) -> Vec<PartitionRow> {
        let [keyed, unkeyed] = &self.tallies;
        let columns =
            [&keyed.predicted, &keyed.found, &keyed.found_in_pool, &unkeyed.found, &unkeyed.found_in_pool];
        let known = self.topic.count().max(self.at_end.count.unwrap_or(self.topic.count())).as_usize();
        let rows = columns.iter().map(|column| column.len()).max().unwrap_or(0).max(known);
        let row = |partition: usize| {
            let of = |column: &[u64]| column.get(partition).copied().unwrap_or(0);
            let index = u32::try_from(partition).unwrap_or(u32::MAX);
            PartitionRow {
                partition: u64::from(index),
                pool: self.prediction.pool_of(PartitionIndex::new(index)).map(str::to_owned),
                predicted: of(&keyed.predicted),
                found: of(&keyed.found),
                found_in_pool: of(&keyed.found_in_pool),
                unkeyed: of(&unkeyed.found) + of(&unkeyed.found_in_pool),
            }
        };
        (0..rows).map(row).collect()
    }

    fn checks(&self) -> Vec<Check> {
        let mut checks = vec![self.placement(), self.order(), self.delivery(), self.scatter()];
        let (before, after) = (self.topic.count(), self.at_end.count);
        if after != Some(before) {
            let now = after.map_or("is gone now".to_owned(), |count| format!("has {count} now"));
            checks.push(Check {
                name: "partitions".to_owned(),
                passed: false,
                fact: format!("the topic had {before} partitions when the run began and {now}"),
            });
        }
        checks
    }

    fn placement(&self) -> Check {
        let tally = &self.tallies[Phase::Keyed as usize];
        let misplaced = tally.count(MismatchKind::Misplaced);
        let unexpectedly = tally.count(MismatchKind::Refused);
        let mut fact = match misplaced {
            0 => format!("each of {} records read lies where it was predicted", count(tally.read)),
            _ => format!(
                "{} of {} records read lie elsewhere than predicted",
                count(misplaced),
                count(tally.read)
            ),
        };
        if tally.refused_as_predicted > 0 {
            fact += &format!("; {} were refused, as the contract has it", count(tally.refused_as_predicted));
        }
        if unexpectedly > 0 {
            fact += &format!("; {} were refused although a partition was predicted", count(unexpectedly));
        }
        Check { name: "placement".to_owned(), passed: misplaced + unexpectedly == 0, fact }
    }

    fn order(&self) -> Check {
        let tally = &self.tallies[Phase::Keyed as usize];
        let wrong = tally.count(MismatchKind::OutOfOrder);
        let fact = match (wrong, tally.entities_ordered) {
            (0, 0) => "no key of these records is one whose order is kept".to_owned(),
            (0, entities) => {
                format!("the sequence of each of {} entities increases on its partition", count(entities))
            }
            _ => format!("{} records lie behind a later one of their entity", count(wrong)),
        };
        Check { name: "order".to_owned(), passed: wrong == 0, fact }
    }

    fn delivery(&self) -> Check {
        let of = |kind| self.tallies.iter().map(|tally| tally.count(kind)).sum::<u64>();
        let [missing, doubled, altered] =
            [MismatchKind::Missing, MismatchKind::Doubled, MismatchKind::Altered].map(of);
        let acknowledged = count(self.tallies.iter().map(|tally| tally.acknowledged).sum());
        let passed = missing + doubled + altered == 0;
        let fact = if passed {
            format!("all of {acknowledged} acknowledged records were read, none twice, none altered")
        } else {
            let [missing, doubled, altered] = [missing, doubled, altered].map(count);
            format!(
                "of {acknowledged} acknowledged records {missing} are missing, {doubled} doubled, {altered} altered"
            )
        };
        Check { name: "delivery".to_owned(), passed, fact }
    }

    /// Where the records without a key went, and whether any of them went into a dedicated pool.
    fn scatter(&self) -> Check {
        let tally = &self.tallies[Phase::Unkeyed as usize];
        let wrong = tally.count(MismatchKind::Misplaced) + tally.count(MismatchKind::Refused);
        let rows = self.partitions();
        let used = rows.iter().filter(|row| row.unkeyed > 0).count();
        let is_dedicated =
            |row: &&PartitionRow| row.pool.as_deref().is_some_and(|pool| pool != STANDARD_POOL);
        let dedicated: u64 = rows.iter().filter(is_dedicated).map(|row| row.unkeyed).sum();
        let mut fact = match tally.read {
            0 => "of the records without a key none was written".to_owned(),
            read => format!(
                "{} records without a key are on {used} of {} partitions",
                count(read),
                count(rows.len() as u64)
            ),
        };
        if tally.read > 0 && rows.iter().any(|row| is_dedicated(&row)) {
            let dedicated = if dedicated == 0 { "none".to_owned() } else { count(dedicated) };
            fact += &format!(", {dedicated} of them in a dedicated pool");
        }
        if tally.refused_as_predicted > 0 {
            fact += &format!("; {} were refused", count(tally.refused_as_predicted));
        }
        fact += &match self.prediction.unkeyed() {
            Expected::Refused => "; the contract refuses them".to_owned(),
            expected => format!("; the contract sends them to {}", told(expected)),
        };
        if wrong > 0 {
            fact += &format!(", and {} are not there", count(wrong));
        }
        Check { name: "unkeyed".to_owned(), passed: wrong == 0, fact }
    }

    fn mismatches(&self) -> Result<Vec<MismatchRow>, CommandError> {
        let mut rows = Vec::new();
        for (phase, tally) in [Phase::Keyed, Phase::Unkeyed].into_iter().zip(&self.tallies) {
            for mismatch in &tally.examples {
                rows.push(self.mismatch(phase, mismatch)?);
            }
        }
        Ok(rows)
    }

    fn mismatch(&self, phase: Phase, mismatch: &Mismatch) -> Result<MismatchRow, CommandError> {
        let mut key = Vec::new();
        if mismatch.key != NO_KEY {
            let written = self.recording.replay.book().write_key(mismatch.key, &mut key);
            written.map_err(|error| CommandError::new(format!("a key cannot be made: {error}")))?;
        }
        Ok(MismatchRow {
            phase: phase.name().to_owned(),
            kind: name(mismatch.kind).to_owned(),
            key: (mismatch.key != NO_KEY).then(|| display_bytes(&key)),
            sequence: mismatch.sequence.into(),
            expected: told(mismatch.expected),
            partition: mismatch.found.and_then(|(partition, _)| u64::try_from(partition).ok()),
            offset: mismatch.found.and_then(|(_, offset)| u64::try_from(offset).ok()),
        })
    }
}

fn name(kind: MismatchKind) -> &'static str {
    match kind {
        MismatchKind::Misplaced => "misplaced",
        MismatchKind::OutOfOrder => "out_of_order",
        MismatchKind::Missing => "missing",
        MismatchKind::Doubled => "doubled",
        MismatchKind::Altered => "altered",
        MismatchKind::Refused => "refused",
    }
}

fn told(expected: Expected) -> String {
    match expected {
        Expected::At(partition) => format!("partition {partition}"),
        Expected::Within(range) if range.len() == 1 => format!("partition {}", range.start()),
        Expected::Within(range) => format!("one of partitions {} to {}", range.start(), range.end() - 1),
        Expected::Refused => "refused".to_owned(),
    }
}

fn summary(tally: &Tally) -> PhaseSummary {
    PhaseSummary {
        sent: tally.sent,
        acknowledged: tally.acknowledged,
        refused_as_predicted: tally.refused_as_predicted,
        read: tally.read,
        entities_ordered: tally.entities_ordered,
        misplaced: tally.count(MismatchKind::Misplaced),
        out_of_order: tally.count(MismatchKind::OutOfOrder),
        missing: tally.count(MismatchKind::Missing),
        doubled: tally.count(MismatchKind::Doubled),
        altered: tally.count(MismatchKind::Altered),
        refused: tally.count(MismatchKind::Refused),
    }
}
