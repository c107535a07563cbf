//! The report for spreadsheets and data frames: one row per strategy and partition.

use serde::Serialize;

use super::error::RenderError;
use super::escape::display_text;
use super::label::{self, Pool};
use super::model::{Report, StrategyReport};

/// One line of the file; the field names are its header.
#[derive(Serialize)]
struct Line<'a> {
    strategy: &'a str,
    ordering_scope: &'a str,
    breaks_entity_order: bool,
    partition: usize,
    pool: Option<&'static str>,
    records: Option<u64>,
    bytes: Option<u64>,
    /// Of the strategy's records, 0 to 1.
    share: Option<f64>,
    /// Records over the strategy's mean.
    over_mean: Option<f64>,
    // What follows belongs to the strategy and repeats on each of its lines, so that one can filter and pivot.
    max_mean: Option<f64>,
    floor: Option<f64>,
    regret: Option<f64>,
    imbalance: Option<f64>,
    cv: Option<f64>,
    gini: Option<f64>,
    jain: Option<f64>,
    flip418: Option<f64>,
    bytes_max_mean: Option<f64>,
    cost_multiplier: Option<f64>,
    /// The worst over the VIP tenants; empty unless it is known for all of them.
    blast_radius_max: Option<f64>,
    hottest_partition: Option<usize>,
    partitions_used: u32,
    p50: u64,
    p90: u64,
    p99: u64,
    max: u64,
}

/// The loads in long form: a header, then a line per strategy × partition, in the order of the report.
///
/// `pool` is `vip` or `standard` by the report's `vip_count`, for every strategy alike, and empty without one. What is
/// missing is an empty cell, never 0. Figures are unrounded; the strategy's own repeat on each of its lines.
///
/// Names come from traffic, and a spreadsheet runs a cell that starts with `=`, `+`, `-` or `@`. Such a text gets a
/// `'` in front, at its start and behind whatever a spreadsheet may take for a separator, and so arrives as text; the
/// price is that this file does not carry such a name unchanged (JSON does). Control characters are escaped as in
/// [`display_bytes`](super::display_bytes). Figures are never touched.
///
/// # Errors
/// When the `csv` crate refuses a line, which no report is known to cause.
pub fn csv(report: &Report) -> Result<String, RenderError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for strategy in &report.strategies {
        let (name, scope) = (defused(&strategy.name), defused(&strategy.ordering_scope));
        let mut line = strategy_line(strategy, &name, &scope);
        let total: u64 = strategy.records.iter().sum();
        let partitions = usize::try_from(report.partitions).unwrap_or(usize::MAX);
        for partition in 0..partitions {
            let records = strategy.records.get(partition).copied();
            let share_of = |records: u64| (total > 0).then(|| records as f64 / total as f64);
            line.partition = partition;
            line.pool = Pool::of(partition, report.vip_count).map(Pool::name);
            line.records = records;
            line.bytes = strategy.bytes.get(partition).copied();
            line.share = records.and_then(share_of);
            line.over_mean = records.and_then(|records| {
                (total > 0).then(|| records as f64 * strategy.records.len() as f64 / total as f64)
            });
            writer.serialize(&line)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    // All that was written came from strings.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the strategy's lines have in common; the partition's own cells are still missing.
fn strategy_line<'a>(of: &StrategyReport, name: &'a str, scope: &'a str) -> Line<'a> {
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    let blast_radius: Option<Vec<f64>> = of.blast_radius.values().copied().collect();
    Line {
        strategy: name,
        ordering_scope: scope,
        breaks_entity_order: of.breaks_entity_order,
        partition: 0,
        pool: None,
        records: None,
        bytes: None,
        share: None,
        over_mean: None,
        max_mean: finite(of.skew.max_mean),
        floor: finite(of.floor),
        regret: finite(of.regret),
        imbalance: finite(of.skew.imbalance),
        cv: finite(of.skew.cv),
        gini: finite(of.skew.gini),
        jain: finite(of.skew.jain),
        flip418: finite(of.skew.flip418),
        bytes_max_mean: of.bytes_max_mean.and_then(finite),
        cost_multiplier: finite(of.cost_multiplier),
        blast_radius_max: blast_radius
            .and_then(|radii| radii.into_iter().max_by(f64::total_cmp))
            .and_then(finite),
        hottest_partition: label::hottest(&of.records).map(|(partition, _)| partition),
        partitions_used: of.partitions_used,
        p50: of.skew.percentiles.p50,
        p90: of.skew.percentiles.p90,
        p99: of.skew.percentiles.p99,
        max: of.skew.percentiles.max,
    }
}

/// `text` that no spreadsheet takes for a formula.
///
/// The start of a cell is also what follows a separator of another locale (`;`), or a quote that a careless reader
/// ends the cell at. The full-width forms are understood by some spreadsheets as well.
fn defused(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 1);
    let mut at_cell_start = true;
    for symbol in display_text(text).chars() {
        if at_cell_start && matches!(symbol, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') {
            safe.push('\'');
        }
        at_cell_start = matches!(symbol, ',' | ';' | '|' | '"') || at_cell_start && symbol == ' ';
        safe.push(symbol);
    }
    safe
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::fixture;
    use super::*;

    fn rows(report: &Report) -> Vec<BTreeMap<String, String>> {
        let text = csv(report).unwrap();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn there_is_a_line_for_every_strategy_and_partition() {
        for report in fixture::all() {
            let expected = report.strategies.len() * usize::try_from(report.partitions).unwrap();
            assert_eq!(rows(&report).len(), expected, "{}", report.workload.name);
        }
    }

    #[test]
    fn shares_and_pools_are_those_of_the_partition() {
        let report = fixture::multitenant();
        let rows = rows(&report);
        let row = &rows[9];
        assert_eq!((row["strategy"].as_str(), row["partition"].as_str()), ("tenant-key", "9"));
        assert_eq!(
            (row["records"].as_str(), row["share"].as_str(), row["pool"].as_str()),
            ("910000", "0.91", "vip")
        );
        assert_eq!((rows[10]["pool"].as_str(), row["max_mean"].as_str()), ("standard", "10.92"));
        let shares: f64 = rows[..12].iter().map(|row| row["share"].parse::<f64>().unwrap()).sum();
        assert!((shares - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_missing_is_an_empty_cell() {
        let mut report = fixture::without_bytes();
        report.strategies[0].skew.gini = f64::NAN;
        report.strategies[0].blast_radius.insert("untracked".into(), None);
        report.vip_count = None;
        let row = &rows(&report)[0];
        for column in ["bytes", "bytes_max_mean", "gini", "blast_radius_max", "pool"] {
            assert_eq!(row[column], "", "{column}");
        }
    }

    #[test]
    fn no_name_is_a_formula() {
        let cases = [
            ("tenant-key", "tenant-key"),
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
            ("\t=1", r"\x09=1"),
            ("  +1", "  '+1"),
            ("a;=1", "a;'=1"),
            ("a\",=1", "a\",'=1"),
            ("＝1", "'＝1"),
        ];
        for (name, safe) in cases {
            assert_eq!(defused(name), safe);
        }
    }

    #[test]
    fn quotes_separators_and_line_breaks_stay_inside_their_cell() {
        let mut report = fixture::multitenant();
        report.strategies[0].name = "a,\"b\"\nc".into();
        assert_eq!(rows(&report)[0]["strategy"], r#"a,"b"\x0ac"#);
    }
}
