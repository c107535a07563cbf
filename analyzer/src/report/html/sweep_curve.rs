//! The sweep over `vip_count`: how hot the hottest VIP and the hottest standard partition get.

use maud::{Markup, html};

use super::super::model::{Report, SweepRow};
use super::super::number;
use super::super::sweep_chart::{rows, sweep_answer};
use super::axis::Axis;
use super::curve::{Curves, Line, Mark};
use super::table::{Cell, Column, Row, Table};

/// Most points of a curve; of a longer sweep every so many are drawn, and all that are marked.
const POINTS_MAX: usize = 400;

/// The curves and, folded, the figures; nothing without a sweep.
pub(super) fn sweep_curve(report: &Report) -> Option<Markup> {
    let (first, last) = (report.sweep.first()?, report.sweep.last()?);
    let answer = sweep_answer(&report.sweep).unwrap_or_default();
    let step = report.sweep.len().div_ceil(POINTS_MAX);
    let is_drawn = |(index, row): &(usize, &SweepRow)| {
        index.is_multiple_of(step) || index + 1 == report.sweep.len() || row.best || row.closed_form
    };
    let drawn: Vec<&SweepRow> =
        report.sweep.iter().enumerate().filter(is_drawn).map(|(_, row)| row).collect();
    let line = |name: &str, class, of: fn(&SweepRow) -> f64| Line {
        name: Some(name.to_owned()),
        class,
        points: drawn.iter().map(|row| (f64::from(row.vip_count), of(row))).collect(),
    };
    // A pool without a record has no place on a scale of ratios.
    let heats =
        drawn.iter().flat_map(|row| [row.vip_max_mean, row.standard_max_mean]).filter(|heat| *heat > 0.0);
    let range = heats.fold((1.0_f64, 1.0_f64), |(low, high), heat| (low.min(heat), high.max(heat)));
    let curves = Curves {
        id: "sweep",
        title: "Hottest VIP and hottest standard partition by vip_count".to_owned(),
        description: answer.clone(),
        x: Axis::whole("vip_count: partitions of the VIP pool", (first.vip_count, last.vip_count), 12),
        y: Axis::log("hottest partition over the mean of all", range, short),
        lines: vec![
            line("standard", "standard", |row| row.standard_max_mean),
            line("VIP", "vip", |row| row.vip_max_mean),
        ],
        marks: marks(&report.sweep),
    };
    Some(html! {
        figure.chart {
            figcaption { b { "Sweep of vip_count. " } (answer) }
            (curves.markup())
            (figures(report))
        }
    })
}

/// A tick without needless digits.
fn short(value: f64) -> String {
    let text = number::figure(value);
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn marks(sweep: &[SweepRow]) -> Vec<Mark> {
    let mark = |row: &SweepRow, name: String, is_above| Mark {
        point: (f64::from(row.vip_count), row.max_mean),
        name,
        is_above,
    };
    let best = sweep.iter().find(|row| row.best).map(|row| {
        let closed = if row.closed_form { ", V*" } else { "" };
        mark(row, format!("best {}: {}{closed}", row.vip_count, number::ratio(row.max_mean)), false)
    });
    let closed = sweep.iter().find(|row| row.closed_form && !row.best);
    closed.map(|row| mark(row, format!("V* {}", row.vip_count), true)).into_iter().chain(best).collect()
}

fn figures(report: &Report) -> Markup {
    let shown = rows(&report.sweep);
    let row = |row: &&SweepRow| {
        let marks = [(row.best, "best"), (row.closed_form, "V*")];
        let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let ratio = |value| Cell::number(&number::ratio(value), Some(value));
        let cells = vec![
            Cell::number(&row.vip_count.to_string(), Some(row.vip_count.into())),
            ratio(row.max_mean),
            ratio(row.vip_max_mean),
            ratio(row.standard_max_mean),
            Cell::words(&marks.join(", ")),
        ];
        Row { cells, class: if row.best { "even" } else { "" } }
    };
    let count = |rows: usize| number::count(rows as u64);
    let part = if shown.len() < report.sweep.len() {
        format!(
            " ({} of {} shown, the evenest; --format json lists all)",
            count(shown.len()),
            count(report.sweep.len())
        )
    } else {
        String::new()
    };
    let table = Table {
        caption: format!("tenant-aware at each vip_count{part}; V* is the closed form"),
        columns: vec![
            Column::number("vip_count"),
            Column::number("max/mean"),
            Column::number("hottest VIP"),
            Column::number("hottest standard"),
            Column::words("mark"),
        ],
        rows: shown.iter().map(row).collect(),
        is_sortable: true,
    };
    table.folded("The sweep as a table")
}
