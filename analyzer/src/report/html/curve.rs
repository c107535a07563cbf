//! Curves over two axes, each named where it ends.

use maud::{Markup, html};

use super::super::escape::display_text;
use super::axis::Axis;
use super::draw::{at, drawing, line, text};
use super::lettering::{bold_width, fitted};

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = HEIGHT - 38.0;
/// Right of the plot, without names at the curves' ends.
const MARGIN: f64 = 20.0;
/// Between the baselines of two names.
const LEADING: f64 = 12.5;
/// Between a curve's end and its name.
const GAP: f64 = 6.0;
/// Room for a name before it is cut.
const NAME_MAX: f64 = 130.0;

/// One curve.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Written at its end, if it is to be.
    pub(super) name: Option<String>,
    /// Its class: what colour and stroke it has.
    pub(super) class: &'static str,
    /// From left to right.
    pub(super) points: Vec<(f64, f64)>,
}

/// A point that is pointed out.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) point: (f64, f64),
    pub(super) name: String,
    /// Whether its name stands above it and not below.
    pub(super) is_above: bool,
}

/// Curves over two axes.
#[derive(Clone, Debug)]
pub(super) struct Curves {
    /// Of its own on the page.
    pub(super) id: &'static str,
    pub(super) title: String,
    /// What it shows, for whoever does not see it.
    pub(super) description: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    /// Those that come later lie on top.
    pub(super) lines: Vec<Line>,
    pub(super) marks: Vec<Mark>,
}

impl Curves {
    pub(super) fn markup(&self) -> Markup {
        let frame = Frame { curves: self, right: WIDTH - self.margin() };
        let content = html! {
            (frame.axes())
            @for line in self.lines.iter().filter(|line| !line.points.is_empty()) {
                path class={ "line " (line.class) } d=(frame.path(&line.points)) {}
            }
            (frame.names())
            @for mark in &self.marks { (frame.mark(mark)) }
        };
        drawing(self.id, (WIDTH, HEIGHT), &self.title, &self.description, &content)
    }

    /// Room for the longest name.
    fn margin(&self) -> f64 {
        let names = self.lines.iter().filter_map(|line| line.name.as_deref());
        names.map(|name| GAP + bold_width(&shortened(name))).fold(MARGIN, f64::max)
    }
}

fn shortened(name: &str) -> String {
    fitted(&display_text(name), NAME_MAX)
}

/// The plot within the drawing.
struct Frame<'a> {
    curves: &'a Curves,
    right: f64,
}

impl Frame<'_> {
    fn x(&self, value: f64) -> f64 {
        LEFT + (self.right - LEFT) * self.curves.x.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.curves.y.place(value)
    }

    fn axes(&self) -> Markup {
        let Curves { x, y, .. } = self.curves;
        html! {
            (text(0.0, 11.0, "start", "", &y.label))
            @for (value, shown) in &y.ticks {
                (line("grid", (LEFT, self.y(*value)), (self.right, self.y(*value))))
                (text(LEFT - 6.0, self.y(*value) + 4.0, "end", "", shown))
            }
            (line("axis", (LEFT, BOTTOM), (self.right, BOTTOM)))
            @for (value, shown) in &x.ticks {
                (line("axis", (self.x(*value), BOTTOM), (self.x(*value), BOTTOM + 4.0)))
                (text(self.x(*value), BOTTOM + 16.0, "middle", "", shown))
            }
            (text(f64::midpoint(LEFT, self.right), BOTTOM + 32.0, "middle", "", &x.label))
        }
    }

    /// The points as a path; those that lie within the same tenth of the drawing's unit are one.
    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut places: Vec<(String, String)> =
            points.iter().map(|(x, y)| (at(self.x(*x)), at(self.y(*y)))).collect();
        places.dedup();
        let place = |(index, (x, y)): (usize, &(String, String))| {
            format!("{}{x} {y}", if index == 0 { "M" } else { "L" })
        };
        places.iter().enumerate().map(place).collect()
    }

    /// Names at the ends of their curves, moved apart where they would lie on each other.
    fn names(&self) -> Markup {
        let end =
            |line: &Line| Some((self.y(line.points.last()?.1), shortened(line.name.as_deref()?), line.class));
        let mut names: Vec<_> = self.curves.lines.iter().filter_map(end).collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        let ends: Vec<f64> = names.iter().map(|(y, ..)| *y).collect();
        html! {
            @for (y, (_, name, class)) in apart(&ends, LEADING, (TOP, BOTTOM)).into_iter().zip(&names) {
                (text(self.right + GAP, y + 4.0, "start", class, name))
            }
        }
    }

    fn mark(&self, mark: &Mark) -> Markup {
        let (x, y) = (self.x(mark.point.0), self.y(mark.point.1));
        // On the side that has room, and within the plot's height.
        let anchor = if x + bold_width(&mark.name) + 8.0 < self.right { "start" } else { "end" };
        let text_x = if anchor == "start" { x + 8.0 } else { x - 8.0 };
        html! {
            circle.dot cx=(at(x)) cy=(at(y)) r="4" {}
            @let text_y = if mark.is_above { y - 9.0 } else { (y + 18.0).min(BOTTOM - 4.0) };
            (text(text_x, text_y, anchor, "strong", &mark.name))
        }
    }
}

/// `ends`, which ascend, each at least `leading` below the one before, as near to where they were as that and the bounds
/// allow; where they do not all fit, the last reach beyond the lower bound.
fn apart(ends: &[f64], leading: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut places: Vec<f64> = ends.to_vec();
    let mut lowest = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(lowest);
        lowest = *place - leading;
    }
    let mut highest = top;
    for place in &mut places {
        *place = place.max(highest);
        highest = *place + leading;
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_do_not_lie_on_each_other(mut ends in prop::collection::vec(0.0..200.0_f64, 0..12)) {
            ends.sort_by(f64::total_cmp);
            let places = apart(&ends, 10.0, (0.0, 200.0));
            prop_assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 10.0 - 1e-9), "{places:?}");
            prop_assert!(places.iter().all(|place| (-1e-9..=200.0 + 1e-9).contains(place)), "{places:?}");
        }
    }

    #[test]
    fn names_with_room_stay_where_their_curves_end() {
        assert_eq!(apart(&[10.0, 50.0, 90.0], 12.0, (0.0, 100.0)), [10.0, 50.0, 90.0]);
    }
}
