//! The strategies and their figures, one row each.

use maud::Markup;

use super::super::heat::Heat;
use super::super::model::{Report, StrategyReport};
use super::super::{label, number};
use super::role::{self, Role};
use super::table::{Cell, Column, Row, Table};

/// A heading of figures and its cell for a strategy.
type Figures = (&'static str, fn(&Report, &StrategyReport) -> Cell);

/// The columns behind the name, max/mean and the order kept, the ones that decide first.
const FIGURES: [Figures; 15] = [
    ("floor", |r, s| Cell::number(&label::floor(r, s), Some(s.floor))),
    ("regret", |r, s| Cell::number(&label::regret(r, s), Some(s.regret))),
    ("hottest at", |_, s| hottest(s)),
    ("blast radius", |_, s| blast_radius(s)),
    ("used", |_, s| count(s.partitions_used.into())),
    ("I/m", |_, s| figure(s.skew.imbalance)),
    ("CV", |_, s| figure(s.skew.cv)),
    ("Gini", |_, s| figure(s.skew.gini)),
    ("Jain", |_, s| figure(s.skew.jain)),
    ("FLIP-418 %", |_, s| figure(s.skew.flip418)),
    ("p50 load", |_, s| count(s.skew.percentiles.p50)),
    ("p90 load", |_, s| count(s.skew.percentiles.p90)),
    ("p99 load", |_, s| count(s.skew.percentiles.p99)),
    ("max load", |_, s| count(s.skew.percentiles.max)),
    ("bytes max/mean", |_, s| s.bytes_max_mean.map_or_else(missing, ratio)),
];

/// The table; a click on a heading sorts it.
pub(super) fn strategy_table(report: &Report) -> Markup {
    let headings = FIGURES.iter().map(|(heading, _)| Column::number(heading));
    let row = |strategy: &StrategyReport| {
        let order = Cell { class: "words", ..Cell::words(&label::ordering(strategy)) };
        let figures = FIGURES.iter().map(|(_, cell)| cell(report, strategy));
        let max_mean = Cell { class: heat_class(strategy), ..ratio(strategy.skew.max_mean) };
        let cells =
            [Cell::markup(role::name(strategy)), max_mean, order].into_iter().chain(figures).collect();
        Row { cells, class: Role::of(strategy, report).class() }
    };
    let table = Table {
        caption: "Strategies, their skew over the partitions and what their order allows".to_owned(),
        columns: [Column::words("strategy"), Column::number("max/mean"), Column::words("keeps in order")]
            .into_iter()
            .chain(headings)
            .collect(),
        rows: report.strategies.iter().map(row).collect(),
        is_sortable: true,
    };
    table.markup()
}

fn heat_class(strategy: &StrategyReport) -> &'static str {
    match Heat::of(strategy.skew.max_mean) {
        Heat::Usual => "",
        Heat::Warm => "warm",
        Heat::Hot => "hot",
    }
}

fn missing() -> Cell {
    Cell::number(number::MISSING, None)
}

fn ratio(value: f64) -> Cell {
    Cell::number(&number::ratio(value), Some(value))
}

fn figure(value: f64) -> Cell {
    Cell::number(&number::figure(value), Some(value))
}

fn count(value: u64) -> Cell {
    Cell::number(&number::count(value), Some(value as f64))
}

fn hottest(strategy: &StrategyReport) -> Cell {
    label::hottest(&strategy.records)
        .map_or_else(missing, |(index, _)| Cell::number(&index.to_string(), Some(index as f64)))
}

/// Sorted by the worst known radius, and as missing where none can be shown.
fn blast_radius(strategy: &StrategyReport) -> Cell {
    let shown = label::blast_radius(strategy);
    let worst = strategy.worst_blast_radius();
    Cell::number(&shown, worst.filter(|_| shown != number::MISSING))
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;

    #[test]
    fn every_row_has_every_column_and_what_breaks_order_is_marked() {
        for report in fixture::all() {
            let text = strategy_table(&report).into_string();
            let broken = report.strategies.iter().filter(|s| s.breaks_entity_order).count();
            assert_eq!(text.matches("class=\"breaks\"").count(), broken);
            assert_eq!(text.matches("<th scope=\"row\">").count(), report.strategies.len());
            assert_eq!(text.matches("<td").count(), report.strategies.len() * (FIGURES.len() + 2));
        }
    }

    #[test]
    fn a_figure_that_is_missing_is_no_zero() {
        let text = strategy_table(&fixture::without_bytes()).into_string();
        assert!(text.contains("<td class=\"number\">–</td></tr>"), "{text}");
    }
}
