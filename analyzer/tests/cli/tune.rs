//! `tune`: the contract that it writes, and what it says of it.

use serde_json::Value;

use crate::harness::{Analyzer, Done, TestDir, shipped_trace};

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {}", done.stdout))
}

/// The figures of one placement: `tuned` or `judged`.
fn figures<'j>(report: &'j Value, placement: &str, part: &str) -> &'j Value {
    let placements = report["placements"].as_array().unwrap();
    &placements.iter().find(|one| one["name"] == placement).unwrap()[part]
}

/// What `simulate` makes of the written contract.
fn simulated(dir: &TestDir, traffic: &str) -> Value {
    let done =
        dir.run(&format!("simulate {traffic} --config t.toml --strategies tenant-aware --format json")).ok();
    json(&done)["strategies"][0].clone()
}

fn flights(dir: &TestDir, flags: &str) -> Done {
    let trace = shipped_trace("flights.csv.gz");
    let trace = trace.display();
    dir.run(&format!("tune --trace {trace} --tenant-field carrier --entity-field tailnum {flags}"))
}

#[test]
fn the_contract_reproduces_its_figures_in_simulate() {
    for flags in ["", "--isolation shared -n 24", "--slots off", "--vip tenant-mega,tenant-0"] {
        let dir = TestDir::new();
        let traffic = "--profile multitenant --records 100000";
        let report = json(&dir.run(&format!("tune {traffic} {flags} -o t.toml --format json")).ok());
        assert_eq!(report["contract"], dir.read("t.toml"));
        for (part, seed) in [("tuned", 42), ("judged", 43)] {
            let simulated = simulated(&dir, &format!("{traffic} --seed {seed}"));
            let tuned = figures(&report, "tuned", part);
            for figure in ["records", "max_mean", "floor", "regret"] {
                assert_eq!(tuned[figure], simulated[figure], "{flags}, {part}, {figure}");
            }
            assert_eq!(tuned["blast_radius"], simulated["blast_radius"], "{flags}, {part}");
        }
    }
}

#[test]
fn reports_follow_the_schema() {
    let schema: Value = serde_json::from_str(analyzer::report::tune::TUNE_JSON_SCHEMA).unwrap();
    jsonschema::draft202012::meta::validate(&schema).expect("the schema itself follows its draft");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let dir = TestDir::with(
        "now.toml",
        "[topics.orders]\npartitions = 12\nvip_count = 10\nvip.tenants = [\"tenant-mega\"]\n",
    );
    for flags in [
        "--profile multitenant",
        "--profile uniform --holdout none",
        "--profile multitenant --from now.toml --max-moved 1%",
        "--profile ticker --holdout 30%",
        "--profile article --slots off -n 1",
    ] {
        let records = if flags.contains("article") { "" } else { "--records 30000" };
        let report = json(&dir.run(&format!("tune {flags} {records} --format json")).ok());
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{flags}: {errors:#?}");
    }
}

#[test]
fn heavy_tenants_are_found_by_their_share_and_stand_first() {
    let rows: String = (0..9_000)
        .map(|at| {
            let tenant =
                if at % 10 == 0 { format!("small-{}", at % 70) } else { "\u{1b}[31mloud".to_owned() };
            format!("{}\n", serde_json::json!({ "t": tenant, "o": format!("o{}", at / 3) }))
        })
        .collect();
    let dir = TestDir::with("t.jsonl", rows);
    let done = dir.run("tune --trace t.jsonl --tenant-field t --entity-field o -n 12 -o c.toml").ok();
    let first: Vec<_> = done.stdout.lines().take(2).collect();
    done.check(
        first[0].starts_with("Yours to decide: 1 tenant would be kept in order by entity"),
        "the decision first",
    );
    done.check(first[1].starts_with(r"• \x1b[31mloud, 90.0 % of the records"), "the name, escaped");
    let words: Vec<_> = done.stdout.split_whitespace().collect();
    done.check(
        words.join(" ").contains("do not live long enough"),
        "orders of three records are gone at once",
    );
    let contract = dir.read("c.toml");
    assert!(contract.starts_with("# Made by: analyzer tune --trace t.jsonl"), "{contract}");
    assert!(contract.is_ascii(), "no name can leave its comment: {contract}");
    dir.run("simulate --trace t.jsonl --tenant-field t --entity-field o --config c.toml").ok();
}

#[test]
fn later_flights_are_nearly_even_under_the_contract_of_earlier_ones() {
    let dir = TestDir::new();
    let report = json(
        &flights(&dir, "--time-field time_hour -n 24 --holdout 2013-10-01T00:00:00Z --format json").ok(),
    );
    let judged = |placement| figures(&report, placement, "judged")["max_mean"].as_f64().unwrap();
    assert!(judged("tuned") <= 1.10, "{}", judged("tuned"));
    assert!((judged("compound-key") - 1.194).abs() < 0.001, "{}", judged("compound-key"));
    assert_eq!(report["traffic"]["judged_records"], 84_384);
}

#[test]
fn tenants_may_be_kept_in_order() {
    let dir = TestDir::new();
    let report = json(&flights(&dir, "-n 12 --keep-tenant-order 9E,US --format json").ok());
    let vips: Vec<_> = report["decision"]["vips"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vip| vip["name"].as_str().unwrap())
        .collect();
    assert!(!vips.is_empty() && !vips.contains(&"9E") && !vips.contains(&"US"), "{vips:?}");
    let done = flights(&dir, "-n 12 --keep-tenant-order UX").code(2);
    done.check(
        done.stderr.contains("--keep-tenant-order \"UX\": the trace has no record of this tenant"),
        "the flag",
    );
}

#[test]
fn few_slots_move_from_a_contract_that_is_there() {
    let current = "\
        [producer]\n\"linger.ms\" = 5\n\
        [topics.orders]\npartitions = 12\nvip_count = 10\nvip.tenants = [\"tenant-mega\"]\n\
        pins = [{ tenant = \"tenant-3\", partition = 11 }]\n\
        [topics.other]\npartitions = 3\n";
    let dir = TestDir::with("now.toml", current);
    let tune = "tune --profile mega-zipf --from now.toml --topic orders -o t.toml --format json";
    let report = json(&dir.run(tune).ok());
    let moved = &report["decision"]["moved"];
    assert!(moved["slots"].as_u64().unwrap() < 100, "{moved}");
    let figure = |placement, part| figures(&report, placement, part)["regret"].as_f64().unwrap();
    assert!(figure("current", "judged") > 1.5 && figure("tuned", "judged") < 1.02);
    let contract = dir.read("t.toml");
    for kept in ["linger.ms", "[topics.other]", "tenant-3"] {
        assert!(contract.contains(kept), "{kept} stays: {contract}");
    }
    let limited = json(&dir.run(&format!("{tune} --max-moved 3%")).ok());
    let share = limited["decision"]["moved"]["record_share"].as_f64().unwrap();
    assert!(share > 0.0 && share < 0.035, "{share}");
    let curve = limited["curve"].as_array().unwrap();
    assert_eq!(curve[0]["moved_slots"], 0);
    assert!(
        curve.len() > 2
            && curve[0]["tuned_max_mean"].as_f64() > curve[curve.len() - 1]["tuned_max_mean"].as_f64()
    );
}

#[test]
fn pools_that_do_not_fit_are_said_to_be_the_trouble() {
    let dir = TestDir::with(
        "now.toml",
        "[topics.t]\npartitions = 12\nvip_count = 2\nvip.tenants = [\"tenant-mega\"]\n",
    );
    let done = dir.run("tune --profile multitenant --records 50000 --from now.toml").ok();
    let words: Vec<_> = done.stdout.split_whitespace().collect();
    done.check(words.join(" ").contains("the pools themselves do not fit this traffic"), "the advice");
}

#[test]
fn the_largest_topic_is_tuned_without_slots() {
    let dir = TestDir::new();
    let report = json(&dir.run("tune --profile article -n 1000000 -o t.toml --format json").ok());
    assert!(report["decision"]["slots_per_partition"].is_null());
    assert!(report["choices"].to_string().contains("slots off"), "{}", report["choices"]);
    dir.run("simulate --profile article --config t.toml --strategies tenant-aware").ok();
    let kept = dir.run("tune --profile multitenant --records 20000 --keep-tenant-order tenant-mega").ok();
    kept.check(kept.stdout.contains("none that may be spread fills half"), "why there is no VIP tenant");
}

#[test]
fn the_contract_may_go_to_standard_output() {
    let dir = TestDir::new();
    let done = dir.run("tune --profile article -o -").code(0);
    done.check(
        done.stdout.contains("[topics.\"*\"]") && !done.stdout.contains("Before and after"),
        "the contract",
    );
    done.check(done.stderr.contains("Before and after"), "the report");
    assert!(dir.names().is_empty());
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = || Analyzer::new("tune --profile ticker --records 50000 --format markdown").run().ok().stdout;
    let first = run();
    assert_eq!(first, run());
    assert!(first.contains("**Yours to decide:**"), "{first}");
}

#[test]
fn a_changed_byte_that_breaks_a_rule_is_refused_by_name() {
    let dir = TestDir::new();
    dir.run("tune --profile mega-zipf --records 50000 -o t.toml").ok();
    let contract = dir.read("t.toml");
    let slot: String = contract
        .split("moved = [")
        .nth(1)
        .unwrap()
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    for (from, to, rule) in [
        ("vip_count = 10", "vip_count = 12", "leaves none of the topic's 12 to the standard pool"),
        (format!("[{slot}, ").as_str(), "[99999, ", "slot 99999"),
        ("separator = \":\"", "separator = \"\\\\\"", "must differ"),
    ] {
        assert!(contract.contains(from), "{from}: {contract}");
        dir.write("broken.toml", contract.replacen(from, to, 1));
        let done = dir.run("simulate --profile mega-zipf --records 1000 --config broken.toml").code(2);
        done.check(done.stderr.contains(rule) && done.stderr.contains("broken.toml:"), rule);
    }
}

#[test]
fn the_least_lag_may_be_asked_for() {
    let dir = TestDir::new();
    let tune = "tune --profile multitenant --records 100000 --objective lag-p99 --service-rate 500 --arrival-rate 3000";
    let report = json(&dir.run(&format!("{tune} -n 12 --format json")).ok());
    assert!(
        figures(&report, "tenant-key", "judged")["lag_p99_ms"].is_null(),
        "mega's partition falls behind"
    );
    let lag = |placement| figures(&report, placement, "judged")["lag_p99_ms"].as_f64().unwrap();
    // 3,000 / 12 records/s of 500: ln 100 / 250 seconds at best.
    assert!(lag("tuned") >= 18.42 && lag("tuned") < 22.0, "{}", lag("tuned"));
    let done = dir.run(&format!("{tune} -n 12")).ok();
    done.check(done.stdout.contains("falls behind") && done.stdout.contains("p99 lag"), "the column");
}

#[test]
fn wrong_arguments_are_answered() {
    let dir = TestDir::with("follow.toml", "[topics.t]\npartitions = 12\non_growth = \"follow\"\n");
    for (words, answer) in [
        ("--profile multitenant --vip tenant-maga", "did you mean \"tenant-mega\"?"),
        ("--profile multitenant --max-moved 5%", "--from"),
        ("--profile multitenant --holdout 2013-10-01", "--time-field"),
        ("--profile multitenant --holdout 120%", "expected a share"),
        ("--profile multitenant --from missing.toml", "--from missing.toml: the contract cannot be read"),
        ("--profile multitenant --from follow.toml", "on_growth = \"follow\""),
        (
            "--profile multitenant --vip tenant-mega --keep-tenant-order tenant-mega",
            "kept in order by entity only",
        ),
        ("--profile multitenant --slots some", "or off"),
        ("--profile multitenant --objective lag-p99", "--service-rate"),
        ("--profile multitenant --service-rate 500", "lag-p99"),
        ("--profile multitenant --objective lag-p99 --service-rate 0", "above 0"),
    ] {
        let done = dir.run(&format!("tune {words}")).code(2);
        done.check(done.stderr.contains(answer) && done.stdout.is_empty(), answer);
    }
    dir.write("empty.csv", "t,o\n");
    let done = dir.run("tune --trace empty.csv --tenant-field t --entity-field o -o c.toml").code(2);
    done.check(done.stderr.contains("empty.csv: the trace has no records"), "the trace is named");
    assert!(!dir.path("c.toml").exists());
}

#[test]
fn a_pool_for_each_whale_keeps_them_apart() {
    let dir = TestDir::new();
    let traffic = "--profile many-whales --records 200000 -n 48";
    let tune = |flags: &str| json(&dir.run(&format!("tune {traffic} {flags} -o t.toml --format json")).ok());
    let worst = |report: &Value, part| {
        let radii = figures(report, "tuned", part)["blast_radius"].as_object().unwrap();
        radii.values().map(|radius| radius.as_f64().unwrap()).fold(0.0, f64::max)
    };
    let one = tune("--pools one");
    assert!(worst(&one, "judged") > 0.4 && one["decision"]["pools"].as_array().unwrap().len() == 1);
    let advice = one["findings"].to_string();
    assert!(advice.contains("--pools each"), "the other choice is told: {advice}");

    let each = tune("--pools each");
    let pools = each["decision"]["pools"].as_array().unwrap();
    assert!(pools.len() >= 6 && pools.len() == each["decision"]["vips"].as_array().unwrap().len());
    assert_eq!((worst(&each, "tuned"), worst(&each, "judged")), (0.0, 0.0));
    let mut end = 0;
    for (at, pool) in pools.iter().enumerate() {
        assert_eq!(pool["name"], format!("vip-{}", at + 1));
        assert_eq!(pool["tenants"].as_array().unwrap().len(), 1);
        let (from, to) = pool["range"].as_str().unwrap().split_once("..").unwrap();
        assert_eq!(from.parse::<u64>().unwrap(), end, "the ranges follow each other");
        end = to.parse().unwrap();
    }
    assert_eq!(each["decision"]["vip_count"], end);
    for (part, seed) in [("tuned", 42), ("judged", 43)] {
        let simulated = simulated(&dir, &format!("--profile many-whales --records 200000 --seed {seed}"));
        let tuned = figures(&each, "tuned", part);
        assert_eq!(tuned["records"], simulated["records"], "{part}");
        assert_eq!(tuned["blast_radius"], simulated["blast_radius"], "{part}");
    }
    let max_mean = |report| figures(report, "tuned", "tuned")["max_mean"].as_f64().unwrap();
    let auto = tune("");
    assert!(max_mean(&auto) <= max_mean(&one) * 1.011, "{} {}", max_mean(&auto), max_mean(&one));
    let both = dir.run(&format!("tune {traffic} --pools each --isolation shared")).code(2);
    both.check(both.stderr.contains("--pools each keeps VIP tenants apart"), "why not");
}

/// Four whales that fill two partitions each, and small tenants that fill the other four.
#[test]
fn pools_that_cost_nothing_are_made_unasked() {
    let rows: String = (0..24_000)
        .map(|at| {
            let tenant = if at % 3 < 2 { format!("whale-{}", at / 3 % 4) } else { format!("s{}", at % 997) };
            format!("{}\n", serde_json::json!({ "t": tenant, "o": format!("o{}", at % 5_003) }))
        })
        .collect();
    let dir = TestDir::with("t.jsonl", rows);
    let tune = "tune --trace t.jsonl --tenant-field t --entity-field o -n 12 --holdout none -o c.toml";
    let report = json(&dir.run(&format!("{tune} --format json")).ok());
    assert_eq!(report["decision"]["pools"].as_array().unwrap().len(), 4, "{}", report["decision"]);
    assert!(report["choices"].to_string().contains("--pools one"), "{}", report["choices"]);
    dir.run(&format!("{tune} --pools one")).ok();
    assert!(dir.read("c.toml").contains("vip_count = "));
}
