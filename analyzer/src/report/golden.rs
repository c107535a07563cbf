//! Reports as users see them, kept in `testdata/report/`: a change of a renderer shows in review as a change of these
//! files. `UPDATE_GOLDEN=1 cargo test -p analyzer golden` rewrites them.

use std::path::PathBuf;

use super::fixture;
use super::model::Report;
use super::width::columns;
use super::{Format, TextStyle, render};

fn style(width_columns: u16) -> TextStyle {
    TextStyle { width_columns, ..TextStyle::default() }
}

/// Compares with the file of that name, or writes it when `UPDATE_GOLDEN` is set.
fn check(file: &str, report: &Report, format: Format, style: TextStyle) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/report").join(file);
    let rendered = render(report, format, style).unwrap();
    assert!(rendered.ends_with('\n') && !rendered.contains('\r'), "{file}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (number, (kept, rendered)) in kept.lines().zip(rendered.lines()).enumerate() {
        assert_eq!(kept, rendered, "{file}:{} (UPDATE_GOLDEN=1 rewrites the file)", number + 1);
    }
    assert_eq!(kept, rendered, "{file} (UPDATE_GOLDEN=1 rewrites it)");
}

#[test]
fn multitenant_in_every_format() {
    let report = fixture::multitenant();
    check("multitenant-80.txt", &report, Format::Text, style(80));
    check("multitenant-120.txt", &report, Format::Text, style(120));
    check("multitenant-120-color.txt", &report, Format::Text, TextStyle { color: true, ..style(120) });
    check("multitenant-80-ascii.txt", &report, Format::Text, TextStyle { unicode: false, ..style(80) });
    check("multitenant.json", &report, Format::Json, style(80));
    check("multitenant.csv", &report, Format::Csv, style(80));
    check("multitenant.md", &report, Format::Markdown, style(80));
    check("multitenant.html", &report, Format::Html, style(80));
}

#[test]
fn a_large_topic() {
    let report = fixture::thousand_partitions();
    check("thousand-partitions-80.txt", &report, Format::Text, style(80));
    check("thousand-partitions-120.txt", &report, Format::Text, style(120));
}

#[test]
fn a_trace_without_sizes() {
    check("without-bytes-80.txt", &fixture::without_bytes(), Format::Text, style(80));
}

#[test]
fn several_vip_tenants_and_uneven_sizes() {
    check("flights-120.txt", &fixture::flights(), Format::Text, style(120));
}

#[test]
fn sketched_counts() {
    check("approximate-120.txt", &fixture::approximate(), Format::Text, style(120));
    check("approximate.md", &fixture::approximate(), Format::Markdown, style(120));
}

#[test]
fn hostile_names() {
    let report = fixture::hostile();
    check("hostile-80.txt", &report, Format::Text, style(80));
    check("hostile.csv", &report, Format::Csv, style(80));
    check("hostile.md", &report, Format::Markdown, style(80));
}

#[test]
fn no_text_is_wider_than_asked_for_or_commands_a_terminal() {
    for report in fixture::all() {
        for width in [60, 80, 100, 120, 200] {
            for unicode in [true, false] {
                let text = super::text(&report, TextStyle { unicode, ..style(width) });
                for line in text.lines() {
                    assert!(columns(line) <= usize::from(width), "{width}: {line}\n{text}");
                    assert!(unicode || line.is_ascii(), "{line}");
                    assert!(!line.chars().any(char::is_control), "{line:?}");
                    assert_eq!(line, line.trim_end());
                }
            }
        }
    }
}

#[test]
fn colour_adds_codes_and_changes_no_character() {
    for report in fixture::all() {
        let plain = super::text(&report, style(80));
        let mut colored = super::text(&report, TextStyle { color: true, ..style(80) });
        for code in ["0", "1", "2", "32", "33", "1;31"] {
            colored = colored.replace(&format!("\x1b[{code}m"), "");
        }
        // Padding inside of colour is not trimmed.
        let trimmed: String = colored.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        assert_eq!(trimmed, plain);
    }
}
