//! The report of a verification for a terminal.

use super::super::header::field;
use super::super::style::{Ink, TextStyle};
use super::super::text::{paragraph, section};
use super::super::{number, width};
use super::model::{Check, MismatchRow, PartitionRow, VerifyReport};

/// Partitions of a topic that are all shown; of a larger one, those with records or a difference.
const PARTITIONS_ALL_MAX: usize = 64;

/// Rows that are shown at most.
const ROWS_MAX: usize = 256;

/// Spaces between columns.
const GAP: &str = "  ";

/// Renders the report for people at a terminal: what was produced where, a table of the partitions, and the verdict.
///
/// The text depends on `report` and `style` alone, and nothing in it can command a terminal.
#[must_use]
pub fn verify_text(report: &VerifyReport, style: TextStyle) -> String {
    let mut text = head(report, style);
    section(&mut text, "Records per partition", style);
    text.push_str(&table(report, style));
    if report.partitions.iter().any(|row| row.found_in_pool > 0) {
        text.push('\n');
        let note = "in pool: records whose keys the contract makes sticky; predicted for the pool, not for a partition";
        paragraph(&mut text, Ink::Dim, "", note, style);
    }
    section(&mut text, "Verdict", style);
    let name_columns = report.checks.iter().map(|check| width::columns(&check.name)).max().unwrap_or(0);
    for check in &report.checks {
        verdict(&mut text, check, name_columns, style);
    }
    if !report.mismatches.is_empty() {
        section(&mut text, "The first mismatches of each kind", style);
        for mismatch in &report.mismatches {
            paragraph(&mut text, Ink::Plain, "• ", &told(mismatch), style);
        }
    }
    text.push('\n');
    let (ink, summary) = if report.passed {
        (Ink::Good, "Verified: every record is where the contract says, and in order.")
    } else {
        (Ink::Hot, "Not verified: the topic differs from the prediction.")
    };
    paragraph(&mut text, ink, "", summary, style);
    text
}

fn head(report: &VerifyReport, style: TextStyle) -> String {
    let (topic, workload) = (&report.topic, &report.workload);
    let mut text = String::new();
    let mut line = |label: &str, content: &str| text.push_str(&field(label, content, style));
    let origin = if topic.is_created { "created by this run" } else { "was there" };
    line("topic", &format!("{} at {}, {origin}", topic.name, topic.cluster));
    let pool = report.vip_count.map_or("no dedicated pool".to_owned(), |count| {
        format!("{} in dedicated pools", number::count(count.into()))
    });
    line("", &format!("{}, {pool}", number::count_of(topic.partitions.into(), "partition", "partitions")));
    let mut produced = format!(
        "{}, {} of {}, then the same without keys",
        workload.name,
        number::count_of(workload.records, "record", "records"),
        number::count_of(workload.keys, "key", "keys")
    );
    if workload.skipped_rows > 0 {
        let rows = number::count_of(workload.skipped_rows, "unreadable row", "unreadable rows");
        produced.push_str(&format!("; {rows} skipped"));
    }
    line("traffic", &produced);
    if report.foreign_records > 0 {
        let others = number::count_of(report.foreign_records, "record", "records");
        line("others", &format!("{others} in the topic not of this run"));
    }
    line("seed", &report.seed.to_string());
    line("run", &report.run);
    for (index, choice) in report.choices.iter().enumerate() {
        line(if index == 0 { "chosen" } else { "" }, choice);
    }
    text
}

/// One row a partition, and the sums.
fn table(report: &VerifyReport, style: TextStyle) -> String {
    let has_pool_column = report.partitions.iter().any(|row| row.found_in_pool > 0);
    let is_all = report.partitions.len() <= PARTITIONS_ALL_MAX;
    let is_worth_it = |row: &&PartitionRow| {
        is_all || row.predicted != row.found || row.predicted + row.found_in_pool + row.unkeyed > 0
    };
    let rows: Vec<&PartitionRow> = report.partitions.iter().filter(is_worth_it).take(ROWS_MAX).collect();
    let mut columns = vec![
        column("partition", &rows, label, "all", true, style),
        figures("predicted", report, &rows, |row| row.predicted, style),
        figures("found keyed", report, &rows, |row| row.found, style),
    ];
    if has_pool_column {
        columns.push(figures("in pool", report, &rows, |row| row.found_in_pool, style));
    }
    columns.push(figures("unkeyed", report, &rows, |row| row.unkeyed, style));
    let mut text = String::new();
    for line in 0..rows.len() + 2 {
        let cells: Vec<&str> = columns.iter().map(|column| column[line].as_str()).collect();
        let ink = match line.checked_sub(1).and_then(|index| rows.get(index)) {
            Some(row) if row.predicted != row.found => Ink::Hot,
            Some(_) => Ink::Plain,
            None => Ink::Dim,
        };
        text.push_str(&style.paint(ink, cells.join(GAP).trim_end()));
        text.push('\n');
    }
    let left_out = report.partitions.len() - rows.len();
    if left_out > 0 {
        let partitions = number::count_of(left_out as u64, "partition", "partitions");
        text.push('\n');
        paragraph(&mut text, Ink::Dim, "", &format!("{partitions} not shown"), style);
    }
    text
}

/// A column of figures with their sum over all partitions.
fn figures(
    heading: &str,
    report: &VerifyReport,
    rows: &[&PartitionRow],
    figure: impl Fn(&PartitionRow) -> u64,
    style: TextStyle,
) -> Vec<String> {
    let sum = number::count(report.partitions.iter().map(&figure).sum());
    column(heading, rows, |row| number::count(figure(row)), &sum, false, style)
}

/// Heading, a cell for each row, and the last line, all equally wide.
fn column(
    heading: &str,
    rows: &[&PartitionRow],
    cell: impl Fn(&PartitionRow) -> String,
    last: &str,
    is_left: bool,
    style: TextStyle,
) -> Vec<String> {
    let cells = rows.iter().map(|row| cell(row));
    let all = std::iter::once(heading.to_owned()).chain(cells).chain([last.to_owned()]);
    let all: Vec<String> = all.map(|text| style.text(&text)).collect();
    let columns = all.iter().map(|text| width::columns(text)).max().unwrap_or(0);
    let pad = if is_left { width::pad_right } else { width::pad_left };
    all.iter().map(|text| pad(text, columns)).collect()
}

fn label(row: &PartitionRow) -> String {
    match row.pool.as_deref() {
        Some("standard") | None => row.partition.to_string(),
        Some(pool) => format!("{} {pool}", row.partition),
    }
}

fn verdict(text: &mut String, check: &Check, name_columns: usize, style: TextStyle) {
    let (ink, word) = if check.passed { (Ink::Plain, "ok  ") } else { (Ink::Hot, "FAIL") };
    let lead = format!("{word}  {}  ", width::pad_right(&check.name, name_columns));
    paragraph(text, ink, &lead, &check.fact, style);
}

fn told(mismatch: &MismatchRow) -> String {
    let key = mismatch.key.as_ref().map_or("without a key".to_owned(), |key| format!("key {key}"));
    let found = match (mismatch.partition, mismatch.offset) {
        (Some(partition), Some(offset)) => format!(", found on partition {partition} at offset {offset}"),
        _ => String::new(),
    };
    let (phase, kind) = (&mismatch.phase, mismatch.kind.replace('_', " "));
    format!("{phase}, {kind}: {key}, sequence {}, expected: {}{found}", mismatch.sequence, mismatch.expected)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn the_table_has_a_row_a_partition_and_the_sums() {
        let text = verify_text(&fixture::passed(), TextStyle::default());
        let rows = "\
partition  predicted  found keyed  unkeyed
0 vip            900          900        0
1                 45           45      400
2                 55           55      600
all            1,000        1,000    1,000
";
        assert!(text.contains(rows), "{text}");
        assert!(text.contains("ok    placement  placement is well\n"), "{text}");
        assert!(
            text.ends_with("Verified: every record is where the contract says, and in order.\n"),
            "{text}"
        );
    }

    #[test]
    fn a_failure_is_told_with_its_record_and_commands_no_terminal() {
        let text = verify_text(&fixture::failed(), TextStyle { width_columns: 200, ..TextStyle::default() });
        assert!(text.contains("FAIL  placement "), "{text}");
        let told = r"keyed, misplaced: key mega:\x1b[2J, sequence 17, expected: partition 0, found on partition 3 at offset 0";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("3 records in the topic not of this run"), "{text}");
        assert!(!text.contains('\u{1b}'));
        assert!(text.ends_with("Not verified: the topic differs from the prediction.\n"), "{text}");
    }

    #[test]
    fn of_a_large_topic_only_partitions_with_something_are_shown() {
        let mut report = fixture::passed();
        let empty = PartitionRow { predicted: 0, found: 0, unkeyed: 0, ..report.partitions[2].clone() };
        report.partitions.extend((3..1_000).map(|partition| PartitionRow { partition, ..empty.clone() }));
        let text = verify_text(&report, TextStyle::default());
        assert!(text.contains("997 partitions not shown"), "{text}");
        assert!(text.lines().count() < 40, "{text}");
    }

    #[test]
    fn lines_are_as_wide_as_asked_for() {
        for report in [fixture::passed(), fixture::failed()] {
            let text = verify_text(&report, TextStyle { width_columns: 60, ..TextStyle::default() });
            assert!(text.lines().all(|line| width::columns(line) <= 60), "{text}");
        }
    }
}
