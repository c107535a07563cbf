//! The report for a pull request, as GitHub renders Markdown.

use super::escape::display_text;
use super::lag_markdown::lag_table;
use super::load_chart::{BYTES, Measure, RECORDS, bytes_are_proportional, rows};
use super::model::{Finding, Report};
use super::{header, label, number, sweep_chart, verdict};

/// Renders the report as GitHub Markdown: the answer, a table of the strategies, and, folded away, the load of each
/// partition and the sweep; then the findings.
///
/// Names come from traffic: all that Markdown, HTML or GitHub (mentions, issue numbers, links) would act on is
/// written as character references and shows as itself. What is missing shows as `–`, never as 0.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut text = format!("## Partition load: {}\n\n", code(&report.workload.name));
    text.push_str(&workload(report));
    for sentence in verdict::sentences(report) {
        text.push_str(&format!("- {}\n", prose(&sentence)));
    }
    if !report.strategies.is_empty() {
        text.push_str(&summary(report));
        text.push_str(&loads(report, RECORDS));
        let has_bytes = report.strategies.iter().all(|s| s.bytes.len() == s.records.len());
        if has_bytes && bytes_are_proportional(report) {
            text.push_str("\nBytes per partition are exactly proportional to the records.\n");
        } else if has_bytes {
            text.push_str(&loads(report, BYTES));
        } else {
            text.push_str("\nBytes per partition: – (the workload has no sizes).\n");
        }
    }
    text.push_str(&sweep(report));
    text.push_str(&lag_table(report));
    text.push_str(&findings(&report.findings));
    text.push_str(&format!(
        "\n<sub>seed {} · <code>{}</code></sub>\n",
        report.seed,
        escaped(&report.command)
    ));
    text
}

/// The workload in a sentence and what was chosen for the user.
fn workload(report: &Report) -> String {
    let workload = &report.workload;
    let bytes = workload.bytes.map_or(format!("{} bytes", number::MISSING), number::bytes);
    let approximate = workload.approximate.as_ref();
    let distinct = |count, error, one, many| {
        let noun = if count == 1 { one } else { many };
        format!("{} {noun}", header::estimate(number::count(count), error, number::percent))
    };
    let parts = [
        number::count_of(workload.records, "record", "records"),
        bytes,
        distinct(
            workload.tenants,
            approximate.map_or(0.0, |a| a.tenants_relative_error),
            "tenant",
            "tenants",
        ),
        distinct(
            workload.entities,
            approximate.map_or(0.0, |a| a.entities_relative_error),
            "entity",
            "entities",
        ),
        number::count_of(report.partitions.into(), "partition", "partitions"),
        format!(
            "vip_count {}",
            report.vip_count.map_or(number::MISSING.to_owned(), |v| number::count(v.into()))
        ),
    ];
    let mut text =
        format!("{}. Floor {}.\n\n", prose(&parts.join(", ")), header::floors_in_figures(workload));
    if workload.skipped_rows > 0 {
        let rows = number::count_of(workload.skipped_rows, "unreadable row", "unreadable rows");
        text.push_str(&format!("- {rows} skipped\n"));
    }
    for choice in &report.choices {
        text.push_str(&format!("- {}\n", prose(choice)));
    }
    for vip in &workload.vips {
        text.push_str(&format!("- VIP {}: {}\n", code(&vip.name), number::percent(vip.share)));
    }
    text
}

fn summary(report: &Report) -> String {
    let mut text = String::from(
        "\n| strategy | keeps in order | max/mean | floor | regret | hottest | blast radius | used | I/m | CV | Gini \
         | Jain | FLIP-418 % | p50 | p90 | p99 | max |\n\
         |:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let best = verdict::evenest_in_order(report).map(|strategy| &strategy.name);
    for strategy in &report.strategies {
        let name = code(&strategy.name);
        let mark = if strategy.breaks_entity_order { label::BREAKS_ORDER_MARK } else { "" };
        let name = if best == Some(&strategy.name) { format!("**{name}**") } else { format!("{name}{mark}") };
        let percentiles = &strategy.skew.percentiles;
        let hottest = label::hottest(&strategy.records)
            .map_or(number::MISSING.to_owned(), |(index, _)| index.to_string());
        let cells = [
            name,
            prose(&label::ordering(strategy)),
            number::ratio(strategy.skew.max_mean),
            label::floor(report, strategy),
            label::regret(report, strategy),
            hottest,
            prose(&label::blast_radius(strategy)),
            number::count(strategy.partitions_used.into()),
            number::figure(strategy.skew.imbalance),
            number::figure(strategy.skew.cv),
            number::figure(strategy.skew.gini),
            number::figure(strategy.skew.jain),
            number::figure(strategy.skew.flip418),
            number::count(percentiles.p50),
            number::count(percentiles.p90),
            number::count(percentiles.p99),
            number::count(percentiles.max),
        ];
        text.push_str(&row(&cells));
    }
    text.push('\n');
    if report.strategies.iter().any(|s| s.breaks_entity_order) {
        text.push_str("`!` breaks entity order: records of one entity can land on several partitions.\n");
    }
    text.push_str(
        "max/mean: hottest partition over the mean, also the cost multiplier of equal consumers. \
         Floor: the lowest max/mean that the order kept allows; regret: max/mean ÷ floor.\n",
    );
    for strategy in report.strategies.iter().filter(|s| s.rejected.values().any(|records| *records > 0)) {
        for (reason, records) in &strategy.rejected {
            let records = number::count_of(*records, "record", "records");
            text.push_str(&format!(
                "\nRejected by {}: {records}, {}.\n",
                code(&strategy.name),
                prose(reason)
            ));
        }
    }
    text
}

/// The loads in a fold; the title says when not all partitions are listed.
fn loads(report: &Report, measure: Measure) -> String {
    let rows = rows(report, measure);
    let note = rows.note.map(|note| format!(" ({})", prose(&note))).unwrap_or_default();
    let noun = if measure.noun == "bytes" { "Bytes" } else { "Records" };
    let mut text = format!("\n<details><summary>{noun} per partition{note}</summary>\n\n");
    let names = report.strategies.iter().map(|strategy| {
        let mark = if strategy.breaks_entity_order { label::BREAKS_ORDER_MARK } else { "" };
        format!("{}{mark}", code(&strategy.name))
    });
    text.push_str(&row(&std::iter::once("partition".to_owned()).chain(names).collect::<Vec<_>>()));
    text.push_str(&format!("|--:|{}\n", "--:|".repeat(report.strategies.len())));
    for partition in rows.partitions {
        let figures = report.strategies.iter().map(|strategy| {
            let loads = (measure.loads)(strategy);
            let load = loads.get(partition).copied();
            let figure = load.map_or(number::MISSING.to_owned(), measure.figure);
            let hottest = label::hottest(loads).is_some_and(|(index, _)| index == partition);
            if hottest { format!("**{figure}**") } else { figure }
        });
        let label = label::partition(partition, report.vip_count);
        text.push_str(&row(&std::iter::once(label).chain(figures).collect::<Vec<_>>()));
    }
    text.push_str("\n</details>\n");
    text
}

fn sweep(report: &Report) -> String {
    if report.sweep.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n<details><summary>Sweep of vip_count</summary>\n\n");
    text.push_str("| vip_count | max/mean | hottest VIP | hottest standard | |\n|--:|--:|--:|--:|:--|\n");
    for point in &report.sweep {
        let marks = [(point.best, "best"), (point.closed_form, "V\\*")];
        let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        text.push_str(&row(&[
            point.vip_count.to_string(),
            number::ratio(point.max_mean),
            number::ratio(point.vip_max_mean),
            number::ratio(point.standard_max_mean),
            marks.join(", "),
        ]));
    }
    text.push_str("\n</details>\n");
    if let Some(answer) = sweep_chart::sweep_answer(&report.sweep) {
        text.push_str(&format!("\n{}\n", prose(&answer)));
    }
    text
}

/// What stands out, numbered.
pub(super) fn findings(findings: &[Finding]) -> String {
    let mut text = String::from("\n### Findings\n\n");
    if findings.is_empty() {
        text.push_str("Nothing stands out.\n");
    }
    for (index, finding) in findings.iter().enumerate() {
        text.push_str(&format!("{}. **{}** → {}\n", index + 1, prose(&finding.fact), prose(&finding.advice)));
    }
    text
}

pub(super) fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// A name, in a code font where GitHub looks for no mentions and issue numbers.
pub(super) fn code(name: &str) -> String {
    format!("<code>{}</code>", escaped(name))
}

/// A sentence: escaped, and with an empty comment behind `@` and `#`, because GitHub looks for mentions and issue
/// numbers only after it has resolved the character references.
pub(super) fn prose(text: &str) -> String {
    escaped(text).replace("&#64;", "&#64;<!-- -->").replace("&#35;", "&#35;<!-- -->")
}

/// `text` with a character reference for whatever Markdown or HTML would act on: a reference never does.
pub(super) fn escaped(text: &str) -> String {
    let text = display_text(text);
    let mut safe = String::with_capacity(text.len());
    let mut symbols = text.chars().peekable();
    let mut in_word = false;
    while let Some(symbol) = symbols.next() {
        let acts = match symbol {
            '&' | '<' | '>' | '|' | '\\' | '`' | '*' | '~' | '[' | ']' | '#' | '@' | '$' => true,
            // Inside of a word, as in `vip_count`, it marks nothing.
            '_' => !(in_word && symbols.peek().is_some_and(|next| next.is_alphanumeric())),
            _ => false,
        };
        in_word = symbol.is_alphanumeric();
        if acts {
            safe.push_str(&format!("&#{};", u32::from(symbol)));
        } else {
            safe.push(symbol);
        }
    }
    // What GitHub turns into links without any markup.
    safe.replace("://", "&#58;//").replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn markup_in_names_shows_as_itself() {
        let cases = [
            ("tenant-mega", "tenant-mega"),
            ("a|b", "a&#124;b"),
            ("`rm`", "&#96;rm&#96;"),
            ("<img src=x>", "&#60;img src=x&#62;"),
            ("[x](http://e.vil)", "&#91;x&#93;(http&#58;//e.vil)"),
            ("_b_*c*", "&#95;b&#95;&#42;c&#42;"),
            ("vip_count", "vip_count"),
            ("&lt;", "&#38;lt;"),
            ("a\nb", "a&#92;x0ab"),
        ];
        for (name, shown) in cases {
            assert_eq!(escaped(name), shown);
        }
        assert_eq!(prose("ask @ops, see #12"), "ask &#64;<!-- -->ops, see &#35;<!-- -->12");
    }

    #[test]
    fn every_table_row_has_as_many_cells_as_its_heading() {
        for report in fixture::all() {
            let text = markdown(&report);
            let mut cells_of_table = None;
            for line in text.lines() {
                if !line.starts_with('|') {
                    cells_of_table = None;
                    continue;
                }
                let cells = line.matches('|').count();
                assert_eq!(*cells_of_table.get_or_insert(cells), cells, "{line}");
            }
        }
    }

    #[test]
    fn hostile_names_leave_no_markup_behind() {
        let text = markdown(&fixture::hostile());
        for forbidden in ["<script", "\x1b", "\u{202e}", "@everyone", "`;", "](http"] {
            assert!(!text.contains(forbidden), "{forbidden:?} in\n{text}");
        }
    }

    #[test]
    fn a_large_topic_is_listed_in_part_and_says_so() {
        let text = markdown(&fixture::thousand_partitions());
        assert!(text.contains("(48 of 1,000 shown, the hottest under tenant-key; --format csv lists all)"));
    }
}
