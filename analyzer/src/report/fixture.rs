//! Reports to test renderers with. Their loads are made up but of the size that the real ones have; the figures are
//! computed from the loads, so that a report does not contradict itself.

use std::collections::BTreeMap;

use super::model::{
    Approximation, Finding, Percentiles, Report, SkewReport, StrategyReport, SweepRow, TenantShare,
    WorkloadSummary,
};

/// Every fixture, for what must hold for any report.
pub(super) fn all() -> Vec<Report> {
    vec![multitenant(), thousand_partitions(), without_bytes(), flights(), approximate(), hostile(), empty()]
}

/// The `multitenant` profile: one tenant with 90 % of the records on 12 partitions.
pub(super) fn multitenant() -> Report {
    let mega = TenantShare { name: "tenant-mega".into(), share: 0.9 };
    let mut report = Report {
        schema_version: 1,
        command: "analyzer simulate --profile multitenant --sweep vip-count".into(),
        seed: 42,
        partitions: 12,
        vip_count: Some(10),
        choices: vec![
            "vip_count 10 (closed form; --sweep vip-count shows the rest)".into(),
            "VIP tenants tenant-mega (the profile's)".into(),
        ],
        workload: WorkloadSummary {
            name: "multitenant".into(),
            records: 1_000_000,
            bytes: None,
            tenants: 1_001,
            entities: 124_861,
            floor_tenant: 10.8,
            floor_entity: 1.0,
            vips: vec![mega.clone()],
            largest_tenant: Some(mega),
            largest_entity: Some(TenantShare { name: "tenant-mega:order-70112".into(), share: 0.000_025 }),
            largest_tenants: Vec::new(),
            skipped_rows: 0,
            approximate: None,
        },
        strategies: multitenant_strategies(),
        sweep: (1..12).map(sweep_row).collect(),
        lag: None,
        findings: multitenant_findings(),
    };
    set_bytes(&mut report, |_, records| records * 512);
    track(&mut report, &[("tenant-mega", 900_000), ("acme", 6_100), ("globex", 3_050)]);
    report
}

/// The default set on that workload.
fn multitenant_strategies() -> Vec<StrategyReport> {
    let tenant = |name, hash, records: [u64; 12]| {
        let blast = 9_900.0 / 100_000.0;
        strategy(
            name,
            &format!("{hash} of the tenant"),
            "tenant",
            records.to_vec(),
            10.8,
            &[("tenant-mega", blast)],
        )
    };
    let all_over = |name, description, scope, records: [u64; 12]| {
        strategy(name, description, scope, records.to_vec(), 1.0, &[("tenant-mega", 1.0)])
    };
    const NONE: &str = "none (breaks entity order)";
    let murmur2 = [7_921, 8_466, 9_310, 7_104, 8_012, 9_888, 7_655, 8_201, 8_923, 910_000, 7_346, 7_174];
    let crc32 = [8_102, 7_733, 8_890, 909_214, 8_421, 7_902, 8_650, 8_377, 8_015, 7_961, 8_594, 8_141];
    let fnv1a = [7_402, 9_120, 8_307, 8_555, 7_999, 8_760, 8_120, 908_733, 8_604, 8_021, 8_271, 8_108];
    let compound =
        [83_012, 81_544, 82_907, 84_120, 90_333, 80_811, 82_230, 83_771, 79_902, 83_466, 84_005, 83_899];
    let aware =
        [89_412, 90_877, 88_230, 90_105, 89_966, 91_020, 88_574, 91_667, 90_311, 89_838, 51_480, 48_520];
    let random =
        [83_120, 83_411, 82_987, 83_290, 83_560, 83_188, 83_702, 83_015, 83_477, 82_904, 83_666, 83_680];
    let mut round_robin = [83_333; 12];
    round_robin[..4].fill(83_334);
    let tenant_aware = strategy(
        "tenant-aware",
        "VIP tenants by entity in their pool, the rest by tenant",
        "entity for VIP tenants, tenant for the rest",
        aware.to_vec(),
        1.0,
        &[("tenant-mega", 0.0)],
    );
    vec![
        tenant("tenant-key", "murmur2", murmur2),
        tenant("tenant-key-crc32", "crc32", crc32),
        tenant("tenant-key-fnv1a", "fnv1a", fnv1a),
        all_over("compound-key", "murmur2 of tenant:entity over all partitions", "entity", compound),
        tenant_aware,
        all_over("round-robin", "one partition after the other", NONE, round_robin),
        all_over("random", "any partition", NONE, random),
    ]
}

/// 90 % of the records over `vip_count` partitions, 10 % over the rest of 12.
fn sweep_row(vip_count: u32) -> SweepRow {
    let vip = 12.0 * 0.9 / f64::from(vip_count) * 1.0185;
    let standard = 12.0 * 0.1 / f64::from(12 - vip_count) * 1.03;
    SweepRow {
        vip_count,
        max_mean: f64::max(vip, standard),
        vip_max_mean: vip,
        standard_max_mean: standard,
        best: vip_count == 10,
        closed_form: vip_count == 10,
    }
}

fn multitenant_findings() -> Vec<Finding> {
    vec![
        Finding {
            fact: "tenant-key sends 910,000 of 1,000,000 records to partition 9, 10.920 × the mean.".into(),
            value: 10.92,
            advice: "Spread tenant-mega by entity: tenant-aware at vip_count 10 reaches 1.100 and keeps the order of \
                     every entity and of every other tenant."
                .into(),
        },
        Finding {
            fact: "No partitioner that keeps tenant-mega in order gets below 10.800, because it has 90.0 % of the \
                   records."
                .into(),
            value: 10.8,
            advice: "Give up tenant-wide order for it; the order of its entities can be kept (floor 1.000).".into(),
        },
        Finding {
            fact: "Under compound-key 100 % of the other tenants' records share a partition with tenant-mega.".into(),
            value: 1.0,
            advice: "If a burst of it must not delay them, give it a pool of its own: tenant-aware, blast radius 0 %."
                .into(),
        },
    ]
}

/// 1,000 partitions, more than a terminal can list, and a sweep as long.
pub(super) fn thousand_partitions() -> Report {
    let mut report = multitenant();
    report.partitions = 1_000;
    report.vip_count = Some(900);
    report.choices = vec!["vip_count 900 (closed form; --sweep vip-count shows the rest)".into()];
    report.workload.floor_tenant = 900.0;
    // Some hundred records each, spread by a multiplier without common factors; one partition drowns.
    let spread =
        |seed: u64| (0..1_000_u64).map(move |index| 80 + (index * 7_919 + seed) % 41).collect::<Vec<u64>>();
    let mut by_tenant = spread(3);
    by_tenant[617] = 900_118;
    let vips = [("tenant-mega", 0.001)];
    report.strategies = vec![
        strategy("tenant-key", "murmur2 of the tenant", "tenant", by_tenant, 900.0, &vips),
        strategy(
            "tenant-aware",
            "",
            "entity for VIP tenants, tenant for the rest",
            spread(11),
            1.0,
            &[("tenant-mega", 0.0)],
        ),
        strategy(
            "sticky",
            "",
            "none (breaks entity order)",
            vec![1_000; 1_000],
            1.0,
            &[("tenant-mega", 1.0)],
        ),
    ];
    report.sweep = (1..1_000)
        .map(|vip_count| {
            let vip = 900.0 / f64::from(vip_count) * 1.02;
            let standard = 100.0 / f64::from(1_000 - vip_count) * 1.4;
            let (best, closed_form) = (vip_count == 871, vip_count == 900);
            let max_mean = f64::max(vip, standard);
            SweepRow {
                vip_count,
                max_mean,
                vip_max_mean: vip,
                standard_max_mean: standard,
                best,
                closed_form,
            }
        })
        .collect();
    set_bytes(&mut report, |_, records| records * 512);
    track(&mut report, &[("tenant-mega", 900_000)]);
    report.findings = vec![Finding {
        fact: "tenant-key sends 900,118 of 1,000,020 records to partition 617, 900.100 × the mean.".into(),
        value: 900.1,
        advice: "Spread tenant-mega by entity: tenant-aware reaches 1.200.".into(),
    }];
    report
}

/// A trace without a size column.
pub(super) fn without_bytes() -> Report {
    let mut report = multitenant();
    report.workload.name = "orders.csv.gz".into();
    report.workload.bytes = None;
    report.workload.skipped_rows = 17;
    report.sweep.clear();
    for strategy in &mut report.strategies {
        strategy.bytes.clear();
        strategy.bytes_max_mean = None;
    }
    report.strategies[4].rejected = BTreeMap::from([("malformed key".into(), 31), ("null key".into(), 2)]);
    report
}

/// Several VIP tenants, and bytes that are not proportional to records.
pub(super) fn flights() -> Report {
    let mut report = multitenant();
    let shares = [("UA", 0.1742), ("B6", 0.1622), ("EV", 0.1609)];
    report.partitions = 12;
    report.vip_count = Some(7);
    report.sweep.clear();
    report.choices = vec!["vip_count 7 (closed form; --sweep vip-count shows the rest)".into()];
    report.workload = WorkloadSummary {
        name: "flights.csv.gz".into(),
        records: 336_776,
        bytes: None,
        tenants: 16,
        entities: 4_067,
        floor_tenant: 2.09,
        floor_entity: 1.0,
        vips: shares
            .iter()
            .map(|(name, share)| TenantShare { name: (*name).into(), share: *share })
            .collect(),
        largest_tenant: Some(TenantShare { name: "UA".into(), share: 0.1742 }),
        largest_entity: Some(TenantShare { name: "EV:NA".into(), share: 0.0021 }),
        largest_tenants: Vec::new(),
        skipped_rows: 0,
        approximate: None,
    };
    let by_tenant = vec![84_895, 0, 54_635, 342, 48_110, 714, 12_275, 20_536, 58_665, 0, 56_604, 0];
    let by_entity =
        vec![28_100, 27_615, 32_188, 26_954, 28_877, 27_400, 28_911, 27_040, 28_350, 27_322, 27_980, 26_039];
    let pooled =
        vec![23_420, 24_011, 22_890, 25_140, 24_334, 23_908, 23_266, 53_966, 36_412, 31_907, 21_380, 26_142];
    report.strategies = vec![
        strategy("tenant-key", "", "tenant", by_tenant, 2.09, &[("UA", 0.1213), ("B6", 0.0), ("EV", 0.0415)]),
        strategy("compound-key", "", "entity", by_entity, 1.0, &[("UA", 1.0), ("B6", 0.988), ("EV", 1.0)]),
        strategy(
            "tenant-aware",
            "",
            "entity for VIP tenants, tenant for the rest",
            pooled,
            1.714,
            &[("UA", 0.0), ("B6", 0.0)],
        ),
    ];
    report.strategies[2].blast_radius.insert("EV".into(), None);
    set_bytes(&mut report, |partition, records| records * (180 + 40 * partition));
    track(&mut report, &[("UA", 58_665), ("EV", 54_173)]);
    report.strategies[2].tenant_records[1] = None;
    report.findings = vec![Finding {
        fact:
            "tenant-key sends 84,895 of 336,776 records to partition 0, 3.025 × the mean; its floor is 2.090."
                .into(),
        value: 3.025,
        advice: "Order by tail number is enough for compound-key, which reaches 1.147.".into(),
    }];
    report
}

/// So many entities that they were counted by a sketch.
pub(super) fn approximate() -> Report {
    let mut report = multitenant();
    report.workload.entities = 48_200_000;
    report.workload.floor_entity = 1.104;
    report.workload.approximate = Some(Approximation {
        tenants_relative_error: 0.0,
        entities_relative_error: 0.016,
        floor_tenant_error: 0.0,
        floor_entity_error: 0.012,
    });
    report.strategies[3].floor = 1.104;
    report.strategies[3].regret = report.strategies[3].skew.max_mean / 1.104;
    report
}

/// Names that want to be a formula, markup, a mention or a terminal command.
pub(super) fn hostile() -> Report {
    let mut report = multitenant();
    let tenant = "@everyone|\u{202e}<script>alert(1)</script>`; rm -rf /`\u{1b}[2J";
    let long = "注文".repeat(60);
    report.workload.name = "=cmd|' /C calc'!A0\r\n\u{1b}]0;owned\u{7}.csv".into();
    report.command = "analyzer simulate --trace '=cmd|`id`.csv'".into();
    report.workload.vips = vec![
        TenantShare { name: tenant.into(), share: 0.9 },
        TenantShare { name: long.clone(), share: 0.05 },
    ];
    report.workload.largest_tenant = Some(TenantShare { name: tenant.into(), share: 0.9 });
    report.workload.largest_entity = Some(TenantShare { name: long, share: 0.05 });
    report.workload.largest_tenants[0].name = tenant.into();
    report.sweep.clear();
    report.strategies.truncate(6);
    for strategy in &mut report.strategies {
        strategy.blast_radius = BTreeMap::from([(tenant.into(), Some(1.0))]);
    }
    report.strategies[0].name = "=1+1;@SUM(A1),\"x\"".into();
    report.strategies[1].name =
        "-a-name-longer-than-any-column-of-a-terminal-is-wide-that-goes-on-and-on".into();
    report.strategies[1].ordering_scope = "[click](http://example.com) | none\nof it".into();
    report.strategies[5].name = "round\u{200b}-robin\u{9b}31m".into();
    report.findings = vec![Finding {
        fact: format!("{tenant} has 90 % of the records; see #1 and www.example.com."),
        value: 0.9,
        advice: "Ask @ops\nand *do* _not_ click [this](http://example.com).".into(),
    }];
    report
}

/// No records and no strategies: nothing may divide by zero.
pub(super) fn empty() -> Report {
    let mut report = multitenant();
    report.strategies.truncate(1);
    report.strategies[0].records.fill(0);
    report.strategies[0].bytes.fill(0);
    report.strategies[0].blast_radius.clear();
    report.strategies[0].partitions_used = 0;
    report.vip_count = None;
    report.sweep.clear();
    report.findings.clear();
    report.choices.clear();
    report.workload.records = 0;
    report.workload.bytes = Some(0);
    report.workload.vips.clear();
    report.workload.largest_tenant = None;
    report.workload.largest_entity = None;
    report.workload.largest_tenants.clear();
    report.strategies[0].tenant_records.clear();
    report
}

fn strategy(
    name: &str,
    description: &str,
    scope: &str,
    records: Vec<u64>,
    floor: f64,
    blast_radius: &[(&str, f64)],
) -> StrategyReport {
    let skew = skew(&records);
    let used = records.iter().filter(|records| **records > 0).count();
    StrategyReport {
        name: name.into(),
        description: description.into(),
        ordering_scope: scope.into(),
        breaks_entity_order: scope.starts_with("none"),
        bytes: Vec::new(),
        tenant_records: Vec::new(),
        bytes_max_mean: None,
        floor,
        regret: skew.max_mean / floor,
        blast_radius: blast_radius.iter().map(|(vip, share)| ((*vip).into(), Some(*share))).collect(),
        cost_multiplier: skew.max_mean,
        partitions_used: u32::try_from(used).unwrap(),
        rejected: BTreeMap::new(),
        records,
        skew,
    }
}

/// Gives every partition of every strategy bytes by its number and its records.
fn set_bytes(report: &mut Report, bytes: impl Fn(u64, u64) -> u64) {
    for strategy in &mut report.strategies {
        strategy.bytes =
            (0_u64..).zip(&strategy.records).map(|(index, records)| bytes(index, *records)).collect();
        strategy.bytes_max_mean = Some(skew(&strategy.bytes).max_mean);
    }
    report.workload.bytes = report.strategies.first().map(|strategy| strategy.bytes.iter().sum());
}

/// Gives every strategy the records of `tenants` per partition: whole on one partition, the first of them on the hottest,
/// where tenants are kept in order; the first over the VIP pool and no other in it where there is one; else all over.
fn track(report: &mut Report, tenants: &[(&str, u64)]) {
    let total = report.workload.records as f64;
    let share =
        |(name, records): &(&str, u64)| TenantShare { name: (*name).into(), share: *records as f64 / total };
    report.workload.largest_tenants = tenants.iter().map(share).collect();
    for strategy in &mut report.strategies {
        let count = strategy.records.len();
        let hottest = (0..count).max_by_key(|index| strategy.records[*index]).unwrap();
        let of = |(rank, (_, records)): (usize, &(&str, u64))| {
            let mut row = vec![0; count];
            let pool = match (strategy.name.as_str(), rank) {
                ("tenant-aware", 0) => 0..count - 2,
                ("tenant-aware", _) => count - 2 + rank % 2..count - 1 + rank % 2,
                (name, 0) if name.starts_with("tenant-key") => hottest..hottest + 1,
                (name, _) if name.starts_with("tenant-key") => rank..rank + 1,
                _ => 0..count,
            };
            let width = pool.len() as u64;
            for (index, cell) in (0..).zip(&mut row[pool]) {
                *cell = records / width + u64::from(index < records % width);
            }
            Some(row)
        };
        strategy.tenant_records = tenants.iter().enumerate().map(of).collect();
    }
}

/// The textbook formulas; `loads` are not all 0.
fn skew(loads: &[u64]) -> SkewReport {
    let mut sorted = loads.to_vec();
    sorted.sort_unstable();
    let n = loads.len() as f64;
    let total: f64 = loads.iter().map(|load| *load as f64).sum();
    let mean = total / n;
    let max = sorted[sorted.len() - 1];
    let squares: f64 = loads.iter().map(|load| (*load as f64).powi(2)).sum();
    let deviations: f64 = loads.iter().map(|load| (*load as f64 - mean).abs()).sum();
    let ranked: f64 = (1_u32..).zip(&sorted).map(|(rank, load)| f64::from(rank) * *load as f64).sum();
    let percentile = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
    SkewReport {
        max_mean: max as f64 / mean,
        imbalance: (max as f64 - mean) / total,
        cv: (squares / n - mean * mean).max(0.0).sqrt() / mean,
        gini: 2.0 * ranked / (n * total) - (n + 1.0) / n,
        jain: total * total / (n * squares),
        flip418: (100.0 * deviations / n / mean).min(100.0),
        percentiles: Percentiles { p50: percentile(50), p90: percentile(90), p99: percentile(99), max },
    }
}
