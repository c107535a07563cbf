//! What the headings of the table of strategies mean.

use super::label::BREAKS_ORDER_MARK;
use super::model::Report;

/// A heading and its meaning, for those that the report has.
pub(super) fn meanings(report: &Report) -> Vec<(&'static str, &'static str)> {
    let mut meanings = Vec::new();
    if report.strategies.iter().any(|s| s.breaks_entity_order) {
        meanings.push((
            BREAKS_ORDER_MARK.trim_start(),
            "breaks entity order: records of one entity can land on several partitions",
        ));
    }
    meanings.extend([
        (
            "max/mean",
            "hottest partition over the mean; 1 is even. Also the cost multiplier: what equal consumers must be sized for",
        ),
        (
            "floor",
            "the lowest max/mean that the order this strategy keeps allows; regret is max/mean ÷ floor, 1 is perfect",
        ),
    ]);
    if !report.workload.vips.is_empty() {
        meanings.push((
            "blast",
            "share of other tenants’ records on partitions that a VIP tenant uses; of the worst VIP",
        ));
    }
    meanings.extend([
        ("used", "partitions with at least one record"),
        (
            "I/m",
            "(max - mean) / total. CV: deviation / mean. Gini: 0 is even. Jain: 1 is even. FLIP-418: Flink’s skew",
        ),
        ("load", "records per partition at percentiles of the partitions"),
    ]);
    meanings
}
