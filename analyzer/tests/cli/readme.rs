//! What the README of the repository shows is what the program prints.

use std::fs;
use std::path::Path;

use crate::harness::Analyzer;

/// Each block behind a comment that names its command; what was left out stands as a line of "…".
#[test]
fn the_reports_in_the_readme_are_real_ones() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let blocks: Vec<_> = readme.split("<!-- COLUMNS=96 analyzer ").skip(1).collect();
    assert_eq!(blocks.len(), 2, "a simulation and a tuning");
    for block in blocks {
        let (words, rest) = block.split_once(" -->\n```text\n").unwrap();
        let (shown, _) = rest.split_once("```").unwrap();
        let done = Analyzer::new(words).env("COLUMNS", "96").run().ok();
        let printed: Vec<_> = done.stdout.lines().collect();
        for line in shown.lines().filter(|line| line.trim() != "…") {
            assert!(printed.contains(&line), "not printed by `analyzer {words}`: {line}");
        }
    }
}
