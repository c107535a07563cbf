//! The comparison for a terminal.

use super::super::style::{Ink, TextStyle};
use super::super::text::{paragraph, section};
use super::super::width;
use super::model::{Comparison, FigureChange, StrategyChange, Verdict};
use super::shown;

/// Spaces between columns.
const GAP: &str = "  ";

/// Columns of a figure's name; longer ones, of tenants with long names, are cut.
const NAME_COLUMNS_MAX: usize = 36;

/// Renders the comparison for people at a terminal: what makes the reports unlike, the sums, a table of each strategy,
/// and what is in one report alone.
///
/// The text depends on `comparison` and `style` alone, and nothing in it can command a terminal.
#[must_use]
pub fn compare_text(comparison: &Comparison, style: TextStyle) -> String {
    let mut text = String::new();
    if !comparison.differences.is_empty() {
        paragraph(&mut text, Ink::Hot, "", shown::UNLIKE, style);
        for difference in &comparison.differences {
            paragraph(&mut text, Ink::Warm, "• ", &shown::difference(difference), style);
        }
        text.push('\n');
    }
    paragraph(&mut text, Ink::Heading, "", &shown::summary(comparison), style);
    for strategy in &comparison.strategies {
        section(&mut text, &strategy.name, style);
        text.push_str(&table(strategy, style));
    }
    for (heading, entries) in shown::lists(comparison) {
        section(&mut text, heading, style);
        for entry in entries {
            paragraph(&mut text, Ink::Plain, "• ", entry, style);
        }
    }
    text
}

fn table(strategy: &StrategyChange, style: TextStyle) -> String {
    let figures = &strategy.figures;
    let name =
        |figure: &FigureChange| width::fit(&style.text(&figure.name), NAME_COLUMNS_MAX, &style.text("…"));
    let columns = [
        column("figure", figures, name, true, style),
        column("before", figures, |figure| shown::value(figure.before, figure.unit), false, style),
        column("after", figures, |figure| shown::value(figure.after, figure.unit), false, style),
        column("change", figures, shown::change, false, style),
        column("", figures, |figure| figure.verdict.name().to_owned(), true, style),
    ];
    let mut text = String::new();
    for line in 0..=figures.len() {
        let cells: Vec<&str> = columns.iter().map(|column| column[line].as_str()).collect();
        let ink = match line.checked_sub(1).and_then(|index| figures.get(index)) {
            Some(figure) => ink(figure.verdict),
            None => Ink::Dim,
        };
        text.push_str(&style.paint(ink, cells.join(GAP).trim_end()));
        text.push('\n');
    }
    text
}

fn ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Better => Ink::Good,
        Verdict::Worse => Ink::Hot,
        Verdict::Appeared | Verdict::Vanished => Ink::Warm,
        Verdict::Same | Verdict::Changed => Ink::Plain,
    }
}

/// Heading and a cell for each figure, all equally wide.
fn column(
    heading: &str,
    figures: &[FigureChange],
    cell: impl Fn(&FigureChange) -> String,
    is_left: bool,
    style: TextStyle,
) -> Vec<String> {
    let all = std::iter::once(heading.to_owned()).chain(figures.iter().map(cell));
    let all: Vec<String> = all.map(|text| style.text(&text)).collect();
    let columns = all.iter().map(|text| width::columns(text)).max().unwrap_or(0);
    let pad = if is_left { width::pad_right } else { width::pad_left };
    all.iter().map(|text| pad(text, columns)).collect()
}
