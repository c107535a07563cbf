//! The comparison for a pull request.

use super::super::markdown::{code, prose, row};
use super::super::number;
use super::model::{Comparison, StrategyChange, Verdict};
use super::shown;

/// Renders the comparison as GitHub Markdown: what makes the reports unlike, the sums, a table of what changed in each
/// strategy, and what is in one report alone. No name in it acts as markup.
#[must_use]
pub fn compare_markdown(comparison: &Comparison) -> String {
    let mut text = String::from("## Partition load, before and after\n\n");
    if !comparison.differences.is_empty() {
        text.push_str(&format!("> **{}**\n", shown::UNLIKE));
        for difference in &comparison.differences {
            text.push_str(&format!("> - {}\n", prose(&shown::difference(difference))));
        }
        text.push('\n');
    }
    text.push_str(&format!("{}\n", shown::summary(comparison)));
    for strategy in &comparison.strategies {
        text.push_str(&changes(strategy));
    }
    for (heading, entries) in shown::lists(comparison) {
        text.push_str(&format!("\n### {heading}\n\n"));
        for entry in entries {
            text.push_str(&format!("- {}\n", prose(entry)));
        }
    }
    text
}

/// What changed; figures that did not are only counted.
fn changes(strategy: &StrategyChange) -> String {
    let mut text = format!("\n### {}\n\n", code(&strategy.name));
    let (same, moved): (Vec<_>, Vec<_>) =
        strategy.figures.iter().partition(|figure| figure.verdict == Verdict::Same);
    if !moved.is_empty() {
        text.push_str("| figure | before | after | change | |\n|:--|--:|--:|--:|:--|\n");
    }
    for figure in &moved {
        let word = figure.verdict.name();
        text.push_str(&row(&[
            code(&figure.name),
            shown::value(figure.before, figure.unit),
            shown::value(figure.after, figure.unit),
            shown::change(figure),
            if figure.verdict == Verdict::Worse { format!("**{word}**") } else { word.to_owned() },
        ]));
    }
    if !same.is_empty() {
        let lead = if moved.is_empty() { "" } else { "\n" };
        text.push_str(&format!(
            "{lead}{} the same.\n",
            number::count_of(same.len() as u64, "figure", "figures")
        ));
    }
    text
}
