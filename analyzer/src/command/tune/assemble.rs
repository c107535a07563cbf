//! From a choice to a report.

use std::collections::BTreeMap;

use partitioner::contract::{Contract, TopicContract, VIP_POOL};
use partitioner::ids::PartitionCount;
use partitioner::slot::Isolation;
use partitioner::spread::Spread;
use partitioner::strategy::Strategy;

use super::Counted;
use super::evidence::evidence;
use crate::command::error::CommandError;
use crate::finding::tuning_findings;
use crate::metrics::{floor, regret};
use crate::report::display_bytes;
use crate::report::model::TenantShare;
use crate::report::tune::model::{
    CurvePoint, Decision, DedicatedPool, Moved, OrderChange, Outlook, PlacementFigures, PlacementReport,
    TrafficSummary, TuneReport,
};
use crate::settings::TuneSettings;
use crate::tune::Tuned;
use crate::tune::curve::Point;
use crate::tune::layout::{Layout, PoolPlan, SLOTS_MAX};
use crate::tune::objective::Objective;
use crate::tune::outcome::{Outcome, blast_radius};
use crate::tune::own_pools::VipPools;
use crate::tune::search::{Scope, bound_at};
use crate::tune::tally::Holdout;
use crate::tune::units::{Loads, Units};

/// Version of the report's shape.
const SCHEMA_VERSION: u32 = 1;

/// Tenants whose order changes that are listed one by one.
const ORDER_CHANGES_MAX: usize = 12;

/// All that a report is made from.
pub(super) struct Measured<'a> {
    pub(super) settings: &'a TuneSettings,
    pub(super) counted: &'a Counted,
    pub(super) units: &'a Units,
    pub(super) tuned: &'a Tuned,
    /// What was free to choose; `None` when only the owners of slots were.
    pub(super) scope: Option<Scope>,
    pub(super) base: &'a TopicContract,
}

impl Measured<'_> {
    /// Measures the choice and writes the contract down.
    ///
    /// # Errors
    /// [`CommandError`] when the contract breaks a rule.
    pub(super) fn report(&self, contract: TopicContract) -> Result<TuneReport, CommandError> {
        let order_changes = self.order_changes();
        let listed = order_changes.len().min(ORDER_CHANGES_MAX);
        let mut report = TuneReport {
            schema_version: SCHEMA_VERSION,
            command: self.settings.command.clone(),
            seed: self.settings.seed,
            partitions: self.settings.count.get(),
            order_changes_unlisted: (order_changes.len() - listed) as u64,
            order_changes: order_changes.into_iter().take(listed).collect(),
            traffic: self.traffic(),
            choices: self.choices(),
            decision: self.decision(&contract),
            outlook: self.outlook(),
            placements: self.placements(&contract)?,
            alternatives: self.alternatives(),
            curve: self.curve(),
            findings: Vec::new(),
            contract: String::new(),
        };
        report.findings = tuning_findings(&report);
        let mut file =
            self.settings.from.as_ref().map_or_else(Contract::default, |from| from.contract.clone());
        file.topics.insert(self.settings.topic.clone(), contract);
        report.contract = format!("{}\n{}", evidence(&report), file.to_toml()?);
        Ok(report)
    }

    fn name(&self, rank: usize) -> String {
        display_bytes(self.counted.book.tenant_name(self.units.tenants[rank].id))
    }

    fn share(&self, rank: usize) -> TenantShare {
        let tuned = &self.units.tuned;
        TenantShare { name: self.name(rank), share: tuned.tenants[rank] / tuned.total }
    }

    fn order_changes(&self) -> Vec<OrderChange> {
        if self.settings.from.is_some() {
            // Moving a slot changes no tenant's order.
            return Vec::new();
        }
        let layout = &self.tuned.layout;
        let is_split = |rank: &usize| {
            let pool = usize::from(layout.pool_of[*rank]);
            layout.pools[pool].spread == Spread::Entity && self.units.tuned.tenants[*rank] > 0.0
        };
        let changed = (0..self.units.tenants.len()).filter(is_split);
        let change = |rank| OrderChange {
            tenant: self.share(rank),
            before: "tenant".to_owned(),
            after: "entity".to_owned(),
        };
        changed.map(change).collect()
    }

    fn traffic(&self) -> TrafficSummary {
        let (units, settings) = (self.units, self.settings);
        let has_holdout = units.later.total > 0.0;
        let holdout = match (settings.holdout, settings.judged_seed) {
            (_, Some(seed)) => Some(format!("another seed ({seed})")),
            (Holdout::Share(share), _) => {
                let by =
                    if units.cut.is_some() && settings.position.is_time() { "by time" } else { "in order" };
                Some(format!("about the last {:.0} % {by}", share * 100.0))
            }
            (Holdout::From(_), _) => Some("from the time of --holdout on".to_owned()),
            (Holdout::None, None) => None,
        };
        let vips: Vec<_> = self.tuned.layout.vips().collect();
        let weight: f64 = vips.iter().map(|&rank| units.tuned.tenants[rank]).sum();
        let carried = |rank: &usize| units.tuned.tenants[*rank] * units.persistence[*rank];
        TrafficSummary {
            name: settings.source.name(),
            tuned_records: whole(units.tuned.total),
            judged_records: has_holdout.then(|| whole(units.later.total)),
            holdout: holdout.filter(|_| has_holdout),
            tenants: units.tenants.len() as u64,
            keys: units.keys,
            known_key_share: units.known_share(),
            persistence: (weight > 0.0).then(|| vips.iter().map(carried).sum::<f64>() / weight),
            chance: has_holdout.then(|| chance(settings.count, &units.tuned, &units.later)),
            skipped_rows: self.counted.skipped.as_ref().map_or(0, |skipped| skipped.count),
            is_approximate: self.counted.tally.is_approximate() || self.counted.book.has_unnumbered_tenants(),
        }
    }

    fn choices(&self) -> Vec<String> {
        let mut choices = Vec::new();
        if let (None, Some(scope)) = (&self.settings.vips, &self.scope) {
            let chosen = self.tuned.candidate.map_or(0, |candidate| candidate.vips);
            let compared = scope.eligible.len();
            choices.push(match compared {
                0 => "no VIP tenants: none that may be spread fills half a partition; --vip names some".to_owned(),
                _ if scope.vip_pools == VipPools::Each => format!(
                    "VIP tenants: {chosen} of {compared} that fill at least half a partition, as many as there can be pools; \
                     --vip names others"
                ),
                _ => format!(
                    "VIP tenants: {chosen} of {compared} that fill at least half a partition, the fewest that come close to \
                     the best; --vip names others"
                ),
            });
        }
        if self.settings.vip_pools == VipPools::Auto && self.tuned.layout.pools.len() > 2 {
            choices.push(
                "pools: VIP tenants are kept apart where that costs no more than a percent of balance; --pools one joins \
                 them"
                .to_owned(),
            );
        }
        if let Some(scope) = self.scope.as_ref().filter(|scope| scope.slots_per_partition.is_none())
            && self.settings.slots_per_partition.is_some()
        {
            choices.push(format!(
                "slots off: a pool has at most {SLOTS_MAX} slots, too few to even out {} partitions",
                scope.count
            ));
        }
        if let Objective::LagP99(rates) = self.settings.objective {
            choices.push(format!(
                "lag: {} records/s arrive, and the consumer of a partition handles {} (M/M/1)",
                rates.arrival_records_per_s, rates.service_records_per_s
            ));
        }
        if self.units.tuned.unkeyed > 0.0 {
            choices.push(
                "records without a key are taken to be spread as evenly as they are meant to be".to_owned(),
            );
        }
        choices
    }

    fn pools(&self, contract: &TopicContract) -> Vec<DedicatedPool> {
        let layout = &self.tuned.layout;
        let pool = |(at, plan): (usize, &PoolPlan)| {
            let name = contract.pools.get(at - 1).and_then(|pool| pool.name.as_deref()).unwrap_or(VIP_POOL);
            let ranks = layout.vips().filter(|&rank| usize::from(layout.pool_of[rank]) == at);
            let shares: Vec<_> = ranks.map(|rank| self.share(rank)).collect();
            DedicatedPool {
                name: display_bytes(name.as_bytes()),
                range: format!("{}..{}", plan.range.start(), plan.range.end()),
                share: shares.iter().map(|tenant| tenant.share).sum::<f64>().min(1.0),
                tenants: shares.into_iter().map(|tenant| tenant.name).collect(),
            }
        };
        layout.pools.iter().enumerate().skip(1).map(pool).collect()
    }

    fn decision(&self, contract: &TopicContract) -> Decision {
        let layout = &self.tuned.layout;
        let moved = |pool: &PoolPlan| u32::try_from(pool.moved().len()).unwrap_or(u32::MAX);
        let is_shared = layout.pools[1..].iter().any(|pool| pool.isolation == Isolation::Shared);
        let has_slots = self.scope.as_ref().is_none_or(|scope| scope.slots_per_partition.is_some());
        Decision {
            vips: layout.vips().map(|rank| self.share(rank)).collect(),
            vip_count: layout.vip_count(),
            pools: self.pools(contract),
            standard_spread: layout.pools[0].spread.ordering_scope().to_string(),
            isolation: if is_shared { "shared" } else { "strict" }.to_owned(),
            slots_per_partition: has_slots.then(|| layout.pools[0].slots_per_partition()),
            moved_slots_vip: layout.pools[1..].iter().map(moved).sum(),
            moved_slots_standard: moved(&layout.pools[0]),
            moved: self.settings.from.as_ref().map(|_| self.moved()),
        }
    }

    fn moved(&self) -> Moved {
        let last = self.tuned.curve.last();
        let slots = last.map_or(0, |point| point.moved_slots);
        let moved = self.tuned.layout.moved_keys(&self.tuned.start, self.units);
        #[allow(clippy::cast_precision_loss)] // keys
        let key_share = moved as f64 / self.units.keys.max(1) as f64;
        Moved {
            slots: u32::try_from(slots).unwrap_or(u32::MAX),
            key_share,
            record_share: last.map_or(0.0, |point| point.moved_record_share),
        }
    }

    fn outlook(&self) -> Option<Outlook> {
        let (scope, candidate) = (self.scope.as_ref()?, self.tuned.candidate?);
        let twice = PartitionCount::new(self.settings.count.get().checked_mul(2)?)?;
        let loads = &self.units.tuned;
        let bound = bound_at(self.units, loads, scope, twice, candidate.standard_spread)?;
        let outcome = Outcome::of(&self.tuned.layout, self.units, loads)?;
        Some(Outlook {
            partitions: twice.get(),
            hottest_share: bound / f64::from(twice.get()),
            largest_unit_share: outcome.largest_unit_share,
        })
    }

    fn placements(&self, contract: &TopicContract) -> Result<Vec<PlacementReport>, CommandError> {
        let (units, count) = (self.units, self.settings.count);
        let has_entities = self.counted.book.format().has_entity();
        let mut compared =
            vec![("tenant-key", "tenant".to_owned(), Layout::plain(units, count, Spread::Tenant))];
        if has_entities {
            let compound = Layout::plain(units, count, Spread::Entity);
            compared.push(("compound-key", "entity".to_owned(), compound));
        }
        if self.settings.from.is_some() {
            compared.push(("current", self.base.router(0)?.ordering(), self.tuned.start.clone()));
        }
        compared.push(("tuned", contract.router(0)?.ordering(), self.tuned.layout.clone()));
        let report = |(name, ordering_scope, layout): (&str, String, Layout)| {
            Some(PlacementReport {
                name: name.to_owned(),
                ordering_scope,
                tuned: self.figures(&layout, &units.tuned)?,
                judged: self.figures(&layout, &units.later),
            })
        };
        Ok(compared.into_iter().filter_map(report).collect())
    }

    fn figures(&self, layout: &Layout, loads: &Loads) -> Option<PlacementFigures> {
        let outcome = Outcome::of(layout, self.units, loads)?;
        let floor = floor(self.settings.count, outcome.largest_unit_share);
        let radius = |rank: usize| {
            (self.name(rank), blast_radius(layout, self.units, loads, &outcome.partitions, rank))
        };
        Some(PlacementFigures {
            records: outcome.partitions.iter().map(|&load| whole(load)).collect(),
            max_mean: outcome.max_mean,
            floor,
            regret: regret(outcome.max_mean, floor),
            lag_p99_ms: match self.settings.objective {
                Objective::LagP99(rates) => {
                    Some(rates.lag_p99_s(&outcome.partitions) * 1e3).filter(|lag_ms| lag_ms.is_finite())
                }
                Objective::MaxMean => None,
            },
            blast_radius: self.tuned.layout.vips().map(radius).collect::<BTreeMap<_, _>>(),
        })
    }

    fn curve(&self) -> Vec<CurvePoint> {
        let points = self.tuned.curve.iter();
        let point = |point: &Point| CurvePoint {
            moved_slots: u32::try_from(point.moved_slots).unwrap_or(u32::MAX),
            moved_record_share: point.moved_record_share,
            tuned_max_mean: point.tuned,
            judged_max_mean: point.later,
        };
        points.map(point).collect()
    }
}

/// A number of records.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 2³²
fn whole(records: f64) -> u64 {
    records.round() as u64
}

/// By how much the max/mean of two parts may differ though both are drawn alike, as a share of it.
///
/// Records that come independently make a partition's load vary by the root of its mean, and the hottest of n partitions
/// lies about √(2 ln n) such deviations above; two more are allowed for.
fn chance(count: PartitionCount, tuned: &Loads, later: &Loads) -> f64 {
    let n = f64::from(count.get());
    let deviation = (n / tuned.total + n / later.total).sqrt();
    ((2.0 * libm::log(n)).sqrt() + 2.0) * deviation
}
