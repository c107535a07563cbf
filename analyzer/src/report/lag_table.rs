//! How late records are, for a terminal.

use super::model::LagReport;
use super::rows::Rows;
use super::style::{Ink, TextStyle};
use super::text::{paragraph, section};
use super::{label, number, width};

/// Columns of a strategy's name before it is cut.
const NAME_COLUMNS_MAX: usize = 22;

/// Writes whether consumers keep up under each strategy, and the latency of each class of tenants at percentiles.
pub(super) fn lag_tables(text: &mut String, lag: &LagReport, style: TextStyle) {
    section(text, "Lag", style);
    paragraph(text, Ink::Plain, "", &label::lag(lag), style);
    text.push('\n');
    text.push_str(&consumers(lag, style));
    text.push('\n');
    text.push_str(&latencies(lag, style));
}

fn name(name: &str, style: TextStyle) -> String {
    width::fit(&style.text(name), NAME_COLUMNS_MAX, &style.text("…"))
}

fn consumers(lag: &LagReport, style: TextStyle) -> String {
    let mut rows = Rows::new(&[
        "strategy",
        "hottest\nutilization",
        "capacity,\nrecords/s",
        "time to\ndrain",
        "hottest consumer",
    ]);
    for strategy in &lag.strategies {
        rows.push(vec![
            name(&label::lag_strategy(strategy), style),
            number::percent(strategy.hottest_utilization),
            number::figure(strategy.capacity_records_per_s),
            style.text(&number::milliseconds(strategy.drain_s * 1_000.0)),
            label::keeps_up(strategy).to_owned(),
        ]);
    }
    rows.text(1, style)
}

fn latencies(lag: &LagReport, style: TextStyle) -> String {
    let mut rows = Rows::new(&["strategy", "records", "mean", "p50", "p99", "p99.9", "max", "of"]);
    for strategy in &lag.strategies {
        for (index, class) in strategy.classes.iter().enumerate() {
            let at = |percentile| style.text(&label::latency(class, percentile));
            rows.push(vec![
                if index == 0 { name(&label::lag_strategy(strategy), style) } else { String::new() },
                number::count(class.records),
                style.text(&number::milliseconds(class.mean_ms)),
                at(50.0),
                at(99.0),
                at(99.9),
                at(100.0),
                style.text(&class.class),
            ]);
        }
    }
    rows.text(1, style)
}
