//! Files that are no contract, and contracts that do not fit. Every rule is tested in `partitioner`; here, that the
//! program says file, line, column and key.

use crate::harness::TestDir;

const TOPIC: &str = "[topics.orders]\npartitions = 12\nvip_count = 3\nvip.tenants = [\"tenant-mega\"]\n";

#[track_caller]
fn refused(contract: impl AsRef<[u8]>, parts: &[&str]) {
    let dir = TestDir::with("c.toml", contract);
    dir.run("simulate --profile multitenant --config c.toml").refused(parts);
}

#[test]
fn an_unknown_key() {
    refused("[topics.t]\nvip_cuont = 3\n", &["c.toml:2:1", "`vip_cuont`", "did you mean `vip_count`?"]);
    refused("[topisc.t]\n", &["c.toml:1:2", "`topisc`", "did you mean `topics`?"]);
}

#[test]
fn a_wrong_type() {
    refused("[topics.t]\npartitions = \"12\"\n", &["c.toml:2:14", "string \"12\""]);
    refused("[topics.t]\nvip.tenants = \"a\"\n", &["c.toml:2:15", "string \"a\""]);
}

#[test]
fn a_slot_out_of_range_or_owned_twice() {
    let moved = |slots: &str| format!("{TOPIC}vip.moved = {slots}\n");
    refused(moved("[[192, 0]]"), &["c.toml:5:13", "topics.orders.vip.moved", "slot 192", "slots 0 to 191"]);
    refused(moved("[[5, 1], [5, 2]]"), &["c.toml:5:13", "slot 5 is given an owner twice"]);
    refused(
        moved("[[5, 9]]"),
        &["c.toml:5:13", "slot 5", "partition 9", "pool 0..3", "isolation = \"shared\""],
    );
}

#[test]
fn pools_without_room() {
    let vip = |count: u32| TOPIC.replace("vip_count = 3", &format!("vip_count = {count}"));
    for count in [0, 12, 13] {
        refused(vip(count), &["c.toml:3:13", "topics.orders.vip_count", &format!("{count} partitions")]);
    }
    refused(TOPIC.replace("12", "0"), &["c.toml:2:14", "0 partitions; expected 1 to 1000000"]);
    refused(TOPIC.replace("12", "1000000000"), &["1000000000 partitions; expected 1 to 1000000"]);
}

#[test]
fn bytes_that_are_not_utf8() {
    refused(b"[topics.t]\n# \xff\n", &["c.toml", "byte 13 is not UTF-8"]);
}

#[test]
fn a_directory_or_nothing() {
    let dir = TestDir::new();
    let with = |path: &str| dir.run(&format!("simulate --profile article --config {path}"));
    with(".").refused(&["--config .", "is a directory; expected a TOML file"]);
    with("missing.toml").refused(&["--config missing.toml", "cannot be read", "No such file"]);
}

#[test]
fn no_topic_or_not_the_one_asked_for() {
    refused("", &["c.toml", "has no topic", "[topics.\"*\"]"]);
    let dir = TestDir::with("c.toml", format!("{TOPIC}[topics.\"pay-*\"]\npartitions = 3\n"));
    let with = |topic: &str| dir.run(&format!("simulate --profile multitenant --config c.toml {topic}"));
    with("").refused(&["\"orders\", \"pay-*\"", "--topic"]);
    with("--topic order").refused(&["--topic \"order\"", "c.toml", "\"orders\", \"pay-*\""]);
    dir.run("simulate --profile article --topic orders").refused(&["--config <PATH>"]);
}

#[test]
fn a_topic_that_the_contract_refuses() {
    let dir = TestDir::with("c.toml", TOPIC);
    let with = |n: u32| dir.run(&format!("simulate --profile multitenant --config c.toml --partitions {n}"));
    with(6).refused(&["--partitions 6", "for 12 partitions", "use 12 or more"]);
    dir.write("c.toml", format!("{TOPIC}on_growth = \"reject\"\n"));
    with(24).refused(&["--partitions 24", "for 12 partitions", "on_growth"]);
    with(12).ok();
}

#[test]
fn what_the_contract_decides_cannot_be_given_twice() {
    let dir = TestDir::with("c.toml", TOPIC);
    let with = |flag: &str| dir.run(&format!("simulate --profile multitenant --config c.toml {flag}"));
    with("--vip tenant-mega").refused(&["'--config <PATH>'", "'--vip <TENANT,...>'"]);
    with("--vip-count 3").refused(&["'--config <PATH>'", "'--vip-count <N>'"]);
    dir.write("c.toml", format!("{TOPIC}vip.moved = [[0, 1]]\n"));
    with("--sweep vip-count").refused(&["--sweep vip-count", "moved slots", "remove them"]);
    dir.write("c.toml", "[topics.t]\npartitions = 12\n");
    with("--sweep vip-count").refused(&["--sweep vip-count", "needs a contract with vip_count"]);
}
