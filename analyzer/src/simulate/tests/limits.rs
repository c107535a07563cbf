//! Traces with more keys than are held at once.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::model::{count_by, place, tenant_of};
use super::traces::traces;
use super::{CONTRACTS, Row, contract, named, replay, strategies};
use crate::simulate::UnitSize;
use crate::workload::key_book::Limits;

fn limits() -> impl Strategy<Value = Limits> {
    let wide = || prop_oneof![3 => 1..12usize, 1 => Just(1_000)];
    (wide(), 1..200usize, wide(), 0..40usize, wide()).prop_map(
        |(keys_max, key_bytes_max, tenants_max, tenant_bytes_max, loose_max)| Limits {
            keys_max,
            key_bytes_max,
            tenants_max,
            tenant_bytes_max,
            loose_max,
        },
    )
}

#[track_caller]
fn assert_within(unit: Option<UnitSize>, counts: &BTreeMap<Vec<u8>, u64>) {
    let most = counts.values().copied().max();
    assert_eq!(unit.is_some(), most.is_some());
    if let (Some(unit), Some(most)) = (unit, most) {
        assert!(unit.records.abs_diff(most) <= unit.error_records, "{unit:?} for {most}");
        assert!(counts[&unit.name].abs_diff(most) <= 2 * unit.error_records, "{unit:?} for {most}");
    }
}

#[allow(clippy::cast_precision_loss)]
#[track_caller]
fn assert_about((estimate, relative_error): (u64, f64), exact: usize) {
    let off = estimate.abs_diff(exact as u64) as f64;
    assert!(off <= 4.0 * relative_error * exact as f64, "{estimate} ± {relative_error} for {exact}");
}

proptest! {
    #[test]
    fn loads_stay_exact_and_the_rest_is_within_its_error(
        rows in traces(120), batch_rows in 1..30usize, limits in limits(), at in 0..CONTRACTS.len(),
    ) {
        let contract = contract(at);
        let (replay, lanes) = replay(&rows, batch_rows, limits, &contract);
        let (tenants, keys) = (count_by(&rows, tenant_of), count_by(&rows, <[u8]>::to_vec));
        assert_about(replay.distinct_tenants(), tenants.len());
        assert_about(replay.distinct_entities(), keys.len());
        assert_within(replay.largest_tenant(), &tenants);
        assert_within(replay.largest_entity(), &keys);
        let named_lanes = named(&contract, &lanes);
        for ((name, strategy), (_, lane)) in strategies(&contract).into_iter().zip(named_lanes) {
            let model = place(&*strategy, &rows);
            model.assert_same(lane.table(), &replay, &tenants, name);
            prop_assert_eq!(lane.rejected(), &model.rejected, "{}", name);
            let (records, error_records) = replay.largest_unit_records(lane);
            let exact = model.largest_unit_records();
            prop_assert!(records + error_records >= exact, "{name}: {records} ± {error_records}, not {exact}");
            // A tenant without a number counts with all its records, though some may be refused, pinned or as without key.
            if !replay.book().has_unnumbered_tenants() || name == "compound-key" {
                prop_assert!(records <= exact + error_records, "{name}: {records} ± {error_records}, not {exact}");
            }
        }
    }
}

/// More keys than the sketch has counters, so that its error is not 0.
#[test]
fn a_heavy_entity_among_very_many_is_found_within_the_stated_error() {
    let row = |i: u32| {
        let key = if i.is_multiple_of(5) { "acme:whale".to_owned() } else { format!("t-{}:{i}", i % 100) };
        Row { key: Some(key.into_bytes()), size_bytes: 10, now_us: 0 }
    };
    let rows: Vec<Row> = (0..150_000).map(row).collect();
    let contract = contract(0);
    let limits = Limits { keys_max: 10_000, ..Limits::default() };
    let (replay, lanes) = replay(&rows, 4_096, limits, &contract);
    assert!(!replay.is_exact());
    let largest = replay.largest_entity().unwrap();
    assert_eq!(largest.name, b"acme:whale");
    assert!(largest.error_records > 0 && largest.error_records < 300, "{largest:?}");
    assert!(largest.records.abs_diff(30_000) <= largest.error_records, "{largest:?}");
    assert_eq!(replay.distinct_tenants(), (81, 0.0), "tenants are counted one by one");
    assert_about(replay.distinct_entities(), 120_001);
    for (name, lane) in named(&contract, &lanes) {
        let (records, error_records) = replay.largest_unit_records(lane);
        let expected = if lane.strategy().is_consistent() { 30_000 } else { 0 };
        assert!(records.abs_diff(expected) <= error_records, "{name}: {records} ± {error_records}");
        assert_eq!(lane.table().total().records, 150_000, "{name}");
    }
}

#[test]
fn two_runs_say_the_same_though_books_hash_otherwise_in_each() {
    let row = |i: u32| Row {
        key: Some(format!("t-{}:{}", i % 7, i * 7_919 % 90_000).into_bytes()),
        size_bytes: 1,
        now_us: 0,
    };
    let rows: Vec<Row> = (0..100_000).map(row).collect();
    let contract = contract(0);
    let said = || {
        let limits = Limits { keys_max: 9_000, tenants_max: 3, ..Limits::default() };
        let (replay, lanes) = replay(&rows, 1_000, limits, &contract);
        let units: Vec<_> =
            named(&contract, &lanes).iter().map(|(_, lane)| replay.largest_unit_records(lane)).collect();
        let loads: Vec<_> = named(&contract, &lanes).iter().map(|(_, lane)| lane.table().clone()).collect();
        let distinct = (replay.distinct_entities(), replay.distinct_tenants());
        (distinct, replay.largest_entity(), replay.largest_tenant(), units, loads)
    };
    assert_eq!(said(), said());
}
