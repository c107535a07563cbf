//! `analyzer simulate`: traffic through strategies, measured.

use std::path::Path;

use partitioner::key::KeyFormat;
use partitioner::route::KeyPolicy;

use super::assemble::{Placed, PlacedLane, assemble};
use super::error::CommandError;
use super::lag::{self, FirstPass};
use super::lanes::{Built, Sight, Tracked, by_key_lanes, sweep_lanes, walking_lanes};
use super::plan::{self, Hint, Plan};
use crate::finding::findings;
use crate::report::model::Report;
use crate::settings::{SimulateSettings, TrafficSource};
use crate::simulate::{
    Lanes, Progress, Replay, SimulateError, SkippedRows, Traffic, simulate as replay_traffic,
};
use crate::workload::key_book::{KeyBook, Limits};
use crate::workload::profile::ProfileTraffic;
use crate::workload::trace::TraceReader;

/// What is told of the progress, from another thread.
pub(super) type Tell<'a> = &'a (dyn Fn(Progress) + Sync);

/// Runs the simulation and measures it; `progress` is called from another thread as records are made.
///
/// # Errors
/// [`CommandError`] when the traffic cannot be read, is empty, or a strategy cannot be built or refuses every record.
pub fn simulate(settings: &SimulateSettings, progress: Tell<'_>) -> Result<Report, CommandError> {
    let format = plan::key_format(settings.contract.as_ref(), &settings.source)?;
    if settings.lag.is_some() && !can_be_read_twice(settings) {
        return Err(CommandError::new(
            "--service-rate reads the trace a second time, record by record, which only a file can be; write it to one",
        ));
    }
    let (mut plan, replay, placed) = match plan::before_traffic(settings, format, hint(settings))? {
        Some(plan) => run_planned(settings, format, plan, progress)?,
        None => match run_unplanned(settings, format, progress) {
            Err(Unplanned::TooMuch(_)) if can_be_read_twice(settings) => {
                let plan = plan_by_first_reading(settings, format, progress)?;
                run_planned(settings, format, plan, progress)?
            }
            Err(Unplanned::TooMuch(error)) => return Err(error.into()),
            Err(Unplanned::Other(error)) => return Err(error),
            Ok(done) => done,
        },
    };
    plan.name_vips(settings, &replay)?;
    let mut report = assemble(settings, &plan, &replay, &placed)?;
    if let Some(lag) = &settings.lag {
        let first = FirstPass { settings, format, plan: &plan, replay: &replay, placed: &placed };
        lag::add(lag, &first, &mut report, progress)?;
    }
    report.findings = findings(&report);
    Ok(report)
}

fn hint(settings: &SimulateSettings) -> Hint {
    if settings.is_sweep { Hint::IsSwept } else { Hint::Sweep }
}

/// Everything that was replayed and placed.
type Done = (Plan, Replay, Placed);

/// All strategies are there before the first record.
fn run_planned(
    settings: &SimulateSettings,
    format: KeyFormat,
    mut plan: Plan,
    progress: Tell<'_>,
) -> Result<Done, CommandError> {
    let book = book(settings, format, &plan);
    let tracked = Tracked::before_traffic(settings, &plan, &book)?;
    let (sequence_entries, sequence) = walking_lanes(settings, format, Sight::Sequence, &tracked)?;
    let (keyed_entries, keyed) = walking_lanes(settings, format, Sight::Keyed, &tracked)?;
    let (by_key_entries, mut by_key) = by_key_lanes(settings, format, &mut plan, &tracked)?;
    by_key.extend(sweep_lanes(settings, &plan)?);
    let mut lanes = Lanes { sequence, keyed, by_key: Some(by_key) };
    let replay = replay_traffic(traffic(&settings.source, settings.seed)?, book, &mut lanes, progress)?;
    let walked = [(sequence_entries, lanes.sequence), (keyed_entries, lanes.keyed)];
    Ok((plan, replay, placed(walked, (by_key_entries, lanes.by_key.unwrap_or_default()))))
}

enum Unplanned {
    TooMuch(SimulateError),
    Other(CommandError),
}

impl<E: Into<CommandError>> From<E> for Unplanned {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// The VIP tenants follow from the traffic. One reading is enough when its keys all fit, and no VIP tenant came so late
/// that strategies that walk the records did not track it.
fn run_unplanned(
    settings: &SimulateSettings,
    format: KeyFormat,
    progress: Tell<'_>,
) -> Result<Done, Unplanned> {
    let book = book(settings, format, &Plan::default());
    let first = Tracked::first(settings.count);
    let (sequence_entries, sequence) = walking_lanes(settings, format, Sight::Sequence, &first)?;
    let (keyed_entries, keyed) = walking_lanes(settings, format, Sight::Keyed, &first)?;
    let mut lanes = Lanes { sequence, keyed, by_key: None };
    let replay = match replay_traffic(traffic(&settings.source, settings.seed)?, book, &mut lanes, progress) {
        Err(error) if error.is_too_much() => return Err(Unplanned::TooMuch(error)),
        replay => replay?,
    };
    refuse_empty(settings, &replay)?;
    let mut plan = plan::after_traffic(settings, &replay, format, hint(settings))?;
    let vips = Tracked::vips(settings.count, &plan, replay.book());
    let mut walked = lanes.sequence.iter().chain(&lanes.keyed);
    let is_any_missed = walked.any(|lane| vips.is_any_missed_by(lane.table()));
    if is_any_missed && can_be_read_twice(settings) {
        return Ok(run_planned(settings, format, plan, progress)?);
    }
    let tracked = vips.and_largest(settings.count, &replay);
    let (by_key_entries, mut by_key) = by_key_lanes(settings, format, &mut plan, &tracked)?;
    by_key.extend(sweep_lanes(settings, &plan)?);
    replay.place(&mut by_key)?;
    let walked = [(sequence_entries, lanes.sequence), (keyed_entries, lanes.keyed)];
    Ok((plan, replay, placed(walked, (by_key_entries, by_key))))
}

/// Reads a trace for its tenants alone, so that a second reading can place its keys as they come.
fn plan_by_first_reading(
    settings: &SimulateSettings,
    format: KeyFormat,
    progress: Tell<'_>,
) -> Result<Plan, CommandError> {
    let mut nowhere = Lanes { by_key: Some(Vec::new()), ..Lanes::default() };
    let book = book(settings, format, &Plan::default());
    let replay = replay_traffic(traffic(&settings.source, settings.seed)?, book, &mut nowhere, progress)?;
    plan::after_traffic(settings, &replay, format, hint(settings))
}

pub(super) fn can_be_read_twice(settings: &SimulateSettings) -> bool {
    match &settings.source {
        TrafficSource::Profile { .. } => true,
        TrafficSource::Trace { path, .. } => path != Path::new("-") && path.is_file(),
    }
}

/// An error when nothing was replayed.
pub(super) fn refuse_empty(settings: &SimulateSettings, replay: &Replay) -> Result<(), CommandError> {
    if replay.volume().load.records > 0 {
        return Ok(());
    }
    Err(nothing_replayed(&settings.source, replay.volume().skipped.as_ref()))
}

/// The error for traffic without a record that could be read.
pub(super) fn nothing_replayed(source: &TrafficSource, skipped: Option<&SkippedRows>) -> CommandError {
    let name = match source {
        TrafficSource::Profile { profile, .. } => profile.name().to_owned(),
        TrafficSource::Trace { path, .. } => path.display().to_string(),
    };
    CommandError::new(match skipped {
        Some(skipped) => format!("{name}: all {} rows are bad; the first: {}", skipped.count, skipped.first),
        None => format!("{name}: the trace has no records, so there is nothing to measure"),
    })
}

/// The records of `source`, from the first on.
pub(super) fn traffic(source: &TrafficSource, seed: u64) -> Result<Traffic, CommandError> {
    match source {
        TrafficSource::Profile { profile, records } => {
            Ok(Traffic::Profile(Box::new(ProfileTraffic::new(profile, *records, seed)?)))
        }
        TrafficSource::Trace { path, options } => {
            Ok(Traffic::Trace(Box::new(TraceReader::open(path, options.clone())?)))
        }
    }
}

/// A book in which the VIP tenants of a trace, as far as they are known by name, have the first numbers.
pub(super) fn book(settings: &SimulateSettings, format: KeyFormat, plan: &Plan) -> KeyBook {
    let limits = Limits::default();
    if let TrafficSource::Profile { profile, .. } = &settings.source {
        return KeyBook::of_profile(profile, format, limits);
    }
    let Some(contract) = &settings.contract else {
        let names = if plan.vips.is_empty() { &settings.vips } else { &plan.vips };
        return KeyBook::of_trace(format, names, limits);
    };
    let book = KeyBook::of_trace(format, &plan::named_tenants(contract), limits);
    match contract.key.malformed_key {
        KeyPolicy::Unkeyed => book.with_malformed_loose(),
        _ => book,
    }
}

/// Lanes by key beyond their entries are those of the sweep.
fn placed(walked: [Built; 2], (by_key_entries, mut by_key): Built) -> Placed {
    let sweep = by_key.split_off(by_key_entries.len());
    let walked = walked.into_iter().flat_map(|(entries, lanes)| entries.into_iter().zip(lanes));
    let all = by_key_entries.into_iter().zip(by_key).chain(walked);
    Placed { strategies: all.map(|(entry, lane)| PlacedLane { entry, lane }).collect(), sweep }
}
