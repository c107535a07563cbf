//! `verify` on librdkafka's own cluster, which is always at hand.

use serde_json::Value;

use crate::harness::{Report, TestDir, run};

const MOCK: &str = "verify --mock --format json";

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../../schema/verify.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// A column of the table of partitions.
pub(crate) fn column(report: &Report, name: &str) -> Vec<u64> {
    let rows = report.0["partitions"].as_array().unwrap();
    rows.iter().map(|row| row[name].as_u64().unwrap()).collect()
}

/// All was as predicted, and the report is what its schema says.
#[track_caller]
pub(crate) fn assert_passed(report: &Report) {
    let errors: Vec<_> = schema().iter_errors(&report.0).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_eq!(report.0["passed"], true, "{report:#?}");
    for phase in ["keyed", "unkeyed"] {
        for kind in ["misplaced", "out_of_order", "missing", "doubled", "altered", "refused"] {
            assert_eq!(report.0[phase][kind], 0, "{phase} {kind}");
        }
    }
    assert_eq!(column(report, "predicted"), column(report, "found"));
    assert_eq!(report.0["mismatches"], Value::Array(Vec::new()));
}

#[test]
fn a_person_reads_the_table_and_the_verdict() {
    let done = run("verify --mock --profile multitenant").ok();
    let done = done.prints(&[
        "partition  predicted  found keyed  unkeyed\n0 vip ",
        "\nall           10,000       10,000   10,000\n",
        "ok    placement  each of 10,000 records read lies where it was predicted\n",
        "ok    delivery   all of 20,000 acknowledged records were read, none twice, none altered\n",
        "none of them in a dedicated",
        "created by this run",
    ]);
    done.check(
        done.stdout.ends_with("Verified: every record is where the contract says, and in order.\n"),
        "the verdict",
    );
}

#[test]
fn what_is_predicted_is_what_simulate_says() {
    for (traffic, flags) in [
        ("--profile multitenant --records 3000 --seed 7", ""),
        ("--profile multitenant --records 3000", "-n 24 --vip tenant-mega --vip-count 5"),
        ("--profile ticker --records 3000", "--partitions 6"),
        ("--profile article", ""),
    ] {
        let report = run(&format!("{MOCK} {traffic} {flags}")).report();
        assert_passed(&report);
        let simulated =
            run(&format!("simulate {traffic} {flags} --strategies tenant-aware --format json")).report();
        assert_eq!(column(&report, "predicted"), simulated.records("tenant-aware"), "{traffic} {flags}");
        assert_eq!(report.0["vip_count"], simulated.0["vip_count"]);
    }
}

#[test]
fn without_a_vip_tenant_there_is_one_pool() {
    let report = run(&format!("{MOCK} --profile uniform --records 2000")).report();
    assert_passed(&report);
    assert_eq!(report.0["vip_count"], Value::Null);
    assert_eq!(column(&report, "predicted").iter().sum::<u64>(), 2_000);
}

#[test]
fn records_without_a_key_stay_out_of_the_vip_pool_unless_the_contract_sends_them_there() {
    let contract = "[topics.orders]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"tenant-mega\"]\n";
    for (unkeyed, pool) in [("", 4..6), ("unkeyed.pool = \"vip\"\n", 0..4)] {
        let dir = TestDir::with("c.toml", format!("{contract}{unkeyed}"));
        let report =
            dir.run(&format!("{MOCK} --profile multitenant --records 2000 --config c.toml")).report();
        assert_passed(&report);
        let found = column(&report, "unkeyed");
        assert_eq!(found[pool].iter().sum::<u64>(), 2_000, "{found:?}");
    }
}

#[test]
fn a_named_topic_is_verified_with_the_file_that_its_producers_read() {
    let contract = "\
        [topics.\"market-*\"]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"tenant-mega\"]\n\
        [topics.other]\npartitions = 3\n";
    let dir = TestDir::with("c.toml", contract);
    let words = format!("{MOCK} --profile multitenant --records 2000 --config c.toml");
    let report = dir.run(&format!("{words} --topic market-updates")).report();
    assert_passed(&report);
    assert_eq!((&report.0["topic"]["name"], &report.0["vip_count"]), (&"market-updates".into(), &4.into()));
    dir.run(&format!("{words} --topic payments")).refused(&["payments", "no section"]);
    dir.run(&words).refused(&["several sections", "--topic"]);
}

#[test]
fn null_empty_and_malformed_keys_follow_their_policies() {
    let keys = ["\"a:1\"", "null", "\"\"", "\"malformed\"", "\"tenant-mega:1\"", "\"b:2\""];
    let rows: String = (0..1_200).map(|row| format!("{{\"key\":{}}}\n", keys[row % keys.len()])).collect();
    let dir = TestDir::with("t.jsonl", rows);
    let base = "[topics.t]\npartitions = 6\nvip_count = 2\nvip.tenants = [\"tenant-mega\"]\n";
    let words = format!("{MOCK} --trace t.jsonl --key-field key --config c.toml");
    for (policies, in_pool, refused) in [
        ("", 200, 0),
        ("key.null_key = \"hash\"\n", 0, 0),
        ("key.malformed_key = \"unkeyed\"\nkey.empty_key = \"unkeyed\"\n", 600, 0),
        ("key.malformed_key = \"reject\"\nkey.empty_key = \"reject\"\n", 200, 400),
        ("key.null_key = \"reject\"\n", 0, 200),
    ] {
        dir.write("c.toml", format!("{base}{policies}"));
        let report = dir.run(&words).report();
        assert_passed(&report);
        assert_eq!(column(&report, "found_in_pool").iter().sum::<u64>(), in_pool, "{policies}");
        assert_eq!(report.0["keyed"]["refused_as_predicted"], refused, "{policies}");
        assert_eq!(report.0["keyed"]["read"], 1_200 - refused, "{policies}");
    }
    // The last contract refuses every record of the second half.
    let text = dir.run(&words.replace(" --format json", "")).ok();
    text.prints(&["; 200 were refused, as the\n", "none was written; 1,200 were refused"]);
}

#[test]
fn a_trace_is_taken_from_its_start() {
    let rows: String = (0..5_000).map(|row| format!("acme-{},o-{}\n", row % 3, row % 900)).collect();
    let dir = TestDir::with("t.csv", format!("tenant,order\n{rows}"));
    let words = format!("{MOCK} --trace t.csv --tenant-field tenant --entity-field order");
    let report = dir.run(&format!("{words} --records 1000")).report();
    assert_passed(&report);
    assert_eq!(report.0["workload"]["records"], 1_000);
    assert!(report.0["choices"].to_string().contains("the first 1,000 records of the trace"));
    let all = dir.run(&words).report();
    assert_passed(&all);
    assert_eq!((&all.0["workload"]["records"], &all.0["keyed"]["read"]), (&5_000.into(), &5_000.into()));
    assert!(!all.0["choices"].to_string().contains("the first"));
    dir.run(&format!("{words} --vip acme-9 --vip-count 2")).refused(&["acme-9", "no record of this tenant"]);
}

/// The mock cluster keeps 100,000 records a partition; what is read as it is written may be more.
#[test]
fn more_records_than_a_mock_cluster_keeps() {
    let report = run(&format!("{MOCK} --profile zipf --records 120000 -n 1")).report();
    assert_passed(&report);
    assert_eq!(column(&report, "found"), [120_000]);
}

#[test]
fn properties_are_used_and_their_values_never_shown() {
    let words = format!(
        "{MOCK} --profile article -X compression.type=zstd -X client.rack=hunter2 -Xclient.id=hunter2"
    );
    let report = run(&words).report();
    assert_passed(&report);
    let command = report.0["command"].as_str().unwrap();
    assert!(!command.contains("hunter2") && command.contains("-X 'client.rack=***'"), "{command}");
    let debugged = run(&format!("{words} -X debug=broker")).code(0);
    debugged.check(debugged.stderr.lines().count() > 10, "librdkafka's log");
    debugged.check(debugged.stderr.lines().all(|line| line.starts_with("librdkafka: ")), "only that");
    for (property, parts) in [
        ("hunter2", &["NAME=VALUE"][..]),
        ("=hunter2", &["NAME=VALUE"]),
        ("no.such=hunter2", &["no property", "no.such"]),
        ("linger.ms=hunter2", &["linger.ms"]),
        ("bootstrap.servers=hunter2", &["--brokers"]),
        ("partitioner=consistent", &["partitioner", "remove the property"]),
        ("sticky.partitioning.linger.ms=10", &["VIP pools included"]),
        ("acks=0", &["use 1 or all"]),
        ("transactional.id=hunter2", &["transactional.id"]),
    ] {
        let done = run(&format!("verify --mock --profile article -X {property}"));
        done.check(!done.stderr.contains("hunter2"), "no value of a property");
        done.refused(parts);
    }
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_written() {
    for (words, parts) in [
        ("verify --profile article", &["--brokers", "--mock"][..]),
        ("verify --mock --brokers b:1 --profile article", &["--brokers", "cannot be used with"]),
        ("verify --mock", &["--profile", "--trace"]),
        ("verify --brokers localhost:99999 --profile article", &["localhost:99999", "1 to 65535"]),
        ("verify --mock --profile article --allow-existing --topic t", &["--allow-existing"]),
        ("verify --brokers b:1 --profile article --allow-existing", &["--topic"]),
        ("verify --mock --profile article --replication-factor 1", &["--replication-factor"]),
        ("verify --brokers b:1 --profile article --replication-factor 0", &["1 to 32767"]),
        ("verify --mock --profile article --topic a/b", &["--topic", "letters and digits"]),
        ("verify --mock --profile article --topic ..", &["--topic"]),
        ("verify --mock --profile zipf --records 0", &["1 to 10000000"]),
        ("verify --mock --profile zipf --records 10000001", &["1 to 10000000"]),
        ("verify --mock --profile article --records 7", &["exact counts", "1000"]),
        ("verify --mock --profile article --timeout 0", &["1 to 3600"]),
        ("verify --mock --profile article -n 3 --vip-count 3", &["--vip-count 3", "1 to 2"]),
        ("verify --mock --profile article --format csv", &["text, json"]),
        ("verify --mock --profile nobody", &["nobody"]),
    ] {
        run(words).refused(parts);
    }
}

#[test]
fn a_broker_that_is_not_there_is_named_within_the_timeout() {
    let done = run("verify --brokers 127.0.0.1:1 --profile article --timeout 1").code(2);
    done.check(done.stdout.is_empty(), "nothing on stdout");
    for part in
        ["error: --brokers 127.0.0.1:1: no broker answered within 1 s (--timeout)", "Connection refused"]
    {
        done.check(done.stderr.contains(part), part);
    }
    let told = done.stderr.lines().filter(|line| line.starts_with("librdkafka: ")).count();
    done.check(told <= 2, "each trouble once");
}

#[test]
fn a_report_goes_to_a_file() {
    let dir = TestDir::new();
    let done = dir.run("verify --mock --profile article --format json -o report.json --cleanup").ok();
    done.check(done.stdout.is_empty(), "nothing on stdout");
    let report = Report(serde_json::from_str(&dir.read("report.json")).unwrap());
    assert_passed(&report);
    let colored = dir.run("verify --mock --profile article --color always").ok();
    colored.check(colored.stdout.contains('\u{1b}'), "colour");
}
