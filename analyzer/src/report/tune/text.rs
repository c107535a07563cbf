//! The report of a tuning for a terminal.

use super::super::header::field;
use super::super::rows::Rows;
use super::super::style::{Ink, TextStyle};
use super::super::text::{findings, paragraph, section};
use super::super::{number, width};
use super::model::{CurvePoint, PlacementReport, TuneReport};

/// Rows of the curve that are shown.
const CURVE_ROWS_MAX: usize = 13;

/// Columns of the longest bar of the curve.
const BAR_COLUMNS: usize = 40;

/// Renders the report for people at a terminal: first whose order changes, then the decision, the figures before and
/// after, and what else could be had.
///
/// The text depends on `report` and `style` alone, and nothing in it can command a terminal.
#[must_use]
pub fn tune_text(report: &TuneReport, style: TextStyle) -> String {
    let mut text = String::new();
    order(&mut text, report, style);
    text.push('\n');
    text.push_str(&head(report, style));
    section(&mut text, "Before and after", style);
    text.push_str(&placements(report, style));
    if report.alternatives.len() > 1 {
        section(&mut text, "Other VIP tenants and pools, the largest tenants", style);
        text.push_str(&alternatives(report, style));
    }
    if report.curve.len() > 1 {
        section(&mut text, "Balance by number of moved slots", style);
        text.push_str(&curve(report, style));
    }
    findings(&mut text, &report.findings, style);
    text
}

/// Whose order changes: that is for the user to decide, so it stands first.
fn order(text: &mut String, report: &TuneReport, style: TextStyle) {
    let changed = report.order_changes_count();
    if changed == 0 {
        paragraph(text, Ink::Good, "", "No tenant's order changes.", style);
        return;
    }
    let tenants = number::count_of(changed, "tenant", "tenants");
    let sentence =
        format!("Yours to decide: {tenants} would be kept in order by entity, and no longer as a whole:");
    paragraph(text, Ink::Warm, "", &sentence, style);
    for change in &report.order_changes {
        let share = number::percent(change.tenant.share);
        let line = format!("{}, {share} of the records", change.tenant.name);
        paragraph(text, Ink::Plain, "• ", &line, style);
    }
    if report.order_changes_unlisted > 0 {
        let rest = format!("and {} more", number::count(report.order_changes_unlisted));
        paragraph(text, Ink::Plain, "• ", &rest, style);
    }
}

fn head(report: &TuneReport, style: TextStyle) -> String {
    let (traffic, decision) = (&report.traffic, &report.decision);
    let mut text = String::new();
    let mut line = |label: &str, content: &str| text.push_str(&field(label, content, style));
    let records = |records| number::count_of(records, "record", "records");
    line("tuned on", &format!("{}, {}, seed {}", traffic.name, records(traffic.tuned_records), report.seed));
    let judged = match (traffic.judged_records, &traffic.holdout) {
        (Some(judged), Some(holdout)) => format!("{}: {holdout}", records(judged)),
        _ => "nothing: the figures are of the traffic that was tuned on".to_owned(),
    };
    line("judged on", &judged);
    if traffic.skipped_rows > 0 {
        line(
            "",
            &number::count_of(traffic.skipped_rows, "unreadable row skipped", "unreadable rows skipped"),
        );
    }
    let carried = |share: Option<f64>| share.map_or(number::MISSING.to_owned(), number::percent);
    line(
        "keys",
        &format!(
            "{} of {}; {} of the judged records have a known one",
            number::count_of(traffic.keys, "key", "keys"),
            number::count_of(traffic.tenants, "tenant", "tenants"),
            carried(traffic.known_key_share)
        ),
    );
    let pool = match decision.vip_count {
        0 => "no VIP pool".to_owned(),
        count => format!(
            "{} for {} ({})",
            number::count_of(count.into(), "VIP partition", "VIP partitions"),
            number::count_of(decision.vips.len() as u64, "tenant", "tenants"),
            decision.isolation
        ),
    };
    let partitions = number::count_of(report.partitions.into(), "partition", "partitions");
    line("contract", &format!("{partitions}, {pool}, other tenants by {}", decision.standard_spread));
    if decision.pools.len() > 1 {
        for (index, pool) in decision.pools.iter().enumerate() {
            let of = format!(
                "{} is {} for {}, {} of the records",
                pool.name,
                pool.range,
                pool.tenants.join(", "),
                number::percent(pool.share)
            );
            line(if index == 0 { "pools" } else { "" }, &of);
        }
    }
    let slots = match decision.slots_per_partition {
        None => "off".to_owned(),
        Some(slots) => format!(
            "{slots} a partition; moved: {} of VIP tenants, {} of others",
            decision.moved_slots_vip, decision.moved_slots_standard
        ),
    };
    line("slots", &slots);
    if let Some(moved) = &decision.moved {
        let of = format!(
            "{} against the current contract, with {} of the keys and {} of the records",
            number::count_of(moved.slots.into(), "slot", "slots"),
            number::percent(moved.key_share),
            number::percent(moved.record_share)
        );
        line("moves", &of);
    }
    for (index, choice) in report.choices.iter().enumerate() {
        line(if index == 0 { "chosen" } else { "" }, choice);
    }
    text
}

fn placements(report: &TuneReport, style: TextStyle) -> String {
    let has_lag = report.placements.iter().any(|placement| placement.tuned.lag_p99_ms.is_some());
    let mut headings = vec![
        "",
        "keeps in order",
        "max/mean\ntuned on",
        "max/mean\njudged on",
        "floor",
        "regret",
        "blast\nradius",
    ];
    if has_lag {
        headings.push("p99 lag\nin ms");
    }
    let mut rows = Rows::new(&headings);
    for placement in &report.placements {
        let figures = placement.figures();
        let radius = figures.worst_blast_radius();
        let mut row = vec![
            style.text(&placement.name),
            width::wrap(&style.text(&placement.ordering_scope), 26).join("\n"),
            number::ratio(placement.tuned.max_mean),
            judged(placement),
            number::ratio(figures.floor),
            number::ratio(figures.regret),
            radius.map_or(style.text(number::MISSING), number::percent),
        ];
        if has_lag {
            row.push(figures.lag_p99_ms.map_or("falls behind".to_owned(), number::figure));
        }
        rows.push(row);
    }
    rows.text(2, style)
}

fn judged(placement: &PlacementReport) -> String {
    placement.judged.as_ref().map_or(number::MISSING.to_owned(), |judged| number::ratio(judged.max_mean))
}

fn alternatives(report: &TuneReport, style: TextStyle) -> String {
    let mut rows = Rows::new(&[
        "VIP\ntenants",
        "pools",
        "VIP\npartitions",
        "others by",
        "max/mean\ntuned on",
        "max/mean\njudged on",
        "blast\nradius",
        "",
    ]);
    let missing = || style.text(number::MISSING);
    for alternative in &report.alternatives {
        rows.push(vec![
            alternative.vips.to_string(),
            alternative.pools.to_string(),
            alternative.vip_count.to_string(),
            alternative.standard_spread.clone(),
            number::ratio(alternative.tuned_max_mean),
            alternative.judged_max_mean.map_or_else(missing, number::ratio),
            alternative.blast_radius.map_or_else(missing, number::percent),
            if alternative.is_chosen { style.text("◀ chosen") } else { String::new() },
        ]);
    }
    rows.text(0, style)
}

fn curve(report: &TuneReport, style: TextStyle) -> String {
    let step = report.curve.len().div_ceil(CURVE_ROWS_MAX - 1).max(1);
    let last = report.curve.len() - 1;
    let shown = report.curve.iter().enumerate().filter(|(at, _)| at % step == 0 || *at == last);
    let floor = report.placements.last().map_or(1.0, |tuned| tuned.tuned.floor);
    let first = report.curve[0].tuned_max_mean;
    let mut rows = Rows::new(&[
        "moved",
        "records\nmoved",
        "max/mean\ntuned on",
        "max/mean\njudged on",
        "above the floor",
    ]);
    for (_, point) in shown {
        let CurvePoint { moved_slots, moved_record_share, tuned_max_mean, judged_max_mean } = point;
        rows.push(vec![
            moved_slots.to_string(),
            number::percent(*moved_record_share),
            number::ratio(*tuned_max_mean),
            judged_max_mean.map_or(style.text(number::MISSING), number::ratio),
            bar(tuned_max_mean - floor, first - floor, style),
        ]);
    }
    rows.text(0, style)
}

/// A bar of `value`, as long as it can be for `full`.
fn bar(value: f64, full: f64, style: TextStyle) -> String {
    if full <= 0.0 {
        return String::new();
    }
    let share = (value / full).clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // 0 to 40
    let columns = (share * BAR_COLUMNS as f64).round() as usize;
    if style.unicode { "█" } else { "#" }.repeat(columns)
}
