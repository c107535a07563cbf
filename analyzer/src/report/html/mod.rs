//! The report as one HTML file, to be opened, sent or pasted into an incident's channel.

mod axis;
mod curve;
mod draw;
mod heat_map;
mod lag_percentiles;
mod lettering;
mod load_bars;
mod lorenz_curve;
mod moved_slots_curve;
mod page;
mod role;
mod strategy_table;
mod sweep_curve;
mod table;
mod tune_page;
mod verdict_tiles;

#[cfg(test)]
mod contrast;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use maud::{Markup, html as markup};

pub use self::tune_page::tune_html;

use super::escape::display_text;
use super::load_chart::{BYTES, RECORDS, bytes_are_proportional};
use super::model::{Finding, Report};
use super::{header, label, legend, number};

/// Renders the report as a page of HTML that needs nothing beside itself: no network, no fonts, no script to be read.
///
/// The findings stand first. Charts are drawn here, as SVG with a description and a table beside each; the one script
/// sorts tables. Light or dark follows the reader's device, and the page fits a phone and paper. A topic of any size makes
/// a page of bounded size: what is left out is said.
///
/// Names come from traffic. They are escaped, and a content security policy allows nothing to run or load but the page's
/// own script and style, by their hashes. What is missing shows as `–`, never as 0.
#[must_use]
pub fn html(report: &Report) -> String {
    let title = format!("Partition load: {}", display_text(&report.workload.name));
    page::page(&title, &body(report, &title))
}

fn body(report: &Report, title: &str) -> Markup {
    markup! {
        header {
            h1 { (title) }
            p.lead { (lead(report)) }
        }
        main {
            (verdict_tiles::verdict_tiles(report))
            (findings(&report.findings))
            @if !report.strategies.is_empty() { (strategies(report)) }
            @if let Some(lag) = lag_percentiles::lag_percentiles(report) { (lag) }
            @let curves = [sweep_curve::sweep_curve(report), lorenz_curve::lorenz_curve(report)];
            @if curves.iter().any(Option::is_some) {
                section {
                    h2 { "How evenly the records are spread" }
                    div.wide { @for curve in curves.iter().flatten() { (curve) } }
                }
            }
        }
        (origin(report))
    }
}

fn lead(report: &Report) -> String {
    let workload = &report.workload;
    let mut parts = vec![number::count_of(workload.records, "record", "records")];
    parts.extend(workload.bytes.map(number::bytes));
    parts.push(number::count_of(report.partitions.into(), "partition", "partitions"));
    parts.extend(report.vip_count.map(|count| format!("vip_count {}", number::count(count.into()))));
    parts.join(" · ")
}

fn findings(findings: &[Finding]) -> Markup {
    markup! {
        section {
            h2 { "Findings" }
            @if findings.is_empty() { p { "Nothing stands out." } }
            ol.findings {
                @for finding in findings {
                    li { strong { (display_text(&finding.fact)) } "→ " (display_text(&finding.advice)) }
                }
            }
        }
    }
}

fn strategies(report: &Report) -> Markup {
    let has_bytes = report.strategies.iter().all(|s| s.bytes.len() == s.records.len());
    let is_proportional = bytes_are_proportional(report);
    markup! {
        section {
            h2 { "Strategies" }
            (strategy_table::strategy_table(report))
            @for rejected in report.strategies.iter().filter_map(label::rejected) {
                p { "Rejected: " (display_text(&rejected)) }
            }
            details {
                summary { "What the headings mean" }
                dl { @for (heading, meaning) in legend::meanings(report) { dt { (heading) } dd { (meaning) } } }
            }
        }
        section {
            h2 { "Records per partition" }
            (load_bars::load_bars(report, RECORDS))
            @if !has_bytes {
                p.note { "Bytes per partition: – (the workload has no sizes)." }
            } @else if is_proportional {
                p.note { "Bytes per partition are exactly proportional to the records." }
            } @else {
                details {
                    summary { "Bytes per partition" }
                            (load_bars::load_bars(report, BYTES))
                }
            }
        }
        section {
            h2 { "Largest tenants on the partitions" }
            (heat_map::heat_map(report))
        }
    }
}

/// Where the report comes from: what makes it again.
fn origin(report: &Report) -> Markup {
    markup! {
        footer {
            h2 { "How this report was made" }
            pre { code { (display_text(&report.command)) } }
            dl {
                @for (label, content) in header::facts(report) { dt { (label) } dd { (display_text(&content)) } }
                @if !report.choices.is_empty() {
                    dt { "chosen" }
                    dd { @for choice in &report.choices { div { (display_text(choice)) } } }
                }
            }
            p.note { "The same command makes the same bytes again." }
        }
    }
}
