//! Records without a key: sticky under a contract beside librdkafka's own sticky choice and beside round robin.
//!
//! At a pace the figure is how many records share a produce request; as fast as can be, records a second.

use std::time::Duration;

use crate::Scale;
use crate::broker::{Broker, PARTITIONS};
use crate::contestant::{Contestant, Load, Turn, figures, rounds, under_contract, with_config};
use crate::table::Row;

const TOPIC: &str = "unkeyed";

const CONTRACT: &str = "[topics.unkeyed]\npartitions = 12";

const PACE_RECORDS_PER_S: u32 = 10_000;

/// The peers, and the least ratios of records a request at the pace.
const PEERS: [(&str, f64); 2] = [("librdkafka's sticky, 10 ms", 1.0), ("round robin", 5.0)];

/// Measures at a pace and as fast as can be, on a new topic of `broker`.
pub(crate) fn rows(broker: &Broker, scale: &Scale) -> anyhow::Result<Vec<Row>> {
    broker.create_topic(TOPIC)?;
    let paced =
        Load { keys: vec![None; scale.records_paced], interval: Duration::from_secs(1) / PACE_RECORDS_PER_S };
    let unpaced = Load { keys: vec![None; scale.records], interval: Duration::ZERO };
    let mut contestants = contestants(broker, scale)?;
    let mut rows = Vec::new();

    let measured = format!("unkeyed, {PACE_RECORDS_PER_S} records/s, {}", broker.name());
    let turns = rounds(&measured, &mut contestants, &paced, scale.rounds)?;
    let least = |(_, least): (&str, f64)| Some(least);
    rows.extend(compare(&measured, "records/request", &turns, |turn| turn.records_per_request, least));

    let measured = format!("unkeyed, unthrottled, {}", broker.name());
    let turns = rounds(&measured, &mut contestants, &unpaced, scale.rounds)?;
    rows.extend(compare(&measured, "records/s", &turns, |turn| turn.records_per_s, |_| Some(1.0)));
    rows.extend(compare(&measured, "records/request", &turns, |turn| turn.records_per_request, |_| None));
    Ok(rows)
}

/// Ours, then as in [`PEERS`].
fn contestants(broker: &Broker, scale: &Scale) -> anyhow::Result<[Box<dyn Contestant>; 3]> {
    let mut sticky = broker.producer_config();
    sticky.set("sticky.partitioning.linger.ms", "10");
    let records = scale.records.max(scale.records_paced);
    let in_turn = (0..i32::from(PARTITIONS)).cycle().take(records).collect();
    Ok([
        under_contract(broker, TOPIC, CONTRACT)?,
        with_config(&sticky, TOPIC, None)?,
        with_config(&broker.producer_config(), TOPIC, Some(in_turn))?,
    ])
}

fn compare(
    measured: &str,
    unit: &'static str,
    turns: &[Vec<Turn>],
    figure: impl Fn(&Turn) -> f64,
    ratio_min: impl Fn((&str, f64)) -> Option<f64>,
) -> Vec<Row> {
    let row = |(peer, theirs): ((&'static str, f64), &Vec<Turn>)| Row {
        measured: measured.to_owned(),
        unit,
        peer: peer.0,
        ours: figures(&turns[0], &figure),
        theirs: figures(theirs, &figure),
        ratio_min: ratio_min(peer),
    };
    PEERS.into_iter().zip(&turns[1..]).map(row).collect()
}
