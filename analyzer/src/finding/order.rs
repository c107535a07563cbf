//! What looks even because it gave up order.

use super::wording::list;
use crate::report::model::{Finding, Report};

/// Names every strategy that lets records of one entity overtake each other.
pub(super) fn broken(report: &Report) -> Option<Finding> {
    let names: Vec<&str> = report
        .strategies
        .iter()
        .filter(|strategy| strategy.breaks_entity_order)
        .map(|strategy| strategy.name.as_str())
        .collect();
    let (verb, pronoun) = match names.len() {
        0 => return None,
        1 => ("breaks", "it"),
        _ => ("break", "them"),
    };
    Some(Finding {
        fact: format!(
            "{} {verb} entity order: records of one entity land on several partitions.",
            list(&names)
        ),
        value: names.len() as f64,
        advice: format!(
            "Compare with {pronoun} only what consumers may read in any order; an even load is no merit there."
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::finding::fixture::{mega, quiet, strategy};

    #[test]
    fn one_and_many() {
        let mut report = mega();
        let finding = broken(&report).unwrap();
        assert_eq!(
            finding.fact,
            "round-robin breaks entity order: records of one entity land on several partitions."
        );
        report.strategies.push(strategy("random", &[1; 12]));
        let finding = broken(&report).unwrap();
        assert!(finding.fact.starts_with("round-robin and random break entity order"));
        assert_eq!(finding.value, 2.0);
    }

    #[test]
    fn silent_when_all_keep_it() {
        assert!(broken(&quiet()).is_none());
    }
}
