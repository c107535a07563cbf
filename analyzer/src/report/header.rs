//! The head of the terminal report: what was replayed, on what topic, and what was chosen for the user.

use super::escape::{DISPLAY_COLUMNS_MAX, display_text};
use super::model::{Report, TenantShare, WorkloadSummary};
use super::style::{Ink, TextStyle};
use super::{number, width};

/// Columns of the names on the left.
const LABEL_COLUMNS: usize = 11;

/// Columns of a tenant's or entity's name: what `display_bytes` makes fits, length and all.
const NAME_COLUMNS_MAX: usize = DISPLAY_COLUMNS_MAX + 24;

/// VIP tenants named before the rest is only counted.
const VIPS_NAMED_MAX: usize = 12;

/// The lines above the first section, each ended by a newline.
pub(super) fn header(report: &Report, style: TextStyle) -> String {
    let mut text = String::new();
    for (label, content) in facts(report) {
        text.push_str(&field(label, &content, style));
    }
    for (index, choice) in report.choices.iter().enumerate() {
        text.push_str(&field(if index == 0 { "chosen" } else { "" }, choice, style));
    }
    text
}

/// What was replayed, on what topic and by what seed: names and what stands behind them.
pub(super) fn facts(report: &Report) -> [(&'static str, String); 7] {
    let workload = &report.workload;
    [
        ("workload", replayed(workload)),
        ("tenants", tenants(report)),
        ("entities", entities(report)),
        ("topic", topic(report)),
        ("VIP", vips(&workload.vips)),
        ("floor", floors(workload)),
        ("seed", report.seed.to_string()),
    ]
}

/// One labelled line, wrapped under its own start.
pub(super) fn field(label: &str, content: &str, style: TextStyle) -> String {
    let room = style.columns() - LABEL_COLUMNS;
    let mut text = String::new();
    for (index, line) in width::wrap(&style.text(content), room).iter().enumerate() {
        let label = width::pad_right(if index == 0 { label } else { "" }, LABEL_COLUMNS);
        text.push_str(&style.paint(Ink::Dim, &label));
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn replayed(workload: &WorkloadSummary) -> String {
    let bytes = workload.bytes.map_or(format!("{} bytes (no sizes)", number::MISSING), |bytes| {
        format!("{} ({} bytes)", number::bytes(bytes), number::count(bytes))
    });
    let mut text =
        format!("{}, {}, {bytes}", workload.name, number::count_of(workload.records, "record", "records"));
    if workload.skipped_rows > 0 {
        let rows = number::count_of(workload.skipped_rows, "unreadable row", "unreadable rows");
        text.push_str(&format!("; {rows} skipped"));
    }
    text
}

fn tenants(report: &Report) -> String {
    let workload = &report.workload;
    let errors = workload.approximate.as_ref();
    let count_error = errors.map_or(0.0, |a| a.tenants_relative_error);
    let largest =
        largest(report, workload.largest_tenant.as_ref(), errors.map_or(0.0, |a| a.floor_tenant_error));
    format!("{}, {largest}", estimate(number::count(workload.tenants), count_error, number::percent))
}

fn entities(report: &Report) -> String {
    let workload = &report.workload;
    let errors = workload.approximate.as_ref();
    let count_error = errors.map_or(0.0, |a| a.entities_relative_error);
    let largest =
        largest(report, workload.largest_entity.as_ref(), errors.map_or(0.0, |a| a.floor_entity_error));
    format!("{}, {largest}", estimate(number::count(workload.entities), count_error, number::percent))
}

/// A floor is n times a share, and so is its error.
fn largest(report: &Report, largest: Option<&TenantShare>, floor_error: f64) -> String {
    let Some(largest) = largest else { return format!("largest {}", number::MISSING) };
    let share_error = floor_error / f64::from(report.partitions.max(1));
    let share = estimate(number::percent(largest.share), share_error, number::percent);
    format!("largest {} with {share} of the records", name(largest))
}

fn name(tenant: &TenantShare) -> String {
    width::fit(&display_text(&tenant.name), NAME_COLUMNS_MAX, "…")
}

/// `figure`, or `≈ figure ± error` when there is an error.
pub(super) fn estimate(figure: String, error: f64, show: fn(f64) -> String) -> String {
    if error > 0.0 { format!("≈ {figure} ± {}", show(error)) } else { figure }
}

fn topic(report: &Report) -> String {
    let partitions = number::count_of(report.partitions.into(), "partition", "partitions");
    let vip_count = match report.vip_count {
        Some(1) => "vip_count 1 (partition 0)".to_owned(),
        Some(count) => {
            format!("vip_count {} (partitions 0–{})", number::count(count.into()), count.saturating_sub(1))
        }
        None => format!("vip_count {}", number::MISSING),
    };
    format!("{partitions}, {vip_count}")
}

fn vips(vips: &[TenantShare]) -> String {
    if vips.is_empty() {
        return "none".to_owned();
    }
    let named =
        vips.iter().take(VIPS_NAMED_MAX).map(|vip| format!("{} {}", name(vip), number::percent(vip.share)));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if vips.len() > VIPS_NAMED_MAX {
        text.push_str(&format!(" and {} more", vips.len() - VIPS_NAMED_MAX));
    }
    text
}

fn floors(workload: &WorkloadSummary) -> String {
    format!(
        "{}: the lowest max/mean any partitioner can reach while a whole tenant, or only each entity, stays in order",
        floors_in_figures(workload)
    )
}

/// `by tenant 10.8 / by entity 1.00`.
pub(super) fn floors_in_figures(workload: &WorkloadSummary) -> String {
    let errors = workload.approximate.as_ref();
    let floor = |value, error| estimate(number::figure(value), error, number::figure);
    format!(
        "by tenant {} / by entity {}",
        floor(workload.floor_tenant, errors.map_or(0.0, |a| a.floor_tenant_error)),
        floor(workload.floor_entity, errors.map_or(0.0, |a| a.floor_entity_error)),
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn shown(report: &Report) -> String {
        header(report, TextStyle { width_columns: 200, ..TextStyle::default() })
    }

    #[test]
    fn a_workload_without_sizes_shows_no_zero() {
        let text = shown(&fixture::without_bytes());
        assert!(text.contains("– bytes (no sizes)"), "{text}");
    }

    #[test]
    fn estimates_are_marked_with_their_error() {
        let text = shown(&fixture::approximate());
        assert!(text.contains("tenants    1,001, largest"), "exact stays exact:\n{text}");
        assert!(text.contains("entities   ≈ 48,200,000 ± 1.60 %, largest"), "{text}");
        assert!(text.contains("with ≈ 0.00250 % ± 0.100 % of the records"), "{text}");
        assert!(text.contains("by tenant 10.8 / by entity ≈ 1.10 ± 0.0120"), "{text}");
    }

    #[test]
    fn one_and_many_have_their_own_words() {
        let mut report = fixture::multitenant();
        report.vip_count = Some(1);
        report.partitions = 2;
        report.workload.skipped_rows = 1;
        let text = shown(&report);
        assert!(text.contains("2 partitions, vip_count 1 (partition 0)\n"), "{text}");
        assert!(text.contains("; 1 unreadable row skipped\n"), "{text}");
    }

    #[test]
    fn many_vip_tenants_are_counted_rather_than_listed() {
        let vips: Vec<_> = (0..15).map(|i| TenantShare { name: format!("t{i}"), share: 0.05 }).collect();
        let mut report = fixture::multitenant();
        report.workload.vips = vips;
        assert!(shown(&report).contains("t11 5.00 % and 3 more\n"));
    }

    #[test]
    fn lines_wrap_under_their_own_start() {
        let text = header(&fixture::multitenant(), TextStyle { width_columns: 60, ..TextStyle::default() });
        assert!(text.lines().all(|line| width::columns(line) <= 60), "{text}");
        assert!(text.lines().any(|line| line.starts_with("           ")), "{text}");
    }
}
