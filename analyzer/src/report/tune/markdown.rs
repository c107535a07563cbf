//! The report of a tuning for a pull request that changes a contract.

use super::super::markdown::{escaped, findings, prose};
use super::super::number;
use super::model::{PlacementReport, TuneReport};

/// Renders the report as GitHub Markdown: whose order changes, the figures before and after, the findings, and, folded
/// away, the curve.
///
/// Names come from traffic and show as themselves, as in [`markdown`](super::super::markdown()).
#[must_use]
pub fn tune_markdown(report: &TuneReport) -> String {
    let mut text = format!("## Tuned contract: {}\n\n", prose(&report.traffic.name));
    text.push_str(&order(report));
    text.push_str(&summary(report));
    text.push_str(
        "\n| placement | keeps in order | max/mean tuned on | judged on | floor | regret | blast radius |\n",
    );
    text.push_str("|---|---|--:|--:|--:|--:|--:|\n");
    report.placements.iter().for_each(|placement| text.push_str(&row(placement)));
    text.push_str(&curve(report));
    text.push_str(&findings(&report.findings));
    let command = escaped(&report.command);
    text.push_str(&format!("\n<sub>seed {} · <code>{command}</code></sub>\n", report.seed));
    text
}

fn order(report: &TuneReport) -> String {
    let changed = report.order_changes_count();
    if changed == 0 {
        return "No tenant's order changes.\n\n".to_owned();
    }
    let tenants = number::count_of(changed, "tenant", "tenants");
    let mut text = format!(
        "**Yours to decide:** {tenants} would be kept in order by entity, and no longer as a whole:\n"
    );
    for change in &report.order_changes {
        let share = number::percent(change.tenant.share);
        text.push_str(&format!("- {}, {share} of the records\n", prose(&change.tenant.name)));
    }
    if report.order_changes_unlisted > 0 {
        text.push_str(&format!("- and {} more\n", number::count(report.order_changes_unlisted)));
    }
    text.push('\n');
    text
}

fn summary(report: &TuneReport) -> String {
    let (traffic, decision) = (&report.traffic, &report.decision);
    let judged = match (traffic.judged_records, &traffic.holdout) {
        (Some(records), Some(holdout)) => {
            format!("judged on {} ({holdout})", number::count_of(records, "record", "records"))
        }
        _ => "not judged on other records".to_owned(),
    };
    let moved = number::count_of(
        u64::from(decision.moved_slots_vip) + u64::from(decision.moved_slots_standard),
        "moved slot",
        "moved slots",
    );
    let mut text = format!(
        "{}, vip_count {} ({}), {moved}. Tuned on {}, {}.\n",
        number::count_of(report.partitions.into(), "partition", "partitions"),
        decision.vip_count,
        decision.isolation,
        number::count_of(traffic.tuned_records, "record", "records"),
        prose(&judged)
    );
    if let Some(moved) = &decision.moved {
        text.push_str(&format!(
            "Against the current contract {} of the keys and {} of the records move.\n",
            number::percent(moved.key_share),
            number::percent(moved.record_share)
        ));
    }
    text
}

fn row(placement: &PlacementReport) -> String {
    let figures = placement.figures();
    let radius = figures.worst_blast_radius();
    let missing = || number::MISSING.to_owned();
    format!(
        "| {} | {} | {} | {} | {} | {} | {} |\n",
        prose(&placement.name),
        prose(&placement.ordering_scope),
        number::ratio(placement.tuned.max_mean),
        placement.judged.as_ref().map_or_else(missing, |judged| number::ratio(judged.max_mean)),
        number::ratio(figures.floor),
        number::ratio(figures.regret),
        radius.map_or_else(missing, number::percent)
    )
}

fn curve(report: &TuneReport) -> String {
    if report.curve.len() < 2 {
        return String::new();
    }
    let mut text = "\n<details><summary>Balance by number of moved slots</summary>\n\n".to_owned();
    text.push_str("| moved slots | records moved | max/mean tuned on | judged on |\n|--:|--:|--:|--:|\n");
    for point in &report.curve {
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            point.moved_slots,
            number::percent(point.moved_record_share),
            number::ratio(point.tuned_max_mean),
            point.judged_max_mean.map_or(number::MISSING.to_owned(), number::ratio)
        ));
    }
    text.push_str("\n</details>\n");
    text
}
