//! Traces whose keys all fit.

use proptest::prelude::*;

use super::model::{count_by, place, tenant_of};
use super::{CONTRACTS, Row, contract, named, replay, strategies};
use crate::workload::key_book::Limits;

/// Keys of few tenants and entities, among them what is no key, is empty or malformed, or needs escapes.
pub(super) fn keys() -> impl Strategy<Value = Option<Vec<u8>>> {
    let tenant = prop::sample::select(vec!["acme", "acme-eu", "a\\:b", "b", "c", "\\\\", ""]);
    let made = (tenant, 0..4u32).prop_map(|(tenant, entity)| format!("{tenant}:{entity}").into_bytes());
    let odd = prop::sample::select(vec![&b""[..], b"no-separator", b"a\\x:1", b"\xff\0", b"acme"]);
    prop_oneof![6 => made.prop_map(Some), 2 => odd.prop_map(|key| Some(key.to_vec())), 1 => Just(None)]
}

pub(super) fn traces(rows_max: usize) -> impl Strategy<Value = Vec<Row>> {
    // Times go on by 0 to 8 ms, so that sticky choices of 10 ms end now and then.
    let rows = prop::collection::vec((keys(), 0..2_000u32, 0..8_000u64), 1..rows_max);
    rows.prop_map(|rows| {
        let mut now_us = 1_700_000_000_000_000;
        let row = |(key, size_bytes, step_us)| {
            now_us += step_us;
            Row { key, size_bytes, now_us }
        };
        rows.into_iter().map(row).collect()
    })
}

proptest! {
    #[test]
    fn every_figure_is_that_of_routing_each_record_by_itself(
        rows in traces(120), batch_rows in 1..50usize, at in 0..CONTRACTS.len(),
    ) {
        let contract = contract(at);
        let (replay, lanes) = replay(&rows, batch_rows, Limits::default(), &contract);
        let (tenants, keys) = (count_by(&rows, tenant_of), count_by(&rows, <[u8]>::to_vec));

        prop_assert!(replay.is_exact());
        let load = replay.volume().load;
        prop_assert_eq!(load.records, rows.len() as u64);
        prop_assert_eq!(load.bytes, rows.iter().map(|row| u64::from(row.size_bytes)).sum::<u64>());
        prop_assert_eq!(replay.distinct_tenants(), (tenants.len() as u64, 0.0));
        prop_assert_eq!(replay.distinct_entities(), (keys.len() as u64, 0.0));
        for (largest, counts) in [(replay.largest_tenant(), &tenants), (replay.largest_entity(), &keys)] {
            let most = counts.values().copied().max();
            prop_assert_eq!(largest.as_ref().map(|unit| unit.records), most);
            if let Some(unit) = largest {
                prop_assert_eq!((counts.get(&unit.name).copied(), unit.error_records), (most, 0));
            }
        }
        let named_lanes = named(&contract, &lanes);
        for ((name, strategy), (_, lane)) in strategies(&contract).into_iter().zip(named_lanes) {
            let model = place(&*strategy, &rows);
            model.assert_same(lane.table(), &replay, &tenants, name);
            prop_assert_eq!(lane.rejected(), &model.rejected, "{}", name);
            prop_assert_eq!(replay.largest_unit_records(lane), (model.largest_unit_records(), 0), "{}", name);
        }
    }

    #[test]
    fn lanes_placed_afterwards_are_those_placed_on_the_way(rows in traces(80), at in 0..CONTRACTS.len()) {
        let contract = contract(at);
        let (replay, lanes) = replay(&rows, 7, Limits::default(), &contract);
        let mut later = super::lanes(&contract).by_key.unwrap();
        replay.place(&mut later).unwrap();
        for (later, lane) in later.iter().zip(lanes.by_key.iter().flatten()) {
            prop_assert_eq!(later.table(), lane.table());
            prop_assert_eq!(later.rejected(), lane.rejected());
        }
    }
}

#[test]
fn null_keys_follow_each_clients_rule() {
    let row = |at: u64| Row { key: None, size_bytes: 1_000, now_us: 1_000_000 + at * 1_000 };
    let rows: Vec<Row> = (0..100).map(row).collect();
    let contract = contract(0);
    let (replay, lanes) = replay(&rows, 9, Limits::default(), &contract);
    let used = |name| {
        let lanes = named(&contract, &lanes);
        let (_, lane) = lanes.iter().find(|(known, _)| *known == name).unwrap();
        let runs: Vec<u64> = lane.table().records().into_iter().filter(|&records| records > 0).collect();
        runs
    };
    assert_eq!(replay.distinct_entities().0, 0);
    assert_eq!(replay.largest_entity(), None);
    // Java goes on after 17 records, which pass 16 KiB; the last stay is cut short. librdkafka goes on after 10 ms.
    assert_eq!(used("tenant-key").iter().filter(|&records| records % 17 != 0).count(), 1);
    assert!(
        used("tenant-key-crc32").iter().all(|records| records % 10 == 0),
        "{:?}",
        used("tenant-key-crc32")
    );
    assert!(
        used("tenant-key-fnv1a").iter().any(|records| records % 10 != 0),
        "Sarama draws for every record"
    );
    assert_eq!(used("tenant-aware").len(), 2, "unkeyed records stay in the standard pool");
}
