//! `analyzer simulate`: traffic through strategies, measured.

use std::path::Path;

use partitioner::key::KeyFormat;

use super::assemble::{Placed, PlacedLane, assemble};
use super::error::CommandError;
use super::plan::{self, Plan};
use crate::report::model::Report;
use crate::settings::{SimulateSettings, TrafficSource};
use crate::simulate::{Lane, Lanes, Progress, Replay, SimulateError, Traffic, simulate as replay_traffic};
use crate::strategy::{Entry, Ingredients};
use crate::workload::key_book::KeyBook;
use crate::workload::profile::ProfileTraffic;
use crate::workload::trace::TraceReader;

/// Cells of a load table's tenant rows: 4 MiB a strategy.
const TRACKED_CELLS_MAX: u32 = 1 << 19;

/// What is told of the progress, from another thread.
type Tell<'a> = &'a (dyn Fn(Progress) + Sync);

/// Runs the simulation and measures it; `progress` is called from another thread as records are made.
///
/// # Errors
/// [`CommandError`] when the traffic cannot be read, is empty, or a strategy cannot be built or refuses every record.
pub fn simulate(settings: &SimulateSettings, progress: Tell<'_>) -> Result<Report, CommandError> {
    let format = plan::key_format(settings)?;
    let (mut plan, replay, placed) = match plan::before_traffic(settings, format)? {
        Some(plan) => run_planned(settings, format, plan, progress)?,
        None => match run_unplanned(settings, format, progress) {
            Err(Unplanned::TooManyKeys(_)) if can_be_read_twice(settings) => {
                let plan = plan_by_first_reading(settings, format, progress)?;
                run_planned(settings, format, plan, progress)?
            }
            Err(Unplanned::TooManyKeys(error)) => return Err(error.into()),
            Err(Unplanned::Other(error)) => return Err(error),
            Ok(done) => done,
        },
    };
    plan.name_vips(settings, &replay)?;
    assemble(settings, &plan, &replay, &placed)
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
    let (sequence_entries, sequence) = sequence_lanes(settings, format)?;
    let (by_key_entries, mut by_key) = by_key_lanes(settings, format, &mut plan)?;
    by_key.extend(sweep_lanes(settings, &plan)?);
    let mut lanes = Lanes { sequence, by_key: Some(by_key) };
    let replay = replay_traffic(traffic(settings)?, book(settings, format), &mut lanes, progress)?;
    let by_key = lanes.by_key.unwrap_or_default();
    Ok((plan, replay, placed(sequence_entries, lanes.sequence, by_key_entries, by_key)))
}

enum Unplanned {
    TooManyKeys(SimulateError),
    Other(CommandError),
}

impl<E: Into<CommandError>> From<E> for Unplanned {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// The VIP tenants follow from the traffic, and its keys all fit: one reading is enough.
fn run_unplanned(
    settings: &SimulateSettings,
    format: KeyFormat,
    progress: Tell<'_>,
) -> Result<Done, Unplanned> {
    let (sequence_entries, sequence) = sequence_lanes(settings, format)?;
    let mut lanes = Lanes { sequence, by_key: None };
    let replay = match replay_traffic(traffic(settings)?, book(settings, format), &mut lanes, progress) {
        Err(error) if error.is_too_many_keys() => return Err(Unplanned::TooManyKeys(error)),
        replay => replay?,
    };
    refuse_empty(settings, &replay)?;
    let mut plan = plan::after_traffic(settings, &replay, format)?;
    let (by_key_entries, mut by_key) = by_key_lanes(settings, format, &mut plan)?;
    by_key.extend(sweep_lanes(settings, &plan)?);
    replay.place(&mut by_key)?;
    Ok((plan, replay, placed(sequence_entries, lanes.sequence, by_key_entries, by_key)))
}

/// Reads a trace for its tenants alone, so that a second reading can place its keys as they come.
fn plan_by_first_reading(
    settings: &SimulateSettings,
    format: KeyFormat,
    progress: Tell<'_>,
) -> Result<Plan, CommandError> {
    let mut nowhere = Lanes { sequence: Vec::new(), by_key: Some(Vec::new()) };
    let replay = replay_traffic(traffic(settings)?, book(settings, format), &mut nowhere, progress)?;
    plan::after_traffic(settings, &replay, format)
}

fn can_be_read_twice(settings: &SimulateSettings) -> bool {
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
    let name = match &settings.source {
        TrafficSource::Profile { profile, .. } => profile.name().to_owned(),
        TrafficSource::Trace { path, .. } => path.display().to_string(),
    };
    Err(CommandError::new(match &replay.volume().skipped {
        Some(skipped) => format!("{name}: all {} rows are bad; the first: {}", skipped.count, skipped.first),
        None => format!("{name}: the trace has no records, so there is nothing to measure"),
    }))
}

fn traffic(settings: &SimulateSettings) -> Result<Traffic, CommandError> {
    match &settings.source {
        TrafficSource::Profile { profile, records } => {
            Ok(Traffic::Profile(Box::new(ProfileTraffic::new(profile, *records, settings.seed)?)))
        }
        TrafficSource::Trace { path, options } => {
            Ok(Traffic::Trace(Box::new(TraceReader::open(path, options.clone())?)))
        }
    }
}

fn book(settings: &SimulateSettings, format: KeyFormat) -> KeyBook {
    match &settings.source {
        TrafficSource::Profile { profile, .. } => KeyBook::of_profile(profile, format),
        TrafficSource::Trace { .. } => KeyBook::of_trace(format, &settings.vips),
    }
}

/// Lanes with the entries that they were built from, in the same order.
type Built = (Vec<&'static Entry>, Vec<Lane>);

/// Lanes of the strategies that look at no key.
fn sequence_lanes(settings: &SimulateSettings, format: KeyFormat) -> Result<Built, CommandError> {
    lanes(settings, &Ingredients { seed: settings.seed, format, contract: None, map: &[] }, false)
}

/// Lanes of the strategies that place by key. What does not apply is left out, or an error when it was asked for.
fn by_key_lanes(
    settings: &SimulateSettings,
    format: KeyFormat,
    plan: &mut Plan,
) -> Result<Built, CommandError> {
    let map = Plan::map(settings);
    let does_map_fit = map.iter().all(|(_, partition)| settings.count.contains(*partition));
    for entry in &settings.strategies {
        let why = if entry.needs_contract() && plan.contract.is_none() {
            "it needs a VIP tenant (--vip) and at least 2 partitions"
        } else if entry.needs_map() && map.is_empty() {
            "it needs a map of tenants to partitions: explicit_map of a profile, or pinned tenants of --config"
        } else if entry.needs_map() && !does_map_fit {
            "its map names partitions that the topic does not have"
        } else {
            continue;
        };
        if settings.are_strategies_named {
            return Err(CommandError::new(format!("--strategies {}: {why}", entry.name)));
        }
        if entry.needs_contract() || !map.is_empty() {
            plan.choices.push(format!("{} left out: {why}", entry.name));
        }
    }
    let map: &[_] = if does_map_fit { &map } else { &[] };
    let contract = plan.contract.as_ref();
    lanes(settings, &Ingredients { seed: settings.seed, format, contract, map }, true)
}

fn lanes(settings: &SimulateSettings, from: &Ingredients<'_>, by_key: bool) -> Result<Built, CommandError> {
    let mut built = Built::default();
    for &entry in &settings.strategies {
        if let Some(strategy) = entry.build(from)?.filter(|strategy| strategy.is_consistent() == by_key) {
            built.0.push(entry);
            built.1.push(Lane::new(strategy, settings.count, TRACKED_CELLS_MAX / settings.count.get()));
        }
    }
    Ok(built)
}

/// `tenant-aware` at every size of the VIP pool.
fn sweep_lanes(settings: &SimulateSettings, plan: &Plan) -> Result<Vec<Lane>, CommandError> {
    if !settings.is_sweep {
        return Ok(Vec::new());
    }
    let Some(contract) = &plan.contract else {
        return Err(CommandError::new(
            "--sweep vip-count: there is no VIP tenant to give a pool to; name one with --vip",
        ));
    };
    let at = |vip_count| {
        let mut contract = contract.clone();
        (contract.vip_count, contract.partitions) = (Some(vip_count), Some(settings.count.get()));
        Ok(Lane::of_load_only(Box::new(contract.router(settings.seed)?), settings.count))
    };
    (1..settings.count.get()).map(at).collect()
}

/// Lanes by key beyond their entries are those of the sweep.
fn placed(
    sequence_entries: Vec<&'static Entry>,
    sequence: Vec<Lane>,
    by_key_entries: Vec<&'static Entry>,
    mut by_key: Vec<Lane>,
) -> Placed {
    let sweep = by_key.split_off(by_key_entries.len());
    let keyed = by_key_entries.into_iter().zip(by_key);
    let all = keyed.chain(sequence_entries.into_iter().zip(sequence));
    Placed { strategies: all.map(|(entry, lane)| PlacedLane { entry, lane }).collect(), sweep }
}
