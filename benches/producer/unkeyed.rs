//! Records without a key: sticky under a contract beside librdkafka's own sticky choice and beside round robin.
//!
//! At a pace the figure is how many records share a produce request; as fast as can be, records a second.

use std::time::Duration;

use crate::Scale;
use crate::broker::{Broker, PARTITIONS};
use crate::contestant::{Contestant, Load, Turn, figures, rounds, under_contract, with_config};
use crate::table::Row;

const PACE_RECORDS_PER_S: u32 = 10_000;

/// What ours is compared with.
const PEERS: [&str; 2] = ["librdkafka's sticky, 10 ms", "round robin"];

/// Measures how many records share a request at a pace, on a new topic of `broker`.
pub(crate) fn rows_paced(broker: &Broker, scale: &Scale) -> anyhow::Result<Vec<Row>> {
    let interval = Duration::from_secs(1) / PACE_RECORDS_PER_S;
    let load = Load { keys: vec![None; scale.records_paced], interval };
    let measured = format!("unkeyed, {PACE_RECORDS_PER_S} records/s, {}", broker.name());
    let turns = rounds(&measured, &mut contestants(broker, "paced", &load)?, &load, scale.rounds)?;
    Ok(compare(&measured, "records/request", &turns, |turn| turn.records_per_request, [Some(1.0), Some(5.0)]))
}

/// Measures records a second as fast as can be, on a new topic of `broker`.
pub(crate) fn rows_unthrottled(broker: &Broker, scale: &Scale) -> anyhow::Result<Vec<Row>> {
    let load = Load { keys: vec![None; scale.records], interval: Duration::ZERO };
    let measured = format!("unkeyed, unthrottled, {}", broker.name());
    let turns = rounds(&measured, &mut contestants(broker, "unthrottled", &load)?, &load, scale.rounds)?;
    let mut rows = compare(&measured, "records/s", &turns, |turn| turn.records_per_s, [Some(1.0); 2]);
    rows.extend(compare(&measured, "records/request", &turns, |turn| turn.records_per_request, [None; 2]));
    Ok(rows)
}

/// Ours, then as in [`PEERS`].
fn contestants(
    broker: &Broker,
    topic: &'static str,
    load: &Load<'_>,
) -> anyhow::Result<[Box<dyn Contestant>; 3]> {
    broker.create_topic(topic)?;
    let contract = format!("[topics.{topic}]\npartitions = {PARTITIONS}");
    let mut sticky = broker.producer_config();
    sticky.set("sticky.partitioning.linger.ms", "10");
    let in_turn = (0..i32::from(PARTITIONS)).cycle().take(load.keys.len()).collect();
    Ok([
        under_contract(broker, topic, &contract)?,
        with_config(&sticky, topic, None)?,
        with_config(&broker.producer_config(), topic, Some(in_turn))?,
    ])
}

fn compare(
    measured: &str,
    unit: &'static str,
    turns: &[Vec<Turn>],
    figure: impl Fn(&Turn) -> f64,
    ratio_min: [Option<f64>; 2],
) -> Vec<Row> {
    let row = |((peer, ratio_min), theirs): ((&'static str, Option<f64>), &Vec<Turn>)| Row {
        measured: measured.to_owned(),
        unit,
        peer,
        ours: figures(&turns[0], &figure),
        theirs: figures(theirs, &figure),
        ratio_min,
    };
    PEERS.into_iter().zip(ratio_min).zip(&turns[1..]).map(row).collect()
}
