//! The answer in three sentences, for whoever reads nothing else.

use super::model::{Report, StrategyReport};
use super::{label, number};

/// Which strategy overloads a partition most, which is the evenest that keeps entity order, and which of those also
/// keeps every VIP tenant away from everybody else. Facts of the table, found for the reader; the advice is in the
/// findings.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let Some(worst) = most_uneven(report) else {
        return vec!["No strategy placed a record: there is nothing to compare.".to_owned()];
    };
    let mut sentences = vec![hottest(worst)];
    let Some(evenest) = lowest(measured(report).filter(|s| !s.breaks_entity_order)) else {
        sentences.push("No strategy shown keeps entity order.".to_owned());
        return sentences;
    };
    sentences.push(format!("Evenest that keeps entity order: {}.", figures(evenest)));
    if let Some(apart) = evenest_apart(report) {
        sentences
            .push(format!("Evenest that also keeps VIP tenants apart from all others: {}.", figures(apart)));
    }
    sentences
}

/// The strategies that placed a record.
fn measured(report: &Report) -> impl DoubleEndedIterator<Item = &StrategyReport> {
    let is_measured =
        |s: &&StrategyReport| s.skew.max_mean.is_finite() && s.records.iter().any(|records| *records > 0);
    report.strategies.iter().filter(is_measured)
}

/// The strategy that overloads a partition most, the first of equals.
pub(super) fn most_uneven(report: &Report) -> Option<&StrategyReport> {
    measured(report).rev().max_by(|a, b| a.skew.max_mean.total_cmp(&b.skew.max_mean))
}

/// The strategy with the lowest max/mean among those that keep entity order: the row to mark.
pub(super) fn evenest_in_order(report: &Report) -> Option<&StrategyReport> {
    lowest(report.strategies.iter().filter(|s| !s.breaks_entity_order && s.skew.max_mean.is_finite()))
}

/// The evenest that keeps entity order and every VIP tenant away from everybody else, when it is not the evenest of all
/// that keep entity order.
pub(super) fn evenest_apart(report: &Report) -> Option<&StrategyReport> {
    let in_order = || measured(report).filter(|s| !s.breaks_entity_order);
    let apart = lowest(in_order().filter(|s| keeps_vips_apart(s)))?;
    lowest(in_order()).filter(|evenest| evenest.name != apart.name).map(|_| apart)
}

fn lowest<'a>(strategies: impl Iterator<Item = &'a StrategyReport>) -> Option<&'a StrategyReport> {
    strategies.min_by(|a, b| a.skew.max_mean.total_cmp(&b.skew.max_mean))
}

fn keeps_vips_apart(strategy: &StrategyReport) -> bool {
    !strategy.blast_radius.is_empty() && strategy.blast_radius.values().all(|radius| *radius == Some(0.0))
}

fn hottest(strategy: &StrategyReport) -> String {
    let (partition, records) = label::hottest(&strategy.records).unwrap_or_default();
    format!(
        "Hottest: {} puts {} on partition {partition}, {} × the mean.",
        label::strategy(strategy),
        number::count_of(records, "record", "records"),
        number::ratio(strategy.skew.max_mean),
    )
}

fn figures(strategy: &StrategyReport) -> String {
    let hottest =
        label::hottest(&strategy.records).map_or(number::MISSING.to_owned(), |(index, _)| index.to_string());
    format!(
        "{}, max/mean {} (partition {hottest}), blast radius {}",
        label::strategy(strategy),
        number::ratio(strategy.skew.max_mean),
        label::blast_radius(strategy),
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_answer_names_strategy_partition_and_order() {
        assert_eq!(
            sentences(&fixture::multitenant()),
            [
                "Hottest: tenant-key puts 910,000 records on partition 9, 10.920 × the mean.",
                "Evenest that keeps entity order: compound-key, max/mean 1.084 (partition 4), blast radius 100 %.",
                "Evenest that also keeps VIP tenants apart from all others: tenant-aware, max/mean 1.100 (partition 7), \
                 blast radius 0 %.",
            ]
        );
    }

    #[test]
    fn without_records_or_order_there_is_no_winner() {
        let mut report = fixture::multitenant();
        report.strategies.retain(|s| s.breaks_entity_order);
        assert_eq!(sentences(&report)[1], "No strategy shown keeps entity order.");
        assert!(evenest_in_order(&report).is_none());
        for strategy in &mut report.strategies {
            strategy.records.fill(0);
        }
        assert_eq!(sentences(&report), ["No strategy placed a record: there is nothing to compare."]);
    }

    #[test]
    fn an_untracked_vip_tenant_is_not_called_apart() {
        let mut report = fixture::multitenant();
        for strategy in &mut report.strategies {
            strategy.blast_radius.insert("acme".into(), None);
        }
        assert_eq!(sentences(&report).len(), 2);
    }
}
