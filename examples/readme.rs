//! `README.md` shows what the examples print; `UPDATE_GOLDEN=1 cargo test -p examples` repairs it.
#![allow(clippy::unwrap_used)] // a file that is missing fails the test

use std::path::Path;
use std::{env, fs};

#[path = "program.rs"]
mod program;

/// Those that print the same each time.
const EXAMPLES: [&str; 8] = [
    "route",
    "slots",
    "growth",
    "clients",
    "region_map",
    "mock_producer",
    "order_lifecycle",
    "custom_context",
];

/// Those whose output is of one run on a real Kafka; `kafka.rs` runs them.
const OF_ONE_RUN: [&str; 1] = ["tenant_latency"];

/// Files of this folder that are no example.
const TESTS: [&str; 4] = ["kafka", "lib", "program", "readme"];

fn output(name: &str) -> String {
    let done = program::run(name, &[]);
    let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && stderr.is_empty(), "{name}: {}\n{stdout}{stderr}", done.status);
    stdout.into_owned()
}

/// The output under the command of the example `name`, and what stands before and after it.
fn shown<'t>(readme: &'t str, name: &str) -> [&'t str; 3] {
    let command = format!("$ cargo run -q -p examples --example {name}\n");
    let (before, rest) = readme.split_once(&command).unwrap_or_else(|| panic!("README.md lacks {command}"));
    let (shown, _) = rest.split_once("```").unwrap();
    let start = before.len() + command.len();
    [&readme[..start], shown, &readme[start + shown.len()..]]
}

#[test]
fn the_readme_shows_what_every_example_prints() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let mut readme = fs::read_to_string(&path).unwrap();
    for name in EXAMPLES {
        let output = output(name);
        let [before, shown, after] = shown(&readme, name);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            readme = [before, &output, after].concat();
        } else {
            assert_eq!(shown, output, "{name}: repair examples/README.md with UPDATE_GOLDEN=1");
        }
    }
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, readme).unwrap();
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
    let mut listed = [&EXAMPLES[..], &OF_ONE_RUN].concat();
    listed.sort_unstable();
    assert_eq!(names, listed, "a program that is in neither list is neither run nor shown");

    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    for name in OF_ONE_RUN {
        let [before, shown, _] = shown(&readme, name);
        assert!(!shown.is_empty(), "{name}: its output is missing");
        let section = before.rsplit("\n## ").next().unwrap();
        assert!(section.contains("one run"), "{name}: the README does not say that its output is of one run");
    }
}
