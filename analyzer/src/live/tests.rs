//! Runs on a mock cluster whose prediction, or whose records, are not as they should be.

use std::sync::Arc;

use partitioner::contract::Contract;
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::key::KeyFormat;
use partitioner::route::Record;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use super::mark::Mark;
use super::*;
use crate::workload::key_book::{KeyBook, Limits};
use crate::workload::profile::Profile;

const CONTRACT: &str = "[topics.t]\npartitions = 6\nvip_count = 4\nvip.tenants = [\"tenant-mega\"]\n";

/// The article's 1,000 records: the mega tenant's keys and 100 others.
fn book() -> KeyBook {
    KeyBook::of_profile(&Profile::load("article").unwrap(), KeyFormat::default(), Limits::default())
}

/// Every key twice.
fn keys(book: &KeyBook) -> Vec<u32> {
    let count = u32::try_from(book.key_count()).unwrap();
    (0..count).chain(0..count).collect()
}

/// Where a contract places the keys.
fn placed(contract: &str, book: &KeyBook) -> Vec<PartitionIndex> {
    let contract: Contract = contract.parse().unwrap();
    let router = contract.topic("t").unwrap().router(0).unwrap();
    let mut key = Vec::new();
    let place = |number| {
        book.write_key(number, &mut key).unwrap();
        router.route(&Record::keyed(&key), PartitionCount::new(6).unwrap()).unwrap().partition
    };
    (0..u32::try_from(book.key_count()).unwrap()).map(place).collect()
}

/// Runs the keyed phase under `contract` and compares with `expected`; `meddle` may write before the end is read.
fn tally(
    contract: &str,
    book: &KeyBook,
    expected: &[Expected],
    meddle: impl FnOnce(&str, &RunId),
) -> (Tally, AtEnd) {
    let contract: Contract = contract.parse().unwrap();
    let run = RunId::random().unwrap();
    let connection =
        Connection::new(Address::Mock, &[], &contract, &run, 30, Arc::new(|_: &str| {})).unwrap();
    let count = PartitionCount::new(6).unwrap();
    let interruption = Interruption::noted().unwrap();
    let options = NewTopicOptions { count, replication_factor: None };
    let topic = LiveTopic::create(&connection, "t", options, &interruption).unwrap();
    let keys = keys(book);
    let ledgers = [&keys[..], &[]].map(|keys| Ledger::new(keys, expected, Expected::Refused));
    let mut trip = RoundTrip::new(&topic, &contract, 1, &run, book, ledgers, &interruption).unwrap();
    trip.run(Phase::Keyed, &|_| {}).unwrap();
    meddle(&connection.mock.as_ref().unwrap().bootstrap_servers(), &run);
    let ([keyed, _], at_end) = trip.finish().unwrap();
    (keyed.close(), at_end)
}

fn at(partitions: &[PartitionIndex]) -> Vec<Expected> {
    partitions.iter().copied().map(Expected::At).collect()
}

#[test]
fn a_producer_under_another_contract_is_found_out_key_by_key() {
    let book = book();
    let (predicted, real) = (placed(CONTRACT, &book), CONTRACT.replace("vip_count = 4", "vip_count = 3"));
    let moved =
        predicted.iter().zip(placed(&real, &book)).filter(|(before, after)| **before != *after).count();
    assert!(moved > 0);
    let (tally, _) = tally(&real, &book, &at(&predicted), |_, _| {});
    assert_eq!(tally.count(MismatchKind::Misplaced), 2 * moved as u64);
    assert_eq!((tally.count(MismatchKind::Missing), tally.count(MismatchKind::OutOfOrder)), (0, 0));
    let clean = self::tally(CONTRACT, &book, &at(&predicted), |_, _| {}).0;
    assert!(clean.is_clean() && clean.read == 2 * predicted.len() as u64, "{clean:?}");
}

#[test]
fn records_that_others_write_count_only_when_they_bear_the_mark_of_the_run() {
    let book = book();
    let predicted = placed(CONTRACT, &book);
    let elsewhere = (predicted[0].as_i32() + 1) % 6;
    let meddle = |servers: &str, run: &RunId| {
        let mut config = rdkafka::ClientConfig::new();
        let producer: BaseProducer = config.set("bootstrap.servers", servers).create().unwrap();
        let mut key = Vec::new();
        book.write_key(0, &mut key).unwrap();
        let mark = |run: &str| OwnedHeaders::new().insert(Header { key: HEADER, value: Some(run) });
        let first = Mark { phase: Phase::Keyed, record: 0, sequence: 0 }.to_string();
        for (headers, value, partition) in [
            (None, first.as_str(), elsewhere),
            (Some(mark("another run")), first.as_str(), elsewhere),
            (Some(mark(run.as_str())), first.as_str(), elsewhere),
            (Some(mark(run.as_str())), "no mark", elsewhere),
        ] {
            let mut record = BaseRecord::to("t").key(&key).payload(value).partition(partition);
            record.headers = headers;
            producer.send(record).map_err(|(error, _)| error).unwrap();
        }
        producer.flush(std::time::Duration::from_secs(30)).unwrap();
    };
    let (tally, at_end) = tally(CONTRACT, &book, &at(&predicted), meddle);
    assert_eq!(at_end, AtEnd { foreign_records: 2, count: PartitionCount::new(6) });
    let counts =
        MismatchKind::ALL.map(|kind| (kind, tally.count(kind))).into_iter().filter(|(_, count)| *count > 0);
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [(MismatchKind::Misplaced, 1), (MismatchKind::Doubled, 1), (MismatchKind::Altered, 1)]
    );
}
