//! How the two pools of `tenant-aware` stand to each other.

use super::threshold::{MATERIAL_RATIO, POOL_HOT, REGRET, VIP_COUNT_GAIN};
use super::wording::{name_or, percent, ratio};
use super::{TENANT_AWARE, strategy};
use crate::report::model::{Finding, Report, SweepRow};

/// Another `vip_count` of the sweep is more even than the one in use.
pub(super) fn better_vip_count(report: &Report) -> Option<Finding> {
    let (used, used_max_mean, best) = improvement(report)?;
    let sizing = if report.sweep.iter().any(|row| row.closed_form && row.vip_count == used) {
        format!(" The closed form gave {used}; it takes every key to be small.")
    } else {
        String::new()
    };
    Some(Finding {
        fact: format!(
            "vip_count {} gives a max/mean of {}, the {used} used here gives {}.",
            best.vip_count,
            ratio(best.max_mean),
            ratio(used_max_mean),
        ),
        value: f64::from(best.vip_count),
        advice: format!(
            "Set vip_count = {}, and check it on a later part of the traffic.{sizing}",
            best.vip_count
        ),
    })
}

/// `tenant-aware` is far from what its order allows.
pub(super) fn regret(report: &Report) -> Option<Finding> {
    let ours = strategy(report, TENANT_AWARE).filter(|ours| ours.regret > REGRET)?;
    let advice = if report.sweep.is_empty() {
        "See with --sweep vip-count whether another size of the pool is better; beyond that, move slots or pin the \
         heaviest entities."
    } else if improvement(report).is_some() {
        "Another vip_count is better, see there; beyond that, move slots or pin the heaviest entities."
    } else {
        "No other vip_count is better. What is left is how single keys fall: move slots, pin the heaviest entities, or \
         change the list of VIP tenants."
    };
    Some(Finding {
        fact: format!(
            "tenant-aware's hottest partition carries {} × what its order allows: max/mean {} over a floor of {}.",
            ratio(ours.regret),
            ratio(ours.skew.max_mean),
            ratio(ours.floor),
        ),
        value: ours.regret,
        advice: advice.to_owned(),
    })
}

/// The standard pool, and not the VIP tenants, sets the hottest partition.
pub(super) fn weak_standard_pool(report: &Report) -> Option<Finding> {
    let lowest = report.sweep.iter().map(|row| row.standard_max_mean).min_by(f64::total_cmp);
    if let Some(lowest) = lowest.filter(|&lowest| lowest > POOL_HOT) {
        return Some(Finding {
            fact: format!(
                "No vip_count of the sweep brings the hottest standard partition below {} × the mean.",
                ratio(lowest),
            ),
            value: lowest,
            advice: standard_advice(report),
        });
    }
    let (vip_count, vip, standard) = match report.sweep.iter().find(|row| row.best) {
        Some(best) => (best.vip_count, best.vip_max_mean, best.standard_max_mean),
        None => measured_pools(report)?,
    };
    if standard <= POOL_HOT || standard < vip * MATERIAL_RATIO {
        return None;
    }
    Some(Finding {
        fact: format!(
            "At vip_count {vip_count} the standard pool is the weak side: its hottest partition carries {} × the mean, \
             the hottest VIP partition {}.",
            ratio(standard),
            ratio(vip),
        ),
        value: standard,
        advice: standard_advice(report),
    })
}

fn standard_advice(report: &Report) -> String {
    let is_vip = |name: &str| report.workload.vips.iter().any(|vip| vip.name == name);
    match report.workload.largest_tenant.as_ref().filter(|largest| !is_vip(&largest.name)) {
        Some(largest) => format!(
            "Its tenants stay whole, and {} is {} of the records: make it VIP, so that it is spread by entity.",
            name_or(Some(largest), ""),
            percent(largest.share),
        ),
        None => "Its tenants stay whole: make the largest of them VIP, so that they are spread by entity, or move slots \
                 to part those that hash together."
            .to_owned(),
    }
}

/// The `vip_count` in use, its max/mean, and the best row of the sweep, when that is another and notably better.
fn improvement(report: &Report) -> Option<(u32, f64, &SweepRow)> {
    let used = report.vip_count?;
    let best = report.sweep.iter().find(|row| row.best && row.vip_count != used)?;
    let used_max_mean = match report.sweep.iter().find(|row| row.vip_count == used) {
        Some(row) => row.max_mean,
        None => strategy(report, TENANT_AWARE)?.skew.max_mean,
    };
    (used_max_mean >= best.max_mean * VIP_COUNT_GAIN).then_some((used, used_max_mean, best))
}

/// `vip_count`, and the hottest VIP and the hottest standard partition over the mean of all, from the loads.
fn measured_pools(report: &Report) -> Option<(u32, f64, f64)> {
    let ours = strategy(report, TENANT_AWARE)?;
    let vip_count = report.vip_count?;
    let (vip, standard) = ours.records.split_at_checked(usize::try_from(vip_count).ok()?)?;
    let mean = ours.records.iter().map(|&load| load as f64).sum::<f64>() / ours.records.len() as f64;
    let hottest = |pool: &[u64]| pool.iter().max().map(|&load| load as f64 / mean);
    Some((vip_count, hottest(vip)?, hottest(standard)?))
}

#[cfg(test)]
mod tests {
    use super::{better_vip_count, regret, weak_standard_pool};
    use crate::finding::fixture::{mega, quiet, share, strategy, sweep_row};
    use crate::report::model::Report;

    /// nycflights13 at n = 24: DL stays whole in the standard pool.
    fn flights() -> Report {
        let mut report = quiet();
        report.partitions = 24;
        report.vip_count = Some(4);
        report.workload.vips = share("UA", 0.174).into_iter().collect();
        report.workload.largest_tenant = share("UA", 0.174);
        report.sweep = vec![sweep_row(3, 4.1, 3.43), sweep_row(4, 3.2, 3.43), sweep_row(5, 2.6, 3.81)];
        report.sweep[1].best = true;
        report
    }

    #[test]
    fn another_vip_count_is_better() {
        let mut report = mega();
        let finding = better_vip_count(&report).unwrap();
        assert_eq!(finding.fact, "vip_count 10 gives a max/mean of 1.10, the 3 used here gives 3.61.");
        assert_eq!(finding.value, 10.0);
        assert_eq!(finding.advice, "Set vip_count = 10, and check it on a later part of the traffic.");
        report.sweep[2].closed_form = false;
        report.sweep[0].closed_form = true;
        assert!(
            better_vip_count(&report)
                .unwrap()
                .advice
                .ends_with("The closed form gave 3; it takes every key to be small.")
        );
        report.sweep.remove(0);
        assert!(
            better_vip_count(&report).unwrap().fact.ends_with("the 3 used here gives 3.61."),
            "from the strategy"
        );
    }

    #[test]
    fn the_best_vip_count_is_in_use() {
        assert!(better_vip_count(&quiet()).is_none());
        let mut report = mega();
        report.vip_count = Some(10);
        assert!(better_vip_count(&report).is_none());
        report.vip_count = Some(9);
        report.sweep[1].max_mean = 1.105;
        assert!(better_vip_count(&report).is_none(), "half a percent is no reason");
    }

    #[test]
    fn regret_names_the_next_step() {
        let mut report = mega();
        let finding = regret(&report).unwrap();
        assert_eq!(
            finding.fact,
            "tenant-aware's hottest partition carries 3.61 × what its order allows: max/mean 3.61 over a floor of 1.00."
        );
        assert!(finding.advice.starts_with("Another vip_count is better"));
        report.vip_count = Some(10);
        assert!(regret(&report).unwrap().advice.starts_with("No other vip_count is better"));
        report.sweep.clear();
        assert!(regret(&report).unwrap().advice.starts_with("See with --sweep vip-count"));
    }

    #[test]
    fn small_regret_is_silent() {
        assert!(regret(&quiet()).is_none());
        let mut report = mega();
        report.strategies[2].regret = 1.1;
        assert!(regret(&report).is_none());
    }

    #[test]
    fn standard_pool_is_weak_at_every_count() {
        let mut report = flights();
        let finding = weak_standard_pool(&report).unwrap();
        assert_eq!(
            finding.fact,
            "No vip_count of the sweep brings the hottest standard partition below 3.43 × the mean."
        );
        assert!(finding.advice.contains("make the largest of them VIP"));
        report.workload.largest_tenant = share("DL", 0.143);
        assert!(
            weak_standard_pool(&report).unwrap().advice.contains("DL is 14 % of the records: make it VIP")
        );
    }

    #[test]
    fn standard_pool_is_weak_at_the_best_count() {
        let mut report = flights();
        report.sweep[0].standard_max_mean = 1.2;
        let finding = weak_standard_pool(&report).unwrap();
        assert_eq!(
            finding.fact,
            "At vip_count 4 the standard pool is the weak side: its hottest partition carries 3.43 × the mean, the \
             hottest VIP partition 3.20."
        );
        assert_eq!(finding.value, 3.43);
    }

    #[test]
    fn standard_pool_is_weak_by_the_loads() {
        let mut report = quiet();
        report.vip_count = Some(2);
        report.strategies = vec![strategy("tenant-aware", &[100, 100, 400, 100])];
        assert!(
            weak_standard_pool(&report)
                .unwrap()
                .fact
                .starts_with("At vip_count 2 the standard pool is the weak")
        );
    }

    #[test]
    fn even_standard_pool_is_silent() {
        assert!(weak_standard_pool(&quiet()).is_none());
        assert!(weak_standard_pool(&mega()).is_none());
        let mut report = mega();
        report.sweep.clear();
        assert!(weak_standard_pool(&report).is_none(), "the VIP pool is the weak side");
        report.vip_count = Some(99);
        assert!(weak_standard_pool(&report).is_none(), "no such pool");
    }
}
