//! The strategies of a simulation, each with the table that its load goes to.

use partitioner::ids::{PartitionCount, PoolIndex};
use partitioner::key::KeyFormat;
use partitioner::strategy::Strategy;

use super::error::CommandError;
use super::largest_tenants;
use super::plan::Plan;
use crate::load::{LoadTable, TenantId};
use crate::settings::{SimulateSettings, TrafficSource};
use crate::simulate::{Lane, Replay};
use crate::strategy::{Entry, Ingredients};
use crate::workload::key_book::KeyBook;

/// Cells of a load table's tenant rows: 8 MiB a strategy, and a row even for the largest topic.
const TRACKED_CELLS_MAX: u32 = 1 << 20;

/// Tenants with a row beside the VIP tenants, where the largest are not known for certain before the traffic is.
const LIKELY_LARGEST_MAX: usize = 1_024;

/// Tenants of a trace with a row, of those that are met first, where all strategies are there before the traffic.
const MET_FIRST_MAX: u32 = 4_096;

/// The tenants whose partitions are kept apart: VIP tenants for their blast radius, the largest for their place.
#[derive(Debug)]
pub(super) enum Tracked {
    /// As many as there is room for, by number.
    Below(u32),
    /// These tenants, each once.
    These(Vec<TenantId>),
}

impl Tracked {
    /// The first tenants of a trace, where nothing is known of it.
    pub(super) fn first(count: PartitionCount) -> Self {
        Self::Below(TRACKED_CELLS_MAX / count.get())
    }

    /// The VIP tenants of a plan, as far as there is room for them.
    pub(super) fn vips(count: PartitionCount, plan: &Plan, book: &KeyBook) -> Self {
        Self::these(count, plan.vips.iter().filter_map(|name| book.tenant_id(name)), &[])
    }

    /// `vips`, and behind them `largest`, as far as there is room.
    fn these(count: PartitionCount, vips: impl IntoIterator<Item = TenantId>, largest: &[TenantId]) -> Self {
        let rows_max = (TRACKED_CELLS_MAX / count.get()) as usize;
        let mut these: Vec<TenantId> = vips.into_iter().take(rows_max).collect();
        let mut known: Vec<TenantId> = these.clone();
        known.sort_unstable();
        let others = largest.iter().filter(|tenant| known.binary_search(tenant).is_err());
        these.extend(others.take(rows_max - these.len()));
        Self::These(these)
    }

    /// These tenants and the largest of the traffic.
    pub(super) fn and_largest(self, count: PartitionCount, replay: &Replay) -> Self {
        match self {
            Self::Below(_) => self,
            Self::These(vips) => Self::these(count, vips, &largest_tenants::numbered(count, replay)),
        }
    }

    /// What can be known before the traffic is: the VIP tenants by name, but for the patterns of a contract on a trace,
    /// and of a profile the tenants that are expected to be large.
    ///
    /// # Errors
    /// When the contract cannot be used.
    pub(super) fn before_traffic(
        settings: &SimulateSettings,
        plan: &Plan,
        book: &KeyBook,
    ) -> Result<Self, CommandError> {
        let count = settings.count;
        let profile = match &settings.source {
            TrafficSource::Profile { profile, .. } => profile,
            TrafficSource::Trace { .. } if settings.contract.is_some() => return Ok(Self::first(count)),
            // The book gives the first numbers to the VIP tenants.
            TrafficSource::Trace { .. } => {
                let vips = u32::try_from(settings.vips.len().max(plan.vips.len())).unwrap_or(u32::MAX);
                return Ok(Self::Below(vips.max(MET_FIRST_MAX).min(TRACKED_CELLS_MAX / count.get())));
            }
        };
        let largest = largest_tenants::expected(profile, LIKELY_LARGEST_MAX);
        let Some(contract) = &settings.contract else {
            let vips = plan.vips.iter().filter_map(|name| book.tenant_id(name));
            return Ok(Self::these(count, vips, &largest));
        };
        let router = contract.router(settings.seed)?;
        let is_vip = |tenant: &TenantId| {
            router.pool_of_tenant(profile.tenant_name(*tenant).as_bytes()) != PoolIndex::STANDARD
        };
        Ok(Self::these(count, (0..profile.tenant_count()).map(TenantId).filter(is_vip), &largest))
    }

    /// Whether one of these tenants has no row in `table`.
    pub(super) fn is_any_missed_by(&self, table: &LoadTable) -> bool {
        match self {
            Self::Below(limit) => *limit > 0 && !table.is_tracked(TenantId(limit - 1)),
            Self::These(tenants) => !tenants.iter().all(|&tenant| table.is_tracked(tenant)),
        }
    }

    fn lane(&self, strategy: Box<dyn Strategy>, count: PartitionCount) -> Lane {
        match self {
            Self::Below(limit) => Lane::new(strategy, count, *limit),
            Self::These(tenants) => Lane::of_tenants(strategy, count, tenants),
        }
    }
}

/// Lanes with the entries that they were built from, in the same order.
pub(super) type Built = (Vec<&'static Entry>, Vec<Lane>);

/// What a strategy has to be shown of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// Every record, in order, without its key.
    Sequence,
    /// Every record, in order, with its key.
    Keyed,
    /// Each distinct key, once.
    ByKey,
}

impl Sight {
    fn of(strategy: &dyn Strategy) -> Self {
        match (strategy.is_consistent(), strategy.ignores_keys()) {
            (true, _) => Self::ByKey,
            (false, true) => Self::Sequence,
            (false, false) => Self::Keyed,
        }
    }
}

/// Lanes of the strategies that have to be shown every record, of one sight; none of them needs a contract or a map.
pub(super) fn walking_lanes(
    settings: &SimulateSettings,
    format: KeyFormat,
    sight: Sight,
    tracked: &Tracked,
) -> Result<Built, CommandError> {
    lanes(settings, &Ingredients { seed: settings.seed, format, contract: None, map: &[] }, sight, tracked)
}

/// Lanes of the strategies that place by key. What does not apply is left out, or an error when it was asked for.
pub(super) fn by_key_lanes(
    settings: &SimulateSettings,
    format: KeyFormat,
    plan: &mut Plan,
    tracked: &Tracked,
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
    lanes(settings, &Ingredients { seed: settings.seed, format, contract, map }, Sight::ByKey, tracked)
}

fn lanes(
    settings: &SimulateSettings,
    from: &Ingredients<'_>,
    sight: Sight,
    tracked: &Tracked,
) -> Result<Built, CommandError> {
    let mut built = Built::default();
    for &entry in &settings.strategies {
        if let Some(strategy) = entry.build(from)?.filter(|strategy| Sight::of(&**strategy) == sight) {
            built.0.push(entry);
            built.1.push(tracked.lane(strategy, settings.count));
        }
    }
    Ok(built)
}

/// `tenant-aware` at every size of the VIP pool.
pub(super) fn sweep_lanes(settings: &SimulateSettings, plan: &Plan) -> Result<Vec<Lane>, CommandError> {
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
