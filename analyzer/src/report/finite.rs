//! Checks that every figure of a report is a number, because serde_json writes NaN as `null` without a word.

use super::error::RenderError;
use super::model::{
    Approximation, ClassLag, Finding, LagPercentile, LagReport, Percentiles, Report, SkewReport, StrategyLag,
    StrategyReport, SweepRow, TenantShare, WorkloadSummary,
};

/// Finds the first figure that is NaN or infinite.
///
/// Every struct is taken apart without `..`, so a new field does not compile until it is looked at here.
///
/// # Errors
/// Names the figure by its path in the JSON, e.g. `strategies[2].gini`.
pub(super) fn check(report: &Report) -> Result<(), RenderError> {
    let Report {
        schema_version: _,
        command: _,
        seed: _,
        partitions: _,
        vip_count: _,
        choices: _,
        workload,
        strategies,
        sweep,
        lag,
        findings,
    } = report;
    check_workload(workload)?;
    for (index, strategy) in strategies.iter().enumerate() {
        check_strategy(&format!("strategies[{index}]"), strategy)?;
    }
    for (index, row) in sweep.iter().enumerate() {
        let SweepRow { vip_count: _, max_mean, vip_max_mean, standard_max_mean, best: _, closed_form: _ } =
            row;
        let figures = [
            ("max_mean", max_mean),
            ("vip_max_mean", vip_max_mean),
            ("standard_max_mean", standard_max_mean),
        ];
        check_figures(&format!("sweep[{index}]"), &figures)?;
    }
    if let Some(lag) = lag {
        check_lag(lag)?;
    }
    for (index, finding) in findings.iter().enumerate() {
        let Finding { fact: _, value, advice: _ } = finding;
        check_figures(&format!("findings[{index}]"), &[("value", value)])?;
    }
    Ok(())
}

fn check_workload(workload: &WorkloadSummary) -> Result<(), RenderError> {
    let WorkloadSummary {
        name: _,
        records: _,
        bytes: _,
        tenants: _,
        entities: _,
        floor_tenant,
        floor_entity,
        vips,
        largest_tenant,
        largest_entity,
        largest_tenants,
        skipped_rows: _,
        approximate,
    } = workload;
    check_figures("workload", &[("floor_tenant", floor_tenant), ("floor_entity", floor_entity)])?;
    let named = vips.iter().chain(largest_tenant).chain(largest_entity).chain(largest_tenants);
    for TenantShare { name: _, share } in named {
        check_figures("workload", &[("share", share)])?;
    }
    if let Some(approximate) = approximate {
        let Approximation {
            tenants_relative_error,
            entities_relative_error,
            floor_tenant_error,
            floor_entity_error,
        } = approximate;
        let figures = [
            ("tenants_relative_error", tenants_relative_error),
            ("entities_relative_error", entities_relative_error),
            ("floor_tenant_error", floor_tenant_error),
            ("floor_entity_error", floor_entity_error),
        ];
        check_figures("workload.approximate", &figures)?;
    }
    Ok(())
}

fn check_strategy(path: &str, strategy: &StrategyReport) -> Result<(), RenderError> {
    let StrategyReport {
        name: _,
        description: _,
        ordering_scope: _,
        breaks_entity_order: _,
        records: _,
        bytes: _,
        tenant_records: _,
        skew,
        bytes_max_mean,
        floor,
        regret,
        blast_radius,
        cost_multiplier,
        partitions_used: _,
        rejected: _,
    } = strategy;
    let SkewReport { max_mean, imbalance, cv, gini, jain, flip418, percentiles } = skew;
    let Percentiles { p50: _, p90: _, p99: _, max: _ } = percentiles;
    let figures = [
        ("max_mean", max_mean),
        ("imbalance", imbalance),
        ("cv", cv),
        ("gini", gini),
        ("jain", jain),
        ("flip418", flip418),
        ("floor", floor),
        ("regret", regret),
        ("cost_multiplier", cost_multiplier),
    ];
    check_figures(path, &figures)?;
    if let Some(ratio) = bytes_max_mean {
        check_figures(path, &[("bytes_max_mean", ratio)])?;
    }
    for radius in blast_radius.values().flatten() {
        check_figures(path, &[("blast_radius", radius)])?;
    }
    Ok(())
}

fn check_lag(lag: &LagReport) -> Result<(), RenderError> {
    let LagReport {
        arrivals: _,
        service: _,
        arrival_rate_records_per_s,
        service_rate_per_s,
        service_unit: _,
        duration_s,
        strategies,
    } = lag;
    let figures = [
        ("arrival_rate_records_per_s", arrival_rate_records_per_s),
        ("service_rate_per_s", service_rate_per_s),
        ("duration_s", duration_s),
    ];
    check_figures("lag", &figures)?;
    for (index, strategy) in strategies.iter().enumerate() {
        let StrategyLag {
            name: _,
            breaks_entity_order: _,
            hottest_utilization,
            capacity_records_per_s,
            drain_s,
            classes,
        } = strategy;
        let figures = [
            ("hottest_utilization", hottest_utilization),
            ("capacity_records_per_s", capacity_records_per_s),
            ("drain_s", drain_s),
        ];
        let path = format!("lag.strategies[{index}]");
        check_figures(&path, &figures)?;
        for (index, class) in classes.iter().enumerate() {
            let ClassLag { class: _, records: _, mean_ms, percentiles, hgrm: _ } = class;
            let path = format!("{path}.classes[{index}]");
            check_figures(&path, &[("mean_ms", mean_ms)])?;
            for LagPercentile { percentile, latency_ms } in percentiles {
                check_figures(&path, &[("percentile", percentile), ("latency_ms", latency_ms)])?;
            }
        }
    }
    Ok(())
}

fn check_figures(path: &str, figures: &[(&str, &f64)]) -> Result<(), RenderError> {
    match figures.iter().find(|(_, value)| !value.is_finite()) {
        Some((name, value)) => Err(RenderError::not_finite(format!("{path}.{name}"), **value)),
        None => Ok(()),
    }
}
