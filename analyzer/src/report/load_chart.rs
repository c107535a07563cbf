//! Load per partition, the strategies side by side, every bar on one scale.

use super::heat::Heat;
use super::model::{Report, StrategyReport};
use super::style::{Ink, TextStyle};
use super::{bars, label, number, width};

/// A topic with more partitions than this is shown in part.
pub(super) const PARTITIONS_ALL_MAX: usize = 64;
/// Partitions shown of a larger topic.
pub(super) const PARTITIONS_SHOWN: usize = 48;

const BAR_COLUMNS_MIN: usize = 8;
const BAR_COLUMNS_MAX: usize = 40;
/// Columns that a strategy's name is given before it is cut.
const NAME_COLUMNS_MAX: usize = 18;
/// Spaces before each strategy's column.
const GAP_COLUMNS: usize = 2;

/// What is charted.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    /// Load per partition of a strategy.
    pub loads: fn(&StrategyReport) -> &[u64],
    /// A load in print.
    pub figure: fn(u64) -> String,
    /// `records` or `bytes`.
    pub noun: &'static str,
}

/// Records per partition.
pub(super) const RECORDS: Measure = Measure { loads: |s| &s.records, figure: number::count, noun: "records" };
/// Bytes per partition.
pub(super) const BYTES: Measure = Measure { loads: |s| &s.bytes, figure: number::bytes, noun: "bytes" };

/// The partitions worth a row, and why these.
pub(super) struct Rows {
    /// Partition numbers in the order to show.
    pub partitions: Vec<usize>,
    /// A sentence when not all are shown.
    pub note: Option<String>,
}

/// All partitions of a small topic; of a large one those that the most uneven strategy heats most, hottest first.
pub(super) fn rows(report: &Report, measure: Measure) -> Rows {
    let total = usize::try_from(report.partitions).unwrap_or(usize::MAX);
    if total <= PARTITIONS_ALL_MAX {
        return Rows { partitions: (0..total).collect(), note: None };
    }
    let over_mean =
        |s: &&StrategyReport| means(highest((measure.loads)(s)), (measure.loads)(s)).unwrap_or(0.0);
    let worst = report.strategies.iter().rev().max_by(|a, b| over_mean(a).total_cmp(&over_mean(b)));
    let loads = worst.map_or(&[][..], measure.loads);
    let mut partitions: Vec<usize> = (0..total).collect();
    // A stable sort: equals stay in the order of their numbers.
    partitions.sort_by_key(|index| std::cmp::Reverse(loads.get(*index)));
    partitions.truncate(PARTITIONS_SHOWN);
    let note = worst.map(|worst| {
        format!(
            "{} of {} shown, the hottest under {}; --format csv lists all",
            number::count(u64::try_from(partitions.len()).unwrap_or(u64::MAX)),
            number::count(report.partitions.into()),
            label::strategy(worst)
        )
    });
    Rows { partitions, note }
}

/// The chart: groups of strategies below each other, as many a group as the width allows.
pub(super) fn load_chart(report: &Report, measure: Measure, style: TextStyle) -> String {
    let rows = rows(report, measure);
    let layout = Layout::new(report, &rows, measure, style);
    let mut text = String::new();
    if let Some(note) = &rows.note {
        for line in width::wrap(&style.text(note), style.columns()) {
            text.push_str(&line);
            text.push('\n');
        }
        text.push('\n');
    }
    for (index, strategies) in report.strategies.chunks(layout.strategies_per_group).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text.push_str(&layout.headings(strategies, measure));
        for partition in &rows.partitions {
            text.push_str(&layout.row(*partition, strategies, report.vip_count, measure));
        }
    }
    text
}

/// Columns of every part of a row, the same in every group so that bars compare across groups.
struct Layout {
    style: TextStyle,
    label_columns: usize,
    figure_columns: usize,
    bar_columns: usize,
    strategies_per_group: usize,
    /// The load whose bar is full: the hottest of all partitions of all strategies.
    full_bar: u64,
}

impl Layout {
    fn new(report: &Report, rows: &Rows, measure: Measure, style: TextStyle) -> Self {
        let labels =
            rows.partitions.iter().map(|index| width::columns(&label::partition(*index, report.vip_count)));
        let label_columns = labels.max().unwrap_or(0).max(width::columns("partition"));
        let loads = || report.strategies.iter().flat_map(|s| (measure.loads)(s).iter().copied());
        let figure_columns = loads().map(|load| width::columns(&(measure.figure)(load))).max().unwrap_or(1);
        let names = report.strategies.iter().map(|s| width::columns(&style.text(&label::strategy(s))));
        let name_columns = names.max().unwrap_or(0).min(NAME_COLUMNS_MAX);

        let room = style.columns().saturating_sub(label_columns);
        let cell_columns_min = GAP_COLUMNS + (figure_columns + 1 + BAR_COLUMNS_MIN).max(name_columns);
        let fitting = (room / cell_columns_min).clamp(1, report.strategies.len().max(1));
        // Groups of equal size rather than a full one and a rest.
        let groups = report.strategies.len().div_ceil(fitting).max(1);
        let strategies_per_group = report.strategies.len().div_ceil(groups).max(1);
        let cell_columns = room / strategies_per_group;
        let bar_columns =
            cell_columns.saturating_sub(GAP_COLUMNS + figure_columns + 1).clamp(1, BAR_COLUMNS_MAX);
        let full_bar = loads().max().unwrap_or(0);
        Self { style, label_columns, figure_columns, bar_columns, strategies_per_group, full_bar }
    }

    fn cell_columns(&self) -> usize {
        self.figure_columns + 1 + self.bar_columns
    }

    fn headings(&self, strategies: &[StrategyReport], measure: Measure) -> String {
        let style = self.style;
        let heading = |label: &str, ink: Ink, content: &dyn Fn(&StrategyReport) -> String| {
            let mut line = style.paint(Ink::Dim, &width::pad_right(label, self.label_columns));
            for (index, strategy) in strategies.iter().enumerate() {
                let content = content(strategy);
                let last = index + 1 == strategies.len();
                let content = if last { content } else { width::pad_right(&content, self.cell_columns()) };
                line.push_str(&" ".repeat(GAP_COLUMNS));
                line.push_str(&style.paint(ink, &content));
            }
            line.push('\n');
            line
        };
        let over_mean = |s: &StrategyReport| {
            let loads = (measure.loads)(s);
            let means = means(highest(loads), loads);
            let text = format!("max/mean {}", means.map_or(number::MISSING.to_owned(), number::ratio));
            width::fit(&style.text(&text), self.cell_columns(), &style.text("…"))
        };
        let name = |s: &StrategyReport| label::strategy_within(s, self.cell_columns(), style);
        heading("", Ink::Heading, &name) + &heading("partition", Ink::Dim, &over_mean)
    }

    fn row(
        &self,
        partition: usize,
        strategies: &[StrategyReport],
        vip_count: Option<u32>,
        measure: Measure,
    ) -> String {
        let style = self.style;
        let mut line = width::pad_right(&label::partition(partition, vip_count), self.label_columns);
        for strategy in strategies {
            let loads = (measure.loads)(strategy);
            line.push_str(&" ".repeat(GAP_COLUMNS));
            let Some(load) = loads.get(partition).copied() else {
                let missing = width::pad_left(&style.text(number::MISSING), self.figure_columns);
                line.push_str(&width::pad_right(&missing, self.cell_columns()));
                continue;
            };
            let bar = bars::bar(load as f64 / self.full_bar.max(1) as f64, self.bar_columns, style.unicode);
            let figure = width::pad_left(&(measure.figure)(load), self.figure_columns);
            let cell = format!("{figure} {bar}");
            let padding = self.cell_columns().saturating_sub(width::columns(&cell));
            line.push_str(&style.paint(heat(load, loads), &cell));
            line.push_str(&" ".repeat(padding));
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// `load` as a multiple of the mean of `loads`; nothing without load.
fn means(load: u64, loads: &[u64]) -> Option<f64> {
    let total: u128 = loads.iter().copied().map(u128::from).sum();
    (total > 0).then(|| load as f64 * loads.len() as f64 / total as f64)
}

fn highest(loads: &[u64]) -> u64 {
    loads.iter().copied().max().unwrap_or(0)
}

fn heat(load: u64, loads: &[u64]) -> Ink {
    match means(load, loads).map(Heat::of) {
        Some(Heat::Hot) => Ink::Hot,
        Some(Heat::Warm) => Ink::Warm,
        Some(Heat::Usual) | None => Ink::Plain,
    }
}

/// Whether bytes are exactly proportional to records on every partition of every strategy, so
/// that a chart of bytes would repeat that of records.
pub(super) fn bytes_are_proportional(report: &Report) -> bool {
    let mut ratio: Option<(u128, u128)> = None;
    for strategy in &report.strategies {
        for (records, bytes) in strategy.records.iter().zip(&strategy.bytes) {
            let (records, bytes) = (u128::from(*records), u128::from(*bytes));
            let (of_records, of_bytes) = *ratio.get_or_insert((records, bytes));
            // Both products are below 2^128: each factor is below 2^64.
            if of_records * bytes != of_bytes * records {
                return false;
            }
            if of_records == 0 && of_bytes == 0 {
                // An empty partition says nothing about the ratio.
                ratio = None;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn style(width_columns: u16) -> TextStyle {
        TextStyle { width_columns, ..TextStyle::default() }
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        for report in fixture::all() {
            for columns in [60, 80, 120, 250] {
                for unicode in [true, false] {
                    let text = load_chart(&report, RECORDS, TextStyle { unicode, ..style(columns) });
                    for line in text.lines() {
                        assert!(width::columns(line) <= usize::from(columns), "{columns}: {line}\n{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn bars_of_equal_load_are_equal_in_every_group() {
        let mut report = fixture::multitenant();
        for strategy in &mut report.strategies {
            strategy.records.fill(500);
        }
        let text = load_chart(&report, RECORDS, style(80));
        let mut bars: Vec<&str> = text.split([' ', '\n']).filter(|word| word.starts_with('█')).collect();
        bars.dedup();
        assert_eq!(bars.len(), 1, "{text}");
    }

    #[test]
    fn a_large_topic_is_shown_in_part_and_says_so() {
        let report = fixture::thousand_partitions();
        let text = load_chart(&report, RECORDS, style(120));
        assert!(
            text.starts_with("48 of 1,000 shown, the hottest under tenant-key; --format csv lists all\n"),
            "{text}"
        );
        let rows = rows(&report, RECORDS).partitions;
        let loads = &report.strategies[0].records;
        assert_eq!(rows.len(), 48);
        assert!(rows.windows(2).all(|pair| loads[pair[0]] >= loads[pair[1]]));
        assert_eq!(loads[rows[0]], *loads.iter().max().unwrap());
    }

    #[test]
    fn a_missing_partition_is_not_an_empty_one() {
        let mut report = fixture::multitenant();
        report.strategies.truncate(1);
        report.strategies[0].records = vec![5, 0];
        let text = load_chart(&report, RECORDS, style(80));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[3], "1 vip      0");
        assert_eq!(lines[4], "2 vip      –");
    }

    #[test]
    fn heat_is_measured_against_the_strategys_own_mean() {
        assert_eq!(heat(10, &[10, 10]), Ink::Plain);
        assert_eq!(heat(15, &[15, 5]), Ink::Warm);
        assert_eq!(heat(40, &[40, 0, 0, 0]), Ink::Hot);
        assert_eq!(heat(0, &[0, 0]), Ink::Plain);
    }

    #[test]
    fn proportional_is_exact() {
        let mut report = fixture::multitenant();
        assert!(bytes_are_proportional(&report));
        report.strategies[1].records[0] = 0;
        report.strategies[1].bytes[0] = 0;
        assert!(bytes_are_proportional(&report), "an empty partition says nothing about the ratio");
        report.strategies[1].bytes[3] += 1;
        assert!(!bytes_are_proportional(&report));
    }
}
