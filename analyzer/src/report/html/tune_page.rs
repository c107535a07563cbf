//! The report of a tuning as one HTML file.

use maud::{Markup, html};

use super::super::escape::display_text;
use super::super::number;
use super::super::tune::model::{Alternative, DedicatedPool, OrderChange, PlacementReport, TuneReport};
use super::load_bars::{Loads, bars};
use super::table::{Cell, Column, Row, Table};
use super::{findings, moved_slots_curve, page};

/// Renders the report of a tuning as a page like that of [`html()`](super::html()): whose order changes, the figures
/// before and after, the findings, the loads, the curve of moved slots, and the contract itself.
#[must_use]
pub fn tune_html(report: &TuneReport) -> String {
    let title = format!("Tuned contract: {}", display_text(&report.traffic.name));
    let body = html! {
        header {
            h1 { (title) }
            p.lead { (lead(report)) }
        }
        main {
            (order_changes(report))
            (tiles(report))
            (findings(&report.findings))
            section {
                h2 { "Before and after" }
                (placements(report))
                @let vip_count = Some(report.decision.vip_count).filter(|count| *count > 0);
                (bars(&loads(report), "records", number::count, vip_count))
            }
            @if let Some(curve) = moved_slots_curve::moved_slots_curve(&report.curve) {
                section { h2 { "Moved slots" } (curve) }
            }
            @if report.alternatives.len() > 1 {
                section { h2 { "Other VIP tenants and pools, the largest tenants" } (alternatives(&report.alternatives)) }
            }
            section {
                h2 { "The contract" }
                pre tabindex="0" { code { (lines(&report.contract)) } }
            }
        }
        (origin(report))
    };
    page::page(&title, &body)
}

/// Text of several lines, each escaped.
fn lines(text: &str) -> String {
    text.lines().map(|line| display_text(line) + "\n").collect()
}

fn lead(report: &TuneReport) -> String {
    let traffic = &report.traffic;
    let records = |records| number::count_of(records, "record", "records");
    let judged = match (traffic.judged_records, &traffic.holdout) {
        (Some(judged), Some(holdout)) => format!("judged on {} ({})", records(judged), display_text(holdout)),
        _ => "not judged on other records".to_owned(),
    };
    let parts = [
        number::count_of(report.partitions.into(), "partition", "partitions"),
        format!("tuned on {}", records(traffic.tuned_records)),
        judged,
    ];
    parts.join(" · ")
}

fn or_missing(value: Option<f64>, show: fn(f64) -> String) -> String {
    value.map_or(number::MISSING.to_owned(), show)
}

/// What the topic has now, and the tuned contract: the first and the last of the placements.
fn tiles(report: &TuneReport) -> Markup {
    let tile = |what: &str, class: &str, placement: &PlacementReport| {
        let figures = placement.figures();
        html! {
            li class=(class) {
                div.what { (what) }
                strong { (number::ratio(figures.max_mean)) " ×" }
                div { code { (display_text(&placement.name)) } }
                div.what {
                    "max/mean; "
                    span.whole { "blast radius " (or_missing(figures.worst_blast_radius(), number::percent)) }
                }
            }
        }
    };
    let decision = &report.decision;
    let moved = u64::from(decision.moved_slots_vip) + u64::from(decision.moved_slots_standard);
    html! {
        ul.tiles {
            @if let [first, .., last] = report.placements.as_slice() {
                (tile("Before", "hot", first))
                (tile("After", "even", last))
                li {
                    div.what { "Floor: what no contract of this order can beat" }
                    strong { (number::figure(last.figures().floor)) " ×" }
                    div.what { "regret " (number::ratio(last.figures().regret)) }
                }
            }
            li {
                div.what { "Moved slots" }
                strong { @if decision.slots_per_partition.is_some() { (number::count(moved)) } @else { (number::MISSING) } }
                @if let Some(moved) = &decision.moved {
                    div.what {
                        "against the contract of now "
                        span.whole { (number::percent(moved.record_share)) " of the records" }
                    }
                } @else {
                    div.what { (number::count_of(decision.vip_count.into(), "VIP partition", "VIP partitions")) }
                }
            }
        }
    }
}

/// Whose order changes: that is for the user to decide, so it stands first.
fn order_changes(report: &TuneReport) -> Markup {
    let changed = report.order_changes_count();
    if changed == 0 {
        return html! { section { h2 { "Order" } p { "No tenant’s order changes." } } };
    }
    let row = |change: &OrderChange| Row {
        cells: vec![
            Cell::words(&change.tenant.name),
            Cell::number(&number::percent(change.tenant.share), Some(change.tenant.share)),
            Cell::words(&change.before),
            Cell::words(&change.after),
        ],
        class: "",
    };
    let unlisted = match report.order_changes_unlisted {
        0 => String::new(),
        more => format!("; {} more are not listed", number::count(more)),
    };
    let table = Table {
        caption: format!("What stays in order, before and after{unlisted}"),
        columns: vec![
            Column::words("tenant"),
            Column::number("share"),
            Column::words("now in order by"),
            Column::words("then by"),
        ],
        rows: report.order_changes.iter().map(row).collect(),
        is_sortable: true,
    };
    html! {
        section {
            h2 { "Yours to decide" }
            p {
                "The order of " (number::count_of(changed, "tenant", "tenants")) " would change: kept by entity, and no longer as a whole."
            }
            (table.markup())
        }
    }
}

fn placements(report: &TuneReport) -> Markup {
    let last = report.placements.len().saturating_sub(1);
    let row = |(index, placement): (usize, &PlacementReport)| {
        let figures = placement.figures();
        let ratio = |value: Option<f64>| Cell::number(&or_missing(value, number::ratio), value);
        let cells = vec![
            Cell::markup(html! { code { (display_text(&placement.name)) } }),
            Cell { class: "words", ..Cell::words(&placement.ordering_scope) },
            ratio(Some(placement.tuned.max_mean)),
            ratio(placement.judged.as_ref().map(|judged| judged.max_mean)),
            ratio(Some(figures.floor)),
            ratio(Some(figures.regret)),
            Cell::number(
                &or_missing(figures.worst_blast_radius(), number::percent),
                figures.worst_blast_radius(),
            ),
        ];
        Row { cells, class: if index == last { "even" } else { "" } }
    };
    let table = Table {
        caption: "What the topic has now first, the tuned contract last".to_owned(),
        columns: vec![
            Column::words("placement"),
            Column::words("keeps in order"),
            Column::number("max/mean tuned on"),
            Column::number("max/mean judged on"),
            Column::number("floor"),
            Column::number("regret"),
            Column::number("blast radius"),
        ],
        rows: report.placements.iter().enumerate().map(row).collect(),
        is_sortable: true,
    };
    table.markup()
}

fn loads(report: &TuneReport) -> Vec<Loads<'_>> {
    let part =
        |placement: &PlacementReport| if placement.judged.is_some() { "judged on" } else { "tuned on" };
    let placements = report.placements.iter();
    let loads = placements.map(|placement| Loads {
        name: format!("under {}, {}", placement.name, part(placement)),
        heading: html! { code { (display_text(&placement.name)) } " " (part(placement)) },
        loads: &placement.figures().records,
    });
    loads.collect()
}

fn alternatives(alternatives: &[Alternative]) -> Markup {
    let row = |alternative: &Alternative| {
        let count = |value: u32| Cell::number(&number::count(value.into()), Some(value.into()));
        let ratio = |value: Option<f64>| Cell::number(&or_missing(value, number::ratio), value);
        let cells = vec![
            count(alternative.vips),
            count(alternative.pools),
            count(alternative.vip_count),
            Cell::words(&alternative.standard_spread),
            ratio(Some(alternative.tuned_max_mean)),
            ratio(alternative.judged_max_mean),
            Cell::number(&or_missing(alternative.blast_radius, number::percent), alternative.blast_radius),
            Cell::words(if alternative.is_chosen { "chosen" } else { "" }),
        ];
        Row { cells, class: if alternative.is_chosen { "even" } else { "" } }
    };
    let counts = ["VIP tenants", "pools", "VIP partitions"].map(Column::number);
    let figures = ["max/mean tuned on", "max/mean judged on", "blast radius"].map(Column::number);
    let columns = counts.into_iter().chain([Column::words("others by")]).chain(figures);
    let table = Table {
        caption: "The best contract for each number of VIP tenants and pools".to_owned(),
        columns: columns.chain([Column::words("mark")]).collect(),
        rows: alternatives.iter().map(row).collect(),
        is_sortable: true,
    };
    table.markup()
}

/// What makes the report again, and what it rests on.
fn origin(report: &TuneReport) -> Markup {
    let (traffic, decision) = (&report.traffic, &report.decision);
    let pool = |pool: &DedicatedPool| format!("{} {} for {}", pool.name, pool.range, pool.tenants.join(", "));
    let pools: Vec<_> = decision.pools.iter().map(pool).collect();
    let slots = |count: u32| number::count_of(count.into(), "slot a partition", "slots a partition");
    let mut facts = vec![
        ("traffic", display_text(&traffic.name)),
        ("tenants", number::count(traffic.tenants)),
        ("keys", number::count(traffic.keys)),
        (
            "known keys",
            format!("{} of the judged records", or_missing(traffic.known_key_share, number::percent)),
        ),
        ("slots", decision.slots_per_partition.map_or("off".to_owned(), slots)),
        ("isolation", display_text(&decision.isolation)),
        ("others by", display_text(&decision.standard_spread)),
        ("seed", report.seed.to_string()),
    ];
    if !pools.is_empty() {
        facts.push(("pools", display_text(&pools.join("; "))));
    }
    if traffic.skipped_rows > 0 {
        facts.push(("skipped", number::count_of(traffic.skipped_rows, "unreadable row", "unreadable rows")));
    }
    html! {
        footer {
            h2 { "How this report was made" }
            pre { code { (display_text(&report.command)) } }
            dl {
                @for (label, content) in facts { dt { (label) } dd { (content) } }
                @if !report.choices.is_empty() {
                    dt { "chosen" }
                    dd { @for choice in &report.choices { div { (display_text(choice)) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn whose_order_changes_stands_first_and_the_contract_is_there() {
        let report = fixture::tuned();
        let page = tune_html(&report);
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
        let order = [
            "Yours to decide",
            ">Before<",
            "<h2>Findings</h2>",
            "<svg viewBox",
            "Balance by number of moved slots",
            "vip_count = 10\n",
            "<dt>seed</dt><dd>42</dd>",
        ];
        assert!(order.map(place).is_sorted(), "{:?}", order.map(place));
        place("The order of 2 tenants would change");
    }

    #[test]
    fn what_was_not_judged_shows_no_figure_of_a_judgement() {
        let mut report = fixture::tuned();
        for placement in &mut report.placements {
            placement.judged = None;
        }
        for point in &mut report.curve {
            point.judged_max_mean = None;
        }
        (report.traffic.judged_records, report.traffic.holdout) = (None, None);
        let page = tune_html(&report);
        assert!(page.contains("not judged on other records"));
        assert!(!page.contains(">judged on</text>"), "a curve without points has no name");
        assert!(page.contains("<td class=\"number\">–</td>"));
    }

    #[test]
    fn without_changes_and_moved_slots_their_parts_are_left_out() {
        let mut report = fixture::tuned();
        report.order_changes.clear();
        report.curve.truncate(1);
        report.alternatives.clear();
        let page = tune_html(&report);
        assert!(page.contains("No tenant’s order changes."));
        assert!(!page.contains("moved slots</text>") && !page.contains("Other VIP tenants"));
    }
}
