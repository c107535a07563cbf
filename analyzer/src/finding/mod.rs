//! What stands out in a report: a fact, its number, and what to do about it.
//!
//! A check reads the report's model and nothing else, says at most one thing, and has its own wording for one and
//! for many. What counts as standing out is in `threshold`, each limit with its reason.

use crate::report::model::{Finding, Report, StrategyReport};

mod choice;
mod coverage;
#[cfg(test)]
mod fixture;
mod floor;
mod hot;
mod isolation;
mod lag;
mod order;
mod threshold;
mod tuning;
mod vip_pool;
mod wording;

pub use tuning::tuning_findings;

/// Strategy names that findings compare, as `--strategies` takes them.
const TENANT_KEY: &str = "tenant-key";
const COMPOUND_KEY: &str = "compound-key";
const TENANT_AWARE: &str = "tenant-aware";

/// Says one thing about a report, or nothing.
type Check = fn(&Report) -> Option<Finding>;

/// Most important first: whether the figures can be trusted, what is wrong, what limits any remedy, which remedy, what
/// it costs, and last the footnotes.
const CHECKS: [Check; 20] = [
    coverage::many_rejected,
    coverage::many_skipped,
    choice::nothing_to_gain,
    lag::falls_behind,
    hot::under_tenant_key,
    floor::of_entities,
    floor::price_of_tenant_order,
    choice::gain_of_tenant_aware,
    choice::more_even_than_tenant_aware,
    vip_pool::better_vip_count,
    vip_pool::weak_standard_pool,
    vip_pool::regret,
    isolation::of_vip_tenants,
    lag::beside_vip,
    lag::capacity,
    floor::growth,
    order::broken,
    coverage::few_rejected,
    coverage::few_skipped,
    coverage::estimates,
];

/// What stands out in `report`, most important first; empty when nothing was replayed.
///
/// Reads the figures and not `report.findings`, which this is meant to fill. Every value is finite when the report's
/// figures are.
///
/// ```
/// # use analyzer::report::model::{Report, WorkloadSummary};
/// # let report = Report {
/// #     schema_version: 1, command: String::new(), seed: 1, partitions: 12, vip_count: None, choices: vec![],
/// #     workload: WorkloadSummary {
/// #         name: "orders".into(), records: 997, bytes: None, tenants: 20, entities: 500, floor_tenant: 1.0,
/// #         floor_entity: 1.0, vips: vec![], largest_tenant: None, largest_entity: None,
/// #         largest_tenants: vec![], skipped_rows: 3, approximate: None,
/// #     },
/// #     strategies: vec![], sweep: vec![], lag: None, findings: vec![],
/// # };
/// // 997 records were replayed, 3 rows were skipped.
/// let findings = analyzer::finding::findings(&report);
/// assert_eq!(findings.last().unwrap().fact, "3 rows could not be read and were not replayed: 0.3 % of the input.");
/// ```
#[must_use]
pub fn findings(report: &Report) -> Vec<Finding> {
    if report.workload.records == 0 {
        return Vec::new();
    }
    CHECKS.iter().filter_map(|check| check(report)).collect()
}

/// The strategy of that name, if it was replayed and got any record.
fn strategy<'a>(report: &'a Report, name: &str) -> Option<&'a StrategyReport> {
    report
        .strategies
        .iter()
        .find(|strategy| strategy.name == name && strategy.records.iter().any(|&load| load > 0))
}

#[cfg(test)]
mod tests {
    use super::findings;
    use super::fixture::{mega, quiet, share, strategy};
    use proptest::prelude::*;

    /// The tenant-mega case at a vip_count that is too small: the order and the wording as a reader sees them.
    #[test]
    fn tenant_mega_reads_from_problem_to_cost() {
        let facts: Vec<String> = findings(&mega()).into_iter().map(|finding| finding.fact).collect();
        assert_eq!(
            facts,
            [
                "1 of 12 partitions carries 91 % of the records under tenant-key: partition 3, at 10.92 × the mean.",
                "Keeping tenant-mega on one partition costs a max/mean of at least 10.80; with order kept by entity \
                 the floor is 1.00.",
                "tenant-aware lowers the hottest partition from 10.92 to 3.61 × the mean.",
                "compound-key is more even than tenant-aware and keeps entity order too: max/mean 1.08 against 3.61.",
                "vip_count 10 gives a max/mean of 1.10, the 3 used here gives 3.61.",
                "tenant-aware's hottest partition carries 3.61 × what its order allows: max/mean 3.61 over a floor of \
                 1.00.",
                "tenant-mega shares partitions with 100 % of the other tenants' records under compound-key, with 0 % \
                 under tenant-aware.",
                "More partitions do not help while tenants stay whole: tenant-mega alone is 90 % of the records, so \
                 at 24 partitions the floor by tenant would be 21.60.",
                "round-robin breaks entity order: records of one entity land on several partitions.",
            ]
        );
    }

    #[test]
    fn quiet_report_has_no_findings() {
        assert!(findings(&quiet()).is_empty());
    }

    #[test]
    fn nothing_replayed_has_no_findings() {
        let mut report = mega();
        report.workload.records = 0;
        report.workload.skipped_rows = 9;
        assert!(findings(&report).is_empty());
    }

    proptest! {
        /// Whatever the loads are, a finding is two sentences and a number.
        #[test]
        fn sentences_and_numbers(
            loads in prop::collection::vec(prop::collection::vec(0..5000_u64, 12), 4),
            tenant in 0.0..=1.0_f64,
            entity in 0.0..=1.0_f64,
            skipped in 0..500_u64,
        ) {
            let mut report = mega();
            report.strategies = ["tenant-key", "compound-key", "tenant-aware", "random"]
                .iter()
                .zip(&loads)
                .filter(|(_, loads)| loads.iter().any(|&load| load > 0))
                .map(|(name, loads)| strategy(name, loads))
                .collect();
            report.workload.floor_tenant = (12.0 * tenant).max(1.0);
            report.workload.largest_tenant = share("acme", tenant);
            report.workload.floor_entity = (12.0 * tenant * entity).max(1.0);
            report.workload.largest_entity = share("acme:1", tenant * entity);
            report.workload.skipped_rows = skipped;
            for finding in findings(&report) {
                prop_assert!(finding.value.is_finite(), "{finding:?}");
                for text in [&finding.fact, &finding.advice] {
                    prop_assert!(text.ends_with('.') && !text.contains("  "), "{text}");
                    prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
                }
            }
        }
    }
}
