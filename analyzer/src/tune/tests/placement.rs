//! Loads that are derived from cells are those of the production router.

use proptest::prelude::*;

use super::super::balance::{Goal, balance};
use super::super::contract::{contract_of, contract_with_owners, layout_of};
use super::super::curve::curve;
use super::super::layout::max_mean;
use super::super::own_pools::VipPools;
use super::super::search::{Scope, search};
use super::super::tally::Holdout;
use super::super::tune;
use super::super::units::part_of;
use super::*;
use partitioner::contract::{ByteName, PinContract};
use partitioner::slot::Isolation;

/// Keys as they come: of few tenants, with escapes, malformed, empty and missing.
fn keys() -> impl Strategy<Value = Keys> {
    let key = prop_oneof![
        12 => "[ab]:[0-9]{1,2}".prop_map(Some),
        6 => "[c-h]:[0-9]".prop_map(Some),
        1 => Just(Some(r"a\:b:7".to_owned())),
        1 => "[a-z]{1,3}".prop_map(Some),
        1 => Just(Some(String::new())),
        1 => Just(None),
    ];
    proptest::collection::vec(key, 1..300)
}

fn contract() -> impl Strategy<Value = TopicContract> {
    let two_pools = "[topics.t]\npartitions = 8\n[[topics.t.pools]]\nname = \"x\"\nrange = \"0..2\"\ntenants = [\"a\"]\n\
                     moved = [[5, 0], [9, 0]]\n[[topics.t.pools]]\nname = \"y\"\nrange = \"2..5\"\ntenants = [\"b\", \"c*\"]\n\
                     spread = \"tenant\"\nisolation = \"shared\"\nslots_per_partition = 7\nmoved = [[3, 7]]";
    prop_oneof![
        Just("[topics.t]\npartitions = 5".to_owned()),
        Just("[topics.t]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"a\"]\nstandard.spread = \"entity\"".to_owned()),
        (0u32..256, 0u32..4).prop_map(|(slot, to)| {
            let to = if slot % 4 == to { (to + 1) % 4 } else { to };
            format!("[topics.t]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"a\", \"b\"]\nvip.moved = [[{slot}, {to}]]")
        }),
        Just(two_pools.to_owned()),
    ]
    .prop_map(|text| section(&text))
}

fn pins() -> impl Strategy<Value = Vec<PinContract>> {
    let pin = prop_oneof![
        "[a-d]:[0-9]".prop_map(|key| (Some(key), None)),
        "[a-d]".prop_map(|tenant| (None, Some(tenant))),
        "[a-d]".prop_map(|malformed| (Some(malformed), None)),
    ];
    let pin = (pin, 0u32..5).prop_map(|((key, tenant), partition)| PinContract {
        key: key.as_deref().map(ByteName::from),
        tenant: tenant.as_deref().map(ByteName::from),
        partition,
        outside_pool: true,
    });
    proptest::collection::vec(pin, 0..3)
}

proptest! {
    #[test]
    fn a_contract_places_cells_as_it_places_records(keys in keys(), base in contract(), pins in pins()) {
        let contract = TopicContract { pins, ..base };
        prop_assume!(contract.router(0).is_ok());
        let (units, book) = units(&keys, Holdout::None);
        let n = count(contract.partitions.unwrap());
        let layout = layout_of(&contract, n, &units, &book).unwrap();
        let mut loads = units.tuned.clone();
        loads.total -= loads.unkeyed;
        loads.unkeyed = 0.0;
        prop_assert_eq!(layout.place(&units, &loads), routed(&contract, keys.iter(), n));
        let of_tenants = (0..units.tenants.len()).map(|rank| layout.place_tenant(&units, &loads, rank));
        let sum: f64 = of_tenants.flatten().sum();
        let foreign: f64 = loads.cells[units.foreign.clone()].iter().sum();
        prop_assert_eq!(sum, loads.total - foreign, "tenants add up to what is not foreign");
    }

    /// What was chosen is what the written contract does, on the part that was tuned on and on the later part.
    #[test]
    fn the_written_contract_does_what_was_chosen(
        keys in keys(), n in 1u32..9, isolation in prop_oneof![Just(Isolation::Strict), Just(Isolation::Shared)],
        vip_pools in prop_oneof![Just(VipPools::Auto), Just(VipPools::One), Just(VipPools::Each)],
    ) {
        let (units, book) = units(&keys, Holdout::Share(0.3));
        prop_assume!(units.tuned.total > 0.0);
        let scope = Scope { isolation, slots_per_partition: Some(16), vip_pools, ..Scope::new(&units, count(n)) };
        let tuned = tune(&units, &scope).unwrap();
        let base = section(&format!("[topics.t]\npartitions = {n}"));
        let contract = contract_of(&tuned.layout, &units, &book, &base);
        let again = layout_of(&contract, count(n), &units, &book).unwrap();
        let tuned_count = usize::try_from(part_of(keys.len() as u64, units.tuned.total / keys.len() as f64)).unwrap();
        for (loads, part) in [(&units.tuned, &keys[..tuned_count]), (&units.later, &keys[tuned_count..])] {
            let mut loads = loads.clone();
            loads.unkeyed = 0.0;
            let expected = routed(&contract, part.iter(), count(n));
            prop_assert_eq!(tuned.layout.place(&units, &loads), expected.clone());
            prop_assert_eq!(again.place(&units, &loads), expected);
        }
        let (first, last) = (tuned.curve[0], tuned.curve[tuned.curve.len() - 1]);
        let value = |layout: &super::super::layout::Layout| max_mean(&layout.place(&units, &units.tuned)).unwrap();
        prop_assert!((first.tuned - value(&tuned.start)).abs() < 1e-9);
        prop_assert!((last.tuned - value(&tuned.layout)).abs() < 1e-9);
        prop_assert!(value(&tuned.layout) <= value(&tuned.start) + 1e-9, "never worse than no move");
    }

    /// Moving slots leaves every unit whole, every strict pool closed, and only lowers the hottest partition.
    #[test]
    fn balancing_only_moves_load_down(keys in keys(), base in contract()) {
        let (units, book) = units(&keys, Holdout::None);
        let n = count(base.partitions.unwrap());
        let start = layout_of(&base, n, &units, &book).unwrap();
        let mut layout = start.clone();
        let slots = layout.slot_loads(&units, &units.tuned);
        let goal = Goal { load_max: layout.load_bound(&units, &units.tuned, &slots), moved_load_max: f64::INFINITY };
        let moves = balance(&mut layout, &slots, goal);
        let before = start.partition_loads(&slots);
        let after = layout.partition_loads(&slots);
        let hottest = |loads: &[f64]| loads.iter().copied().fold(0.0, f64::max);
        prop_assert!(hottest(&after) <= hottest(&before) + 1e-9);
        prop_assert!(hottest(&after) >= goal.load_max - 1e-9, "no placement is below the bound");
        prop_assert!((after.iter().sum::<f64>() - before.iter().sum::<f64>()).abs() < 1e-6);
        for pool in layout.pools.iter().filter(|pool| pool.isolation == Isolation::Strict) {
            prop_assert!(pool.owners.iter().all(|owner| (pool.range.start()..pool.range.end()).contains(owner)));
        }
        let contract = contract_with_owners(&layout, &base);
        prop_assert!(contract.router(0).is_ok());
        let points = curve(&start, &moves, &units);
        prop_assert!((points[points.len() - 1].tuned - max_mean(&after).unwrap()).abs() < 1e-9);
    }

    /// Keys that were forgotten and met again are the cells they were.
    #[test]
    fn forgetting_keys_changes_no_count(keys in keys(), keys_max in 4usize..40) {
        let limits = Limits { keys_max, ..Limits::default() };
        let (tally, book) = counted(&keys, Holdout::None, limits);
        let forgetful = Units::new(&tally, &book, KeyHash::Murmur2);
        let (whole, _) = units(&keys, Holdout::None);
        let layout = |units| super::super::layout::Layout::plain(units, count(5), partitioner::spread::Spread::Entity);
        prop_assert_eq!(
            layout(&forgetful).place(&forgetful, &forgetful.tuned),
            layout(&whole).place(&whole, &whole.tuned)
        );
        prop_assert_eq!((forgetful.keys, forgetful.tuned.total), (whole.keys, whole.tuned.total));
    }
}

#[test]
fn a_limit_of_what_may_move_is_kept() {
    let (units, book) = profile_units("mega-zipf", 50_000, 1);
    let base = section("[topics.t]\npartitions = 12\nvip_count = 10\nvip.tenants = [\"tenant-mega\"]");
    let start = layout_of(&base, count(12), &units, &book).unwrap();
    let free = super::super::tune_owners(&units, start.clone(), 1.0);
    let kept = super::super::tune_owners(&units, start.clone(), 0.05);
    let none = super::super::tune_owners(&units, start, 0.0);
    let last = |tuned: &super::super::Tuned| tuned.curve[tuned.curve.len() - 1];
    assert!(last(&free).moved_record_share > 0.05, "{:?}", last(&free));
    // What is moved is limited by the loads that are foreseen, which are close to those counted.
    assert!(last(&kept).moved_record_share < 0.055 && last(&kept).moved_slots > 0, "{:?}", last(&kept));
    assert!(last(&kept).tuned < last(&none).tuned && last(&kept).tuned > last(&free).tuned);
    assert_eq!((last(&none).moved_slots, none.curve.len()), (0, 1));
}

#[test]
fn nothing_to_tune_on_is_no_layout() {
    // Everything belongs to the part to judge on.
    let (units, _) = units(&vec![Some("a:1".to_owned())], Holdout::From(0));
    assert!(search(&units, &units.tuned, &Scope::new(&units, count(3))).is_none());
}
