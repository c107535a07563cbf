//! Whom a VIP tenant can hurt, by strategy.

use super::threshold::BLAST_RADIUS_DIFFERENCE;
use super::wording::{list, percent};
use super::{COMPOUND_KEY, TENANT_AWARE, strategy};
use crate::report::model::{Finding, Report, StrategyReport};

/// Blast radius of `tenant-aware` against `compound-key`: what a pool of their own is for.
pub(super) fn of_vip_tenants(report: &Report) -> Option<Finding> {
    let (salted_tenant, salted) = widest(strategy(report, COMPOUND_KEY)?)?;
    let (pooled_tenant, pooled) = widest(strategy(report, TENANT_AWARE)?)?;
    if salted - pooled < BLAST_RADIUS_DIFFERENCE {
        return None;
    }
    let fact = if report.workload.vips.len() > 1 {
        format!(
            "VIP tenants share partitions with up to {} of the other tenants' records under compound-key ({}), with up \
             to {} under tenant-aware ({}).",
            percent(salted),
            list(&[salted_tenant]),
            percent(pooled),
            list(&[pooled_tenant]),
        )
    } else {
        format!(
            "{} shares partitions with {} of the other tenants' records under compound-key, with {} under \
             tenant-aware.",
            list(&[salted_tenant]),
            percent(salted),
            percent(pooled),
        )
    };
    Some(Finding {
        fact,
        value: salted,
        advice: "Choose tenant-aware when a burst of a VIP tenant must not delay the others, compound-key when only \
                 balance counts."
            .to_owned(),
    })
}

/// The tenant with the largest known blast radius, the first by name of equals.
fn widest(strategy: &StrategyReport) -> Option<(&str, f64)> {
    let mut widest: Option<(&str, f64)> = None;
    for (tenant, share) in &strategy.blast_radius {
        if let Some(share) = *share
            && widest.is_none_or(|(_, most)| share > most)
        {
            widest = Some((tenant, share));
        }
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::of_vip_tenants;
    use crate::finding::fixture::{mega, quiet, share, strategy, with_blast_radius};

    #[test]
    fn one_vip() {
        let finding = of_vip_tenants(&mega()).unwrap();
        assert_eq!(
            finding.fact,
            "tenant-mega shares partitions with 100 % of the other tenants' records under compound-key, with 0 % under \
             tenant-aware."
        );
        assert_eq!(finding.value, 1.0);
    }

    #[test]
    fn many_vips_name_the_widest() {
        let mut report = quiet();
        report.workload.vips = ["UA", "B6"].into_iter().filter_map(|name| share(name, 0.2)).collect();
        let loads = [10; 12];
        report.strategies = vec![
            with_blast_radius(strategy("compound-key", &loads), &[("B6", Some(0.9)), ("UA", Some(1.0))]),
            with_blast_radius(
                strategy("tenant-aware", &loads),
                &[("B6", Some(0.35)), ("UA", Some(0.3)), ("X", None)],
            ),
        ];
        assert_eq!(
            of_vip_tenants(&report).unwrap().fact,
            "VIP tenants share partitions with up to 100 % of the other tenants' records under compound-key (UA), with \
             up to 35 % under tenant-aware (B6)."
        );
    }

    #[test]
    fn silent_when_near_or_unknown() {
        assert!(of_vip_tenants(&quiet()).is_none());
        let mut report = mega();
        report.strategies[2].blast_radius.insert("tenant-mega".to_owned(), Some(0.95));
        assert!(of_vip_tenants(&report).is_none());
        report.strategies[2].blast_radius.insert("tenant-mega".to_owned(), None);
        assert!(of_vip_tenants(&report).is_none(), "unknown is not 0");
    }
}
