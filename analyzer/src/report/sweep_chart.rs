//! The sweep over `vip_count`: how hot the hottest VIP and the hottest standard partition get.

use super::model::{Report, SweepRow};
use super::style::{Ink, TextStyle};
use super::{bars, number, width};

/// A longer sweep is shown in part.
const ROWS_ALL_MAX: usize = 64;
/// Rows shown of a longer sweep.
const ROWS_SHOWN: usize = 48;
const GAP_COLUMNS: usize = 2;

/// Two bars for each `vip_count`, on one scale; the best and the closed form V* are marked.
pub(super) fn sweep_chart(report: &Report, style: TextStyle) -> String {
    let rows = rows(&report.sweep);
    let mut text = String::new();
    if rows.len() < report.sweep.len() {
        let count = |rows: usize| number::count(u64::try_from(rows).unwrap_or(u64::MAX));
        let (shown, all) = (count(rows.len()), count(report.sweep.len()));
        text.push_str(&format!("{shown} of {all} shown, the evenest; --format json lists all\n\n"));
    }
    let layout = Layout::new(&rows, style);
    text.push_str(&layout.heading());
    for row in rows {
        text.push_str(&layout.row(row));
    }
    text
}

/// The closed form beside the best, in a sentence.
pub(super) fn sweep_answer(sweep: &[SweepRow]) -> Option<String> {
    let best = sweep.iter().find(|row| row.best)?;
    let best_text = format!("Best vip_count {}: max/mean {}", best.vip_count, number::ratio(best.max_mean));
    Some(match sweep.iter().find(|row| row.closed_form) {
        Some(closed) if closed.vip_count == best.vip_count => {
            format!("{best_text}, also the closed form V*.")
        }
        Some(closed) => {
            format!("{best_text}; closed form V* {}: {}.", closed.vip_count, number::ratio(closed.max_mean))
        }
        None => format!("{best_text}."),
    })
}

/// All rows of a short sweep; of a long one the evenest and what is marked, in order of `vip_count`.
pub(super) fn rows(sweep: &[SweepRow]) -> Vec<&SweepRow> {
    let mut rows: Vec<&SweepRow> = sweep.iter().collect();
    if rows.len() > ROWS_ALL_MAX {
        rows.sort_by(|a, b| {
            let marked = |row: &SweepRow| row.best || row.closed_form;
            marked(b).cmp(&marked(a)).then(a.max_mean.total_cmp(&b.max_mean))
        });
        rows.truncate(ROWS_SHOWN);
        rows.sort_by_key(|row| row.vip_count);
    }
    rows
}

struct Layout {
    style: TextStyle,
    label_columns: usize,
    figure_columns: usize,
    bar_columns: usize,
    full_bar: f64,
}

impl Layout {
    fn new(rows: &[&SweepRow], style: TextStyle) -> Self {
        let figures = || rows.iter().flat_map(|row| [row.max_mean, row.vip_max_mean, row.standard_max_mean]);
        let figure_columns =
            figures().map(|figure| width::columns(&number::ratio(figure))).max().unwrap_or(0);
        let figure_columns = figure_columns.max(width::columns("max/mean"));
        let label_columns = width::columns("vip_count");
        let marks = width::columns(&style.text(&marks(true, true)));
        // label, max/mean, twice a figure with its bar, the marks.
        let taken = label_columns + 3 * (GAP_COLUMNS + figure_columns) + 2 + marks;
        let bar_columns = (style.columns().saturating_sub(taken) / 2).clamp(1, 40);
        let full_bar = figures().filter(|figure| figure.is_finite()).fold(0.0, f64::max);
        Self { style, label_columns, figure_columns, bar_columns, full_bar }
    }

    fn heading(&self) -> String {
        let gap = " ".repeat(GAP_COLUMNS);
        let cell = self.figure_columns + 1 + self.bar_columns;
        let max_mean = width::pad_left("max/mean", self.figure_columns);
        let vip = width::pad_right(&width::fit("hottest VIP", cell, ""), cell);
        let standard = width::fit("hottest standard", cell, "");
        let line = format!("vip_count{gap}{max_mean}{gap}{vip}{gap}{standard}");
        self.style.paint(Ink::Dim, &line) + "\n"
    }

    fn row(&self, row: &SweepRow) -> String {
        let style = self.style;
        let figure = |value: f64| width::pad_left(&style.text(&number::ratio(value)), self.figure_columns);
        let bar = |value: f64| bars::bar(value / self.full_bar, self.bar_columns, style.unicode);
        let side = |value: f64| {
            width::pad_right(
                &format!("{} {}", figure(value), bar(value)),
                self.figure_columns + 1 + self.bar_columns,
            )
        };
        let marks = style.text(&marks(row.best, row.closed_form));
        let cells = [
            width::pad_left(&row.vip_count.to_string(), self.label_columns),
            figure(row.max_mean),
            side(row.vip_max_mean),
            side(row.standard_max_mean),
        ];
        let line = cells.join(&" ".repeat(GAP_COLUMNS)) + &marks;
        let ink = if row.best { Ink::Good } else { Ink::Plain };
        style.paint(ink, line.trim_end()) + "\n"
    }
}

fn marks(best: bool, closed_form: bool) -> String {
    match (best, closed_form) {
        (true, true) => " ◀ best, V*".to_owned(),
        (true, false) => " ◀ best".to_owned(),
        (false, true) => " ◀ V*".to_owned(),
        (false, false) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_best_and_the_closed_form_are_marked() {
        let text = sweep_chart(&fixture::multitenant(), TextStyle::default());
        let marked: Vec<&str> = text.lines().filter(|line| line.contains('◀')).collect();
        assert_eq!(marked.len(), 1, "{text}");
        assert!(marked[0].trim_start().starts_with("10 ") && marked[0].ends_with("best, V*"), "{text}");
    }

    #[test]
    fn the_answer_tells_best_and_closed_form_apart() {
        let mut sweep = fixture::multitenant().sweep;
        assert_eq!(
            sweep_answer(&sweep).unwrap(),
            "Best vip_count 10: max/mean 1.100, also the closed form V*."
        );
        sweep[9].closed_form = false;
        sweep[8].closed_form = true;
        let answer = sweep_answer(&sweep).unwrap();
        assert!(answer.starts_with("Best vip_count 10: max/mean 1.100; closed form V* 9: 1.2"), "{answer}");
        assert_eq!(sweep_answer(&[]), None);
    }

    #[test]
    fn a_long_sweep_keeps_what_is_marked() {
        let row = |vip_count: u32| SweepRow {
            vip_count,
            max_mean: f64::from(1_000 - vip_count),
            vip_max_mean: 1.0,
            standard_max_mean: 1.0,
            best: vip_count == 999,
            closed_form: vip_count == 3,
        };
        let sweep: Vec<SweepRow> = (1..1_000).map(row).collect();
        let shown = rows(&sweep);
        assert_eq!(shown.len(), ROWS_SHOWN);
        assert!(shown[0].closed_form && shown[ROWS_SHOWN - 1].best);
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        for columns in [60, 80, 120] {
            let text = sweep_chart(
                &fixture::multitenant(),
                TextStyle { width_columns: columns, ..TextStyle::default() },
            );
            assert!(text.lines().all(|line| width::columns(line) <= usize::from(columns)), "{text}");
        }
    }
}
