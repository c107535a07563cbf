//! The report for a terminal.

use super::lag_table::lag_tables;
use super::load_chart::{BYTES, RECORDS, bytes_are_proportional, load_chart};
use super::model::{Finding, Report};
use super::style::{Ink, TextStyle};
use super::summary_table::summary_tables;
use super::sweep_chart::{sweep_answer, sweep_chart};
use super::{header, label, legend, number, verdict, width};

/// Columns of what stands before the lines of the legend.
const LEAD_COLUMNS: usize = 10;

/// Renders the report for people at a terminal: what was replayed, the answer, a table of the strategies, the load of
/// each partition under all of them side by side, the sweep, and the findings.
///
/// The text depends on `report` and `style` alone. No line is wider than the style asks for, nothing in it can command
/// a terminal, whatever the names in the report are, and a figure that is missing shows as `–` and never as 0.
#[must_use]
pub fn text(report: &Report, style: TextStyle) -> String {
    let mut text = header::header(report, style);
    section(&mut text, "Strategies", style);
    for sentence in verdict::sentences(report) {
        paragraph(&mut text, Ink::Heading, "• ", &sentence, style);
    }
    if !report.strategies.is_empty() {
        text.push('\n');
        text.push_str(&summary_tables(report, style));
        text.push('\n');
        legend(&mut text, report, style);
    }
    rejected(&mut text, report, style);
    loads(&mut text, report, style);
    if !report.sweep.is_empty() {
        section(
            &mut text,
            "Sweep of vip_count (tenant-aware; hottest partition over the mean of all)",
            style,
        );
        text.push_str(&sweep_chart(report, style));
        if let Some(answer) = sweep_answer(&report.sweep) {
            text.push('\n');
            paragraph(&mut text, Ink::Heading, "", &answer, style);
        }
    }
    if let Some(lag) = &report.lag {
        lag_tables(&mut text, lag, style);
    }
    findings(&mut text, &report.findings, style);
    text
}

/// An empty line, the title and a rule to the right margin.
pub(super) fn section(text: &mut String, title: &str, style: TextStyle) {
    let title = width::fit(&style.text(title), style.columns() - 4, &style.text("…"));
    let rule = if style.unicode { "─" } else { "-" };
    let rest = style.columns().saturating_sub(width::columns(&title) + 4);
    text.push('\n');
    text.push_str(&style.paint(Ink::Dim, &rule.repeat(2)));
    text.push_str(&style.paint(Ink::Heading, &format!(" {title}")));
    if rest > 0 {
        text.push_str(&style.paint(Ink::Dim, &format!(" {}", rule.repeat(rest))));
    }
    text.push_str("\n\n");
}

/// `content` wrapped behind `lead`, later lines under the start of the first.
pub(super) fn paragraph(text: &mut String, ink: Ink, lead: &str, content: &str, style: TextStyle) {
    let lead = style.text(lead);
    let room = style.columns().saturating_sub(width::columns(&lead));
    for (index, line) in width::wrap(&style.text(content), room).iter().enumerate() {
        text.push_str(&if index == 0 { lead.clone() } else { " ".repeat(width::columns(&lead)) });
        text.push_str(&style.paint(ink, line));
        text.push('\n');
    }
}

/// What the headings of the table mean.
fn legend(text: &mut String, report: &Report, style: TextStyle) {
    for (heading, meaning) in legend::meanings(report) {
        paragraph(text, Ink::Dim, &width::pad_right(heading, LEAD_COLUMNS), meaning, style);
    }
}

fn rejected(text: &mut String, report: &Report, style: TextStyle) {
    for content in report.strategies.iter().filter_map(label::rejected) {
        paragraph(text, Ink::Warm, &width::pad_right("rejected", LEAD_COLUMNS), &content, style);
    }
}

/// The load per partition, records and then bytes.
fn loads(text: &mut String, report: &Report, style: TextStyle) {
    if report.strategies.is_empty() {
        return;
    }
    for measure in [RECORDS, BYTES] {
        if measure.noun == BYTES.noun && !every_strategy_has_bytes(report) {
            continue;
        }
        let loads = report.strategies.iter().flat_map(|s| (measure.loads)(s));
        let full = (measure.figure)(loads.copied().max().unwrap_or(0));
        let unit = if measure.noun == BYTES.noun { String::new() } else { format!(" {}", measure.noun) };
        let noun = if measure.noun == BYTES.noun { "Bytes" } else { "Records" };
        if measure.noun == BYTES.noun && bytes_are_proportional(report) {
            let size = record_size(report);
            let content =
                format!("Bytes per partition are exactly proportional to the records: {size} each.");
            text.push('\n');
            paragraph(text, Ink::Plain, "", &content, style);
            continue;
        }
        section(text, &format!("{noun} per partition (one scale: a full bar is {full}{unit})"), style);
        text.push_str(&load_chart(report, measure, style));
    }
    if !every_strategy_has_bytes(report) {
        text.push('\n');
        paragraph(text, Ink::Plain, "", "Bytes per partition: – (the workload has no sizes)", style);
    }
}

fn every_strategy_has_bytes(report: &Report) -> bool {
    report.strategies.iter().all(|s| s.bytes.len() == s.records.len())
}

fn record_size(report: &Report) -> String {
    let of = |loads: &[u64]| loads.iter().copied().map(u128::from).sum::<u128>();
    let totals =
        report.strategies.iter().map(|s| (of(&s.records), of(&s.bytes))).find(|(records, _)| *records > 0);
    totals.map_or(number::MISSING.to_owned(), |(records, bytes)| {
        let size = bytes as f64 / records as f64;
        if bytes.is_multiple_of(records) {
            format!("{size} bytes")
        } else {
            format!("{} bytes", number::figure(size))
        }
    })
}

/// What stands out, numbered.
pub(super) fn findings(text: &mut String, findings: &[Finding], style: TextStyle) {
    section(text, "Findings", style);
    if findings.is_empty() {
        paragraph(text, Ink::Plain, "", "Nothing stands out.", style);
    }
    for (index, finding) in findings.iter().enumerate() {
        paragraph(text, Ink::Heading, &format!("{:>2}. ", index + 1), &finding.fact, style);
        paragraph(text, Ink::Plain, "    → ", &finding.advice, style);
    }
}
