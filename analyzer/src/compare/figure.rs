//! The figures of a strategy, and which way is better.

use crate::report::compare::model::Unit;
use crate::report::model::StrategyReport;

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Lower,
    Higher,
    /// The figure describes the workload or the design; no way is better.
    None,
}

/// A figure of one strategy.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) unit: Unit,
    pub(super) direction: Direction,
    /// `None` where the report does not have it.
    pub(super) value: Option<f64>,
}

/// Every figure of `strategy`, always in the same order.
pub(super) fn figures(strategy: &StrategyReport) -> Vec<Figure> {
    use Direction::{Higher, Lower, None as Neither};
    let skew = &strategy.skew;
    let rejected: u64 = strategy.rejected.values().fold(0, |sum, &records| sum.saturating_add(records));
    let mut figures: Vec<Figure> = [
        ("max-mean", Unit::Ratio, Lower, Some(skew.max_mean)),
        ("regret", Unit::Ratio, Lower, Some(strategy.regret)),
        ("floor", Unit::Ratio, Neither, Some(strategy.floor)),
        ("imbalance", Unit::Ratio, Lower, Some(skew.imbalance)),
        ("cv", Unit::Ratio, Lower, Some(skew.cv)),
        ("gini", Unit::Ratio, Lower, Some(skew.gini)),
        ("jain", Unit::Ratio, Higher, Some(skew.jain)),
        ("flip418", Unit::Ratio, Lower, Some(skew.flip418)),
        ("cost-multiplier", Unit::Ratio, Lower, Some(strategy.cost_multiplier)),
        ("p99", Unit::Count, Lower, Some(skew.percentiles.p99 as f64)),
        ("bytes-max-mean", Unit::Ratio, Lower, strategy.bytes_max_mean),
        ("rejected", Unit::Count, Lower, Some(rejected as f64)),
        ("partitions-used", Unit::Count, Neither, Some(f64::from(strategy.partitions_used))),
    ]
    .into_iter()
    .map(|(name, unit, direction, value)| Figure { name: name.to_owned(), unit, direction, value })
    .collect();
    figures.extend(strategy.blast_radius.iter().map(|(tenant, radius)| Figure {
        name: format!("blast-radius of {tenant}"),
        unit: Unit::Share,
        direction: Lower,
        value: *radius,
    }));
    figures
}
