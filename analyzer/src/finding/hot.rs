//! The partitions that drown today.

use super::floor::above_even_share;
use super::threshold::MATERIAL_RATIO;
use super::wording::{list, percent, ratio};
use super::{TENANT_KEY, strategy};
use crate::metrics::hot_partitions;
use crate::report::model::{Finding, Report};

/// Hot partitions of `tenant-key`, which is what a topic keyed by tenant has before anything is changed.
pub(super) fn under_tenant_key(report: &Report) -> Option<Finding> {
    let by_tenant = strategy(report, TENANT_KEY)?;
    let hot = hot_partitions(&by_tenant.records);
    if hot.is_empty() {
        return None;
    }
    let carried: f64 = hot.iter().map(|&partition| by_tenant.records[partition] as f64).sum();
    let carried = carried / by_tenant.records.iter().map(|&load| load as f64).sum::<f64>();
    let numbers: Vec<String> = hot.iter().map(ToString::to_string).collect();
    let hottest = ratio(by_tenant.skew.max_mean);
    let of_all = by_tenant.records.len();
    let fact = if let [only] = &numbers[..] {
        format!(
            "1 of {of_all} partitions carries {} of the records under tenant-key: partition {only}, at {hottest} × \
             the mean.",
            percent(carried),
        )
    } else {
        format!(
            "{} of {of_all} partitions carry {} of the records under tenant-key: partitions {}, up to {hottest} × \
             the mean.",
            hot.len(),
            percent(carried),
            list(&numbers),
        )
    };
    Some(Finding { fact, value: carried, advice: advice(report, by_tenant.skew.max_mean) })
}

fn advice(report: &Report, max_mean: f64) -> String {
    let cost = format!(
        "To keep up, each of a group of equal consumers must be sized for {} × the mean",
        ratio(max_mean)
    );
    let floor = report.workload.floor_tenant;
    if floor <= MATERIAL_RATIO {
        return format!(
            "{cost}. No tenant is that large: several hash to the same partition, and moving slots or pinning tenants \
             parts them without giving up their order."
        );
    }
    let tenants = match above_even_share(report) {
        none if none.is_empty() => "the largest tenant".to_owned(),
        tenants => list(&tenants),
    };
    if max_mean <= floor * MATERIAL_RATIO {
        format!("{cost}. Only spreading {tenants} over several partitions changes that.")
    } else {
        format!(
            "{cost}. The largest tenant explains {} × of it; beyond that, tenants hash to the same partition: move slots \
             or pin tenants to part them, and spread {tenants} over several partitions.",
            ratio(floor),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::under_tenant_key;
    use crate::finding::fixture::{mega, quiet, share, strategy};

    #[test]
    fn one_hot_partition() {
        let finding = under_tenant_key(&mega()).unwrap();
        assert_eq!(
            finding.fact,
            "1 of 12 partitions carries 91 % of the records under tenant-key: partition 3, at 10.92 × the mean."
        );
        assert!((finding.value - 0.909_983).abs() < 1e-6);
        assert!(finding.advice.contains("Only spreading tenant-mega"));
    }

    #[test]
    fn several_hot_partitions_without_a_large_tenant() {
        let mut report = quiet();
        report.strategies = vec![strategy("tenant-key", &[100, 900, 100, 900, 100, 100])];
        let finding = under_tenant_key(&report).unwrap();
        assert_eq!(
            finding.fact,
            "2 of 6 partitions carry 82 % of the records under tenant-key: partitions 1 and 3, up to 2.45 × the mean."
        );
        assert!(finding.advice.contains("several hash to the same partition"));
    }

    #[test]
    fn several_causes_of_one_hot_partition() {
        let mut report = mega();
        report.workload.floor_tenant = 4.2;
        report.workload.vips.extend(share("acme", 0.1));
        let advice = under_tenant_key(&report).unwrap().advice;
        assert!(
            advice.contains("The largest tenant explains 4.20 × of it; beyond that, tenants hash"),
            "{advice}"
        );
        assert!(advice.ends_with("and spread tenant-mega and acme over several partitions."), "{advice}");
    }

    #[test]
    fn silent_when_even_or_not_replayed() {
        assert!(under_tenant_key(&quiet()).is_none());
        let mut report = mega();
        report.strategies.remove(0);
        assert!(under_tenant_key(&report).is_none());
    }
}
