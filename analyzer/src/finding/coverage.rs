//! What the figures do not cover, and which are estimates.

use super::threshold::MISSING_SHARE;
use super::wording::{list, percent, quantity, ratio, whole};
use crate::report::model::{Finding, Report, StrategyReport};

/// So many records were refused that the loads do not show the traffic.
pub(super) fn many_rejected(report: &Report) -> Option<Finding> {
    rejected(report).filter(|_| rejected_share(report) > MISSING_SHARE)
}

/// A few records were refused.
pub(super) fn few_rejected(report: &Report) -> Option<Finding> {
    rejected(report).filter(|_| rejected_share(report) <= MISSING_SHARE)
}

/// So many rows were unreadable that the loads do not show the traffic.
pub(super) fn many_skipped(report: &Report) -> Option<Finding> {
    skipped(report).filter(|_| skipped_share(report) > MISSING_SHARE)
}

/// A few rows were unreadable.
pub(super) fn few_skipped(report: &Report) -> Option<Finding> {
    skipped(report).filter(|_| skipped_share(report) <= MISSING_SHARE)
}

/// Distinct counts or floors come from a sketch.
pub(super) fn estimates(report: &Report) -> Option<Finding> {
    let workload = &report.workload;
    let approximate = workload.approximate.as_ref()?;
    let relative = |error: f64| format!("± {}", percent(error));
    let absolute = |error: f64| {
        if error < 0.005 { "± less than 0.01".to_owned() } else { format!("± {}", ratio(error)) }
    };
    let figures = [
        ("tenants", approximate.tenants_relative_error, relative(approximate.tenants_relative_error)),
        ("entities", approximate.entities_relative_error, relative(approximate.entities_relative_error)),
        (
            "the floor by tenant",
            approximate.floor_tenant_error / workload.floor_tenant.max(1.0),
            absolute(approximate.floor_tenant_error),
        ),
        (
            "the floor by entity",
            approximate.floor_entity_error / workload.floor_entity.max(1.0),
            absolute(approximate.floor_entity_error),
        ),
    ];
    let mut largest_error = 0.0_f64;
    let mut named = Vec::new();
    for (name, error, text) in figures.into_iter().filter(|figure| figure.1 > 0.0) {
        largest_error = largest_error.max(error);
        named.push(format!("{name} ({text})"));
    }
    let (verb, noun) = match named.len() {
        0 => return None,
        1 => ("is", "an estimate"),
        _ => ("are", "estimates"),
    };
    Some(Finding {
        fact: format!("Of the workload's figures {} {verb} {noun} of a sketch.", list(&named)),
        value: largest_error,
        advice: "Loads per partition are exact, and so is what follows from them alone; regret and floors are not. Fewer \
                 records give exact ones."
            .to_owned(),
    })
}

fn rejected(report: &Report) -> Option<Finding> {
    let refusing: Vec<&StrategyReport> =
        report.strategies.iter().filter(|strategy| rejected_records(strategy) > 0).collect();
    let most = *refusing.iter().max_by_key(|strategy| rejected_records(strategy))?;
    let fact = if let [only] = refusing[..] {
        let reasons: Vec<String> =
            only.rejected.iter().map(|(reason, &records)| format!("{reason} ({})", whole(records))).collect();
        format!(
            "{} refused {}, {} of all: {}.",
            only.name,
            quantity(rejected_records(only), "record", "records"),
            percent(rejected_share(report)),
            list(&reasons),
        )
    } else {
        let each: Vec<String> = refusing
            .iter()
            .map(|strategy| format!("{} {}", strategy.name, whole(rejected_records(strategy))))
            .collect();
        format!("{} strategies refused records: {}.", refusing.len(), list(&each))
    };
    Some(Finding {
        fact,
        value: rejected_records(most) as f64,
        advice: "They are in no partition's load, and a producer would get an error for each. Correct their keys, or \
                 choose another policy than reject for such records."
            .to_owned(),
    })
}

fn rejected_records(strategy: &StrategyReport) -> u64 {
    strategy.rejected.values().fold(0, |sum, &records| sum.saturating_add(records))
}

/// Of the strategy that refused most.
fn rejected_share(report: &Report) -> f64 {
    let most = report.strategies.iter().map(rejected_records).max().unwrap_or(0);
    most as f64 / report.workload.records as f64
}

fn skipped(report: &Report) -> Option<Finding> {
    let rows = report.workload.skipped_rows;
    (rows > 0).then(|| Finding {
        fact: format!(
            "{} could not be read and {} not replayed: {} of the input.",
            quantity(rows, "row", "rows"),
            if rows == 1 { "was" } else { "were" },
            percent(skipped_share(report)),
        ),
        value: rows as f64,
        advice: "Run without --skip-bad-rows to see the first of them with its line number; if they are not like the \
                 rest, the loads are not either."
            .to_owned(),
    })
}

fn skipped_share(report: &Report) -> f64 {
    let skipped = report.workload.skipped_rows as f64;
    skipped / (skipped + report.workload.records as f64)
}

#[cfg(test)]
mod tests {
    use super::{estimates, few_rejected, few_skipped, many_rejected, many_skipped};
    use crate::finding::fixture::{mega, quiet};
    use crate::report::model::Approximation;

    #[test]
    fn one_strategy_refuses_some_and_then_many() {
        let mut report = mega();
        report.strategies[2].rejected.insert("no separator".to_owned(), 100);
        report.strategies[2].rejected.insert("empty key".to_owned(), 1);
        assert!(many_rejected(&report).is_none());
        let finding = few_rejected(&report).unwrap();
        assert_eq!(
            finding.fact,
            "tenant-aware refused 101 records, less than 0.1 % of all: empty key (1) and no separator (100)."
        );
        assert_eq!(finding.value, 101.0);
        report.strategies[2].rejected.insert("no separator".to_owned(), 12_000);
        assert!(few_rejected(&report).is_none());
        assert!(
            many_rejected(&report)
                .unwrap()
                .fact
                .starts_with("tenant-aware refused 12,001 records, 10 % of all")
        );
    }

    #[test]
    fn many_strategies_refuse() {
        let mut report = mega();
        report.strategies[2].rejected.insert("no separator".to_owned(), 1);
        report.strategies[3].rejected.insert("not in the map".to_owned(), 5);
        let finding = few_rejected(&report).unwrap();
        assert_eq!(finding.fact, "2 strategies refused records: tenant-aware 1 and round-robin 5.");
        assert_eq!(finding.value, 5.0);
    }

    #[test]
    fn one_row_and_many_rows() {
        let mut report = quiet();
        report.workload.skipped_rows = 1;
        let finding = few_skipped(&report).unwrap();
        assert_eq!(
            finding.fact,
            "1 row could not be read and was not replayed: less than 0.1 % of the input."
        );
        assert!(many_skipped(&report).is_none());
        report.workload.skipped_rows = 12_025;
        let finding = many_skipped(&report).unwrap();
        assert_eq!(finding.fact, "12,025 rows could not be read and were not replayed: 50 % of the input.");
        assert!(few_skipped(&report).is_none());
    }

    #[test]
    fn estimates_are_named() {
        let mut report = quiet();
        report.workload.approximate = Some(Approximation {
            tenants_relative_error: 0.0,
            entities_relative_error: 0.016,
            floor_tenant_error: 0.0,
            floor_entity_error: 0.0,
        });
        let finding = estimates(&report).unwrap();
        assert_eq!(finding.fact, "Of the workload's figures entities (± 1.6 %) is an estimate of a sketch.");
        assert_eq!(finding.value, 0.016);
        let approximate = report.workload.approximate.as_mut().unwrap();
        approximate.floor_entity_error = 0.2;
        let finding = estimates(&report).unwrap();
        assert_eq!(
            finding.fact,
            "Of the workload's figures entities (± 1.6 %) and the floor by entity (± 0.20) are estimates of a sketch."
        );
        assert_eq!(finding.value, 0.2);
    }

    #[test]
    fn silent_when_all_is_there_and_exact() {
        let mut report = quiet();
        for check in [many_rejected, few_rejected, many_skipped, few_skipped, estimates] {
            assert!(check(&report).is_none());
        }
        report.workload.approximate = Some(Approximation {
            tenants_relative_error: 0.0,
            entities_relative_error: 0.0,
            floor_tenant_error: 0.0,
            floor_entity_error: 0.0,
        });
        assert!(estimates(&report).is_none());
    }
}
