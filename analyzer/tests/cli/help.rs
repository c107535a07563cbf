//! Help and what is answered to a typing error. The pages are kept in `testdata/help/`, so that a change of an argument
//! shows in review as a change of its page; `UPDATE_GOLDEN=1 cargo test -p analyzer --test cli help` rewrites them.

use std::fs;
use std::path::Path;

use crate::harness::{Analyzer, run};

/// Compares with the page of that name. clap leaves blanks at line ends, which editors remove.
fn check_page(name: &str, words: &str) {
    let done = run(words).ok();
    let printed: String = done.stdout.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/help").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &printed).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    done.check(kept == printed, &format!("the page {}; UPDATE_GOLDEN=1 rewrites it", path.display()));
}

#[test]
fn pages_are_as_kept() {
    check_page("analyzer.txt", "--help");
    check_page("simulate.txt", "simulate --help");
    check_page("simulate-short.txt", "simulate -h");
    check_page("tune.txt", "tune --help");
    check_page("tune-short.txt", "tune -h");
    check_page("verify.txt", "verify --help");
    check_page("verify-short.txt", "verify -h");
    check_page("compare.txt", "compare --help");
    check_page("profiles.txt", "profiles --help");
}

#[test]
fn help_lists_every_strategy_and_metric() {
    let page = run("simulate --help").ok();
    for entry in analyzer::strategy::Entry::all() {
        page.check(page.stdout.contains(entry.name), entry.name);
    }
    for metric in analyzer::gate::Limit::metric_names() {
        page.check(page.stdout.contains(metric), metric);
    }
}

#[test]
fn help_of_a_command_is_the_same_by_both_ways() {
    assert_eq!(run("help simulate").ok().stdout, run("simulate --help").ok().stdout);
}

#[test]
fn version_is_that_of_the_package() {
    for flag in ["--version", "-V"] {
        assert_eq!(run(flag).ok().stdout, format!("analyzer {}\n", env!("CARGO_PKG_VERSION")));
    }
}

#[test]
fn without_arguments_the_help_is_printed_as_an_error() {
    let done = run("").code(2);
    done.check(done.stdout.is_empty(), "nothing on stdout");
    done.check(done.stderr.contains("Usage: analyzer <COMMAND>"), "the usage on stderr");
}

#[test]
fn typing_errors_get_the_nearest_name() {
    run("simulte --profile zipf").refused(&["'simulte'", "'simulate'"]);
    run("simulate --profle zipf").refused(&["'--profle'", "'--profile'"]);
    run("simulate --profile zipf --vip-cont 3").refused(&["'--vip-cont'", "'--vip-count'"]);
    run("simulate --profile zipf --sweep vipcount").refused(&["'vipcount'", "'vip-count'"]);
    run("simulate --profile zipf --format jsn").refused(&["'jsn'", "text, json, csv, markdown, html"]);
    run("simulate --profile zipf --color sometimes").refused(&["'sometimes'", "auto, always, never"]);
    run("simulate --trace x --trace-format cvs").refused(&["'cvs'", "csv, tsv, jsonl"]);
}

#[test]
fn examples_of_the_help_can_be_pasted() {
    // At the narrowest width too, no example line is wrapped.
    let page = Analyzer::new("simulate --help").env("COLUMNS", "100").run().ok();
    page.prints(&["--entity-field tailnum \\\n      --vip UA,B6,EV --partitions 24\n"]);
    let page = Analyzer::new("verify --help").env("COLUMNS", "100").run().ok();
    page.prints(&[
        "  analyzer verify --brokers localhost:9092 --topic market-updates --partitions 6 --profile ticker\n",
    ]);
}
