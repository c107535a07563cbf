//! Contracts place every key where they placed it when they were first released.
//!
//! These placements are frozen: users' data depends on them. A topic holds the history of each key on the partition that
//! these files name, and producers of an older release, or of another language, go on writing there. A rule that should
//! place differently is a new rule with a new name, beside the old one; a failure here is never repaired by changing the
//! data.
//!
//! The expected partitions were computed by a slow model written from the description of the rules alone, whose hashes
//! were checked against the vectors of the real clients; they are not a record of what this crate answered.
#![allow(clippy::unwrap_used)] // test data that does not parse fails the test

use std::fs;
use std::path::{Path, PathBuf};

use partitioner::contract::Contract;
use partitioner::ids::{PartitionCount, PartitionIndex, PartitionRange};
use partitioner::route::{KeyFault, Record, Reject, Route, Router, Step};
use serde::Deserialize;

/// One file of `testdata/placements/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    about: String,
    /// Partitions of the topic, for all keys that do not give their own.
    topic: u32,
    /// The section of the topic.
    contract: String,
    keys: Vec<Placement>,
}

/// A record and what becomes of it. Exactly one of `key`, `hex` and `null` is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Placement {
    key: Option<String>,
    hex: Option<String>,
    #[serde(default)]
    null: bool,
    /// The partition that the application asks for.
    explicit: Option<u32>,
    topic: Option<u32>,

    partition: Option<u32>,
    /// For a choice that is not the key's alone: `start..end` of the partitions that it may take.
    among: Option<String>,
    step: Option<String>,
    fault: Option<String>,
    reject: Option<String>,
}

impl Placement {
    fn key(&self) -> Option<Vec<u8>> {
        match (&self.key, &self.hex, self.null) {
            (Some(text), None, false) => Some(text.clone().into_bytes()),
            (None, Some(hex), false) => {
                let pairs = (0..hex.len()).step_by(2);
                Some(pairs.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect())
            }
            (None, None, true) => None,
            _ => panic!("give one of key, hex and null: {self:?}"),
        }
    }

    /// What is expected, in the words of `answer`.
    fn expected(&self) -> String {
        match (&self.reject, self.partition, &self.among) {
            (Some(reason), None, None) => format!("refused: {reason}"),
            (None, Some(partition), None) => format!("{partition}, {}", self.decided()),
            (None, None, Some(among)) => format!("{among}, {}", self.decided()),
            _ => panic!("give one of partition, among and reject: {self:?}"),
        }
    }

    fn decided(&self) -> String {
        let fault = self.fault.as_ref().map(|fault| format!(", key {fault}")).unwrap_or_default();
        format!("by {}{fault}", self.step.as_deref().unwrap())
    }

    /// What the router says; a partition of `among` stands for all of them.
    fn answer(&self, answer: Result<Route, Reject>) -> String {
        let Route { partition, step, fault } = match answer {
            Ok(route) => route,
            Err(reject) => return format!("refused: {}", reject.reason()),
        };
        let place = match &self.among {
            Some(among) if range(among).contains(partition) => among.clone(),
            _ => partition.to_string(),
        };
        let fault = match fault {
            None => "",
            Some(KeyFault::Null) => ", key null",
            Some(KeyFault::Empty) => ", key empty",
            Some(KeyFault::Malformed) => ", key malformed",
        };
        format!("{place}, by {}{fault}", name_of(step))
    }
}

fn range(text: &str) -> PartitionRange {
    let (start, end) = text.split_once("..").unwrap();
    PartitionRange::new(start.parse().unwrap(), end.parse().unwrap()).unwrap()
}

fn name_of(step: Step) -> String {
    match step {
        Step::Explicit => "explicit".to_owned(),
        Step::PinnedKey => "pinned-key".to_owned(),
        Step::PinnedTenant => "pinned-tenant".to_owned(),
        Step::Vip(pool) => format!("pool-{}", pool.get()),
        Step::Standard => "standard".to_owned(),
        Step::Hash => "hash".to_owned(),
        Step::Turn => "turn".to_owned(),
        Step::Sticky => "sticky".to_owned(),
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/placements");
    let paths = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    files
}

/// Number of keys that were checked, and those that were placed elsewhere.
fn check(case: &Case, file: &str) -> (usize, Vec<String>) {
    let text = format!("[topics.t]\n{}", case.contract);
    let contract = Contract::from_toml(&text, file).unwrap_or_else(|error| panic!("{}: {error}", case.about));
    // A placement that depended on the seed would differ between the two.
    let routers: [Router; 2] = [1, 2].map(|seed| contract.topics["t"].router(seed).unwrap());
    let mut wrong = Vec::new();
    for placement in &case.keys {
        let key = placement.key();
        let partition = placement.explicit.map(PartitionIndex::new);
        let record = Record { partition, key: key.as_deref(), size_bytes: 100, ..Record::default() };
        let topic = PartitionCount::new(placement.topic.unwrap_or(case.topic)).unwrap();
        let expected = placement.expected();
        let mut answers = routers.iter().map(|router| placement.answer(router.route(&record, topic)));
        if let Some(answer) = answers.find(|answer| *answer != expected) {
            let shown = key.as_deref().map_or("null".to_owned(), |key| key.escape_ascii().to_string());
            wrong.push(format!(
                "{file}: {}: key {shown} of {topic} partitions\n  is     {answer}\n  was    {expected}",
                case.about
            ));
        }
    }
    (case.keys.len(), wrong)
}

#[test]
fn every_key_stays_where_it_was_first_placed() {
    let (mut checked, mut wrong) = (0, Vec::new());
    for path in files() {
        let name = path.file_name().unwrap().to_string_lossy();
        let rules: Rules = toml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for case in &rules.case {
            let (keys, elsewhere) = check(case, &name);
            checked += keys;
            wrong.extend(elsewhere);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} keys left the partition that holds their history. Do not change the data: a new rule gets a new name.\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // Files that are not found check nothing.
    assert!(checked >= 500, "only {checked} keys were checked");
}
