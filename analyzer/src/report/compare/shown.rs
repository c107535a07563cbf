//! Figures, changes and differences in the words that text and Markdown share.

use super::super::number;
use super::model::{Comparison, Difference, FigureChange, Unit, Verdict};

/// A value in its unit; a dash when it is missing.
pub(super) fn value(value: Option<f64>, unit: Unit) -> String {
    match (value, unit) {
        (None, _) => number::MISSING.to_owned(),
        (Some(value), Unit::Ratio) => number::ratio(value),
        (Some(value), Unit::Share) => number::percent(value),
        (Some(value), Unit::Count) => number::whole(value),
    }
}

/// The relative change with its sign; a dash when there is none.
pub(super) fn change(figure: &FigureChange) -> String {
    match figure.change {
        Some(_) if figure.verdict == Verdict::Same => "0 %".to_owned(),
        Some(change) => {
            format!("{}{}", if change < 0.0 { "-" } else { "+" }, number::percent(change.abs()))
        }
        None if figure.verdict == Verdict::Same => "0 %".to_owned(),
        None => number::MISSING.to_owned(),
    }
}

/// What one line says of a difference of the workloads.
pub(super) fn difference(difference: &Difference) -> String {
    let side = |side: &Option<String>| side.clone().unwrap_or_else(|| number::MISSING.to_owned());
    format!("{}: {} → {}", difference.what, side(&difference.before), side(&difference.after))
}

/// The warning above the differences.
pub(super) const UNLIKE: &str = "The reports do not compare like with like:";

/// How many figures got better and worse, over all strategies.
pub(super) fn summary(comparison: &Comparison) -> String {
    let count = |verdict| {
        let figures = comparison.strategies.iter().flat_map(|strategy| &strategy.figures);
        figures.filter(|figure| figure.verdict == verdict).count() as u64
    };
    format!(
        "{} better, {} worse, {} the same, in {}.",
        number::count_of(count(Verdict::Better), "figure", "figures"),
        number::count(count(Verdict::Worse)),
        number::count(count(Verdict::Same)),
        number::count_of(comparison.strategies.len() as u64, "strategy", "strategies")
    )
}

/// The lists at the end: heading and entries, only those with any.
pub(super) fn lists(comparison: &Comparison) -> Vec<(&'static str, &[String])> {
    let all: [(&'static str, &[String]); 4] = [
        ("Strategies only in the report before", &comparison.strategies_gone),
        ("Strategies only in the report after", &comparison.strategies_new),
        ("Findings that are gone", &comparison.findings_gone),
        ("Findings that are new", &comparison.findings_new),
    ];
    all.into_iter().filter(|(_, entries)| !entries.is_empty()).collect()
}
