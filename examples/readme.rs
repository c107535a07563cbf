//! `README.md` shows what the examples print; `UPDATE_GOLDEN=1 cargo test -p examples` repairs it.
#![allow(clippy::unwrap_used)] // a file that is missing fails the test

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const EXAMPLES: [&str; 6] = ["route", "slots", "growth", "clients", "region_map", "mock_producer"];

/// The program that `cargo test` built beside this one.
fn program(name: &str) -> PathBuf {
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    deps.with_file_name("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

fn output(name: &str) -> String {
    let program = program(name);
    let done = Command::new(&program).output().unwrap_or_else(|error| {
        panic!("{}: {error}; `cargo test -p examples` without further options builds it", program.display())
    });
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
        .filter(|name| name != "lib" && name != "readme")
        .collect();
    names.sort();
    let mut listed = EXAMPLES;
    listed.sort_unstable();
    assert_eq!(names, listed, "a program that is not in EXAMPLES is neither run nor shown");
}
