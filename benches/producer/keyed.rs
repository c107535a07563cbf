//! Records with a key: what the hook costs beside librdkafka's `murmur2_random`.
//!
//! Under the contract `whole` both place alike, record by record, so that nothing but the partitioner differs. Under the
//! contract `vip` the partitions are others; beside `murmur2_random` stands a producer that is told each record's
//! partition beforehand, the same as the contract's: what no partitioner at all would cost, with that load.

use std::time::Duration;

use anyhow::{Context, ensure};
use benches::keys::Keys;
use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::route::Record;

use crate::broker::{Broker, PARTITIONS};
use crate::contestant::{Contestant, Load, figures, rounds, under_contract, with_config};
use crate::table::Row;
use crate::{SEED, Scale, say};

const TOPIC: &str = "keyed";

/// Places as the Java client and `murmur2_random` do.
const WHOLE: &str = "[topics.keyed]\npartitions = 12\nkey.format = \"whole\"";

const VIP: &str = "[topics.keyed]\npartitions = 12\nvip_count = 10\nvip.tenants = [\"tenant-mega\"]";

/// The least ratio of records a second.
const RATIO_MIN: f64 = 0.97;

/// Measures both contracts on a new topic of `broker`.
pub(crate) fn rows(broker: &Broker, scale: &Scale) -> anyhow::Result<Vec<Row>> {
    broker.create_topic(TOPIC)?;
    let keys = Keys::of_multitenant((scale.records * broker.turn_factor()) as u64, SEED);
    let load = Load { keys: keys.iter().map(Some).collect(), interval: Duration::ZERO };
    let mut rows = Vec::new();

    let mut contestants = [under_contract(broker, TOPIC, WHOLE)?, murmur2_random(broker)?];
    rows.extend(compare("whole", &mut contestants, &load, broker, scale)?);
    let [ours, theirs] = contestants.map(|contestant| contestant.delivered());
    ensure!(ours == theirs, "the contract is to place as murmur2_random does: {ours:?}, {theirs:?}");

    let mut contestants =
        [under_contract(broker, TOPIC, VIP)?, murmur2_random(broker)?, told(broker, VIP, &load)?];
    rows.extend(compare("vip", &mut contestants, &load, broker, scale)?);
    let [ours, murmur2, theirs] = contestants.map(|contestant| contestant.delivered());
    ensure!(ours == theirs, "the router is to place as its hook does: {ours:?}, {theirs:?}");
    let (ours, murmur2) = (hottest(&ours), hottest(&murmur2));
    say(&format!(
        "hottest partition over the mean: {ours:.3} under the contract, {murmur2:.3} by murmur2_random"
    ));
    Ok(rows)
}

/// The first of `contestants` is ours.
fn compare(
    contract: &str,
    contestants: &mut [Box<dyn Contestant>],
    load: &Load<'_>,
    broker: &Broker,
    scale: &Scale,
) -> anyhow::Result<Vec<Row>> {
    let measured = format!("keyed, contract {contract}, {}", broker.name());
    let turns = rounds(&measured, contestants, load, scale.rounds)?;
    let row = |peer: usize, name: &'static str, ratio_min: Option<f64>| Row {
        measured: measured.clone(),
        unit: "records/s",
        peer: name,
        ours: figures(&turns[0], |turn| turn.records_per_s),
        theirs: figures(&turns[peer], |turn| turn.records_per_s),
        ratio_min,
    };
    let mut rows = vec![row(1, "murmur2_random", Some(RATIO_MIN))];
    if contestants.len() > 2 {
        rows.push(row(2, "partitions told", None));
    }
    Ok(rows)
}

fn murmur2_random(broker: &Broker) -> anyhow::Result<Box<dyn Contestant>> {
    let mut config = broker.producer_config();
    config.set("partitioner", "murmur2_random");
    with_config(&config, TOPIC, None)
}

/// Is told the partitions that `contract` gives.
fn told(broker: &Broker, contract: &str, load: &Load<'_>) -> anyhow::Result<Box<dyn Contestant>> {
    let contract: Contract = contract.parse()?;
    let router = contract.topics[TOPIC].router(SEED)?;
    let count = PartitionCount::new(u32::from(PARTITIONS)).context("not a partition count")?;
    let place = |&key: &Option<&[u8]>| router.route(&Record { key, ..Record::default() }, count);
    let partitions = load.keys.iter().map(|key| place(key).map(|route| route.partition.as_i32()));
    let partitions = partitions.collect::<Result<Vec<_>, _>>()?;
    with_config(&broker.producer_config(), TOPIC, Some(partitions))
}

/// The records of the hottest partition over the mean.
fn hottest(delivered: &[u64]) -> f64 {
    let (hottest, all) = (delivered.iter().max().copied().unwrap_or(0), delivered.iter().sum::<u64>());
    hottest as f64 * delivered.len() as f64 / all as f64
}
