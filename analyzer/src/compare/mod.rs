//! What got better and worse from one report to another.

mod figure;
mod worse_gate;

use std::fmt::Display;

use self::figure::{Direction, Figure, figures};
use crate::report::compare::model::{Comparison, Difference, FigureChange, StrategyChange, Verdict};
use crate::report::display_text;
use crate::report::model::{Report, StrategyReport};

pub use self::worse_gate::{WorseGate, WorseGateError};

/// Relative changes up to this are rounding.
const ROUNDING: f64 = 1e-9;

/// Compares two reports; `command` is the command line, for the comparison.
///
/// Figures are compared whether or not the workloads are the same; the comparison says what is not.
#[must_use]
pub fn compare(before: &Report, after: &Report, command: String) -> Comparison {
    let in_both = before.strategies.iter().filter_map(|old| {
        let new = after.strategies.iter().find(|new| new.name == old.name)?;
        Some(StrategyChange { name: display_text(&old.name), figures: changes(old, new) })
    });
    let names = |report: &Report| -> Vec<String> {
        report.strategies.iter().map(|strategy| display_text(&strategy.name)).collect()
    };
    let facts = |report: &Report| -> Vec<String> {
        report.findings.iter().map(|finding| display_text(&finding.fact)).collect()
    };
    Comparison {
        schema_version: 1,
        command,
        differences: differences(before, after),
        strategies: in_both.collect(),
        strategies_gone: without(names(before), &names(after)),
        strategies_new: without(names(after), &names(before)),
        findings_gone: without(facts(before), &facts(after)),
        findings_new: without(facts(after), &facts(before)),
    }
}

fn without(these: Vec<String>, those: &[String]) -> Vec<String> {
    these.into_iter().filter(|one| !those.contains(one)).collect()
}

/// What makes the two reports unlike.
fn differences(before: &Report, after: &Report) -> Vec<Difference> {
    let (old, new) = (&before.workload, &after.workload);
    let all = [
        difference("workload", Some(&old.name), Some(&new.name)),
        difference("records", Some(old.records), Some(new.records)),
        difference("bytes", old.bytes, new.bytes),
        difference("tenants", Some(old.tenants), Some(new.tenants)),
        difference("entities", Some(old.entities), Some(new.entities)),
        difference("skipped rows", Some(old.skipped_rows), Some(new.skipped_rows)),
        difference("seed", Some(before.seed), Some(after.seed)),
        difference("partitions", Some(before.partitions), Some(after.partitions)),
    ];
    all.into_iter().flatten().collect()
}

fn difference<T: PartialEq + Display>(what: &str, before: Option<T>, after: Option<T>) -> Option<Difference> {
    let shown = |value: Option<T>| value.map(|value| display_text(&value.to_string()));
    (before != after).then(|| Difference {
        what: what.to_owned(),
        before: shown(before),
        after: shown(after),
    })
}

/// Every figure that one of both has: those of `before` in their order, then those that are new.
fn changes(before: &StrategyReport, after: &StrategyReport) -> Vec<FigureChange> {
    let (old, new) = (figures(before), figures(after));
    let value_in = |all: &[Figure], name: &str| all.iter().find(|figure| figure.name == name)?.value;
    let only_new = new.iter().filter(|figure| old.iter().all(|old| old.name != figure.name));
    old.iter()
        .chain(only_new)
        .filter_map(|figure| change(figure, value_in(&old, &figure.name), value_in(&new, &figure.name)))
        .collect()
}

/// `None` when the figure is missing on both sides.
fn change(figure: &Figure, before: Option<f64>, after: Option<f64>) -> Option<FigureChange> {
    let (change, verdict) = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => (None, Verdict::Appeared),
        (Some(_), None) => (None, Verdict::Vanished),
        (Some(before), Some(after)) => {
            let change = (before != 0.0).then(|| (after - before) / before.abs());
            // A quotient of huge and tiny numbers can be beyond any number.
            let change = change.filter(|change| change.is_finite());
            (change, verdict(figure.direction, before, after, change))
        }
    };
    let name = display_text(&figure.name);
    Some(FigureChange { name, unit: figure.unit, before, after, change, verdict })
}

fn verdict(direction: Direction, before: f64, after: f64, change: Option<f64>) -> Verdict {
    if before == after || change.is_some_and(|change| change.abs() <= ROUNDING) {
        return Verdict::Same;
    }
    match direction {
        Direction::None => Verdict::Changed,
        Direction::Lower if after < before => Verdict::Better,
        Direction::Higher if after > before => Verdict::Better,
        Direction::Lower | Direction::Higher => Verdict::Worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::compare::model::Unit;

    fn judged(direction: Direction, before: Option<f64>, after: Option<f64>) -> Option<Verdict> {
        let figure = Figure { name: "cv".to_owned(), unit: Unit::Ratio, direction, value: before };
        change(&figure, before, after).map(|change| change.verdict)
    }

    #[test]
    fn a_change_is_judged_by_the_direction_of_its_figure() {
        use Direction::{Higher, Lower, None as Neither};
        let cases = [
            (Lower, Some(2.0), Some(1.0), Some(Verdict::Better)),
            (Lower, Some(1.0), Some(2.0), Some(Verdict::Worse)),
            (Higher, Some(0.5), Some(0.6), Some(Verdict::Better)),
            (Higher, Some(0.6), Some(0.5), Some(Verdict::Worse)),
            (Neither, Some(1.0), Some(2.0), Some(Verdict::Changed)),
            (Neither, Some(1.0), Some(1.0), Some(Verdict::Same)),
            (Lower, Some(1.0), Some(1.0 + 1e-15), Some(Verdict::Same)),
            (Lower, Some(0.0), Some(0.1), Some(Verdict::Worse)),
            (Lower, Some(0.0), Some(0.0), Some(Verdict::Same)),
            (Lower, None, Some(0.1), Some(Verdict::Appeared)),
            (Lower, Some(0.1), None, Some(Verdict::Vanished)),
            (Lower, None, None, None),
        ];
        for (direction, before, after, verdict) in cases {
            assert_eq!(judged(direction, before, after), verdict, "{direction:?} {before:?} {after:?}");
        }
    }

    #[test]
    fn what_was_nothing_has_no_relative_change() {
        let figure =
            Figure { name: "cv".to_owned(), unit: Unit::Ratio, direction: Direction::Lower, value: None };
        assert_eq!(change(&figure, Some(0.0), Some(0.1)).unwrap().change, None);
        assert_eq!(change(&figure, Some(1e-300), Some(1e300)).unwrap().change, None);
        assert_eq!(change(&figure, Some(2.0), Some(1.0)).unwrap().change, Some(-0.5));
    }
}
