//! A report of a tuning to test its page with.

use std::collections::BTreeMap;

use super::super::model::{Finding, TenantShare};
use super::super::tune::model::{
    Alternative, CurvePoint, Decision, DedicatedPool, OrderChange, Outlook, PlacementFigures,
    PlacementReport, TrafficSummary, TuneReport,
};

/// The `multitenant` profile, tuned: two tenants are spread by entity, and 40 slots moved.
pub(super) fn tuned() -> TuneReport {
    let share = |name: &str, share| TenantShare { name: name.into(), share };
    let vips = vec![share("tenant-mega", 0.9), share("<script>alert(1)</script>\u{202e}", 0.02)];
    let change = |tenant: &TenantShare| OrderChange {
        tenant: tenant.clone(),
        before: "tenant".into(),
        after: "entity".into(),
    };
    let even = |hottest: u64| [vec![83_000; 11], vec![hottest]].concat();
    let mut hot = vec![8_100; 12];
    hot[9] = 910_900;
    TuneReport {
        schema_version: 1,
        command: "analyzer tune --profile multitenant --format html".into(),
        seed: 42,
        partitions: 12,
        order_changes: vips.iter().map(change).collect(),
        order_changes_unlisted: 0,
        traffic: TrafficSummary {
            name: "multitenant".into(),
            tuned_records: 1_000_000,
            judged_records: Some(1_000_000),
            holdout: Some("another seed (43)".into()),
            tenants: 1_001,
            keys: 124_861,
            known_key_share: Some(0.98),
            persistence: Some(0.97),
            chance: Some(0.01),
            skipped_rows: 0,
            is_approximate: false,
        },
        choices: vec!["VIP tenants: those of the best contract".into()],
        decision: Decision {
            vips,
            vip_count: 10,
            pools: vec![DedicatedPool {
                name: "vip".into(),
                range: "0..10".into(),
                tenants: vec!["tenant-mega".into()],
                share: 0.9,
            }],
            standard_spread: "tenant".into(),
            isolation: "strict".into(),
            slots_per_partition: Some(64),
            moved_slots_vip: 38,
            moved_slots_standard: 2,
            moved: None,
        },
        outlook: Some(Outlook { partitions: 24, hottest_share: 0.043, largest_unit_share: 0.001 }),
        placements: vec![placement("tenant-key", hot), placement("tuned", even(87_000))],
        alternatives: vec![alternative(1, 10, false), alternative(2, 10, true)],
        curve: (0..=40).map(point).collect(),
        findings: vec![Finding {
            fact: "The tuned contract lowers the hottest partition from 10.93 to 1.04 × the mean.".into(),
            value: 1.04,
            advice: "Roll it out as the README says.".into(),
        }],
        contract: "[topics.multitenant]\npartitions = 12\nvip_count = 10\nvip.tenants = [\"<b>\"]\n".into(),
    }
}

fn placement(name: &str, records: Vec<u64>) -> PlacementReport {
    let total: u64 = records.iter().sum();
    let max_mean = records.iter().max().map_or(1.0, |max| (*max * 12) as f64 / total as f64);
    let figures = |max_mean| PlacementFigures {
        records: records.clone(),
        max_mean,
        floor: 1.0,
        regret: max_mean,
        lag_p99_ms: None,
        blast_radius: BTreeMap::from([("tenant-mega".into(), 0.0)]),
    };
    PlacementReport {
        name: name.into(),
        ordering_scope: "tenant".into(),
        tuned: figures(max_mean * 0.99),
        judged: Some(figures(max_mean)),
    }
}

fn alternative(vips: u32, vip_count: u32, is_chosen: bool) -> Alternative {
    Alternative {
        vips,
        pools: 1,
        vip_count,
        standard_spread: "tenant".into(),
        tuned_max_mean: 1.03,
        judged_max_mean: Some(1.04),
        blast_radius: Some(0.0),
        is_chosen,
    }
}

fn point(moved_slots: u32) -> CurvePoint {
    let left = 1.0 / (1.0 + f64::from(moved_slots) / 6.0);
    CurvePoint {
        moved_slots,
        moved_record_share: f64::from(moved_slots) * 0.0015,
        tuned_max_mean: 1.01 + 0.18 * left,
        judged_max_mean: Some(1.03 + 0.17 * left),
    }
}
