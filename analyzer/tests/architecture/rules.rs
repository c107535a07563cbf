//! The rules themselves.

use std::fs;

use crate::source::{Source, named_below, production_sources, rooms_named, root, sources};

/// A room and the rooms that it may name, its own aside.
type Arrows = &'static [(&'static str, &'static [&'static str])];

const PARTITIONER: Arrows = &[
    ("ids", &[]),
    ("key", &[]),
    ("modulus", &[]),
    ("explain", &[]),
    ("splitmix", &[]),
    ("block_table", &["splitmix"]),
    ("name_table", &["block_table", "splitmix"]),
    ("splitter", &["key"]),
    ("placing", &["ids", "slot", "spread"]),
    ("hash", &["explain", "ids"]),
    ("spread", &["hash", "ids"]),
    ("pool", &["ids"]),
    ("sticky", &["ids", "splitmix"]),
    ("reject", &["ids", "key"]),
    ("slot", &["ids", "modulus"]),
    ("tenant", &["block_table", "ids", "name_table", "splitter"]),
    ("strategy", &["ids", "route", "spread"]),
    ("counters", &[]),
    ("observe", &["counters", "ids", "reject", "route"]),
    ("topics", &["baseline", "contract", "ids", "observe", "reject", "route", "strategy"]),
    ("cached", &["contract", "ids", "observe", "reject", "route", "topics"]),
    ("rdkafka", &["cached", "contract", "explain", "ids", "observe", "reject", "route", "topics"]),
    (
        "route",
        &[
            "hash",
            "ids",
            "key",
            "modulus",
            "name_table",
            "placing",
            "pool",
            "reject",
            "slot",
            "splitter",
            "spread",
            "sticky",
            "strategy",
            "tenant",
        ],
    ),
    ("baseline", &["hash", "ids", "key", "name_table", "route", "splitmix", "spread", "sticky", "strategy"]),
    (
        "contract",
        &[
            "explain",
            "hash",
            "ids",
            "key",
            "modulus",
            "name_table",
            "placing",
            "pool",
            "route",
            "slot",
            "splitter",
            "spread",
            "sticky",
            "tenant",
        ],
    ),
];

const ANALYZER: Arrows = &[
    ("exit", &[]),
    ("output", &[]),
    ("load", &[]),
    ("queueing", &[]),
    ("strategy", &[]),
    ("study", &["metrics", "strategy", "workload"]),
    ("workload", &["load"]),
    ("metrics", &["load", "report"]),
    ("finding", &["metrics", "report"]),
    ("report", &[]),
    ("compare", &["report"]),
    ("simulate", &["load", "report", "workload"]),
    ("live", &["workload"]),
    ("tune", &["load", "simulate", "workload"]),
    ("cli", &["gate", "report", "settings", "strategy", "tune", "workload"]),
    ("gate", &["report", "strategy"]),
    ("settings", &["cli", "compare", "gate", "load", "queueing", "report", "strategy", "tune", "workload"]),
    (
        "command",
        &[
            "finding", "live", "load", "metrics", "queueing", "report", "settings", "simulate", "strategy",
            "tune", "workload",
        ],
    ),
];

/// Rooms of `analyzer` that may name only some of another room: (room, other room, what).
const ANALYZER_PARTS: [(&str, &str, &[&str]); 5] = [
    ("metrics", "report", &["crate::report::model"]),
    ("finding", "report", &["crate::report::model", "crate::report::tune::model"]),
    (
        "compare",
        "report",
        &["crate::report::model", "crate::report::compare::model", "crate::report::display_text"],
    ),
    // Text that goes to a terminal is escaped the same way everywhere.
    ("simulate", "report", &["crate::report::display_bytes"]),
    ("live", "workload", &["crate::workload::key_book"]),
];

/// Rooms of `analyzer` that place keys, and so may name `partitioner` beyond its numbers and key formats.
const ANALYZER_ROOMS_THAT_PLACE: [&str; 6] = ["command", "live", "settings", "simulate", "strategy", "tune"];

fn fail(broken: &[String]) {
    assert!(broken.is_empty(), "{} broken:\n{}", broken.len(), broken.join("\n"));
}

/// The lines of production code that `what_is_wrong` finds fault with.
fn broken_lines(package: &str, what_is_wrong: impl Fn(&Source, &str) -> Option<String>) -> Vec<String> {
    let mut broken = Vec::new();
    for file in production_sources(package) {
        for line in file.production() {
            if let Some(wrong) = what_is_wrong(&file, &line.code) {
                broken.push(format!("{}:{}: {wrong}: {}", file.path, line.number, line.code.trim()));
            }
        }
    }
    broken
}

fn broken_arrows(package: &str, arrows: Arrows) -> Vec<String> {
    broken_lines(package, |file, code| {
        let room = file.room();
        if room == "lib" || room == "main" {
            return None;
        }
        let Some((_, allowed)) = arrows.iter().find(|(name, _)| *name == room) else {
            return Some(format!("the room {room:?} has no arrows in tests/architecture/rules.rs"));
        };
        if code.contains(&"super::".repeat(file.depth())) {
            return Some("write crate::…, so that this check sees it".to_owned());
        }
        let named = rooms_named(code);
        if code.contains("crate::{") && named.is_empty() {
            return Some("write one `use crate::…` a room".to_owned());
        }
        let wrong = named.into_iter().find(|name| *name != room && !allowed.contains(name))?;
        Some(format!("{room} may not name {wrong}"))
    })
}

#[test]
fn rooms_of_partitioner_name_only_the_rooms_below() {
    fail(&broken_arrows("partitioner", PARTITIONER));
}

#[test]
fn rooms_of_analyzer_name_only_the_rooms_below() {
    fail(&broken_arrows("analyzer", ANALYZER));
    fail(&broken_lines("analyzer", |file, code| {
        let (room, other, parts) = ANALYZER_PARTS.iter().find(|(room, ..)| *room == file.room())?;
        let names_it = rooms_named(code).contains(other);
        let is_allowed = parts.iter().any(|part| code.contains(part));
        (names_it && !is_allowed).then(|| format!("{room} may name only {} of {other}", parts.join(", ")))
    }));
}

#[test]
fn the_table_of_arrows_has_no_room_that_is_gone() {
    for (package, arrows) in [("partitioner", PARTITIONER), ("analyzer", ANALYZER)] {
        let rooms: Vec<String> =
            production_sources(package).iter().map(|file| file.room().to_owned()).collect();
        for (room, allowed) in arrows {
            for name in std::iter::once(room).chain(*allowed) {
                assert!(rooms.iter().any(|room| room == name), "{package} has no room {name:?}");
            }
        }
    }
}

#[test]
fn only_rooms_that_place_keys_name_the_partitioner() {
    fail(&broken_lines("analyzer", |file, code| {
        let room = file.room();
        let is_free = ["lib", "main"].contains(&room) || ANALYZER_ROOMS_THAT_PLACE.contains(&room);
        let harmless = ["partitioner::ids", "partitioner::key", "partitioner::explain"];
        let beyond = code.contains("partitioner::") && !harmless.iter().any(|part| code.contains(part));
        (!is_free && beyond).then(|| format!("{room} may name only {} of it", harmless.join(" and ")))
    }));
}

/// Modules of the standard library for the world outside, and what is said to those who use them in the wrong place.
const OUTSIDE: [(&str, &str); 5] = [
    ("env", "the environment"),
    ("fs", "files"),
    ("net", "the network"),
    ("process", "processes"),
    ("time", "the clock"),
];

/// What of the world outside a line touches.
fn outside(code: &str) -> Option<&'static str> {
    let modules = named_below(code, "std::");
    let (_, what) = OUTSIDE.iter().find(|(module, _)| modules.contains(module))?;
    Some(what)
}

#[test]
fn only_the_edge_touches_the_outside_world() {
    let may = [
        "analyzer/src/live/",
        "analyzer/src/main.rs",
        "analyzer/src/output.rs",
        "analyzer/src/settings",
        "analyzer/src/workload/profile/",
        "analyzer/src/workload/trace/",
    ];
    fail(&broken_lines("analyzer", |file, code| {
        // How a program ends is a number, not a process.
        if may.iter().any(|path| file.path.starts_with(path)) || code.contains("std::process::ExitCode") {
            return None;
        }
        let what = if code.contains("stdin()") { "standard input" } else { outside(code)? };
        Some(format!("{what}, outside of live, settings, workload/profile, workload/trace, output and main"))
    }));
}

#[test]
fn the_partitioner_is_pure_but_for_rdkafka() {
    fail(&broken_lines("partitioner", |file, code| {
        let what = outside(code).filter(|_| file.room() != "rdkafka")?;
        Some(format!("{what}; times, sizes and seeds are arguments"))
    }));
    fail(&broken_lines("partitioner", |file, code| {
        let names_it = code.contains("rdkafka::") && file.room() != "rdkafka" && file.room() != "lib";
        names_it.then(|| "only the room rdkafka names the crate rdkafka".to_owned())
    }));
    let randomness = ["rand::", "rand_", "getrandom", "fastrand", "RandomState", "DefaultHasher"];
    fail(&broken_lines("partitioner", |_, code| {
        let found = randomness.iter().find(|word| code.contains(*word))?;
        Some(format!("{found}; a seed is an argument"))
    }));
}

#[test]
fn only_live_names_the_kafka_client() {
    fail(&broken_lines("analyzer", |file, code| {
        let names_it = code.contains("rdkafka::") && !code.contains("partitioner::rdkafka::");
        (names_it && file.room() != "live").then(|| "only the room live names the crate rdkafka".to_owned())
    }));
}

#[test]
fn only_main_writes_to_stdout_and_stderr() {
    for package in ["partitioner", "analyzer"] {
        fail(&broken_lines(package, |file, code| {
            let writes = ["print!", "println!", "dbg!", "stdout()", "stderr()"];
            let found = writes.iter().find(|word| code.contains(*word))?;
            (file.room() != "main").then(|| format!("{found} outside of main"))
        }));
    }
}

#[test]
fn no_file_has_more_than_500_lines() {
    let packages = ["partitioner", "analyzer", "examples", "benches", "interop"];
    let long = packages.iter().flat_map(|package| sources(package)).filter_map(|file| {
        let lines = file.text.lines().count();
        (lines > 500)
            .then(|| format!("{}: {lines} lines, more than 500; find the second noun in it", file.path))
    });
    fail(&long.collect::<Vec<_>>());
}

#[test]
fn unsafe_code_is_forbidden() {
    for file in [
        "partitioner/src/lib.rs",
        "analyzer/src/lib.rs",
        "analyzer/src/main.rs",
        "interop/src/lib.rs",
        "interop/src/main.rs",
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(
            text.lines().any(|line| line == "#![forbid(unsafe_code)]"),
            "{file} does not forbid unsafe code"
        );
    }
}
