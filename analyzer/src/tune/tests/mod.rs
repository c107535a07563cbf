//! Tuning against slower and plainer ways to the same figures.

mod exhaustive;
mod holdout;
mod placement;

use std::fmt::Write;

use partitioner::contract::{Contract, TopicContract};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::key::KeyFormat;
use partitioner::route::Record;

use super::tally::{Holdout, Position, Tally};
use super::units::Units;
use crate::simulate::{Traffic, pass};
use crate::workload::key_book::{KeyBook, Limits};
use crate::workload::profile::{Profile, ProfileTraffic};
use crate::workload::trace::{TraceFields, TraceOptions, TraceReader};

/// Keys of a trace, in order; `None` is a record without one.
type Keys = Vec<Option<String>>;

fn count(partitions: u32) -> PartitionCount {
    PartitionCount::new(partitions).unwrap()
}

/// Counts keys as `tune` does.
fn counted(keys: &Keys, holdout: Holdout, limits: Limits) -> (Tally, KeyBook) {
    let tally = Tally::new(KeyHash::Murmur2, Position::Order, holdout, None);
    counted_by(tally, keys, limits)
}

fn counted_by(mut tally: Tally, keys: &Keys, limits: Limits) -> (Tally, KeyBook) {
    let mut text = String::new();
    for key in keys {
        writeln!(text, "{}", serde_json::json!({ "k": key })).unwrap();
    }
    let fields = TraceFields { key: Some("k".to_owned()), ..TraceFields::default() };
    let options = TraceOptions { fields, ..TraceOptions::default() };
    let reader = TraceReader::from_reader("keys", std::io::Cursor::new(text), options).unwrap();
    let mut book = KeyBook::of_trace(KeyFormat::default(), &[], limits);
    let traffic = Traffic::Trace(Box::new(reader));
    pass(traffic, &mut book, &|_| {}, &mut |book, columns| tally.take(book, columns)).unwrap();
    (tally, book)
}

fn units(keys: &Keys, holdout: Holdout) -> (Units, KeyBook) {
    let (tally, book) = counted(keys, holdout, Limits::default());
    (Units::new(&tally, &book, KeyHash::Murmur2), book)
}

/// A profile's records, judged on another seed.
fn profile_units(name: &str, records: u64, seed: u64) -> (Units, KeyBook) {
    let profile = Profile::load(name).unwrap();
    let mut book = KeyBook::of_profile(&profile, KeyFormat::default(), Limits::default());
    let mut tally = Tally::new(KeyHash::Murmur2, Position::Order, Holdout::None, Some(records));
    for seed in [seed, seed + 1] {
        let traffic = Traffic::Profile(Box::new(ProfileTraffic::new(&profile, records, seed).unwrap()));
        pass(traffic, &mut book, &|_| {}, &mut |book, columns| tally.take(book, columns)).unwrap();
        tally.begin_later();
    }
    (Units::new(&tally, &book, KeyHash::Murmur2), book)
}

fn section(text: &str) -> TopicContract {
    let contract: Contract = text.parse().unwrap();
    contract.topics.values().next().unwrap().clone()
}

/// Records by partition as the production router places them; those without a key are left out.
fn routed<'k>(
    contract: &TopicContract,
    keys: impl Iterator<Item = &'k Option<String>>,
    n: PartitionCount,
) -> Vec<f64> {
    let router = contract.router(1).unwrap();
    let mut records = vec![0.0; n.as_usize()];
    for key in keys.flatten() {
        let route = router.route(&Record::keyed(key.as_bytes()), n).unwrap();
        records[route.partition.as_usize()] += 1.0;
    }
    records
}
