//! Simulations that end early: both threads end, with the error of the one that failed.

use std::io::Read;

use partitioner::key::KeyFormat;

use super::{contract, lanes};
use crate::simulate::{Lanes, Replay, SimulateError, Traffic, simulate};
use crate::workload::key_book::{KeyBook, Limits};
use crate::workload::trace::{TraceFields, TraceOptions, TraceReader};

/// Rows of many batches.
const ROWS: u32 = 100_000;

fn run(text: impl Read + Send + 'static, limits: Limits, lanes: &mut Lanes) -> Result<Replay, SimulateError> {
    let fields = TraceFields { key: Some("key".into()), ..TraceFields::default() };
    let options = TraceOptions { fields, ..TraceOptions::default() };
    let reader = TraceReader::from_reader("t.csv", text, options).unwrap();
    let book = KeyBook::of_trace(KeyFormat::default(), &[], limits);
    simulate(Traffic::Trace(Box::new(reader)), book, lanes, &|_| {})
}

fn csv() -> String {
    let rows = (0..ROWS).map(|row| format!("{row},t:{row}\n"));
    std::iter::once("at,key\n".to_owned()).chain(rows).collect()
}

#[test]
fn a_bad_row_in_the_middle_ends_the_simulation_with_its_line() {
    let text = csv() + "ragged\n" + &csv();
    let error = run(std::io::Cursor::new(text), Limits::default(), &mut lanes(&contract(0))).unwrap_err();
    assert!(error.to_string().contains(&format!("{}", ROWS + 2)), "{error}");
    assert!(!error.is_too_much());
}

#[test]
fn keys_that_do_not_fit_end_the_simulation_while_rows_are_still_read() {
    let limits = Limits { keys_max: 10, ..Limits::default() };
    let mut nowhere = Lanes::default();
    // Rows without end: the reader has to be stopped.
    let endless = std::io::Cursor::new(csv()).chain(std::io::repeat(b'\n'));
    let error = run(endless, limits, &mut nowhere).unwrap_err();
    assert!(error.is_too_much(), "{error}");
}

#[test]
fn tenants_that_do_not_fit_are_not_called_exact() {
    let limits = Limits { tenants_max: 1, ..Limits::default() };
    let text = || std::io::Cursor::new("at,key\n1,a:1\n2,b:1\n3,b:2\n");
    assert!(run(text(), limits, &mut Lanes::default()).unwrap_err().is_too_much());
    let replay = run(text(), limits, &mut lanes(&contract(0))).unwrap();
    assert!(!replay.is_exact());
    assert_eq!(replay.largest_tenant().unwrap().name, b"b");
    let heavy: Vec<_> = replay.heavy_tenants(2).into_iter().map(|unit| (unit.name, unit.records)).collect();
    assert_eq!(heavy, [(b"b".to_vec(), 2)], "though b has no number");
    assert_eq!(replay.distinct_tenants().0, 2);
}

#[test]
fn more_records_without_a_key_than_fit_are_placed_on_the_way_and_keys_stay_exact() {
    let limits = Limits { loose_max: 5, ..Limits::default() };
    let text: String = std::iter::once("key\n").chain((0..50).map(|_| "\"\"\na:1\n")).collect();
    let mut placed = lanes(&contract(0));
    let replay = run(std::io::Cursor::new(text), limits, &mut placed).unwrap();
    assert!(replay.is_exact());
    assert_eq!(replay.distinct_entities(), (2, 0.0));
    assert_eq!(replay.largest_entity().unwrap().records, 50);
    assert!(placed.by_key.unwrap().iter().all(|lane| lane.table().total().records == 100));
}
