//! Traces as they come: from a pipe, compressed, with bad rows, with records without a key.

use std::fs;

use crate::harness::{Analyzer, TestDir, shipped_trace};

const FLIGHTS: &str = "--tenant-field carrier --entity-field tailnum --vip UA,B6,EV --format json";

#[test]
fn stdin_gives_the_same_report_as_the_file() {
    let flights = shipped_trace("flights.csv.gz");
    let of_file = Analyzer::new(&format!("simulate --trace {} {FLIGHTS}", flights.display())).run().report();
    assert_eq!(of_file.0["workload"]["name"], "flights.csv.gz");
    let from_stdin = Analyzer::new(&format!("simulate --trace - {FLIGHTS}"));
    let of_stdin = from_stdin.stdin(fs::read(flights).unwrap()).run().report();
    assert_eq!(of_stdin.0["workload"]["name"], "stdin");
    assert_eq!(of_stdin.without_origin(), of_file.without_origin());
}

#[test]
fn the_name_of_a_file_says_nothing_about_its_format() {
    let rows = [("acme", "1"), ("acme", "2"), ("beta", "1")];
    let csv: String = rows.iter().map(|(tenant, order)| format!("{tenant},{order}\n")).collect();
    let jsonl: String = rows
        .iter()
        .map(|(tenant, order)| format!("{{\"order\":{order},\"tenant\":\"{tenant}\"}}\n"))
        .collect();
    let dir = TestDir::with("a.jsonl", format!("tenant,order\n{csv}"));
    dir.write("b.csv", format!("tenant\torder\n{}", csv.replace(',', "\t")));
    dir.write("c.tsv", jsonl);
    let report = |name: &str| {
        let fields = "--tenant-field tenant --entity-field order --format json";
        dir.run(&format!("simulate --trace {name} {fields}")).report().without_origin()
    };
    let expected = report("a.jsonl");
    assert_eq!(expected.0["workload"]["records"], 3);
    assert_eq!(report("b.csv"), expected);
    assert_eq!(report("c.tsv"), expected);
}

#[test]
fn bad_rows_are_counted_and_reported() {
    let dir = TestDir::with("t.csv", "tenant,order\na,1\nb\na,2\nc,3,4\n");
    let words = "simulate --trace t.csv --tenant-field tenant --entity-field order --skip-bad-rows";
    dir.run(words).ok().prints(&["2 records", "2 unreadable rows skipped"]);
    let report = dir.run(&format!("{words} --format json")).report();
    let workload = &report.0["workload"];
    assert_eq!((&workload["records"], &workload["skipped_rows"]), (&2.into(), &2.into()));
    let findings = report.0["findings"].to_string();
    assert!(findings.contains("2 rows could not be read"), "{findings}");
}

#[test]
fn records_without_a_key_are_placed_too() {
    let orders = shipped_trace("orders.jsonl");
    let fields = "--key-field key --bytes-field bytes --time-field time --format json";
    let report = Analyzer::new(&format!("simulate --trace {} {fields}", orders.display())).run().report();
    let workload = &report.0["workload"];
    assert_eq!((&workload["records"], &workload["bytes"]), (&200.into(), &105_339.into()));
    for name in report.names() {
        assert_eq!(report.records(name).iter().sum::<u64>(), 200, "{name}");
    }
    // The 17 records without a key stay out of the VIP pool, which has the 125 of tenant-mega and no others.
    let vip_count = usize::try_from(report.0["vip_count"].as_u64().unwrap()).unwrap();
    let records = report.records("tenant-aware");
    assert_eq!(records[..vip_count].iter().sum::<u64>(), 125, "{records:?}");
    assert_eq!(report.strategy("tenant-aware")["blast_radius"]["tenant-mega"], 0.0);
}

#[test]
fn vips_are_chosen_by_share_and_it_is_said() {
    let dir = TestDir::with("t.csv", "tenant\na\na\na\na\nb\nc\nd\ne\nf\ng\n");
    let done = dir.run("simulate --trace t.csv --tenant-field tenant -n 3").ok();
    done.prints(&[
        "VIP        a 40.0 %",
        "those with more than 1/3 of the records",
        "(closed form; --sweep vip-count",
    ]);
}

#[test]
fn a_trace_without_sizes_has_no_bytes_rather_than_zero() {
    let dir = TestDir::with("t.csv", "tenant\na\nb\n");
    let report = dir.run("simulate --trace t.csv --tenant-field tenant --format json").report();
    assert!(report.0["workload"]["bytes"].is_null());
    assert_eq!(report.strategy("tenant-key")["bytes"].as_array().unwrap().len(), 0);
}

#[test]
fn more_keys_than_fit_are_read_twice_or_refused_with_advice() {
    let keys: String = (0..1_100_000).map(|key| format!("t{}:{key}\n", key % 5)).collect();
    let trace = format!("k\n{keys}");
    let dir = TestDir::with("t.csv", &trace);
    dir.run("simulate --trace t.csv --key-field k --strategies tenant-aware").ok().prints(&[
        "1,100,000 records",
        "entities   ≈ 1,",
        "by entity ≈ 1.00",
    ]);
    let once =
        || Analyzer::new("simulate --trace - --key-field k --strategies tenant-aware").stdin(trace.clone());
    once().run().refused(&["more than 1048576 distinct keys", "--vip", "--vip-count", "as a file"]);
    once().args(["--vip", "t0", "--vip-count", "3"]).run().ok().prints(&["VIP        t0 20.0 %"]);
}

#[test]
fn a_vip_tenant_that_comes_after_a_thousand_others_has_a_blast_radius_all_the_same() {
    let early: String = (0..1_200).map(|tenant| format!("t{tenant}\n")).collect();
    let trace = format!("tenant\n{early}{}", "late\n".repeat(100));
    let dir = TestDir::with("t.csv", &trace);
    let arguments = |path| format!("simulate --trace {path} --tenant-field tenant -n 1000 --format json");
    let report = dir.run(&arguments("t.csv")).report();
    for name in ["tenant-key", "tenant-aware", "round-robin", "sticky"] {
        let radius = &report.strategy(name)["blast_radius"]["late"];
        assert!(radius.is_number(), "{name}: {radius}");
    }
    // Read once only, strategies that look at no key were placed before anyone knew of it; unknown is not 0.
    let once = Analyzer::new(&arguments("-")).stdin(trace).run().report();
    assert!(once.strategy("round-robin")["blast_radius"]["late"].is_null());
    for name in ["tenant-key", "tenant-aware"] {
        assert_eq!(once.strategy(name)["blast_radius"], report.strategy(name)["blast_radius"], "{name}");
    }
}
