//! What the README of the repository shows is what the program prints.

use std::fs;
use std::path::Path;

use crate::harness::Analyzer;

#[test]
fn the_report_in_the_readme_is_a_real_one() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let (_, rest) = readme.split_once("<!-- COLUMNS=96 analyzer ").unwrap();
    let (words, rest) = rest.split_once(" -->\n```text\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let done = Analyzer::new(words).env("COLUMNS", "96").run().ok();
    let printed: Vec<_> = done.stdout.lines().collect();
    for line in shown.lines().filter(|line| line.trim() != "…") {
        assert!(printed.contains(&line), "not printed by `analyzer {words}`: {line}");
    }
}
