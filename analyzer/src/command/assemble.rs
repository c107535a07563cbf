//! From load tables to a report.

use std::collections::BTreeMap;

use partitioner::spread::OrderingScope;

use super::error::CommandError;
use super::largest_tenants;
use super::plan::Plan;
use super::simulate::refuse_empty;
use crate::load::TenantId;
use crate::metrics::{blast_radius, floor, regret, skew};
use crate::report::display_bytes;
use crate::report::model::{Approximation, Report, StrategyReport, SweepRow, TenantShare, WorkloadSummary};
use crate::settings::{SimulateSettings, TrafficSource};
use crate::simulate::{Lane, Replay, UnitSize};
use crate::strategy::Entry;
use crate::workload::key_book::ASSUMED_RECORD_BYTES;

/// Version of the report's shape.
const SCHEMA_VERSION: u32 = 1;

/// What was placed.
#[derive(Debug)]
pub struct Placed {
    /// The strategies, in any order.
    pub strategies: Vec<PlacedLane>,
    /// `tenant-aware` with 1, 2, … VIP partitions.
    pub sweep: Vec<Lane>,
}

/// A strategy and its load.
#[derive(Debug)]
pub struct PlacedLane {
    /// Which strategy.
    pub entry: &'static Entry,
    /// What it placed.
    pub lane: Lane,
}

/// What all figures of a report are taken from.
struct Measured<'a> {
    settings: &'a SimulateSettings,
    replay: &'a Replay,
    vips: Vec<(&'a [u8], TenantId)>,
    largest_tenants: Vec<UnitSize>,
}

/// Measures what was placed.
///
/// # Errors
/// [`CommandError`] when there were no records, or a strategy refused them all.
pub fn assemble(
    settings: &SimulateSettings,
    plan: &Plan,
    replay: &Replay,
    placed: &Placed,
) -> Result<Report, CommandError> {
    refuse_empty(settings, replay)?;
    let vips = plan.vips.iter().filter_map(|name| Some((name.as_slice(), replay.book().tenant_id(name)?)));
    let largest_tenants = largest_tenants::largest(settings.count, replay);
    let measured = Measured { settings, replay, vips: vips.collect(), largest_tenants };
    let mut strategies = Vec::new();
    for entry in &settings.strategies {
        if let Some(placed) = placed.strategies.iter().find(|placed| placed.entry.name == entry.name) {
            strategies.push(measured.strategy(placed)?);
        }
    }
    let mut report = Report {
        schema_version: SCHEMA_VERSION,
        command: settings.command.clone(),
        seed: settings.seed,
        partitions: settings.count.get(),
        vip_count: plan.vip_count(),
        choices: plan.choices.clone(),
        workload: measured.workload(),
        strategies,
        sweep: sweep(&placed.sweep, plan)?,
        lag: None,
        findings: Vec::new(),
    };
    if !measured.has_sizes() && report.strategies.iter().any(|strategy| strategy.name == "sticky") {
        report.choices.push(format!(
            "sticky takes records for {ASSUMED_RECORD_BYTES} bytes each; --bytes-field gives their sizes"
        ));
    }
    Ok(report)
}

impl Measured<'_> {
    fn has_sizes(&self) -> bool {
        match &self.settings.source {
            TrafficSource::Profile { .. } => true,
            TrafficSource::Trace { options, .. } => options.fields.bytes.is_some(),
        }
    }

    #[allow(clippy::cast_precision_loss)] // shares are printed to a few digits
    fn share(&self, records: u64) -> f64 {
        records as f64 / self.replay.volume().load.records as f64
    }

    fn floor_of(&self, unit: Option<&UnitSize>) -> f64 {
        floor(self.settings.count, self.share(unit.map_or(0, |unit| unit.records)))
    }

    fn floor_error_of(&self, unit: Option<&UnitSize>) -> f64 {
        f64::from(self.settings.count.get()) * self.share(unit.map_or(0, |unit| unit.error_records))
    }

    fn named_share(&self, name: &[u8], records: u64) -> TenantShare {
        TenantShare { name: display_bytes(name), share: self.share(records) }
    }

    fn workload(&self) -> WorkloadSummary {
        let replay = self.replay;
        let volume = replay.volume();
        let (tenant, entity) = (replay.largest_tenant(), replay.largest_entity());
        let (tenants, tenants_relative_error) = replay.distinct_tenants();
        let (entities, entities_relative_error) = replay.distinct_entities();
        let of_vip =
            |(name, id): &(&[u8], TenantId)| self.named_share(name, replay.tenant_records(*id).unwrap_or(0));
        let mut vips: Vec<_> = self.vips.iter().map(of_vip).collect();
        vips.sort_by(|a, b| b.share.total_cmp(&a.share));
        WorkloadSummary {
            name: self.settings.source.name(),
            records: volume.load.records,
            bytes: self.has_sizes().then_some(volume.load.bytes),
            tenants,
            entities,
            floor_tenant: self.floor_of(tenant.as_ref()),
            floor_entity: self.floor_of(entity.as_ref()),
            vips,
            largest_tenant: tenant.as_ref().map(|unit| self.named_share(&unit.name, unit.records)),
            largest_entity: entity.as_ref().map(|unit| self.named_share(&unit.name, unit.records)),
            largest_tenants: self
                .largest_tenants
                .iter()
                .map(|unit| self.named_share(&unit.name, unit.records))
                .collect(),
            skipped_rows: volume.skipped.as_ref().map_or(0, |skipped| skipped.count),
            approximate: (!replay.is_exact()).then(|| Approximation {
                tenants_relative_error,
                entities_relative_error,
                floor_tenant_error: self.floor_error_of(tenant.as_ref()),
                floor_entity_error: self.floor_error_of(entity.as_ref()),
            }),
        }
    }

    fn strategy(&self, placed: &PlacedLane) -> Result<StrategyReport, CommandError> {
        let (entry, lane) = (placed.entry, &placed.lane);
        let table = lane.table();
        let records = table.records();
        let count = self.settings.count;
        let Some(skew_report) = skew(&records) else {
            let reasons: Vec<_> = lane.rejected().keys().copied().collect();
            let reasons = reasons.join(", ");
            return Err(CommandError::new(format!(
                "{} refuses every record of this topic of {count} partitions: {reasons}",
                entry.name
            )));
        };
        let floor = floor(count, self.share(self.replay.largest_unit_records(lane).0));
        let bytes = if self.has_sizes() { table.bytes() } else { Vec::new() };
        let ordering_scope = lane.strategy().ordering();
        let max_mean = skew_report.max_mean;
        let used = records.iter().filter(|&&records| records > 0).count();
        let radius = |(name, id): &(&[u8], TenantId)| (display_bytes(name), blast_radius(table, *id));
        let rejected = lane.rejected().iter().map(|(reason, records)| ((*reason).to_owned(), *records));
        Ok(StrategyReport {
            name: entry.name.to_owned(),
            description: entry.description.to_owned(),
            breaks_entity_order: ordering_scope == OrderingScope::None.to_string(),
            ordering_scope,
            bytes_max_mean: skew(&bytes).map(|skew| skew.max_mean),
            records,
            bytes,
            tenant_records: largest_tenants::records(&self.largest_tenants, self.replay, table),
            skew: skew_report,
            floor,
            regret: regret(max_mean, floor),
            blast_radius: self.vips.iter().map(radius).collect(),
            cost_multiplier: max_mean,
            partitions_used: u32::try_from(used).unwrap_or(u32::MAX),
            rejected: rejected.collect::<BTreeMap<_, _>>(),
        })
    }
}

#[allow(clippy::cast_precision_loss)] // ratios are printed to a few digits
fn sweep(lanes: &[Lane], plan: &Plan) -> Result<Vec<SweepRow>, CommandError> {
    let mut rows = Vec::new();
    for (vip_count, lane) in (1u32..).zip(lanes) {
        let records = lane.table().records();
        let total: u64 = records.iter().sum();
        if total == 0 {
            return Err(CommandError::new("--sweep vip-count: the contract refuses every record"));
        }
        // In the order of `Shape::max_mean`, so that a row equals the strategy's own figure to the last digit.
        let partitions = records.len() as u128;
        let over_mean = |part: &[u64]| {
            let max = u128::from(part.iter().copied().max().unwrap_or(0));
            (max * partitions) as f64 / total as f64
        };
        let (vip, standard) = records.split_at(vip_count as usize);
        rows.push(SweepRow {
            vip_count,
            max_mean: over_mean(&records),
            vip_max_mean: over_mean(vip),
            standard_max_mean: over_mean(standard),
            best: false,
            closed_form: plan.closed_form == Some(vip_count),
        });
    }
    let best = rows.iter_mut().reduce(|best, row| if row.max_mean < best.max_mean { row } else { best });
    if let Some(best) = best {
        best.best = true;
    }
    Ok(rows)
}
