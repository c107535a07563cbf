//! Arguments that cannot be carried out: each is refused before any work, with what was expected.

use crate::harness::{TestDir, run};

#[test]
fn an_unknown_profile() {
    run("simulate --profile multitenent").refused(&["\"multitenent\"", "did you mean \"multitenant\"?"]);
    run("simulate --profile qqq").refused(&["\"qqq\"", "article, many-whales, mega-zipf", ".toml"]);
    run("profiles multitenent").refused(&["\"multitenent\"", "did you mean \"multitenant\"?"]);
}

#[test]
fn an_unknown_strategy() {
    let with = |names: &str| run(&format!("simulate --profile article --strategies {names}"));
    with("litrature").refused(&["\"litrature\"; did you mean \"literature\"?"]);
    with("literature,jump").refused(&["--strategies: \"jump\" stands twice"]);
    with("pkg,literature").refused(&["--strategies: \"pkg\" stands twice"]);
    with("tenant-awrae").refused(&["--strategies", "\"tenant-awrae\"; did you mean \"tenant-aware\"?"]);
    with("qqq").refused(&["\"qqq\". Strategies are tenant-key, tenant-key-crc32,"]);
    with("tenant-key,sticky,tenant-key").refused(&["\"tenant-key\" stands twice"]);
    with("tenant-key,").refused(&["no strategy \"\""]);
}

#[test]
fn a_strategy_that_does_not_apply() {
    let multitenant = "simulate --profile multitenant --strategies explicit-map";
    run(multitenant)
        .refused(&["--strategies explicit-map", "explicit_map of a profile, or pinned tenants of --config"]);
    let uniform = "simulate --profile uniform --strategies tenant-aware";
    run(uniform).refused(&["--strategies tenant-aware", "needs a VIP tenant (--vip)"]);
    run("simulate --profile uniform --sweep vip-count").refused(&["no VIP tenant", "--vip"]);
}

#[test]
fn a_vip_count_without_room() {
    let with = |vip_count: &str| run(&format!("simulate --profile multitenant --vip-count {vip_count}"));
    with("0").refused(&["--vip-count 0", "would be empty", "expected 1 to 11"]);
    with("12").refused(&["--vip-count 12 takes all 12 partitions", "expected 1 to 11"]);
    with("13").refused(&["--vip-count 13 is more than the topic's 12 partitions", "expected 1 to 11"]);
    for text in ["-1", "abc", "1.5", "100000000000000000000"] {
        with(text).refused(&[&format!("'{text}' for '--vip-count"), "expected a whole number from"]);
    }
    with("1 --partitions 1").refused(&["1 partition has no room for a VIP and a standard pool"]);
}

#[test]
fn a_number_of_partitions_that_no_topic_has() {
    for text in ["0", "1000000000", "100000000000000000000", "abc", "-3", "1e3", "12.0"] {
        let expected = [&*format!("'{text}' for '--partitions"), "expected a whole number from 1 to 1000000"];
        run(&format!("simulate --profile multitenant --partitions {text}")).refused(&expected);
    }
    run("simulate --profile article -n 1 --sweep vip-count")
        .refused(&["1 partition", "--partitions 2 or more"]);
    let large = "simulate --profile article -n 2049 --sweep vip-count";
    run(large).refused(&["2049 partitions", "at most 2048", "--vip-count"]);
}

#[test]
fn a_number_of_records_that_no_run_makes() {
    for text in ["0", "1000000000001", "many", "-1"] {
        let expected =
            [&*format!("'{text}' for '--records"), "expected a whole number from 1 to 1000000000000"];
        run(&format!("simulate --profile multitenant --records {text}")).refused(&expected);
    }
    run("simulate --profile article --records 7")
        .refused(&["article", "sum to 1000 records; 7 were asked for"]);
}

#[test]
fn a_seed_that_is_no_number() {
    for text in ["-1", "18446744073709551616", "seed"] {
        let expected = "expected a whole number from 0 to 18446744073709551615";
        run(&format!("simulate --profile article --seed {text}")).refused(&[text, expected]);
    }
    run("simulate --profile article --seed 18446744073709551615").ok().prints(&["18446744073709551615"]);
}

#[test]
fn an_unknown_vip_of_a_profile() {
    let mistyped = "simulate --profile multitenant --vip tenant-mgea";
    run(mistyped).refused(&["--vip \"tenant-mgea\"", "\"multitenant\"", "did you mean \"tenant-mega\"?"]);
}

#[test]
fn traffic_that_is_not_named_once() {
    run("simulate").refused(&["--profile <NAME|PATH>|--trace <PATH>"]);
    run("simulate --profile article --trace x.csv").refused(&["'--profile <NAME|PATH>'", "'--trace <PATH>'"]);
    run("simulate --trace x.csv").refused(&["--tenant-field", "--key-field"]);
    run("simulate --trace x.csv --entity-field order").refused(&["--tenant-field <FIELD>"]);
    run("simulate --trace x.csv --key-field k --tenant-field t").refused(&["--tenant-field", "--key-field"]);
    run("simulate --trace x.csv --key-field k --records 5").refused(&["--records", "--trace"]);
    let of_traces = [
        "--tenant-field t",
        "--tenant-field t --entity-field e",
        "--key-field k",
        "--bytes-field b",
        "--time-field t",
        "--trace-format csv",
        "--skip-bad-rows",
    ];
    for flags in of_traces {
        run(&format!("simulate --profile article {flags}")).refused(&["cannot be used with", "--profile"]);
    }
}

#[test]
fn an_output_that_cannot_be_written() {
    let dir = TestDir::with("file", "kept");
    dir.write("report", "kept");
    let with = |path: &str| dir.run(&format!("simulate --profile article -o {path}"));
    with("missing/report").refused(&[
        "-o missing/report",
        "the folder",
        "missing does not exist",
        "make it first",
    ]);
    with("file/report").refused(&["-o file/report", "file is not a folder"]);
    with(".").refused(&["-o .", "is a directory; name a file"]);
    assert_eq!(
        (dir.read("file"), dir.names()),
        ("kept".to_owned(), vec!["file".to_owned(), "report".to_owned()])
    );
    dir.analyzer("simulate --profile article -o").arg("").run().refused(&["--output <PATH>"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_without_room() {
    let full = "No space left on device";
    run("simulate --profile article -o /dev/full").refused(&["-o /dev/full cannot be written", full]);
    let script = "\"$ANALYZER\" simulate --profile article >/dev/full";
    let done = crate::harness::Analyzer::under("sh").arg("-c").arg(script).run();
    done.refused(&["standard output cannot be written", full]);
}
