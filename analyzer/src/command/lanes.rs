//! The strategies of a simulation, each with the table that its load goes to.

use partitioner::ids::{PartitionCount, PoolIndex};
use partitioner::key::KeyFormat;
use partitioner::strategy::Strategy;

use super::error::CommandError;
use super::plan::Plan;
use crate::load::{LoadTable, TenantId};
use crate::settings::{SimulateSettings, TrafficSource};
use crate::simulate::Lane;
use crate::strategy::{Entry, Ingredients};
use crate::workload::key_book::KeyBook;

/// Cells of a load table's tenant rows: 8 MiB a strategy, and a row even for the largest topic.
const TRACKED_CELLS_MAX: u32 = 1 << 20;

/// The tenants whose partitions are kept apart, for their blast radius.
#[derive(Debug)]
pub(super) enum Tracked {
    /// As many as there is room for, by number.
    Below(u32),
    /// The VIP tenants, as far as there is room for them.
    These(Vec<TenantId>),
}

impl Tracked {
    /// The first tenants of a trace, where nothing is known of it.
    pub(super) fn first(count: PartitionCount) -> Self {
        Self::Below(TRACKED_CELLS_MAX / count.get())
    }

    /// The VIP tenants of a plan.
    pub(super) fn these(count: PartitionCount, plan: &Plan, book: &KeyBook) -> Self {
        let vips = plan.vips.iter().filter_map(|name| book.tenant_id(name));
        Self::These(vips.take((TRACKED_CELLS_MAX / count.get()) as usize).collect())
    }

    /// What can be known before the traffic is: the VIP tenants by name, but for the patterns of a contract on a trace.
    ///
    /// # Errors
    /// When the contract cannot be used.
    pub(super) fn before_traffic(
        settings: &SimulateSettings,
        plan: &Plan,
        book: &KeyBook,
    ) -> Result<Self, CommandError> {
        let count = settings.count;
        match (&settings.contract, &settings.source) {
            (None, _) => Ok(Self::these(count, plan, book)),
            (Some(_), TrafficSource::Trace { .. }) => Ok(Self::first(count)),
            (Some(contract), TrafficSource::Profile { profile, .. }) => {
                let router = contract.router(settings.seed)?;
                let is_vip = |tenant: &TenantId| {
                    router.pool_of_tenant(profile.tenant_name(*tenant).as_bytes()) != PoolIndex::STANDARD
                };
                let vips = (0..profile.tenant_count()).map(TenantId).filter(is_vip);
                Ok(Self::These(vips.take((TRACKED_CELLS_MAX / count.get()) as usize).collect()))
            }
        }
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

/// Lanes of the strategies that look at no key.
pub(super) fn sequence_lanes(
    settings: &SimulateSettings,
    format: KeyFormat,
    tracked: &Tracked,
) -> Result<Built, CommandError> {
    lanes(settings, &Ingredients { seed: settings.seed, format, contract: None, map: &[] }, false, tracked)
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
    lanes(settings, &Ingredients { seed: settings.seed, format, contract, map }, true, tracked)
}

fn lanes(
    settings: &SimulateSettings,
    from: &Ingredients<'_>,
    by_key: bool,
    tracked: &Tracked,
) -> Result<Built, CommandError> {
    let mut built = Built::default();
    for &entry in &settings.strategies {
        if let Some(strategy) = entry.build(from)?.filter(|strategy| strategy.is_consistent() == by_key) {
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
