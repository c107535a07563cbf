//! Where the largest tenants lie: tenant × partition, one small chart a strategy.

use maud::{Markup, html};

use super::super::escape::display_text;
use super::super::heat::{HOT_MEANS, WARM_MEANS};
use super::super::model::{Report, StrategyReport, TenantShare};
use super::super::{label, number};
use super::draw::{at, drawing, line, text};
use super::lettering;
use super::load_bars::partitions_per_column;
use super::role;
use super::table::{Cell, Column, Row, Table};

const WIDTH: f64 = 360.0;
/// From here to the right the cells stand, with the tenants' names before them.
const LEFT: f64 = 112.0;
const RIGHT: f64 = WIDTH - 2.0;
const TOP: f64 = 4.0;
const ROW: f64 = 15.0;
/// Between a name and the cells.
const GAP: f64 = 5.0;

/// Most cells of a row; on a larger topic each shows the fullest of some neighbours.
const CELLS_MAX: usize = 64;

/// Classes of cells and the multiple of the partitions' mean from which each begins, ascending.
const CLASSES: [(f64, &str, &str); 6] = [
    (0.0, "share-1", "below 1 % of the mean"),
    (0.01, "share-2", "from 1 %"),
    (0.1, "share-3", "from 10 %"),
    (0.5, "share-4", "from 50 %"),
    (WARM_MEANS, "warm", "from 1.5 × the mean"),
    (HOT_MEANS, "hot", "from 3 × the mean"),
];

/// The charts of all strategies, or why there are none.
pub(super) fn heat_map(report: &Report) -> Markup {
    let tenants = &report.workload.largest_tenants;
    if tenants.is_empty() {
        return html! {
            p.note { "Left out: the topic has too many partitions to list its tenants on each, or no record has a tenant." }
        };
    }
    let per_cell = partitions_per_column(report.partitions as usize, CELLS_MAX);
    html! {
        p.note {
            "The " (number::count_of(tenants.len() as u64, "largest tenant", "largest tenants"))
            ", partitions from left to right. Colour is a tenant’s records on a partition over the mean of all partitions; "
            "no colour is no record."
            @if per_cell > 1 { " Each cell is the fullest of " (per_cell) " neighbouring partitions." }
        }
        (key())
        div.panels {
            @for (index, strategy) in report.strategies.iter().enumerate() { (panel(report, index, strategy, per_cell)) }
        }
        (figures(report))
    }
}

fn key() -> Markup {
    html! {
        ul.key {
            @for (_, class, name) in CLASSES {
                li {
                    svg viewBox="0 0 28 14" aria-hidden="true" {
                        rect class=(class) x="1" y="1" width="26" height="12" {}
                        rect.frame x="1" y="1" width="26" height="12" {}
                    }
                    (name)
                }
            }
        }
    }
}

fn panel(report: &Report, index: usize, strategy: &StrategyReport, per_cell: usize) -> Markup {
    let tenants = &report.workload.largest_tenants;
    let total: u128 = strategy.records.iter().copied().map(u128::from).sum();
    let mean = total as f64 / strategy.records.len().max(1) as f64;
    let others = others(strategy);
    let rows = strategy.tenant_records.iter().map(Option::as_deref).chain(others.as_deref().map(Some));
    let bottom = TOP + ROW * (tenants.len() + usize::from(others.is_some())) as f64;
    let names = tenants.iter().map(|tenant| tenant.name.as_str()).chain(["all others"]);
    let content = html! {
        @for (row, (cells, name)) in rows.zip(names).enumerate() {
            @let y = TOP + ROW * row as f64;
            (tenant_name(name, y))
            @match cells {
                Some(cells) => (fills(cells, mean, per_cell, y)),
                None => (text(LEFT + 6.0, y + 11.0, "start", "", "not tracked")),
            }
        }
        rect.frame x=(at(LEFT)) y=(at(TOP)) width=(at(RIGHT - LEFT)) height=(at(bottom - TOP)) {}
        (below(strategy.records.len(), report.vip_count, bottom))
    };
    let title = format!("Records per tenant and partition under {}", label::strategy(strategy));
    let drawn = drawing(
        &format!("map-{index}"),
        (WIDTH, bottom + 20.0),
        &title,
        &described(report, strategy),
        &content,
    );
    html! { figure { figcaption { b { (role::name(strategy)) } } (drawn) } }
}

/// Records per partition of all tenants without a row; `None` when that is not known, for one with a row was not tracked.
fn others(strategy: &StrategyReport) -> Option<Vec<u64>> {
    let mut others = strategy.records.clone();
    for row in &strategy.tenant_records {
        for (rest, records) in others.iter_mut().zip(row.as_ref()?) {
            *rest = rest.saturating_sub(*records);
        }
    }
    Some(others)
}

fn tenant_name(name: &str, y: f64) -> Markup {
    let shown = lettering::fitted(&display_text(name), LEFT - GAP);
    html! {
        text x=(at(LEFT - GAP)) y=(at(y + 11.0)) text-anchor="end" {
            (shown)
            @if shown != display_text(name) { title { (display_text(name)) } }
        }
    }
}

/// The cells of a row, one path for all of a class: a topic of many partitions still makes a small page.
fn fills(records: &[u64], mean: f64, per_cell: usize, y: f64) -> Markup {
    let cells: Vec<u64> =
        records.chunks(per_cell).map(|bin| bin.iter().copied().max().unwrap_or(0)).collect();
    let step = (RIGHT - LEFT) / cells.len().max(1) as f64;
    let path = |class: &str| {
        let of_class = (0..).zip(&cells).filter(|(_, records)| class_of(**records, mean) == Some(class));
        of_class
            .map(|(index, _): (u32, _)| {
                let (x, y, width) = (at(LEFT + step * f64::from(index)), at(y), at(step));
                format!("M{x} {y}h{width}v{ROW}h-{width}z")
            })
            .collect::<String>()
    };
    html! {
        @for (_, class, _) in CLASSES {
            @let path = path(class);
            @if !path.is_empty() { path class=(class) d=(path) {} }
        }
    }
}

/// The class of a cell; none without a record.
fn class_of(records: u64, mean: f64) -> Option<&'static str> {
    let means = records as f64 / mean;
    CLASSES.iter().rev().find(|(from, ..)| records > 0 && means >= *from).map(|(_, class, _)| *class)
}

fn below(count: usize, vip_count: Option<u32>, y: f64) -> Markup {
    let pool = vip_count.map_or(0, |vip_count| (vip_count as usize).min(count));
    let end = LEFT + (RIGHT - LEFT) * pool as f64 / count.max(1) as f64;
    html! {
        @if pool > 0 { (line("pool", (LEFT, y + 4.0), (end - 1.0, y + 4.0))) }
        (text(LEFT, y + 17.0, "start", "", if pool > 0 { "VIP pool" } else { "0" }))
        @if count > 1 { (text(RIGHT, y + 17.0, "end", "", &(count - 1).to_string())) }
    }
}

/// The widest and the most concentrated in a sentence, for whoever does not see the chart.
fn described(report: &Report, strategy: &StrategyReport) -> String {
    let tenants = report.workload.largest_tenants.iter().zip(&strategy.tenant_records);
    let sentences = tenants.map(|(tenant, row)| format!("{}: {}.", tenant.name, place(row.as_deref())));
    sentences.collect::<Vec<_>>().join(" ")
}

/// Where a tenant lies: `12 partitions, most on 3: 75,000`.
fn place(row: Option<&[u64]>) -> String {
    let Some(row) = row else { return format!("{} not tracked", number::MISSING) };
    let used = row.iter().filter(|records| **records > 0).count();
    match label::hottest(row) {
        Some((partition, records)) if used == 1 => {
            format!("partition {partition} alone, {}", number::count(records))
        }
        Some((partition, records)) => {
            format!(
                "{} partitions, most on {partition}: {}",
                number::count(used as u64),
                number::count(records)
            )
        }
        None => "no partition".to_owned(),
    }
}

fn figures(report: &Report) -> Markup {
    let columns = report.strategies.iter().map(|s| Column { heading: role::name(s), is_number: false });
    let row = |(index, tenant): (usize, &TenantShare)| {
        let places = report.strategies.iter().map(|s| {
            let row = s.tenant_records.get(index).and_then(Option::as_deref);
            Cell { class: "words", ..Cell::words(&place(row)) }
        });
        let head =
            [Cell::words(&tenant.name), Cell::number(&number::percent(tenant.share), Some(tenant.share))];
        Row { cells: head.into_iter().chain(places).collect(), class: "" }
    };
    let table = Table {
        caption: "Where the largest tenants lie; --format json lists their records on every partition"
            .to_owned(),
        columns: [Column::words("tenant"), Column::number("share")].into_iter().chain(columns).collect(),
        rows: report.workload.largest_tenants.iter().enumerate().map(row).collect(),
        is_sortable: true,
    };
    table.folded("Where the largest tenants lie, as a table")
}
