//! Every format of a report, the list of profiles, and that the same seed gives the same bytes.

use serde_json::Value;

use analyzer::strategy::{Entry, Group};

use crate::harness::{Analyzer, Report, TestDir, run, shipped_trace};

#[test]
fn article_gives_the_figures_of_the_article_in_every_format() {
    run("simulate --profile article").ok().prints(&["topic      3 partitions", "945", "max/mean 2.835"]);
    run("simulate --profile article --format csv").ok().prints(&[
        "strategy,",
        "\ntenant-key,tenant,false,0,",
        ",945,",
    ]);
    run("simulate --profile article --format markdown")
        .ok()
        .prints(&["| <code>tenant-key</code> | tenant | 2.835 |"]);
    run("simulate --profile article --format html").ok().prints(&[
        "<!DOCTYPE html>",
        "945 on partition 0",
        "<strong>2.835 ×</strong>",
        "<code>analyzer simulate --profile article --format html</code>",
    ]);
    let report = run("simulate --profile article --format json").report();
    assert_eq!(report.records("tenant-key"), [945, 24, 31]);
    let workload = &report.0["workload"];
    assert_eq!((&workload["records"], &workload["tenants"]), (&1_000.into(), &101.into()));
}

#[test]
fn json_is_what_its_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../../schema/report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let flights = shipped_trace("flights.csv.gz");
    let trace = format!("--trace {} --tenant-field carrier --entity-field tailnum", flights.display());
    for traffic in ["--profile article", "--profile ticker", "--profile uniform --records 5000", &trace] {
        for sweep in ["", "--sweep vip-count"] {
            if traffic.contains("uniform") && !sweep.is_empty() {
                continue; // it has no VIP tenant
            }
            let report = run(&format!("simulate {traffic} {sweep} --format json")).report();
            let errors: Vec<_> = validator.iter_errors(&report.0).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{traffic} {sweep}: {errors:#?}");
        }
    }
}

#[test]
fn the_default_strategies_are_all_that_apply() {
    let all: Vec<_> = Entry::of(Group::Usual).map(|entry| entry.name).collect();
    assert_eq!(run("simulate --profile ticker --format json").report().names(), all);
    let uniform = run("simulate --profile uniform --records 5000 --format json").report();
    let without: Vec<_> =
        all.iter().filter(|name| !["tenant-aware", "explicit-map"].contains(name)).collect();
    assert_eq!(uniform.names().iter().collect::<Vec<_>>(), without);
    assert!(uniform.0["choices"].to_string().contains("tenant-aware left out"), "{}", uniform.0["choices"]);
}

#[test]
fn strategies_are_listed_in_the_order_asked_for() {
    let asked = "simulate --profile article --format json --strategies sticky,tenant-key";
    assert_eq!(run(asked).report().names(), ["sticky", "tenant-key"]);
}

/// Those of the literature run when they are named, by a group or one by one, and say which order they keep.
#[test]
fn literature_is_simulated_when_asked_for() {
    let asked =
        "simulate --profile multitenant --records 20000 --format json --strategies compound-key,literature";
    let report = run(asked).report();
    let literature = Entry::of(Group::Literature).map(|entry| entry.name);
    assert_eq!(report.names(), std::iter::once("compound-key").chain(literature).collect::<Vec<_>>());
    for name in report.names() {
        let keeps = ["compound-key", "jump", "rendezvous", "shuffle-shard"].contains(&name);
        let scope = if keeps { "entity" } else { "none (breaks entity order)" };
        assert_eq!(report.strategy(name)["ordering_scope"], scope, "{name}");
        assert_eq!(report.strategy(name)["breaks_entity_order"], !keeps, "{name}");
        assert_eq!(report.records(name).iter().sum::<u64>(), 20_000, "{name}");
    }
    let alone = run(&asked.replace("compound-key,literature", "pkg,tenant-key")).report();
    assert_eq!(alone.names(), ["pkg", "tenant-key"]);
    assert_eq!(alone.records("pkg"), report.records("pkg"), "whatever else is simulated");
}

/// A trace whose VIP tenants follow from its records is walked before they are known.
#[test]
fn literature_walks_a_trace_with_its_keys() {
    let trace = shipped_trace("flights.csv.gz");
    let words = format!(
        "simulate --trace {} --tenant-field carrier --entity-field tailnum --partitions 24 --strategies literature",
        trace.display()
    );
    let first = run(&words).ok();
    first.check(first.stdout == run(&words).ok().stdout, "the same bytes in a second run");
    let report = run(&format!("{words} --format json")).report();
    assert!(report.max_mean("pkg") < 1.01 && report.max_mean("w-choices") < 1.01);
    assert!(report.max_mean("bounded-loads") <= 1.26);
    assert!(report.max_mean("jump") > 1.1 && report.max_mean("rendezvous") > 1.1);
}

#[test]
fn profiles_are_listed_and_each_is_a_file_that_makes_the_same_traffic() {
    let list = run("profiles").ok().stdout;
    let names: Vec<_> = list.lines().map(|line| line.split_once("  ").unwrap().0).collect();
    let expected = [
        "article",
        "many-whales",
        "mega-zipf",
        "multitenant",
        "noisy-neighbour",
        "ticker",
        "uniform",
        "zipf",
    ];
    assert_eq!(names, expected);
    let dir = TestDir::new();
    for name in names {
        dir.write("mine.toml", run(&format!("profiles {name}")).ok().stdout);
        let simulate = |profile: &str| {
            let strategies = "--strategies tenant-key,compound-key,sticky";
            dir.run(&format!("simulate --profile {profile} {strategies} --format json")).report()
        };
        assert_eq!(simulate("mine.toml").without_origin(), simulate(name).without_origin(), "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for format in ["text", "json", "csv", "markdown", "html"] {
        let words =
            format!("simulate --profile many-whales --records 30000 --sweep vip-count --format {format}");
        let first = run(&words).ok();
        first.check(first.stdout == run(&words).ok().stdout, "the same bytes in a second run");
        let other = run(&format!("{words} --seed 43")).ok();
        other.check(other.stdout != first.stdout, "other bytes of another seed");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_processor_gives_the_same_bytes() {
    let words = "simulate --profile noisy-neighbour --records 200000 --format json";
    let on_one =
        Analyzer::under("sh").arg("-c").arg(format!("taskset -c 0 \"$ANALYZER\" {words}")).run().ok();
    on_one.check(on_one.stdout == run(words).ok().stdout, "the bytes of all processors");
}

/// Placement by seed is the same on every machine and in every release: a report that is run again must not differ.
#[test]
fn a_seed_means_the_same_for_ever() {
    let words = "simulate --profile multitenant --records 10000 --seed 7 --format json";
    let report: Report = run(words).report();
    let expected: [(&str, [u64; 12]); 4] = [
        ("tenant-key", [9108, 45, 61, 45, 166, 43, 151, 100, 84, 66, 64, 67]),
        ("tenant-aware", [872, 871, 869, 931, 889, 901, 945, 898, 897, 920, 641, 366]),
        ("random", [793, 826, 851, 836, 857, 886, 855, 789, 847, 840, 819, 801]),
        ("sticky", [797, 798, 763, 1086, 904, 756, 902, 727, 582, 868, 869, 948]),
    ];
    for (strategy, records) in expected {
        assert_eq!(report.records(strategy), records, "{strategy}");
    }
    let expected: [(&str, [u64; 12]); 5] = [
        ("bounded-loads", [872, 980, 860, 821, 715, 866, 715, 733, 672, 900, 1033, 833]),
        ("jump", [813, 814, 824, 867, 799, 848, 835, 825, 855, 829, 857, 834]),
        ("rendezvous", [813, 788, 826, 876, 857, 832, 833, 853, 832, 829, 837, 824]),
        ("shuffle-shard", [95, 51, 79, 82, 2385, 58, 105, 90, 2435, 2254, 83, 2283]),
        ("key-dropping", [826, 791, 869, 835, 887, 783, 857, 878, 825, 829, 814, 806]),
    ];
    let report = run(&format!("{words} --strategies literature")).report();
    for (strategy, records) in expected {
        assert_eq!(report.records(strategy), records, "{strategy}");
    }
}
