//! How late records are, as GitHub renders Markdown.

use super::markdown::{code, prose, row};
use super::model::Report;
use super::{label, number};

/// A row for each strategy and class of tenants; nothing where lag was not simulated.
pub(super) fn lag_table(report: &Report) -> String {
    let Some(lag) = &report.lag else { return String::new() };
    let mut text = format!("\n### Lag\n\n{}\n\n", prose(&label::lag(lag)));
    text.push_str(
        "| strategy | hottest utilization | capacity, records/s | time to drain | of | records | mean | p50 | p99 | p99.9 \
         | max |\n|:--|--:|--:|--:|:--|--:|--:|--:|--:|--:|--:|\n",
    );
    for strategy in &lag.strategies {
        let mark = if strategy.breaks_entity_order { label::BREAKS_ORDER_MARK } else { "" };
        for class in &strategy.classes {
            text.push_str(&row(&[
                format!("{}{mark}", code(&strategy.name)),
                number::percent(strategy.hottest_utilization),
                number::figure(strategy.capacity_records_per_s),
                number::milliseconds(strategy.drain_s * 1_000.0),
                prose(&class.class),
                number::count(class.records),
                number::milliseconds(class.mean_ms),
                label::latency(class, 50.0),
                label::latency(class, 99.0),
                label::latency(class, 99.9),
                label::latency(class, 100.0),
            ]));
        }
    }
    text.push_str("\nA hottest utilization above 100 % falls behind for as long as the records come.\n");
    text
}
