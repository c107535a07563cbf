//! `--config`: a contract simulated as it would be deployed.

use crate::harness::{Report, TestDir};

const POOLED: &str = "[topics.orders]\npartitions = 12\nvip_count = 9\nvip.tenants = [\"tenant-mega\"]\n";

fn simulate(contract: &str, flags: &str) -> Report {
    let dir = TestDir::with("c.toml", contract);
    let traffic = "--profile multitenant --records 50000 --format json";
    dir.run(&format!("simulate {traffic} --config c.toml {flags}")).report()
}

fn total(records: &[u64]) -> u64 {
    records.iter().sum()
}

#[test]
fn vip_count_of_the_contract() {
    let report = simulate(POOLED, "");
    assert_eq!((&report.0["partitions"], &report.0["vip_count"]), (&12.into(), &9.into()));
    assert_eq!(report.strategy("tenant-aware")["blast_radius"]["tenant-mega"], 0.0);
    let by_flags = TestDir::new().run(
        "simulate --profile multitenant --records 50000 --format json --vip tenant-mega --vip-count 9 -n 12",
    );
    assert_eq!(report.records("tenant-aware"), by_flags.report().records("tenant-aware"));
}

#[test]
fn several_pools() {
    let pools = "\
        [topics.orders]\npartitions = 12\n\
        [[topics.orders.pools]]\nname = \"mega\"\nrange = \"0..8\"\ntenants = [\"tenant-mega\"]\n\
        [[topics.orders.pools]]\nname = \"mid\"\nrange = \"8..10\"\ntenants = [\"tenant-0\", \"tenant-1\"]\n";
    let report = simulate(pools, "");
    assert_eq!(report.0["vip_count"], 10);
    let records = report.records("tenant-aware");
    let shares = report.0["workload"]["vips"].as_array().unwrap();
    let of = |name: &str| {
        let share = shares.iter().find(|vip| vip["name"] == name).unwrap()["share"].as_f64().unwrap();
        share * 50_000.0
    };
    assert!((total(&records[..8]) as f64 - of("tenant-mega")).abs() < 0.5, "{records:?}");
    assert!((total(&records[8..10]) as f64 - of("tenant-0") - of("tenant-1")).abs() < 0.5, "{records:?}");
}

#[test]
fn moved_slots_move_their_records_and_no_others() {
    let plain = simulate(POOLED, "").records("tenant-aware");
    let moved = simulate(&format!("{POOLED}vip.moved = [[0, 8], [9, 8]]\n"), "").records("tenant-aware");
    assert_eq!(plain[1..8], moved[1..8]);
    assert_eq!(plain[9..], moved[9..]);
    assert_eq!(plain[0] + plain[8], moved[0] + moved[8]);
    assert!(moved[0] < plain[0], "slots 0 and 9 were owned by partition 0: {plain:?} {moved:?}");
}

#[test]
fn pins_place_their_tenant_and_make_a_map() {
    let pin = "[[topics.orders.pins]]\ntenant = \"tenant-0\"\npartition = 11\n";
    let plain = simulate(POOLED, "");
    assert!(!plain.names().contains(&"explicit-map"));
    let pinned = simulate(&format!("{POOLED}{pin}"), "");
    assert!(pinned.names().contains(&"explicit-map"), "the pinned tenants are its map");
    let (before, after) = (plain.records("tenant-aware"), pinned.records("tenant-aware"));
    assert_eq!(before[..9], after[..9], "the VIP pool is untouched");
    assert_eq!(total(&before[9..]), total(&after[9..]));
    let moved = after[11].abs_diff(before[11]);
    assert!(moved > 0, "tenant-0 was elsewhere: {before:?} {after:?}");
}

#[test]
fn growth_holds_or_follows() {
    let before = simulate(POOLED, "").records("tenant-aware");
    let held = simulate(POOLED, "--partitions 24");
    assert_eq!(held.0["partitions"], 24);
    assert_eq!(held.records("tenant-aware")[..12], before);
    assert_eq!(total(&held.records("tenant-aware")[12..]), 0);
    assert!(
        held.0["choices"].to_string().contains("the contract is for 12 partitions"),
        "{}",
        held.0["choices"]
    );
    let followed = simulate(&format!("{POOLED}on_growth = \"follow\"\n"), "--partitions 24");
    let records = followed.records("tenant-aware");
    assert_eq!(records[..9], before[..9], "VIP placements do not move");
    assert!(total(&records[12..]) > 0, "the standard pool grows: {records:?}");
}

#[test]
fn one_of_several_topics() {
    let topics = format!(
        "{POOLED}[topics.\"pay-*\"]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"tenant-mega\"]\n"
    );
    for (topic, partitions, vip_count) in [("orders", 12, 9), ("pay-eu", 6, 4)] {
        let report = simulate(&topics, &format!("--topic {topic}"));
        assert_eq!(report.0["partitions"], partitions, "{topic}");
        assert_eq!(report.0["vip_count"], vip_count, "{topic}");
    }
}

#[test]
fn a_contract_without_a_count_follows_the_topic() {
    let open = POOLED.replace("partitions = 12\n", "");
    for n in [12, 24] {
        let report = simulate(&open, &format!("--partitions {n}"));
        assert_eq!(report.0["partitions"], n);
        let last = report.records("tenant-aware")[9..].to_vec();
        assert!(total(&last) > 0 && last.len() == n - 9, "{last:?}");
    }
}

#[test]
fn a_sweep_over_a_contract_tries_its_tenants() {
    let report = simulate(POOLED, "--sweep vip-count --strategies tenant-aware");
    assert_eq!(report.0["sweep"].as_array().unwrap().len(), 11);
    assert_eq!(report.0["sweep"][8]["max_mean"], report.max_mean("tenant-aware"));
}

#[test]
fn malformed_keys_that_a_contract_sends_to_the_sticky_partition_go_there_record_by_record() {
    let rows: String = (0..4_000).map(|row| format!("nosep{},100\n", row % 10)).collect();
    let dir = TestDir::with("t.csv", format!("key,size\n{rows}"));
    dir.write("c.toml", "[topics.t]\npartitions = 6\nkey.malformed_key = \"unkeyed\"\n");
    let report = dir
        .run("simulate --trace t.csv --key-field key --bytes-field size --config c.toml --format json")
        .report();
    let records = report.records("tenant-aware");
    assert!(records.iter().all(|&records| records > 0), "400,000 bytes are 24 stays of 16 KiB: {records:?}");
}
