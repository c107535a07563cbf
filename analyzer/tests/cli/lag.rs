//! How late records are: what is asked for, what comes out, and what cannot be carried out.

use serde_json::Value;

use crate::harness::{Report, TestDir, run};

const RATES: &str = "--arrival-rate 3000 --service-rate 500";

fn lag_of<'r>(report: &'r Report, strategy: &str) -> &'r Value {
    let strategies = report.0["lag"]["strategies"].as_array().unwrap();
    strategies.iter().find(|of| of["name"] == strategy).unwrap()
}

fn class_of<'r>(report: &'r Report, strategy: &str, class: &str) -> Option<&'r Value> {
    let classes = lag_of(report, strategy)["classes"].as_array().unwrap();
    classes.iter().find(|of| of["class"] == class)
}

fn p99_ms(report: &Report, strategy: &str, class: &str) -> f64 {
    let percentiles = class_of(report, strategy, class).unwrap()["percentiles"].as_array().unwrap();
    percentiles.iter().find(|at| at["percentile"] == 99.0).unwrap()["latency_ms"].as_f64().unwrap()
}

#[test]
fn small_tenants_are_late_beside_a_large_one_and_not_apart_from_it() {
    let report =
        run(&format!("simulate --profile multitenant --records 100000 {RATES} --format json")).report();
    let late = p99_ms(&report, "tenant-key", "other tenants beside a VIP");
    let apart = p99_ms(&report, "tenant-aware", "other tenants");
    assert!(late > 1_000.0 * apart, "{late} ms beside, {apart} ms apart");
    assert!(class_of(&report, "tenant-aware", "other tenants beside a VIP").is_none(), "there are none");
}

#[test]
fn every_strategy_places_as_in_the_pass_before() {
    for strategies in ["", "--strategies literature"] {
        let words =
            format!("simulate --profile multitenant --records 50000 {RATES} --format json {strategies}");
        let report = run(&words).report();
        for name in report.names() {
            // Each partition has one server: what is hot by records is hot by work.
            let lag = lag_of(&report, name);
            let expected = report.max_mean(name) * 3_000.0 / 12.0 / 500.0;
            let utilization = lag["hottest_utilization"].as_f64().unwrap();
            assert!(
                (utilization / expected - 1.0).abs() < 1e-9,
                "{name}: {utilization}, expected {expected}"
            );
            let capacity = lag["capacity_records_per_s"].as_f64().unwrap();
            assert!((capacity * utilization / 3_000.0 - 1.0).abs() < 1e-9, "{name}: {capacity}");
            let records =
                |class| class_of(&report, name, class).map_or(0, |of| of["records"].as_u64().unwrap());
            assert_eq!(records("VIP tenants") + records("other tenants"), 50_000, "{name}");
            assert!(records("other tenants beside a VIP") <= records("other tenants"), "{name}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_lag_and_another_another() {
    let of = |more: &str| {
        let words = format!("simulate --profile multitenant --records 20000 {RATES} --format json {more}");
        run(&words).report().0["lag"].clone()
    };
    assert_eq!(of(""), of(""));
    assert_ne!(of(""), of("--seed 43"));
    assert_ne!(of(""), of("--service exponential"));
}

#[test]
fn a_trace_is_replayed_at_its_own_times_in_bytes() {
    // 1,000 bytes at 1,000 bytes/s each second: never anyone waits. The third is older than the second.
    let rows = "tenant,bytes,at\na,1000,2026-01-01T00:00:00Z\na,1000,2026-01-01T00:00:01Z\na,1000,2026-01-01T00:00:00Z\n\
                a,1000,2026-01-01T00:00:03Z\n";
    let dir = TestDir::with("t.csv", rows);
    let words = "simulate --trace t.csv --tenant-field tenant --bytes-field bytes --time-field at --strategies tenant-key \
                 --service-rate-bytes 1000 --format json";
    let report = dir.run(words).report();
    let lag = &report.0["lag"];
    assert_eq!((&lag["arrivals"], &lag["service_unit"]), (&"traced".into(), &"bytes".into()));
    assert_eq!((&lag["duration_s"], &lag["arrival_rate_records_per_s"]), (&4.0.into(), &1.0.into()));
    let strategy = lag_of(&report, "tenant-key");
    assert_eq!((&strategy["hottest_utilization"], &strategy["drain_s"]), (&1.0.into(), &1.0.into()));
    // Latencies: 1 s, 1 s, 2 s behind the second, 1 s.
    let class = &strategy["classes"][0];
    assert_eq!((&class["records"], &class["mean_ms"]), (&4.into(), &1_250.0.into()));
    let choices = report.0["choices"].as_array().unwrap();
    let told =
        choices.iter().filter_map(Value::as_str).any(|choice| choice.starts_with("1 of 4 records are older"));
    assert!(told, "{choices:?}");
}

#[test]
fn lag_is_in_text_and_markdown_and_its_json_follows_the_schema() {
    let words = format!("simulate --profile multitenant --records 20000 {RATES}");
    let parts = ["Lag", "3,000 records/s", "falls behind", "keeps up", "other tenants beside a VIP", "p99.9"];
    run(&words).ok().prints(&parts);
    run(&format!("{words} --format markdown")).ok().prints(&["### Lag", "| other tenants beside a VIP |"]);
    let report = run(&format!("{words} --format json")).report();
    let schema: Value = serde_json::from_str(analyzer::report::JSON_SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report.0).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let csv = |words: &str| run(&format!("{words} --format csv")).ok().stdout;
    assert_eq!(csv(&words), csv("simulate --profile multitenant --records 20000"), "lag is not in the CSV");
}

#[test]
fn what_cannot_be_carried_out_is_refused() {
    let profile = |more: &str| run(&format!("simulate --profile multitenant {more}"));
    profile("--service-rate 0").refused(&["--service-rate", "above 0"]);
    profile("--service-rate nan").refused(&["--service-rate", "above 0"]);
    profile("--service-rate 5 --arrival-rate -1").refused(&["--arrival-rate", "above 0"]);
    profile("--service-rate 5 --service-rate-bytes 5")
        .refused(&["--service-rate-bytes", "cannot be used with"]);
    profile("--arrival-rate 5").refused(&["--service-rate"]);
    profile("--service-rate 5 --arrival-rate 5 --arrivals traced")
        .refused(&["--arrivals traced", "leave out one"]);
    let dir = TestDir::with("t.csv", "tenant,at\na,1\nb,1\n");
    let trace = |more: &str| dir.run(&format!("simulate --trace t.csv --tenant-field tenant {more}"));
    trace("--service-rate 5").refused(&["--time-field", "--arrival-rate"]);
    trace("--service-rate 5 --arrivals poisson").refused(&["--arrivals poisson", "--arrival-rate"]);
    trace("--service-rate 5 --arrivals traced").refused(&["--arrivals traced", "--time-field"]);
    trace("--service-rate-bytes 5 --arrival-rate 5").refused(&["--service-rate-bytes", "--bytes-field"]);
    trace("--service-rate 5 --time-field at").refused(&["same time", "--arrival-rate"]);
    run("simulate --trace - --tenant-field t --service-rate 5 --arrival-rate 5")
        .refused(&["standard input", "file"]);
}

#[test]
fn distributions_go_to_files_for_the_plotter() {
    let dir = TestDir::new();
    let words = format!(
        "simulate --profile multitenant --records 20000 {RATES} --strategies tenant-key,tenant-aware"
    );
    dir.run(&format!("{words} --hgrm .")).ok();
    let files = [
        "tenant-aware.other-tenants.hgrm",
        "tenant-aware.vip-tenants.hgrm",
        "tenant-key.other-tenants-beside-a-vip.hgrm",
        "tenant-key.other-tenants.hgrm",
        "tenant-key.vip-tenants.hgrm",
    ];
    assert_eq!(dir.names(), files);
    let text = dir.read(files[1]);
    assert!(text.starts_with("       Value     Percentile TotalCount 1/(1-Percentile)\n\n"), "{text}");
    let done = dir.run(&format!("{words} --hgrm nowhere")).code(2);
    done.check(done.stderr.contains("--hgrm nowhere: there is no such folder"), "the folder is named");
}
