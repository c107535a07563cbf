//! Where the largest tenants lie under each strategy.

use serde_json::Value;

use crate::harness::{Report, TestDir, run, shipped_trace};

/// Name and records per partition of each of the largest tenants under a strategy; `None` where it was not tracked.
fn rows<'a>(report: &'a Report, strategy: &str) -> Vec<(&'a str, Option<Vec<u64>>)> {
    let tenants = report.0["workload"]["largest_tenants"].as_array().unwrap();
    let rows = report.strategy(strategy)["tenant_records"].as_array().unwrap();
    assert_eq!(tenants.len(), rows.len());
    let row = |row: &Value| {
        Some(row.as_array()?.iter().map(|records| records.as_u64().unwrap()).collect::<Vec<_>>())
    };
    tenants.iter().map(|tenant| tenant["name"].as_str().unwrap()).zip(rows.iter().map(row)).collect()
}

/// Whoever placed them, all records of each of the largest tenants are somewhere.
fn check_rows_are_whole(report: &Report) {
    let records = report.0["workload"]["records"].as_f64().unwrap();
    let tenants = report.0["workload"]["largest_tenants"].as_array().unwrap();
    let shares: Vec<f64> = tenants.iter().map(|tenant| tenant["share"].as_f64().unwrap()).collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
    for strategy in report.names() {
        let loads = report.records(strategy);
        for ((name, row), share) in rows(report, strategy).into_iter().zip(&shares) {
            let row = row.unwrap_or_else(|| panic!("{strategy} did not track {name}"));
            let sum: u64 = row.iter().sum();
            assert!((sum as f64 - share * records).abs() < 0.5, "{strategy}, {name}: {sum}");
            assert!(row.iter().zip(&loads).all(|(part, whole)| part <= whole), "{strategy}, {name}");
        }
    }
    for (name, row) in rows(report, "tenant-key") {
        let used = row.unwrap().iter().filter(|records| **records > 0).count();
        assert_eq!(used, 1, "{name} is kept in order");
    }
}

#[test]
fn every_strategy_shows_where_the_largest_tenants_lie() {
    let flights = shipped_trace("flights.csv.gz");
    let trace = format!("--trace {} --tenant-field carrier --entity-field tailnum", flights.display());
    for traffic in
        ["--profile multitenant", "--profile uniform", &trace, &format!("{trace} --vip UA --vip-count 3")]
    {
        let report = run(&format!("simulate {traffic} --partitions 12 --format json")).report();
        assert_eq!(report.0["workload"]["largest_tenants"].as_array().unwrap().len(), 12, "{traffic}");
        check_rows_are_whole(&report);
    }
}

#[test]
fn a_tenant_that_comes_too_late_to_be_tracked_is_missing_and_not_zero() {
    // 5,000 tenants of one record before the largest comes; with named VIP tenants and pool size all is placed as it comes.
    let mut trace = "tenant,order\nvip,1\n".to_owned();
    trace.extend((0..5_000).map(|number| format!("small-{number},1\n")));
    trace.extend((0..500).map(|number| format!("late,{number}\n")));
    let dir = TestDir::with("t.csv", trace);
    let words =
        "simulate --trace t.csv --tenant-field tenant --entity-field order --partitions 4 --format json";
    let report = dir.run(&format!("{words} --vip vip --vip-count 1")).report();
    let (name, row) = rows(&report, "tenant-key").remove(0);
    assert_eq!((name, row), ("late", None));
    // Where strategies are built after the traffic, it is known by then.
    let report = dir.run(words).report();
    let (name, row) = rows(&report, "tenant-key").remove(0);
    assert_eq!((name, row.map(|row| row.iter().sum())), ("late", Some(500)));
}

#[test]
fn a_large_topic_shows_fewer_tenants_and_a_huge_one_none() {
    for (partitions, tenants) in [(1_000, 4), (4_096, 1), (5_000, 0)] {
        let words = format!("simulate --profile multitenant --records 20000 --partitions {partitions}");
        let report = run(&format!("{words} --strategies tenant-key,random --format json")).report();
        assert_eq!(rows(&report, "random").len(), tenants);
        check_rows_are_whole(&report);
    }
}
