//! Load per partition as columns, one small chart a strategy and all on one scale.

use maud::{Markup, html};

use super::super::heat::Heat;
use super::super::load_chart::{Measure, rows};
use super::super::model::{Report, StrategyReport};
use super::super::{label, number};
use super::draw::{at, drawing, line, text};
use super::role;
use super::table::{Cell, Column, Row, Table};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 132.0;
/// From here to the right the columns stand.
const LEFT: f64 = 2.0;
const RIGHT: f64 = WIDTH - 2.0;
/// A column of the highest load begins here, below its label.
const TOP: f64 = 18.0;
const BASE: f64 = 108.0;

/// The scale ends here, as a multiple of the mean: one partition with almost everything would leave of all others nothing
/// to see. A column that goes on beyond has a cut.
const SCALE_MEANS_MAX: f64 = 16.0;

/// Most columns of a chart; on a larger topic each shows the hottest of some neighbours.
pub(super) const COLUMNS_MAX: usize = 120;

/// The loads that one chart shows.
pub(super) struct Loads<'a> {
    /// What it is of, in words.
    pub(super) name: String,
    /// The same above the chart.
    pub(super) heading: Markup,
    /// Load of each partition.
    pub(super) loads: &'a [u64],
}

/// The charts of `measure` under each strategy and, folded, its figures.
pub(super) fn load_bars(report: &Report, measure: Measure) -> Markup {
    let loads = |strategy| Loads {
        name: format!("under {}", label::strategy(strategy)),
        heading: role::name(strategy),
        loads: (measure.loads)(strategy),
    };
    let all: Vec<Loads<'_>> = report.strategies.iter().map(loads).collect();
    html! {
        (bars(&all, measure.noun, measure.figure, report.vip_count))
        (figures(report, measure))
    }
}

/// A chart for each of `all`, whose loads are so many `noun`, which `figure` writes; all on one scale.
pub(super) fn bars(
    all: &[Loads<'_>],
    noun: &'static str,
    figure: fn(u64) -> String,
    vip_count: Option<u32>,
) -> Markup {
    let highest = all.iter().flat_map(|one| one.loads).copied().max().unwrap_or(0) as f64;
    let means_max = all.iter().map(|one| mean(one.loads)).fold(0.0, f64::max) * SCALE_MEANS_MAX;
    let partitions = all.iter().map(|one| one.loads.len()).max().unwrap_or(0);
    let scale = Scale {
        full: highest.min(means_max).max(1.0),
        partitions_per_column: partitions_per_column(partitions, COLUMNS_MAX),
        noun,
        figure,
    };
    html! {
        p.note {
            "One scale for all, from 0. The line is the mean."
            @if highest > scale.full {
                " The scale ends at " (SCALE_MEANS_MAX) " × the mean; a column with a cut goes on beyond."
            }
            @if scale.partitions_per_column > 1 {
                " Each column is the hottest of " (scale.partitions_per_column) " neighbouring partitions."
            }
        }
        div.panels {
            @for (index, one) in all.iter().enumerate() { (scale.panel(index, one, vip_count)) }
        }
    }
}

/// How many neighbours share a column when there may be `columns_max`.
pub(super) fn partitions_per_column(partitions: usize, columns_max: usize) -> usize {
    partitions.div_ceil(columns_max).max(1)
}

/// What the charts have in common.
struct Scale {
    /// The load at the upper end.
    full: f64,
    partitions_per_column: usize,
    noun: &'static str,
    figure: fn(u64) -> String,
}

impl Scale {
    fn panel(&self, index: usize, one: &Loads<'_>, vip_count: Option<u32>) -> Markup {
        let loads = one.loads;
        let mean = mean(loads);
        let hottest = label::hottest(loads);
        let means = |load: u64| load as f64 / mean;
        let ratio = hottest.map_or(number::MISSING.to_owned(), |(_, load)| number::ratio(means(load)));
        let title = format!("{} per partition {}", capitalized(self.noun), one.name);
        let description = match hottest {
            Some((at, load)) => format!(
                "{} partitions. The hottest is partition {at} with {}, {ratio} times the mean of {}.",
                number::count(loads.len() as u64),
                (self.figure)(load),
                number::figure(mean),
            ),
            None => "No partition has any load.".to_owned(),
        };
        let content = html! {
            (self.columns(loads, &means))
            (line("axis", (0.0, BASE), (WIDTH, BASE)))
            @if mean > 0.0 {
                @let y = self.height(mean);
                (line("mean", (0.0, y), (WIDTH, y)))
            }
            @if let Some((at, load)) = hottest { (self.hottest(at, load, loads.len())) }
            (below(loads.len(), vip_count))
        };
        let id = format!("{}-{index}", self.noun);
        html! {
            figure {
                figcaption { b { (one.heading) } " max/mean " b { (ratio) } }
                (drawing(&id, (WIDTH, HEIGHT), &title, &description, &content))
            }
        }
    }

    /// Where a load's column ends.
    fn height(&self, load: f64) -> f64 {
        BASE - (BASE - TOP) * (load / self.full).min(1.0)
    }

    fn columns(&self, loads: &[u64], means: &dyn Fn(u64) -> f64) -> Markup {
        let bins: Vec<&[u64]> = loads.chunks(self.partitions_per_column).collect();
        let step = (RIGHT - LEFT) / bins.len().max(1) as f64;
        // Narrow columns need their room for themselves.
        let gap = if step > 8.0 { 2.0 } else { step * 0.15 };
        html! {
            @for (index, bin) in bins.iter().enumerate() {
                @let load = bin.iter().copied().max().unwrap_or(0);
                @if load > 0 {
                    // What is there is seen, however little it is.
                    @let height = (BASE - self.height(load as f64)).max(0.7);
                    rect class=(class(Heat::of(means(load)))) x=(at(LEFT + step * index as f64 + gap / 2.0))
                        y=(at(BASE - height)) width=(at((step - gap).max(0.5))) height=(at(height)) {
                        title { (self.tip(index, bin.len(), load)) }
                    }
                    @if load as f64 > self.full {
                        @let x = LEFT + step * index as f64;
                        path.cut d={ "M" (at(x - 2.0)) " " (at(TOP + 13.0)) "L" (at(x + step + 2.0)) " " (at(TOP + 8.0)) } {}
                    }
                }
            }
        }
    }

    fn tip(&self, index: usize, partitions: usize, load: u64) -> String {
        let load = (self.figure)(load);
        let first = index * self.partitions_per_column;
        match partitions {
            1 => format!("partition {first}: {load}"),
            _ => format!("partitions {first} to {}: {load} at most", first + partitions - 1),
        }
    }

    /// The hottest partition's load, above its column and within the drawing.
    fn hottest(&self, partition: usize, load: u64, count: usize) -> Markup {
        let x = center(partition, count);
        let anchor = if x < WIDTH / 4.0 {
            "start"
        } else if x > WIDTH * 3.0 / 4.0 {
            "end"
        } else {
            "middle"
        };
        let x = match anchor {
            "start" => (x - 12.0).max(LEFT),
            "end" => (x + 12.0).min(RIGHT),
            _ => x,
        };
        let label = format!("{} on partition {partition}", (self.figure)(load));
        text(x, self.height(load as f64) - 5.0, anchor, "strong", &label)
    }
}

fn mean(loads: &[u64]) -> f64 {
    let total: u128 = loads.iter().copied().map(u128::from).sum();
    total as f64 / loads.len().max(1) as f64
}

const fn class(heat: Heat) -> &'static str {
    match heat {
        Heat::Usual => "load",
        Heat::Warm => "warm",
        Heat::Hot => "hot",
    }
}

/// The middle of a partition's place below the columns.
fn center(partition: usize, count: usize) -> f64 {
    LEFT + (RIGHT - LEFT) * (partition as f64 + 0.5) / count.max(1) as f64
}

/// The first and the last partition's number, and the VIP pool.
fn below(count: usize, vip_count: Option<u32>) -> Markup {
    let pool = vip_count.map_or(0, |vip_count| (vip_count as usize).min(count));
    let end = LEFT + (RIGHT - LEFT) * pool as f64 / count.max(1) as f64;
    html! {
        @if pool > 0 {
            (line("pool", (LEFT, BASE + 4.0), (end - 1.0, BASE + 4.0)))
            (text(LEFT, HEIGHT - 6.0, "start", "", &pool_name(pool)))
        } @else {
            (text(LEFT, HEIGHT - 6.0, "start", "", "0"))
        }
        @if count > 1 { (text(RIGHT, HEIGHT - 6.0, "end", "", &(count - 1).to_string())) }
    }
}

fn pool_name(pool: usize) -> String {
    if pool == 1 { "0: VIP pool".to_owned() } else { format!("0 to {}: VIP pool", pool - 1) }
}

/// The figures behind the charts, those of the hottest partitions on a large topic.
fn figures(report: &Report, measure: Measure) -> Markup {
    let shown = rows(report, measure);
    let name = |strategy: &StrategyReport| Column { heading: role::name(strategy), is_number: true };
    let row = |&partition: &usize| {
        let cell = |strategy: &StrategyReport| {
            let loads = (measure.loads)(strategy);
            let is_hottest = label::hottest(loads).is_some_and(|(hottest, _)| hottest == partition);
            let shown =
                loads.get(partition).map_or(number::MISSING.to_owned(), |load| (measure.figure)(*load));
            let value = loads.get(partition).map(|load| *load as f64);
            Cell { class: if is_hottest { "hot" } else { "" }, ..Cell::number(&shown, value) }
        };
        let head = Cell::number(&label::partition(partition, report.vip_count), Some(partition as f64));
        Row { cells: std::iter::once(head).chain(report.strategies.iter().map(cell)).collect(), class: "" }
    };
    let note = shown.note.map(|note| format!(" ({note})")).unwrap_or_default();
    let table = Table {
        caption: format!("{} per partition{note}", capitalized(measure.noun)),
        columns: std::iter::once(Column::number("partition"))
            .chain(report.strategies.iter().map(name))
            .collect(),
        rows: shown.partitions.iter().map(row).collect(),
        is_sortable: true,
    };
    table.folded(&format!("{} per partition as a table", capitalized(measure.noun)))
}

pub(super) fn capitalized(noun: &str) -> String {
    let mut symbols = noun.chars();
    symbols.next().map_or(String::new(), |first| first.to_uppercase().chain(symbols).collect())
}
