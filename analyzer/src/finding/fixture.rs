//! Small reports for the tests of findings.

use std::collections::BTreeMap;

use crate::metrics;
use crate::report::model::{Report, StrategyReport, SweepRow, TenantShare, WorkloadSummary};

/// `tenant-key` at max/mean 1.08, one VIP below an even share, no sweep: nothing to say.
pub(super) fn quiet() -> Report {
    let mut loads = [995; 12];
    loads[3] = 1080;
    Report {
        schema_version: 1,
        command: "analyzer simulate".to_owned(),
        seed: 1,
        partitions: 12,
        vip_count: None,
        choices: Vec::new(),
        workload: WorkloadSummary {
            name: "fixture".to_owned(),
            records: 12_025,
            bytes: None,
            tenants: 1000,
            entities: 10_000,
            floor_tenant: 1.0,
            floor_entity: 1.0,
            vips: share("whale", 0.04).into_iter().collect(),
            largest_tenant: share("whale", 0.04),
            largest_entity: share("whale:1", 0.001),
            largest_tenants: Vec::new(),
            skipped_rows: 0,
            approximate: None,
        },
        strategies: vec![strategy("tenant-key", &loads)],
        sweep: Vec::new(),
        lag: None,
        findings: Vec::new(),
    }
}

/// tenant-mega sends 90 % of 120,000 records; vip_count is 3, which is too small.
pub(super) fn mega() -> Report {
    let mut report = quiet();
    let mut by_tenant = [982; 12];
    by_tenant[3] = 109_198;
    let mut compound = [9_927; 12];
    compound[7] = 10_803;
    let mut aware = [1_333; 12];
    aware[..3].copy_from_slice(&[35_900, 36_003, 36_100]);
    report.vip_count = Some(3);
    report.workload.records = 120_000;
    report.workload.floor_tenant = 10.8;
    report.workload.vips = share("tenant-mega", 0.9).into_iter().collect();
    report.workload.largest_tenant = share("tenant-mega", 0.9);
    report.workload.largest_entity = share("tenant-mega:o-1", 0.000_5);
    report.strategies = vec![
        strategy("tenant-key", &by_tenant),
        with_blast_radius(strategy("compound-key", &compound), &[("tenant-mega", Some(1.0))]),
        with_blast_radius(strategy("tenant-aware", &aware), &[("tenant-mega", Some(0.0))]),
        strategy("round-robin", &[10_000; 12]),
    ];
    report.strategies[0].floor = 10.8;
    report.strategies[0].regret = 1.01;
    report.sweep = vec![sweep_row(3, 3.61, 1.1), sweep_row(9, 1.22, 1.06), sweep_row(10, 1.10, 1.08)];
    report.sweep[2].best = true;
    report.sweep[2].closed_form = true;
    report
}

/// A strategy with these loads, floor 1. `round-robin` and `random` break entity order.
pub(super) fn strategy(name: &str, records: &[u64]) -> StrategyReport {
    let skew = metrics::skew(records).expect("a fixture has some load");
    StrategyReport {
        name: name.to_owned(),
        description: String::new(),
        ordering_scope: if name == "tenant-key" { "tenant" } else { "entity" }.to_owned(),
        breaks_entity_order: ["round-robin", "random"].contains(&name),
        records: records.to_vec(),
        bytes: Vec::new(),
        tenant_records: Vec::new(),
        bytes_max_mean: None,
        floor: 1.0,
        regret: skew.max_mean,
        blast_radius: BTreeMap::new(),
        cost_multiplier: skew.max_mean,
        partitions_used: 12,
        rejected: BTreeMap::new(),
        skew,
    }
}

pub(super) fn with_blast_radius(mut strategy: StrategyReport, of: &[(&str, Option<f64>)]) -> StrategyReport {
    strategy.blast_radius = of.iter().map(|&(tenant, share)| (tenant.to_owned(), share)).collect();
    strategy
}

pub(super) fn sweep_row(vip_count: u32, vip_max_mean: f64, standard_max_mean: f64) -> SweepRow {
    let max_mean = vip_max_mean.max(standard_max_mean);
    SweepRow { vip_count, max_mean, vip_max_mean, standard_max_mean, best: false, closed_form: false }
}

#[allow(clippy::unnecessary_wraps)] // the report's fields are optional
pub(super) fn share(name: &str, share: f64) -> Option<TenantShare> {
    Some(TenantShare { name: name.to_owned(), share })
}
