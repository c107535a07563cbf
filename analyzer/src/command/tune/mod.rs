//! `analyzer tune`: from traffic to a contract that can be deployed.

use partitioner::contract::TopicContract;
use partitioner::hash::KeyHash;
use partitioner::key::KeyFormat;

use self::assemble::Measured;
use super::error::CommandError;
use super::plan::{self, no_such_tenant};
use super::simulate::{nothing_replayed, traffic};
use crate::report::tune::model::TuneReport;
use crate::settings::{TrafficSource, TuneSettings};
use crate::simulate::{Progress, SkippedRows, pass};
use crate::tune::contract::{contract_of, contract_with_owners, layout_of};
use crate::tune::search::{SLOTTED_PARTITIONS_MAX, Scope, eligible};
use crate::tune::tally::Tally;
use crate::tune::units::Units;
use crate::tune::{Tuned, tune as choose, tune_owners};
use crate::workload::key_book::{KeyBook, Limits};

mod alternatives;
mod assemble;
mod evidence;

/// What is told of the progress, from another thread; the text says what is being done.
type Tell<'a> = &'a (dyn Fn(&'static str, Progress) + Sync);

/// Counts the traffic once, chooses, judges, and writes the contract down; `progress` is called from another thread.
///
/// # Errors
/// [`CommandError`] when the traffic cannot be read, is empty, lacks a tenant that was named, or the contract to begin with
/// cannot be used.
pub fn tune(settings: &TuneSettings, progress: Tell<'_>) -> Result<TuneReport, CommandError> {
    let section = settings.from.as_ref().map(|from| &from.section);
    let format = plan::key_format(section, &settings.source)?;
    let hash = section.map_or(KeyHash::Murmur2, |section| section.hash);
    let counted = count(settings, format, hash, progress)?;
    let units = Units::new(&counted.tally, &counted.book, hash);
    if units.tuned.total <= 0.0 {
        return Err(CommandError::new(
            "nothing is left to tune on: all records belong to the part to judge on; choose another --holdout",
        ));
    }
    let (tuned, base, scope) = match &settings.from {
        Some(from) => {
            let start = layout_of(&from.section, settings.count, &units, &counted.book)?;
            (tune_owners(&units, start, from.moved_share_max), from.section.clone(), None)
        }
        None => {
            let scope = scope(settings, &units, &counted.book, format)?;
            let tuned = choose(&units, &scope).ok_or_else(|| nothing_replayed(&settings.source, None))?;
            (tuned, plan::without_pools(settings.count, format), Some(scope))
        }
    };
    let contract = contract(&tuned, &units, &counted.book, &base);
    let measured = Measured { settings, counted: &counted, units: &units, tuned: &tuned, scope, base: &base };
    measured.report(contract)
}

fn contract(tuned: &Tuned, units: &Units, book: &KeyBook, base: &TopicContract) -> TopicContract {
    match tuned.candidate {
        Some(_) => contract_of(&tuned.layout, units, book, base),
        None => contract_with_owners(&tuned.layout, base),
    }
}

/// Everything that was counted.
struct Counted {
    tally: Tally,
    book: KeyBook,
    skipped: Option<SkippedRows>,
}

fn count(
    settings: &TuneSettings,
    format: KeyFormat,
    hash: KeyHash,
    progress: Tell<'_>,
) -> Result<Counted, CommandError> {
    let (mut book, records) = match &settings.source {
        TrafficSource::Profile { profile, records } => {
            (KeyBook::of_profile(profile, format, Limits::default()), Some(*records))
        }
        TrafficSource::Trace { .. } => (KeyBook::of_trace(format, &[], Limits::default()), None),
    };
    let mut tally = Tally::new(hash, settings.position, settings.holdout, records);
    let mut read = |seed, what, tally: &mut Tally| -> Result<Option<SkippedRows>, CommandError> {
        let traffic = traffic(&settings.source, seed)?;
        let tell = |done| progress(what, done);
        Ok(pass(traffic, &mut book, &tell, &mut |book, columns| tally.take(book, columns))?)
    };
    let skipped = read(settings.seed, "counting ", &mut tally)?;
    if tally.records() == 0 {
        return Err(nothing_replayed(&settings.source, skipped.as_ref()));
    }
    if let Some(seed) = settings.judged_seed {
        tally.begin_later();
        // A profile has no rows to skip.
        read(seed, "counting the part to judge on ", &mut tally)?;
    }
    Ok(Counted { tally, book, skipped })
}

/// What may be chosen of this traffic.
fn scope(
    settings: &TuneSettings,
    units: &Units,
    book: &KeyBook,
    format: KeyFormat,
) -> Result<Scope, CommandError> {
    let rank_of = |flag: &str, name: &Vec<u8>| {
        let id = book.tenant_id(name);
        let rank = id.and_then(|id| units.tenants.iter().position(|tenant| tenant.id == id));
        let known = || units.tenants.iter().map(|tenant| book.tenant_name(tenant.id));
        rank.ok_or_else(|| no_such_tenant(flag, name, known()))
    };
    let kept = settings.keep_tenant_order.iter().map(|name| rank_of("--keep-tenant-order", name));
    let kept: Vec<usize> = kept.collect::<Result<_, _>>()?;
    let has_entities = format.has_entity();
    let candidates = match &settings.vips {
        Some(names) => names.iter().map(|name| rank_of("--vip", name)).collect::<Result<_, _>>()?,
        None if has_entities => {
            let heavy = eligible(units, settings.count).into_iter();
            heavy.filter(|rank| !kept.contains(rank)).collect()
        }
        None => Vec::new(),
    };
    Ok(Scope {
        count: settings.count,
        isolation: settings.isolation,
        slots_per_partition: settings
            .slots_per_partition
            .filter(|_| settings.count.get() <= SLOTTED_PARTITIONS_MAX),
        eligible: if settings.count.get() > 1 { candidates } else { Vec::new() },
        is_membership_given: settings.vips.is_some(),
        may_spread_standard: has_entities && kept.is_empty(),
        objective: settings.objective,
        vip_pools: settings.vip_pools,
    })
}
