//! `analyzer compare`: what is told, and when it fails.

use serde_json::{Value, json};

use crate::harness::{TestDir, run};

const SIMULATE: &str = "simulate --profile article --format json";

/// A folder with the report `a.json`, and `b.json`, which is the same after `edit`.
fn edited(edit: impl FnOnce(&mut Value)) -> TestDir {
    let report = run(SIMULATE).ok().stdout;
    let dir = TestDir::with("a.json", &report);
    let mut value: Value = serde_json::from_str(&report).unwrap();
    edit(&mut value);
    dir.write("b.json", value.to_string());
    dir
}

fn strategy<'a>(report: &'a mut Value, name: &str) -> &'a mut Value {
    let strategies = report["strategies"].as_array_mut().unwrap();
    strategies.iter_mut().find(|strategy| strategy["name"] == name).unwrap()
}

/// `a.json` and a `b.json` whose `figure` of `tenant-aware` is multiplied.
fn multiplied(figure: &str, factor: f64) -> TestDir {
    edited(|report| {
        let value = &mut strategy(report, "tenant-aware")[figure];
        *value = json!(value.as_f64().unwrap() * factor);
    })
}

const GATED: &str = "compare a.json b.json --fail-on-worse 5%";

#[test]
fn a_report_is_no_worse_than_itself() {
    let done = edited(|_| {}).run("compare a.json b.json --fail-on-worse 0%").ok();
    done.prints(&["0 figures better, 0 worse, "]);
}

#[test]
fn worse_by_more_than_the_limit_fails_and_says_what() {
    let done = multiplied("max_mean", 1.06).run(GATED).code(1);
    done.check(done.stderr.starts_with("above the limit: max-mean of tenant-aware is "), "the figure");
    done.check(done.stderr.contains("worse by 6.00 %, more than 5 %\n"), "by how much");
    done.check(done.stderr.lines().count() == 1, "one figure");
    done.prints(&["0 figures better, 1 worse, ", "+6.00 %  worse"]);
    multiplied("max_mean", 1.05).run(GATED).ok();
    multiplied("max_mean", 0.5).run(GATED).ok().prints(&["1 figure better, 0 worse, "]);
    multiplied("jain", 0.9).run(GATED).code(1);
    multiplied("floor", 2.0).run(GATED).ok().prints(&["changed"]);
}

#[test]
fn one_strategy_can_be_gated() {
    let dir = multiplied("gini", 2.0);
    dir.run(&format!("{GATED} --gate tenant-key")).ok();
    dir.run(&format!("{GATED} --gate tenant-aware")).code(1);
    dir.run(&format!("{GATED} --gate tenant-kye")).refused(&["did you mean \"tenant-key\"?"]);
    dir.run("compare a.json b.json --gate tenant-key").refused(&["--fail-on-worse"]);
}

#[test]
fn nothing_may_not_become_something() {
    let dir = edited(|report| {
        for radius in strategy(report, "tenant-aware")["blast_radius"].as_object_mut().unwrap().values_mut() {
            assert_eq!(*radius, json!(0.0));
            *radius = json!(0.1);
        }
    });
    let done = dir.run("compare a.json b.json --fail-on-worse 1000%").code(1);
    done.check(done.stderr.contains("went from 0 to 0.1, which no percentage allows"), "no percentage");
}

#[test]
fn what_vanished_is_no_pass() {
    let dir = edited(|report| {
        report["strategies"].as_array_mut().unwrap().retain(|strategy| strategy["name"] != "tenant-key");
    });
    dir.run(GATED).refused(&["--fail-on-worse: tenant-key is not in the report after"]);
    dir.run(&format!("{GATED} --gate tenant-key")).refused(&["not in the report after"]);
    dir.run("compare a.json b.json").ok().prints(&["Strategies only in the report before", "• tenant-key\n"]);
    let dir = edited(|report| strategy(report, "tenant-aware")["blast_radius"] = json!({}));
    dir.run(GATED).refused(&["blast-radius of ", "of tenant-aware is missing in the report after"]);
}

#[test]
fn unlike_workloads_are_said_first() {
    let dir = edited(|report| {
        report["seed"] = json!(7);
        report["workload"]["bytes"] = Value::Null;
        report["findings"] = json!([{"fact": "New here.", "value": 1.0, "advice": "Look."}]);
    });
    let done = dir.run("compare a.json b.json").ok().prints(&["• seed: 42 → 7\n", "• New here.\n"]);
    done.check(done.stdout.starts_with("The reports do not compare like with like:\n"), "the warning on top");
    let markdown = dir.run("compare a.json b.json --format markdown").ok();
    markdown.prints(&["> **The reports do not compare like with like:**\n", "> - seed: 42 → 7\n"]);
}

#[test]
fn json_and_files() {
    let dir = multiplied("cv", 1.5);
    dir.run("compare a.json b.json --format json -o out.json").ok();
    let value: Value = serde_json::from_str(&dir.read("out.json")).unwrap();
    let figures =
        value["strategies"].as_array().unwrap().iter().find(|s| s["name"] == "tenant-aware").unwrap();
    let cv = figures["figures"].as_array().unwrap().iter().find(|figure| figure["name"] == "cv").unwrap();
    assert_eq!(cv["verdict"], "worse");
    assert!((cv["change"].as_f64().unwrap() - 0.5).abs() < 1e-9);
    let schema: Value = serde_json::from_str(analyzer::report::compare::COMPARE_JSON_SCHEMA).unwrap();
    assert!(jsonschema::is_valid(&schema, &value));
}

#[test]
fn one_report_may_come_from_standard_input() {
    let dir = edited(|_| {});
    let piped = dir.analyzer("compare a.json -").stdin(dir.read("b.json")).run().ok();
    assert_eq!(piped.stdout, dir.run("compare a.json b.json").ok().stdout);
    dir.run("compare - -").refused(&["one standard input"]);
}

#[test]
fn what_is_no_report_is_refused_with_its_place() {
    let dir = edited(|report| {
        strategy(report, "tenant-aware").as_object_mut().unwrap().remove("regret");
    });
    dir.run("compare a.json b.json").refused(&[
        "b.json: expected a report of `analyzer simulate",
        "`regret`",
        "line 1 column",
    ]);
    for (text, parts) in [
        ("", vec!["begins with {"]),
        ("[1]", vec!["begins with {"]),
        ("{\"a\": 1}", vec!["no schema_version"]),
        ("{\"schema_version\": 2}", vec!["schema_version is 2; this analyzer reads 1"]),
        ("{\"schema_version\": 1}", vec!["missing field `command`"]),
        ("{\n\"schema_version\": 1,,}", vec!["line 2 column"]),
    ] {
        dir.write("b.json", text);
        dir.run("compare a.json b.json").refused(&parts);
    }
    dir.run("compare a.json none.json").refused(&["none.json: the report cannot be read"]);
    for limit in ["5", "0.05", "nan%", "-1%"] {
        dir.run(&format!("compare a.json a.json --fail-on-worse {limit}")).refused(&["such as 5%"]);
    }
}

#[test]
fn keys_that_are_not_known_and_absent_figures_are_no_errors() {
    let dir = edited(|report| {
        strategy(report, "tenant-aware")["lag"] = json!({"p99": 1});
        strategy(report, "tenant-aware").as_object_mut().unwrap().remove("bytes_max_mean");
        report.as_object_mut().unwrap().remove("vip_count");
    });
    dir.run("compare a.json b.json").ok().prints(&["vanished\n"]);
    dir.run("compare b.json a.json").ok().prints(&["appeared\n"]);
    dir.run("compare b.json a.json --fail-on-worse 5%").refused(&["missing in the report before"]);
}
