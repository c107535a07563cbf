//! `--fail-above` in continuous integration: pass, fail, and never a pass without a look.

use crate::harness::{TestDir, run};

const ARTICLE: &str = "simulate --profile article --format csv";

#[test]
fn a_limit_that_is_kept() {
    run(&format!("{ARTICLE} --fail-above max-mean=1.5")).ok();
    run(&format!("{ARTICLE} --fail-above max-mean=1.5 --fail-above regret=1.5 --fail-above gini=0.5")).ok();
    run(&format!("{ARTICLE} --fail-above blast-radius=0")).ok();
}

#[test]
fn a_limit_that_is_exceeded() {
    let above = run(&format!("{ARTICLE} --fail-above max-mean=1.4")).code(1);
    above.check(
        above.stderr == "above the limit: max-mean of tenant-aware is 1.4760, above 1.4\n",
        "the limit",
    );
    above.check(above.stdout == run(ARTICLE).ok().stdout, "the whole report");
    let two = run(&format!("{ARTICLE} --fail-above max-mean=2 --fail-above cv=0.01 --fail-above gini=0.01"));
    let two = two.code(1);
    two.check(
        two.stderr.lines().count() == 2 && !two.stderr.contains("max-mean"),
        "the two that are exceeded",
    );
}

#[test]
fn another_strategy() {
    let by_tenant = run(&format!("{ARTICLE} --fail-above max-mean=2 --gate tenant-key")).code(1);
    by_tenant.check(by_tenant.stderr.contains("max-mean of tenant-key is 2.8350, above 2"), "tenant-key");
    run(&format!("{ARTICLE} --fail-above max-mean=2.9 --gate tenant-key")).ok();
    run(&format!("{ARTICLE} --fail-above max-mean=2 --gate tenant-kye")).refused(&[
        "--gate",
        "\"tenant-kye\"",
        "did you mean \"tenant-key\"?",
    ]);
    run(&format!("{ARTICLE} --gate tenant-key")).refused(&["--fail-above <METRIC=N>"]);
}

#[test]
fn the_report_is_kept_when_a_limit_is_exceeded() {
    let dir = TestDir::new();
    dir.run(&format!("{ARTICLE} --fail-above max-mean=1 -o report.csv")).code(1);
    assert_eq!(dir.read("report.csv"), run(ARTICLE).ok().stdout);
}

#[test]
fn limits_that_say_nothing() {
    let with = |limit: &str| run(&format!("{ARTICLE} --fail-above {limit}"));
    with("maxmean=2").refused(&["--fail-above", "no metric \"maxmean\"; did you mean max-mean?", "regret"]);
    with("zzz=2").refused(&["no metric \"zzz\". Metrics are max-mean, regret,"]);
    with("max-mean").refused(&["METRIC=NUMBER, such as max-mean=2"]);
    for number in ["nan", "NaN", "inf", "-inf", "two", "", "1e999"] {
        with(&format!("max-mean={number}")).refused(&["--fail-above", "is not a finite number"]);
    }
}

#[test]
fn a_strategy_that_was_not_run_is_no_pass() {
    run(&format!("{ARTICLE} --fail-above max-mean=9 --strategies tenant-key,sticky"))
        .refused(&["--gate tenant-aware", "--strategies"]);
    run("simulate --profile uniform --records 5000 --fail-above max-mean=9").refused(&[
        "--fail-above",
        "tenant-aware does not apply",
        "--gate one of tenant-key",
    ]);
}

#[test]
fn a_figure_that_is_not_there_is_no_pass() {
    run("simulate --profile uniform --records 5000 --fail-above blast-radius=1 --gate tenant-key")
        .refused(&["--fail-above blast-radius=1", "needs a VIP tenant"]);
}
