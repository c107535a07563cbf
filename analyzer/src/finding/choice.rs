//! Which strategy, and whether any is needed.

use super::threshold::MATERIAL_RATIO;
use super::wording::{list, name_or, percent, ratio, whole};
use super::{TENANT_AWARE, TENANT_KEY, strategy};
use crate::report::model::{Finding, Report, StrategyReport};

/// Says that there is no problem, or none that a VIP pool solves.
pub(super) fn nothing_to_gain(report: &Report) -> Option<Finding> {
    if let Some(by_tenant) = strategy(report, TENANT_KEY)
        && by_tenant.skew.max_mean <= MATERIAL_RATIO
    {
        return Some(Finding {
            fact: format!(
                "Plain tenant keys are within {:.0} % of even: max/mean {}.",
                (MATERIAL_RATIO - 1.0) * 100.0,
                ratio(by_tenant.skew.max_mean),
            ),
            value: by_tenant.skew.max_mean,
            advice: "No other partitioner is needed; tenant-key keeps every tenant in order.".to_owned(),
        });
    }
    let workload = &report.workload;
    if !workload.vips.is_empty() || workload.floor_tenant > MATERIAL_RATIO {
        return None;
    }
    let largest = workload.largest_tenant.as_ref()?;
    Some(Finding {
        fact: format!(
            "No tenant is above an even share of {} partitions: the largest, {}, is {} of the records.",
            whole(u64::from(report.partitions)),
            name_or(Some(largest), ""),
            percent(largest.share),
        ),
        value: largest.share,
        advice: "A VIP pool has nothing to spread. What skew there is comes from tenants that hash together: moving \
                 slots or pinning tenants parts them without giving up their order."
            .to_owned(),
    })
}

/// What `tenant-aware` makes of the hottest partition of `tenant-key`, better or worse.
pub(super) fn gain_of_tenant_aware(report: &Report) -> Option<Finding> {
    let before = strategy(report, TENANT_KEY)?.skew.max_mean;
    let after = strategy(report, TENANT_AWARE)?.skew.max_mean;
    if before >= after * MATERIAL_RATIO {
        let vips: Vec<&str> = report.workload.vips.iter().map(|tenant| tenant.name.as_str()).collect();
        let (who, need) = match vips.len() {
            0 => ("VIP tenants".to_owned(), "need"),
            1 => (list(&vips), "needs"),
            _ => (list(&vips), "need"),
        };
        return Some(Finding {
            fact: format!(
                "tenant-aware lowers the hottest partition from {} to {} × the mean.",
                ratio(before),
                ratio(after),
            ),
            value: after,
            advice: format!(
                "Use it if {who} {need} order only within an entity; the others stay in order as tenants."
            ),
        });
    }
    (after >= before * MATERIAL_RATIO).then(|| Finding {
        fact: format!(
            "tenant-aware raises the hottest partition from {} to {} × the mean.",
            ratio(before),
            ratio(after),
        ),
        value: after,
        advice: "Keep tenant-key, or change vip_count or the list of VIP tenants; --sweep vip-count shows the choice."
            .to_owned(),
    })
}

/// Strategies that keep entity order and are more even than `tenant-aware`, and what the best of them costs.
pub(super) fn more_even_than_tenant_aware(report: &Report) -> Option<Finding> {
    let ours = strategy(report, TENANT_AWARE)?;
    let better: Vec<&StrategyReport> = report
        .strategies
        .iter()
        .filter(|other| {
            places_all_in_order(other) && other.skew.max_mean * MATERIAL_RATIO <= ours.skew.max_mean
        })
        .collect();
    let best = *better.iter().min_by(|left, right| left.skew.max_mean.total_cmp(&right.skew.max_mean))?;
    let (best_ratio, our_ratio) = (ratio(best.skew.max_mean), ratio(ours.skew.max_mean));
    let fact = if better.len() == 1 {
        format!(
            "{} is more even than tenant-aware and keeps entity order too: max/mean {best_ratio} against {our_ratio}.",
            best.name,
        )
    } else {
        let names: Vec<&str> = better.iter().map(|strategy| strategy.name.as_str()).collect();
        format!(
            "{} are more even than tenant-aware and keep entity order too: the best, {}, has max/mean {best_ratio} \
             against {our_ratio}.",
            list(&names),
            best.name,
        )
    };
    Some(Finding { fact, value: best.skew.max_mean, advice: price(best, ours) })
}

/// Whether the strategy can be compared by max/mean at all: refusing records, or entity order, makes it easy.
fn places_all_in_order(strategy: &StrategyReport) -> bool {
    !strategy.breaks_entity_order
        && strategy.records.iter().any(|&load| load > 0)
        && strategy.rejected.values().all(|&records| records == 0)
}

/// What `best` gives up that `ours` keeps.
fn price(best: &StrategyReport, ours: &StrategyReport) -> String {
    let mut costs = Vec::new();
    if best.ordering_scope != ours.ordering_scope {
        costs.push(format!("order is kept by {} and not by {}", best.ordering_scope, ours.ordering_scope));
    }
    // The tenant whose isolation suffers most; absent values are unknown and take no part.
    let exposed = ours
        .blast_radius
        .iter()
        .filter_map(|(tenant, share)| Some((tenant, (*share)?, (*best.blast_radius.get(tenant)?)?)))
        .filter(|(_, pooled, salted)| salted > pooled)
        .max_by(|left, right| (left.2 - left.1).total_cmp(&(right.2 - right.1)));
    if let Some((tenant, pooled, salted)) = exposed {
        costs.push(format!(
            "{} shares partitions with {} of the other tenants' records instead of {}",
            list(&[tenant]),
            percent(salted),
            percent(pooled),
        ));
    }
    if costs.is_empty() {
        format!("Prefer {}: by this report it costs neither order nor isolation.", best.name)
    } else {
        format!("Prefer {} if its price is acceptable: {}.", best.name, costs.join(", and "))
    }
}

#[cfg(test)]
mod tests {
    use super::{gain_of_tenant_aware, more_even_than_tenant_aware, nothing_to_gain};
    use crate::finding::fixture::{mega, quiet, share, strategy};

    #[test]
    fn even_tenant_keys_need_nothing() {
        let mut report = quiet();
        let mut loads = [1000; 12];
        loads[0] = 1030;
        report.strategies = vec![strategy("tenant-key", &loads)];
        let finding = nothing_to_gain(&report).unwrap();
        assert_eq!(finding.fact, "Plain tenant keys are within 5 % of even: max/mean 1.03.");
        assert!(finding.advice.starts_with("No other partitioner is needed"));
    }

    #[test]
    fn no_vip_leaves_nothing_to_spread() {
        let mut report = quiet();
        report.workload.vips.clear();
        report.workload.largest_tenant = share("acme", 0.06);
        let finding = nothing_to_gain(&report).unwrap();
        assert_eq!(
            finding.fact,
            "No tenant is above an even share of 12 partitions: the largest, acme, is 6.0 % of the records."
        );
        assert_eq!(finding.value, 0.06);
    }

    #[test]
    fn silent_when_there_is_something_to_gain() {
        assert!(nothing_to_gain(&quiet()).is_none());
        assert!(nothing_to_gain(&mega()).is_none());
        let mut report = mega();
        report.workload.vips.clear();
        assert!(nothing_to_gain(&report).is_none(), "a large tenant that is not VIP is worth spreading");
    }

    #[test]
    fn tenant_aware_lowers() {
        let finding = gain_of_tenant_aware(&mega()).unwrap();
        assert_eq!(finding.fact, "tenant-aware lowers the hottest partition from 10.92 to 3.61 × the mean.");
        assert!(finding.advice.starts_with("Use it if tenant-mega needs order only within an entity"));
        let mut report = mega();
        report.workload.vips.extend(share("acme", 0.02));
        let finding = gain_of_tenant_aware(&report).unwrap();
        assert!(finding.advice.starts_with("Use it if tenant-mega and acme need order"));
    }

    #[test]
    fn tenant_aware_raises() {
        let mut report = quiet();
        let mut loads = [1000; 12];
        loads[0] = 4000;
        report.strategies.push(strategy("tenant-aware", &loads));
        let finding = gain_of_tenant_aware(&report).unwrap();
        assert_eq!(finding.fact, "tenant-aware raises the hottest partition from 1.08 to 3.20 × the mean.");
    }

    #[test]
    fn silent_when_tenant_aware_changes_nothing() {
        assert!(gain_of_tenant_aware(&quiet()).is_none());
        let mut report = quiet();
        report.strategies.push(strategy("tenant-aware", &report.strategies[0].records.clone()));
        assert!(gain_of_tenant_aware(&report).is_none());
    }

    #[test]
    fn one_strategy_is_more_even_and_what_it_costs() {
        let mut report = mega();
        let finding = more_even_than_tenant_aware(&report).unwrap();
        assert_eq!(
            finding.fact,
            "compound-key is more even than tenant-aware and keeps entity order too: max/mean 1.08 against 3.61."
        );
        assert_eq!(
            finding.advice,
            "Prefer compound-key if its price is acceptable: tenant-mega shares partitions with 100 % of the other \
             tenants' records instead of 0 %."
        );
        "entity of a VIP, else tenant".clone_into(&mut report.strategies[2].ordering_scope);
        assert!(more_even_than_tenant_aware(&report).unwrap().advice.contains(
            "order is kept by entity and not by entity of a VIP, else tenant, and tenant-mega shares"
        ));
        for strategy in &mut report.strategies {
            strategy.blast_radius.clear();
            "entity".clone_into(&mut strategy.ordering_scope);
        }
        assert!(more_even_than_tenant_aware(&report).unwrap().advice.contains("neither order nor isolation"));
    }

    #[test]
    fn several_strategies_are_more_even() {
        let mut report = mega();
        report.strategies.push(strategy("bounded-load", &[10_000; 12]));
        let finding = more_even_than_tenant_aware(&report).unwrap();
        assert_eq!(
            finding.fact,
            "compound-key and bounded-load are more even than tenant-aware and keep entity order too: the best, \
             bounded-load, has max/mean 1.00 against 3.61."
        );
        assert_eq!(finding.value, 1.0);
    }

    #[test]
    fn silent_when_only_those_are_more_even_that_break_order_or_refuse() {
        assert!(more_even_than_tenant_aware(&quiet()).is_none());
        let mut report = mega();
        report.strategies[1].rejected.insert("no separator".to_owned(), 7);
        assert!(more_even_than_tenant_aware(&report).is_none());
        report.strategies.retain(|strategy| strategy.name != "compound-key");
        assert!(more_even_than_tenant_aware(&report).is_none());
    }
}
