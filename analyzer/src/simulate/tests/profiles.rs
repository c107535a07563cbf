//! Profiles, through the threads.

use partitioner::key::KeyFormat;
use proptest::prelude::*;

use super::model::{count_by, place, tenant_of};
use super::{Row, contract, lanes, named, strategies};
use crate::load::TenantId;
use crate::simulate::{Traffic, simulate};
use crate::workload::key_book::{KeyBook, Limits};
use crate::workload::profile::{NumberedBatch, Profile, ProfileTraffic};

fn profile(weights: &[u32], entities: u32, is_zipf: bool) -> Profile {
    let mut text = "name = \"p\"\ndescription = \"d\"\n".to_owned();
    for (at, weight) in weights.iter().enumerate() {
        let name = if at == 0 { "acme".to_owned() } else { format!("t{at}-{{}}") };
        let count = if at == 0 { 1 } else { at + 1 };
        text += &format!(
            "[[tenants]]\nname = \"{name}\"\ncount = {count}\nweight = {weight}\nentities = {entities}\n"
        );
        if is_zipf {
            text += "entity_distribution = { zipf = 1.0 }\n";
        }
    }
    Profile::from_toml(&text, "p").unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The records of a run, with their keys written out.
fn rows(profile: &Profile, records: u64) -> Vec<Row> {
    let mut traffic = ProfileTraffic::new(profile, records, 7).unwrap();
    let (mut batch, mut rows) = (NumberedBatch::default(), Vec::new());
    while traffic.read(&mut batch) {
        for at in 0..batch.len() {
            let tenant = TenantId(batch.tenants[at]);
            let mut entity = Vec::new();
            profile.write_entity_name(tenant, batch.entities[at], &mut entity);
            let key = KeyFormat::default().encode(profile.tenant_name(tenant).as_bytes(), &entity).unwrap();
            rows.push(Row { key: Some(key), size_bytes: batch.bytes[at], now_us: batch.time_us[at] });
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn every_figure_is_that_of_routing_each_record_by_itself(
        weights in prop::collection::vec(1..50u32, 1..4),
        entities in 1..200u32,
        is_zipf: bool,
        records in 1..3_000u64,
        // Above all keys the book is dense, below it is sparse, and forgets.
        keys_max in prop_oneof![Just(1_000_000), 1..300usize],
        at in 0..2usize,
    ) {
        let (profile, contract) = (profile(&weights, entities, is_zipf), contract(at));
        let traffic = Traffic::Profile(Box::new(ProfileTraffic::new(&profile, records, 7).unwrap()));
        let limits = Limits { keys_max, ..Limits::default() };
        let mut lanes = lanes(&contract);
        let book = KeyBook::of_profile(&profile, KeyFormat::default(), limits);
        let replay = simulate(traffic, book, &mut lanes, &|_| {}).unwrap();

        let rows = rows(&profile, records);
        let (tenants, keys) = (count_by(&rows, tenant_of), count_by(&rows, <[u8]>::to_vec));
        prop_assert_eq!(replay.volume().load.records, records);
        prop_assert_eq!(replay.distinct_tenants(), (tenants.len() as u64, 0.0));
        prop_assert_eq!(replay.largest_tenant().unwrap().records, *tenants.values().max().unwrap());
        prop_assert_eq!(replay.largest_entity().unwrap().records, *keys.values().max().unwrap());
        for ((name, strategy), (_, lane)) in strategies(&contract).into_iter().zip(named(&contract, &lanes)) {
            let model = place(&*strategy, &rows);
            model.assert_same(lane.table(), &replay, &tenants, name);
            prop_assert_eq!(replay.largest_unit_records(lane).0, model.largest_unit_records(), "{}", name);
        }
    }
}
