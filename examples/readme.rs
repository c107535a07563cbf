//! `README.md` shows what the examples print; `UPDATE_GOLDEN=1 cargo test -p examples` repairs it.
#![allow(clippy::unwrap_used)] // a file that is missing fails the test

#[path = "program.rs"]
mod program;

use std::fs;
use std::path::Path;

use program::{compare_with_readme, readme, run, shown};

/// Those that need nothing but themselves.
const EXAMPLES: [&str; 10] = [
    "route",
    "slots",
    "growth",
    "clients",
    "literature",
    "region_map",
    "mock_producer",
    "future_producer",
    "order_lifecycle",
    "custom_context",
];

/// Those that need a real Kafka; `kafka.rs` runs them.
const NEED_KAFKA: [&str; 2] = ["producer", "tenant_latency"];

/// Of these, those that print measurements, which the README shows of one run.
const OF_ONE_RUN: [&str; 1] = ["tenant_latency"];

/// Files of this folder that are no example.
const TESTS: [&str; 4] = ["kafka", "lib", "program", "readme"];

#[test]
fn the_readme_shows_what_every_example_prints() {
    for name in EXAMPLES {
        let done = run(name, &[], &[]);
        let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success() && stderr.is_empty(), "{name}: {}\n{stdout}{stderr}", done.status);
        compare_with_readme(name, &stdout);
    }
}

#[test]
fn the_readme_says_which_output_is_of_one_run() {
    let readme = readme();
    for name in OF_ONE_RUN {
        let [before, shown, _] = shown(&readme, name);
        assert!(!shown.is_empty(), "{name}: its output is missing");
        let section = before.rsplit("\n## ").next().unwrap();
        assert!(section.contains("one run"), "{name}: the README does not say that its output is of one run");
    }
}

#[test]
fn every_example_is_declared_and_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| !TESTS.contains(&name.as_str()))
        .collect();
    names.sort();
    let mut listed = [&EXAMPLES[..], &NEED_KAFKA].concat();
    listed.sort_unstable();
    assert_eq!(names, listed, "a program that is in neither list is neither run nor shown");
    for name in listed {
        shown(&readme(), name);
    }
}
