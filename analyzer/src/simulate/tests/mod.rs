//! Simulations against a model that routes every record by itself and counts in maps.

mod failing;
mod limits;
mod model;
mod profiles;
mod traces;

use partitioner::contract::{Contract, TopicContract};
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::strategy::Strategy;

use super::traffic::Batch;
use super::{Lane, Lanes, Replay};
use crate::strategy::{Entry, Ingredients};
use crate::workload::key_book::{Columns, KeyBook, Limits};
use crate::workload::trace::{RowKey, TraceBatch, TraceRow};

const PARTITIONS: u32 = 6;

fn six() -> PartitionCount {
    PartitionCount::new(PARTITIONS).unwrap()
}

/// Contracts that differ in what they do with keys that are null, empty or malformed, and in who is VIP.
const CONTRACTS: [&str; 5] = [
    "partitions = 6\nvip_count = 4\nvip.tenants = [\"acme\"]",
    "vip_count = 2\nvip.tenants = [\"a*\"]\nkey.empty_key = \"unkeyed\"\nkey.malformed_key = \"unkeyed\"\n\
     unkeyed.sticky_bytes = 700\nunkeyed.sticky_ms = 0",
    "partitions = 5\nvip_count = 1\nvip.tenants = [\"b\"]\nkey.null_key = \"reject\"\nkey.empty_key = \"hash\"\n\
     key.malformed_key = \"reject\"",
    "partitions = 6\nvip_count = 3\nvip.tenants = [\"acme\", \"a:b\"]\nkey.malformed_key = \"hash\"\n\
     pins = [{ key = \"acme:1\", partition = 2 }, { tenant = \"acme-eu\", partition = 5 }]",
    "partitions = 6\nvip_count = 3\nvip.tenants = [\"acme\"]\nvip.spread = \"tenant\"\nstandard.spread = \"entity\"",
];

fn contract(at: usize) -> TopicContract {
    let text = format!("[topics.t]\n{}\n", CONTRACTS[at]);
    let contract: Contract = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    contract.topic("t").unwrap().clone()
}

/// Every strategy, made anew: they have state.
fn strategies(contract: &TopicContract) -> Vec<(&'static str, Box<dyn Strategy>)> {
    let map = [(b"acme".to_vec(), PartitionIndex::new(3)), (b"".to_vec(), PartitionIndex::new(0))];
    let from = Ingredients { seed: 7, format: KeyFormat::default(), contract: Some(contract), map: &map };
    Entry::all().map(|entry| (entry.name, entry.build(&from).unwrap().unwrap())).collect()
}

/// A lane for each strategy, with rows for all tenants.
fn lanes(contract: &TopicContract) -> Lanes {
    let lanes = strategies(contract).into_iter().map(|(_, strategy)| Lane::new(strategy, six(), 1_000));
    let (by_key, walking): (_, Vec<_>) = lanes.partition(|lane| lane.strategy().is_consistent());
    let (sequence, keyed) = walking.into_iter().partition(|lane| lane.strategy().ignores_keys());
    Lanes { sequence, keyed, by_key: Some(by_key) }
}

/// The lanes with the names of their strategies, in the order of [`strategies`].
fn named<'l>(contract: &TopicContract, lanes: &'l Lanes) -> Vec<(&'static str, &'l Lane)> {
    let (mut sequence, mut keyed) = (lanes.sequence.iter(), lanes.keyed.iter());
    let mut by_key = lanes.by_key.iter().flatten();
    let of = strategies(contract).into_iter().map(|(name, strategy)| {
        let next = match (strategy.is_consistent(), strategy.ignores_keys()) {
            (true, _) => by_key.next(),
            (false, true) => sequence.next(),
            (false, false) => keyed.next(),
        };
        (name, next.unwrap())
    });
    of.collect()
}

/// A row of a trace that has whole keys.
#[derive(Clone, Debug)]
struct Row {
    key: Option<Vec<u8>>,
    size_bytes: u32,
    now_us: u64,
}

fn batch(rows: &[Row]) -> Batch {
    let mut batch = TraceBatch::new();
    for row in rows {
        let key = row.key.as_deref().map_or(RowKey::Null, RowKey::Key);
        let time_us = Some(i64::try_from(row.now_us).unwrap());
        batch.push(&TraceRow { key, bytes: Some(row.size_bytes), time_us });
    }
    Batch::Trace(Box::new(batch))
}

/// Replays rows in batches of `batch_rows`.
fn replay(rows: &[Row], batch_rows: usize, limits: Limits, contract: &TopicContract) -> (Replay, Lanes) {
    let book = KeyBook::of_trace(KeyFormat::default(), &[], limits).with_malformed_loose();
    let (mut replay, mut lanes, mut columns) = (Replay::new(book), lanes(contract), Columns::default());
    for rows in rows.chunks(batch_rows) {
        replay.number(&batch(rows), &mut columns).unwrap();
        let block = replay.with_keys(&columns).unwrap();
        lanes.keyed.iter_mut().for_each(|lane| lane.walk_keyed(&block));
        replay.count(&columns, lanes.by_key.as_deref_mut()).unwrap();
        lanes.sequence.iter_mut().for_each(|lane| lane.walk(&columns));
    }
    replay.finish(lanes.by_key.as_deref_mut()).unwrap();
    (replay, lanes)
}
