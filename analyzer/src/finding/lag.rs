//! How late records are, and what the topic can carry.

use super::threshold::MATERIAL_RATIO;
use super::wording::{list, quantity, time, whole_part};
use super::{TENANT_AWARE, TENANT_KEY};
use crate::report::model::{ClassLag, Finding, LagReport, Report, StrategyLag};

const BESIDE_VIP: &str = "other tenants beside a VIP";
const OTHERS: &str = "other tenants";
const P99: f64 = 99.0;

/// Strategies under which a consumer gets more than it can handle.
pub(super) fn falls_behind(report: &Report) -> Option<Finding> {
    let lag = report.lag.as_ref()?;
    let behind: Vec<&StrategyLag> =
        lag.strategies.iter().filter(|strategy| strategy.hottest_utilization > 1.0).collect();
    let worst = behind.iter().max_by(|a, b| a.hottest_utilization.total_cmp(&b.hottest_utilization))?;
    let names: Vec<&str> = behind.iter().map(|strategy| strategy.name.as_str()).collect();
    let keeping = lag.strategies.iter().filter(|strategy| strategy.hottest_utilization <= 1.0);
    let keeping = keeping.filter(|strategy| !strategy.breaks_entity_order).map(|s| s.name.as_str());
    let keeping: Vec<&str> = keeping.collect();
    let rate = whole_part(lag.arrival_rate_records_per_s);
    Some(Finding {
        fact: format!(
            "At {rate} records/s the hottest consumer falls behind under {}: {} of what it can handle arrives{}.",
            list(&names),
            load(worst.hottest_utilization),
            if behind.len() > 1 { format!(" under {}", worst.name) } else { String::new() },
        ),
        value: worst.hottest_utilization,
        advice: if keeping.is_empty() {
            "Latency grows for as long as records come so fast: take faster consumers or more partitions."
                .to_owned()
        } else {
            format!(
                "Latency grows for as long as records come so fast; the consumers keep up, in entity order, under {}.",
                list(&keeping)
            )
        },
    })
}

/// How late the others are because of a VIP tenant.
pub(super) fn beside_vip(report: &Report) -> Option<Finding> {
    let lag = report.lag.as_ref()?;
    let beside = class(of(lag, TENANT_KEY)?, BESIDE_VIP)?;
    let apart = class(of(lag, TENANT_AWARE)?, OTHERS)?;
    let (late_ms, soon_ms) = (at_p99(beside)?, at_p99(apart)?);
    (late_ms >= soon_ms * MATERIAL_RATIO).then(|| Finding {
        fact: format!(
            "99 % of other tenants' records beside a VIP tenant are handled within {} under tenant-key ({}), within {} \
             under tenant-aware, where other tenants are apart.",
            time(late_ms),
            quantity(beside.records, "record", "records"),
            time(soon_ms),
        ),
        value: late_ms,
        advice: "Take tenant-aware where small tenants have a latency to keep; a VIP tenant then delays nobody but \
                 itself."
            .to_owned(),
    })
}

/// Records a second until the hottest consumer is saturated.
pub(super) fn capacity(report: &Report) -> Option<Finding> {
    let lag = report.lag.as_ref()?;
    let (plain, ours) = (of(lag, TENANT_KEY)?, of(lag, TENANT_AWARE)?);
    let (before, after) = (plain.capacity_records_per_s, ours.capacity_records_per_s);
    (after >= before * MATERIAL_RATIO).then(|| Finding {
        fact: format!(
            "The topic carries {} records/s under tenant-aware before its hottest consumer is saturated, {} under \
             tenant-key.",
            whole_part(after),
            whole_part(before),
        ),
        value: after,
        advice: "Stay well below: near saturation latency grows without bound, and by M/M/1 it is ten times the \
                 service time at 90 %."
            .to_owned(),
    })
}

/// A utilization in percent, also above 100.
fn load(utilization: f64) -> String {
    if utilization < 1.005 {
        "more than 100 %".to_owned()
    } else {
        format!("{} %", whole_part(utilization * 100.0))
    }
}

fn of<'a>(lag: &'a LagReport, name: &str) -> Option<&'a StrategyLag> {
    lag.strategies.iter().find(|strategy| strategy.name == name)
}

fn class<'a>(strategy: &'a StrategyLag, name: &str) -> Option<&'a ClassLag> {
    strategy.classes.iter().find(|class| class.class == name)
}

fn at_p99(class: &ClassLag) -> Option<f64> {
    let found = class.percentiles.iter().find(|at| (at.percentile - P99).abs() < 1e-9);
    found.map(|at| at.latency_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::fixture::mega;
    use crate::report::model::LagPercentile;

    fn strategy(name: &str, utilization: f64, classes: &[(&str, f64)]) -> StrategyLag {
        let class = |&(class, p99_ms): &(&str, f64)| ClassLag {
            class: class.to_owned(),
            records: 476,
            mean_ms: p99_ms / 4.0,
            percentiles: vec![LagPercentile { percentile: P99, latency_ms: p99_ms }],
            hgrm: String::new(),
        };
        StrategyLag {
            name: name.to_owned(),
            breaks_entity_order: name == "random",
            hottest_utilization: utilization,
            capacity_records_per_s: 3_000.0 / utilization,
            drain_s: 0.0,
            classes: classes.iter().map(class).collect(),
        }
    }

    fn with_lag(strategies: Vec<StrategyLag>) -> Report {
        let mut report = mega();
        report.lag = Some(LagReport {
            arrivals: "poisson".to_owned(),
            service: "deterministic".to_owned(),
            arrival_rate_records_per_s: 3_000.0,
            service_rate_per_s: 500.0,
            service_unit: "records".to_owned(),
            duration_s: 15.0,
            strategies,
        });
        report
    }

    #[test]
    fn a_hot_consumer_is_told_with_what_keeps_up() {
        let report = with_lag(vec![
            strategy("tenant-key", 5.48, &[(OTHERS, 10.0), (BESIDE_VIP, 66_000.0)]),
            strategy("tenant-aware", 0.55, &[(OTHERS, 6.0)]),
            strategy("random", 0.5, &[]),
        ]);
        let finding = falls_behind(&report).unwrap();
        assert_eq!(
            (&*finding.fact, &*finding.advice),
            (
                "At 3,000 records/s the hottest consumer falls behind under tenant-key: 548 % of what it can handle \
                 arrives.",
                "Latency grows for as long as records come so fast; the consumers keep up, in entity order, under \
                 tenant-aware."
            )
        );
        assert_eq!(
            beside_vip(&report).unwrap().fact,
            "99 % of other tenants' records beside a VIP tenant are handled within 66.0 s under tenant-key (476 \
             records), within 6.00 ms under tenant-aware, where other tenants are apart."
        );
        assert_eq!(
            capacity(&report).unwrap().fact,
            "The topic carries 5,454 records/s under tenant-aware before its hottest consumer is saturated, 547 under \
             tenant-key."
        );
    }

    #[test]
    fn nothing_is_said_without_lag_or_difference() {
        let same = [(OTHERS, 6.0), (BESIDE_VIP, 6.0)];
        let even = with_lag(vec![strategy("tenant-key", 0.5, &same), strategy("tenant-aware", 0.5, &same)]);
        for report in [mega(), even, with_lag(Vec::new())] {
            for check in [falls_behind, beside_vip, capacity] {
                assert!(check(&report).is_none());
            }
        }
    }
}
