//! How balance grows with the number of moved slots.

use maud::{Markup, html};

use super::super::number;
use super::super::tune::model::CurvePoint;
use super::axis::Axis;
use super::curve::{Curves, Line, Mark};
use super::table::{Cell, Column, Row, Table};

/// Most points of a curve, and most rows of its table; of a longer one every so many, and the last, are shown.
const POINTS_MAX: usize = 400;
const ROWS_MAX: usize = 64;

/// The curves on the part that was tuned on and the part that was judged on; nothing when no slot was moved.
pub(super) fn moved_slots_curve(curve: &[CurvePoint]) -> Option<Markup> {
    let (first, last) = (curve.first()?, curve.last()?);
    if curve.len() < 2 {
        return None;
    }
    let drawn = thinned(curve, POINTS_MAX);
    let line = |name: &str, class, of: fn(&CurvePoint) -> Option<f64>| Line {
        name: Some(name.to_owned()),
        class,
        points: drawn.iter().filter_map(|point| Some((f64::from(point.moved_slots), of(point)?))).collect(),
    };
    let lines = vec![
        line("tuned on", "even", |point| Some(point.tuned_max_mean)),
        line("judged on", "apart", |point| point.judged_max_mean),
    ];
    let lines: Vec<Line> = lines.into_iter().filter(|line| !line.points.is_empty()).collect();
    let heats = lines.iter().flat_map(|line| &line.points).map(|(_, heat)| *heat);
    let range = heats.fold((f64::INFINITY, 0.0_f64), |(low, high), heat| (low.min(heat), high.max(heat)));
    // A curve that hardly falls would else get ticks that are written alike.
    let range = (range.0, range.1.max(range.0 + 0.01));
    let after = last.judged_max_mean.unwrap_or(last.tuned_max_mean);
    let before = first.judged_max_mean.unwrap_or(first.tuned_max_mean);
    let answer = format!(
        "{} with {} of the records: max/mean {} to {}.",
        number::count_of(last.moved_slots.into(), "moved slot", "moved slots"),
        number::percent(last.moved_record_share),
        number::ratio(before),
        number::ratio(after),
    );
    let curves = Curves {
        id: "moved",
        title: "max/mean by number of moved slots".to_owned(),
        description: answer.clone(),
        x: Axis::whole("moved slots", (first.moved_slots, last.moved_slots), 12),
        y: Axis::linear("hottest partition over the mean", range, 5, number::ratio),
        lines,
        marks: vec![Mark {
            point: (f64::from(last.moved_slots), after),
            name: number::ratio(after),
            is_above: true,
        }],
    };
    Some(html! {
        figure.chart {
            figcaption { b { "Balance by number of moved slots. " } (answer) }
            (curves.markup())
            (figures(curve))
        }
    })
}

/// Every so many of `curve`, at most `max` and the last.
fn thinned(curve: &[CurvePoint], max: usize) -> Vec<&CurvePoint> {
    let step = curve.len().div_ceil(max).max(1);
    let is_shown = |index: usize| index.is_multiple_of(step) || index + 1 == curve.len();
    curve.iter().enumerate().filter(|(index, _)| is_shown(*index)).map(|(_, point)| point).collect()
}

fn figures(curve: &[CurvePoint]) -> Markup {
    let shown = thinned(curve, ROWS_MAX);
    let row = |point: &&CurvePoint| {
        let ratio = |value: Option<f64>| {
            Cell::number(&value.map_or(number::MISSING.to_owned(), number::ratio), value)
        };
        let cells = vec![
            Cell::number(&number::count(point.moved_slots.into()), Some(point.moved_slots.into())),
            Cell::number(&number::percent(point.moved_record_share), Some(point.moved_record_share)),
            ratio(Some(point.tuned_max_mean)),
            ratio(point.judged_max_mean),
        ];
        Row { cells, class: "" }
    };
    let count = |points: usize| number::count(points as u64);
    let part = if shown.len() < curve.len() {
        format!(" ({} of {} shown; --format json lists all)", count(shown.len()), count(curve.len()))
    } else {
        String::new()
    };
    let table = Table {
        caption: format!("max/mean by number of moved slots{part}"),
        columns: ["moved slots", "records moved", "max/mean tuned on", "max/mean judged on"]
            .map(Column::number)
            .to_vec(),
        rows: shown.iter().map(row).collect(),
        is_sortable: true,
    };
    table.folded("Moved slots as a table")
}
