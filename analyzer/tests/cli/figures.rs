//! The figures that the README and the issue tracker quote, by the program itself.

use std::ops::RangeInclusive;

use crate::harness::{Report, run, shipped_trace};

fn profile(name: &str, partitions: u32) -> Report {
    let strategies = "--strategies tenant-key,tenant-aware --sweep vip-count";
    run(&format!("simulate --profile {name} -n {partitions} {strategies} --format json")).report()
}

#[track_caller]
fn assert_within(value: f64, range: &RangeInclusive<f64>, what: &str) {
    assert!(range.contains(&value), "{what} is {value}, expected {range:?}");
}

#[test]
fn multitenant_by_tenant_and_at_the_best_vip_count() {
    for (partitions, by_tenant, best) in
        [(12, 10.9, 1.095..=1.105), (24, 21.7, 1.05..=1.13), (48, 43.3, 1.10..=1.14)]
    {
        let report = profile("multitenant", partitions);
        assert_eq!(report.0["workload"]["records"], 1_000_000);
        assert_within(report.max_mean("tenant-key"), &(by_tenant * 0.98..=by_tenant * 1.02), "by tenant");
        assert_within(report.best_of_sweep().1, &best, &format!("the best of {partitions}"));
    }
}

#[test]
fn mega_zipf_is_bound_by_its_largest_order() {
    for (partitions, floor) in [(12, 1.10), (24, 2.21), (48, 4.41)] {
        let report = profile("mega-zipf", partitions);
        let floor_entity = report.0["workload"]["floor_entity"].as_f64().unwrap();
        assert_within(floor_entity, &(floor * 0.99..=floor * 1.01), "the floor by entity");
        assert!(report.best_of_sweep().1 >= floor_entity, "nothing beats the floor");
    }
}

#[test]
fn nycflights_by_the_real_reader() {
    for (partitions, tenant_key, compound_key, vip_count, best) in
        [(24, 6.025, 1.253, 4, 3.429), (12, 3.025, 1.147, 7, 1.923)]
    {
        let flights = shipped_trace("flights.csv.gz");
        let fields = "--tenant-field carrier --entity-field tailnum --vip UA,B6,EV --sweep vip-count";
        let words = format!("simulate --trace {} {fields} -n {partitions} --format json", flights.display());
        let report = run(&words).report();
        assert_eq!(report.0["workload"]["records"], 336_776);
        let near = |figure: f64| figure - 0.001..=figure + 0.001;
        assert_within(report.max_mean("tenant-key"), &near(tenant_key), "tenant-key");
        assert_within(report.max_mean("compound-key"), &near(compound_key), "compound-key");
        let (best_at, best_max_mean) = report.best_of_sweep();
        assert_eq!(best_at, vip_count, "the best vip_count of {partitions}");
        assert_within(best_max_mean, &near(best), "the best");
    }
}
