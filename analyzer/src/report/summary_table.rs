//! The table of strategies: one row each, figures in groups, as many groups beside each other as the width allows.

use comfy_table::{CellAlignment, ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};

use super::model::{Report, StrategyReport};
use super::style::{Ink, TextStyle};
use super::{label, number, verdict, width};

/// Columns of a strategy's name before it is cut.
const NAME_COLUMNS_MAX: usize = 22;
/// What the column "keeps in order" wraps to: as much as is left, within these.
const ORDERING_COLUMNS: std::ops::RangeInclusive<usize> = 12..=30;
/// Spaces between columns.
const GAP_COLUMNS: u16 = 2;
/// VIP tenants with a column of their own in the table of blast radii.
const VIPS_SHOWN_MAX: usize = 12;

/// One column: its heading and a cell per strategy; either may have several lines.
struct Column {
    heading: String,
    cells: Vec<String>,
    align: CellAlignment,
}

impl Column {
    fn columns(&self) -> usize {
        let lines = self.cells.iter().chain([&self.heading]).flat_map(|cell| cell.split('\n'));
        lines.map(width::columns).max().unwrap_or(0) + usize::from(GAP_COLUMNS)
    }
}

/// The strategies' figures as one or more tables, none wider than the style asks for.
pub(super) fn summary_tables(report: &Report, style: TextStyle) -> String {
    let name = name_column(report, style);
    let groups = vec![verdict_group(report, style), shape_group(report, style), load_group(report, style)];
    let mut packed = pack(groups, &name, style);
    if report.workload.vips.len() > 1 {
        // In a table of their own: they are another question than how even the load is.
        packed.extend(pack(blast_groups(report, style), &name, style));
    }
    let tables: Vec<String> = packed.iter().map(|columns| table(report, &name, columns, style)).collect();
    tables.join("\n")
}

/// Puts as many groups beside each other as fit, in their order.
fn pack(groups: Vec<Vec<Column>>, name: &Column, style: TextStyle) -> Vec<Vec<Column>> {
    let width = |columns: &[Column]| columns.iter().map(Column::columns).sum::<usize>();
    // The last column needs no gap behind it.
    let room = (style.columns() + usize::from(GAP_COLUMNS)).saturating_sub(name.columns());
    let mut packed: Vec<Vec<Column>> = Vec::new();
    for group in groups {
        match packed.last_mut() {
            Some(last) if width(last) + width(&group) <= room => last.extend(group),
            _ => packed.push(group),
        }
    }
    packed
}

fn name_column(report: &Report, style: TextStyle) -> Column {
    let cells =
        report.strategies.iter().map(|strategy| label::strategy_within(strategy, NAME_COLUMNS_MAX, style));
    Column { heading: "strategy".to_owned(), cells: cells.collect(), align: CellAlignment::Left }
}

/// A column of right-aligned figures.
fn figures(
    report: &Report,
    style: TextStyle,
    heading: &str,
    figure: impl Fn(&StrategyReport) -> String,
) -> Column {
    let cells = report.strategies.iter().map(|strategy| style.text(&figure(strategy)));
    Column { heading: heading.to_owned(), cells: cells.collect(), align: CellAlignment::Right }
}

/// What decides: order kept, how uneven, how much of that is the partitioner's fault, and where.
fn verdict_group(report: &Report, style: TextStyle) -> Vec<Column> {
    let hottest = |s: &StrategyReport| match label::hottest(&s.records) {
        Some((index, _)) => index.to_string(),
        None => number::MISSING.to_owned(),
    };
    let mut columns = vec![
        figures(report, style, "max/mean", |s| number::ratio(s.skew.max_mean)),
        figures(report, style, "floor", |s| label::floor(report, s)),
        figures(report, style, "regret", |s| label::regret(report, s)),
        figures(report, style, "hottest\nat", hottest),
        figures(report, style, "blast\nradius", label::blast_radius),
    ];
    let taken = name_column(report, style).columns() + columns.iter().map(Column::columns).sum::<usize>();
    let room =
        style.columns().saturating_sub(taken).clamp(*ORDERING_COLUMNS.start(), *ORDERING_COLUMNS.end());
    let wrapped = |s: &StrategyReport| width::wrap(&style.text(&label::ordering(s)), room).join("\n");
    let ordering = Column {
        heading: width::wrap("keeps in order", room).join("\n"),
        cells: report.strategies.iter().map(wrapped).collect(),
        align: CellAlignment::Left,
    };
    columns.insert(0, ordering);
    columns
}

/// The same unevenness as other tools measure it.
fn shape_group(report: &Report, style: TextStyle) -> Vec<Column> {
    let mut columns = vec![
        figures(report, style, "I/m", |s| number::figure(s.skew.imbalance)),
        figures(report, style, "CV", |s| number::figure(s.skew.cv)),
        figures(report, style, "Gini", |s| number::figure(s.skew.gini)),
        figures(report, style, "Jain", |s| number::figure(s.skew.jain)),
        figures(report, style, "FLIP-\n418 %", |s| number::figure(s.skew.flip418)),
    ];
    if report.strategies.iter().any(|s| s.bytes_max_mean.is_some()) {
        let ratio = |s: &StrategyReport| s.bytes_max_mean.map_or(number::MISSING.to_owned(), number::ratio);
        columns.push(figures(report, style, "bytes\nmax/mean", ratio));
    }
    columns
}

/// Partitions with records, and records per partition at percentiles.
fn load_group(report: &Report, style: TextStyle) -> Vec<Column> {
    vec![
        figures(report, style, "used", |s| number::count(s.partitions_used.into())),
        figures(report, style, "load\np50", |s| number::count(s.skew.percentiles.p50)),
        figures(report, style, "load\np90", |s| number::count(s.skew.percentiles.p90)),
        figures(report, style, "load\np99", |s| number::count(s.skew.percentiles.p99)),
        figures(report, style, "load\nmax", |s| number::count(s.skew.percentiles.max)),
    ]
}

/// The blast radius of each VIP tenant, a group per tenant so that they wrap freely.
fn blast_groups(report: &Report, style: TextStyle) -> Vec<Vec<Column>> {
    let ellipsis = style.text("…");
    let vips = report.workload.vips.iter().take(VIPS_SHOWN_MAX);
    let columns = vips.map(|vip| {
        let radius = |s: &StrategyReport| match s.blast_radius.get(&vip.name) {
            Some(Some(radius)) => number::percent(*radius),
            _ => number::MISSING.to_owned(),
        };
        let name = width::fit(&style.text(&vip.name), NAME_COLUMNS_MAX, &ellipsis);
        vec![figures(report, style, &format!("blast of\n{name}"), radius)]
    });
    columns.collect()
}

fn table(report: &Report, name: &Column, columns: &[Column], style: TextStyle) -> String {
    let columns: Vec<&Column> = std::iter::once(name).chain(columns).collect();
    let mut table = Table::new();
    table.load_style(table_style(style)).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(style.width_columns.max(TextStyle::WIDTH_COLUMNS_MIN));
    table.set_truncation_indicator(&style.text("…"));
    table.set_header(columns.iter().map(|column| &column.heading).collect::<Vec<_>>());
    for row in 0..report.strategies.len() {
        table.add_row(columns.iter().map(|column| &column.cells[row]).collect::<Vec<_>>());
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(settings) = table.column_mut(index) {
            settings.set_cell_alignment(column.align);
            settings.set_padding((0, if index + 1 == columns.len() { 0 } else { GAP_COLUMNS }));
        }
    }
    painted(report, table.lines(), style)
}

/// Only a line under the headings: the columns are told apart by space.
pub(super) fn table_style(style: TextStyle) -> TableStyle {
    let line = if style.unicode { '─' } else { '-' };
    TableStyle::new().header_separator(LineStyle::none().fill(line)).content_lines(ContentLineStyle::none())
}

/// Colours whole lines, outside the table's cells, because the table would count escape codes as text.
fn painted(report: &Report, lines: impl Iterator<Item = String>, style: TextStyle) -> String {
    let best = verdict::evenest_in_order(report).map(|strategy| &strategy.name);
    let mut strategies = report.strategies.iter();
    let mut ink = Ink::Heading;
    let mut in_header = true;
    let mut text = String::new();
    for line in lines {
        let line = line.trim_end();
        if in_header && line.starts_with(['─', '-']) {
            in_header = false;
            ink = Ink::Dim;
        } else if !in_header && !line.starts_with(' ') {
            // A row's later lines have an empty name and keep the ink of the first.
            ink = match strategies.next() {
                Some(strategy) if Some(&strategy.name) == best => Ink::Good,
                Some(strategy) if strategy.breaks_entity_order => Ink::Dim,
                _ => Ink::Plain,
            };
        }
        text.push_str(&style.paint(ink, line));
        text.push('\n');
    }
    text
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
            for width in [60, 80, 100, 120, 200] {
                let text = summary_tables(&report, style(width));
                for line in text.lines() {
                    assert!(width::columns(line) <= usize::from(width), "{width}: {line}\n{text}");
                }
            }
        }
    }

    #[test]
    fn a_wide_terminal_gets_one_table_and_a_narrow_one_several() {
        let report = fixture::multitenant();
        let tables = |width| summary_tables(&report, style(width)).matches("strategy ").count();
        assert_eq!((tables(200), tables(120), tables(80)), (1, 2, 3));
    }

    #[test]
    fn colour_marks_the_best_and_the_order_breaking_rows_and_changes_nothing_else() {
        let report = fixture::multitenant();
        let colored = summary_tables(&report, TextStyle { color: true, ..style(120) });
        assert!(colored.contains("\x1b[32mcompound-key"), "{colored}");
        assert!(colored.contains("\x1b[2mround-robin !"), "{colored}");
        let stripped =
            ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m"].iter().fold(colored, |t, code| t.replace(code, ""));
        assert_eq!(stripped, summary_tables(&report, style(120)));
    }

    #[test]
    fn each_vip_tenant_has_its_blast_radius_when_there_are_several() {
        let text = summary_tables(&fixture::flights(), style(120));
        assert!(text.contains("blast of"), "{text}");
        for vip in ["UA", "B6", "EV"] {
            assert!(text.contains(vip), "{text}");
        }
    }
}
