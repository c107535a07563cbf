//! The evidence for a contract, as comments above it.

use crate::report::tune::model::{PlacementReport, TuneReport};

/// Comments in TOML that say what the contract is for and what it was measured to do; ends with a newline.
///
/// Names were escaped for display, so none can end a comment.
pub(super) fn evidence(report: &TuneReport) -> String {
    let traffic = &report.traffic;
    let mut lines = vec![
        format!("Made by: {}", report.command),
        match (&traffic.holdout, traffic.judged_records) {
            (Some(holdout), Some(judged)) => format!(
                "Tuned on {} records of {}, judged on {judged} others ({holdout}).",
                traffic.tuned_records, traffic.name
            ),
            _ => format!(
                "Tuned on {} records of {}; not judged on others.",
                traffic.tuned_records, traffic.name
            ),
        },
        String::new(),
        "             max/mean: tuned on   judged on   floor   regret   blast radius   keeps in order"
            .to_owned(),
    ];
    lines.extend(report.placements.iter().map(row));
    lines.push(String::new());
    match report.order_changes_count() {
        0 => lines.push("No tenant's order changes.".to_owned()),
        changed => {
            lines.push(format!("Kept in order by entity and no longer as a whole: {changed} tenant(s)"));
            let listed = report.order_changes.iter().map(|change| {
                let share = change.tenant.share * 100.0;
                format!("  {}, {share:.2} % of the records", change.tenant.name)
            });
            lines.extend(listed);
            if report.order_changes_unlisted > 0 {
                lines.push(format!("  and {} more", report.order_changes_unlisted));
            }
        }
    }
    if let Some(moved) = &report.decision.moved {
        lines.push(format!(
            "Against the contract before, {} slot(s) move, with {:.2} % of the keys and {:.2} % of the records.",
            moved.slots,
            moved.key_share * 100.0,
            moved.record_share * 100.0
        ));
    }
    lines.iter().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect()
}

/// A line of figures: of the part that was judged on, where there is one.
fn row(placement: &PlacementReport) -> String {
    let figures = placement.figures();
    let ratio = |value: f64| format!("{value:.3}");
    let radius = figures.worst_blast_radius();
    format!(
        "{:<12} {:>19}   {:>9}   {:>5}   {:>6}   {:>12}   {}",
        placement.name,
        ratio(placement.tuned.max_mean),
        placement.judged.as_ref().map_or("-".to_owned(), |judged| ratio(judged.max_mean)),
        ratio(figures.floor),
        ratio(figures.regret),
        radius.map_or("-".to_owned(), |radius| format!("{:.1} %", radius * 100.0)),
        placement.ordering_scope
    )
}
