//! What order costs, whatever the partitioner.

use super::threshold::MATERIAL_RATIO;
use super::wording::{estimate, list, name_or, percent, ratio, whole, whole_part};
use crate::report::model::{Finding, Report, TenantShare};

/// One entity is so large that nothing that keeps its order is even.
pub(super) fn of_entities(report: &Report) -> Option<Finding> {
    let workload = &report.workload;
    let error = workload.approximate.as_ref().map_or(0.0, |approximate| approximate.floor_entity_error);
    if workload.floor_entity - error <= MATERIAL_RATIO {
        return None;
    }
    let (floor, partitions) = (workload.floor_entity, report.partitions);
    let subject = match &workload.largest_entity {
        Some(entity) => format!("One entity, {},", list(&[&entity.name])),
        None => "The largest entity".to_owned(),
    };
    Some(Finding {
        fact: format!(
            "{subject} is {} of the records, so on {} partitions no partitioner that keeps entity order has a max/mean \
             below {}.",
            percent(floor / f64::from(partitions)),
            whole(u64::from(partitions)),
            estimate(floor, error),
        ),
        value: floor,
        advice: format!(
            "Split that entity into smaller units if its order may be given up, or size consumers for {} × the mean. \
             More partitions do not help: at {} the floor would be {}.",
            ratio(floor),
            whole(2 * u64::from(partitions)),
            ratio(2.0 * floor),
        ),
    })
}

/// What giving up tenant-wide order can buy.
pub(super) fn price_of_tenant_order(report: &Report) -> Option<Finding> {
    let workload = &report.workload;
    let (tenant_error, entity_error) = workload
        .approximate
        .as_ref()
        .map_or((0.0, 0.0), |approximate| (approximate.floor_tenant_error, approximate.floor_entity_error));
    if workload.floor_tenant - tenant_error <= workload.floor_entity * MATERIAL_RATIO {
        return None;
    }
    let largest = name_or(workload.largest_tenant.as_ref(), "the largest tenant");
    let above = above_even_share(report);
    let subject = match above.len() {
        0 | 1 => format!("Keeping {largest} on one partition"),
        many => format!(
            "{many} tenants are above an even share; keeping the largest, {largest}, on one partition"
        ),
    };
    let (spread, pronoun) = match above.len() {
        0 => (largest, "it"),
        1 => (list(&above), "it"),
        _ => (list(&above), "them"),
    };
    Some(Finding {
        fact: format!(
            "{subject} costs a max/mean of at least {}; with order kept by entity the floor is {}.",
            estimate(workload.floor_tenant, tenant_error),
            estimate(workload.floor_entity, entity_error),
        ),
        value: workload.floor_tenant,
        advice: format!(
            "Where order within an entity is enough for {spread}, spread {pronoun} by entity, as tenant-aware does with \
             its VIP tenants."
        ),
    })
}

/// Whether more partitions would help, where the answer is not plainly yes. A large entity says so itself.
pub(super) fn growth(report: &Report) -> Option<Finding> {
    let workload = &report.workload;
    if workload.floor_entity > MATERIAL_RATIO {
        return None;
    }
    let tenant = workload.largest_tenant.as_ref().filter(|tenant| tenant.share > 0.0)?;
    let doubled = 2 * u64::from(report.partitions);
    let floor_doubled = 2.0 * f64::from(report.partitions) * tenant.share;
    if floor_doubled <= MATERIAL_RATIO {
        return None;
    }
    let (name, share) = (list(&[&tenant.name]), percent(tenant.share));
    let by_entity = match worth_having(workload.largest_entity.as_ref()) {
        Some(limit) => format!("partitions help up to about {}", whole_part(limit)),
        None => "partitions help".to_owned(),
    };
    if workload.floor_tenant > MATERIAL_RATIO {
        return Some(Finding {
            fact: format!(
                "More partitions do not help while tenants stay whole: {name} alone is {share} of the records, so at {} \
                 partitions the floor by tenant would be {}.",
                whole(doubled),
                ratio(floor_doubled),
            ),
            value: floor_doubled,
            advice: format!("Spread {name} by entity first; then {by_entity}."),
        });
    }
    let limit = worth_having(Some(tenant))?;
    Some(Finding {
        fact: format!(
            "More partitions help tenant keys up to about {}: beyond that {name}, {share} of the records, is more than \
             an even share.",
            whole_part(limit),
        ),
        value: limit.floor(),
        advice: format!("To grow further, spread {name} by entity; then {by_entity}."),
    })
}

/// The count of partitions at which this unit is an even share.
fn worth_having(unit: Option<&TenantShare>) -> Option<f64> {
    unit.filter(|unit| unit.share > 0.0).map(|unit| 1.0 / unit.share)
}

/// The tenants known to be above 1/n of the records: the VIP ones, and the largest whether VIP or not.
pub(super) fn above_even_share(report: &Report) -> Vec<&str> {
    let workload = &report.workload;
    let is_vip = |name: &str| workload.vips.iter().any(|vip| vip.name == name);
    let largest = workload.largest_tenant.iter().filter(|tenant| !is_vip(&tenant.name));
    largest
        .chain(&workload.vips)
        .filter(|tenant| tenant.share * f64::from(report.partitions) > MATERIAL_RATIO)
        .map(|tenant| tenant.name.as_str())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{growth, of_entities, price_of_tenant_order};
    use crate::finding::fixture::{mega, quiet, share};
    use crate::report::model::Approximation;

    fn approximate(tenant: f64, entity: f64) -> Option<Approximation> {
        Some(Approximation {
            tenants_relative_error: 0.0,
            entities_relative_error: 0.01,
            floor_tenant_error: tenant,
            floor_entity_error: entity,
        })
    }

    #[test]
    fn large_entity_limits_everything() {
        let mut report = mega();
        report.workload.floor_entity = 2.21;
        report.workload.largest_entity = share("tenant-mega:o-1", 0.184_2);
        let finding = of_entities(&report).unwrap();
        assert_eq!(
            finding.fact,
            "One entity, tenant-mega:o-1, is 18 % of the records, so on 12 partitions no partitioner that keeps entity \
             order has a max/mean below 2.21."
        );
        assert_eq!(finding.value, 2.21);
        assert!(finding.advice.ends_with("More partitions do not help: at 24 the floor would be 4.42."));
        assert!(growth(&report).is_none(), "said once");
    }

    #[test]
    fn estimated_entity_floor_says_so() {
        let mut report = mega();
        report.workload.floor_entity = 2.21;
        report.workload.largest_entity = None;
        report.workload.approximate = approximate(0.0, 0.1);
        let finding = of_entities(&report).unwrap();
        assert!(finding.fact.starts_with("The largest entity is 18 %"), "{}", finding.fact);
        assert!(finding.fact.ends_with("below about 2.21 (± 0.10)."), "{}", finding.fact);
    }

    #[test]
    fn small_or_uncertain_entities_do_not_limit() {
        assert!(of_entities(&quiet()).is_none());
        let mut report = mega();
        report.workload.floor_entity = 1.05;
        assert!(of_entities(&report).is_none());
        report.workload.floor_entity = 1.5;
        report.workload.approximate = approximate(0.0, 0.5);
        assert!(of_entities(&report).is_none(), "it may be 1.0");
    }

    #[test]
    fn tenant_order_of_one() {
        let finding = price_of_tenant_order(&mega()).unwrap();
        assert_eq!(
            finding.fact,
            "Keeping tenant-mega on one partition costs a max/mean of at least 10.80; with order kept by entity the \
             floor is 1.00."
        );
        assert_eq!(finding.value, 10.8);
        assert!(finding.advice.contains("enough for tenant-mega, spread it by entity, as tenant-aware"));
    }

    #[test]
    fn tenant_order_of_many() {
        let mut report = mega();
        report.workload.floor_tenant = 2.09;
        report.workload.largest_tenant = share("UA", 0.174);
        report.workload.vips = [("UA", 0.174), ("B6", 0.162), ("OO", 0.01)]
            .into_iter()
            .filter_map(|(name, of_all)| share(name, of_all))
            .collect();
        let finding = price_of_tenant_order(&report).unwrap();
        assert!(
            finding.fact.starts_with(
                "2 tenants are above an even share; keeping the largest, UA, on one partition costs a max/mean of at \
                 least 2.09;"
            ),
            "{}",
            finding.fact
        );
        assert!(finding.advice.contains("enough for UA and B6, spread them by entity"));
        report.workload.vips.remove(0);
        let finding = price_of_tenant_order(&report).unwrap();
        assert!(finding.advice.contains("enough for UA and B6"), "the largest counts, VIP or not");
    }

    #[test]
    fn tenant_order_is_free_when_an_entity_is_as_large() {
        assert!(price_of_tenant_order(&quiet()).is_none());
        let mut report = mega();
        report.workload.floor_entity = 10.5;
        assert!(price_of_tenant_order(&report).is_none());
        report.workload.floor_entity = 1.0;
        report.workload.approximate = approximate(10.0, 0.0);
        assert!(price_of_tenant_order(&report).is_none(), "the price may be nothing");
    }

    #[test]
    fn growth_does_not_help_whole_tenants() {
        let finding = growth(&mega()).unwrap();
        assert_eq!(
            finding.fact,
            "More partitions do not help while tenants stay whole: tenant-mega alone is 90 % of the records, so at 24 \
             partitions the floor by tenant would be 21.60."
        );
        assert_eq!(finding.value, 21.6);
        assert_eq!(
            finding.advice,
            "Spread tenant-mega by entity first; then partitions help up to about 2,000."
        );
    }

    #[test]
    fn growth_helps_up_to_a_count() {
        let mut report = quiet();
        report.workload.largest_tenant = share("acme", 0.06);
        report.workload.largest_entity = None;
        let finding = growth(&report).unwrap();
        assert_eq!(
            finding.fact,
            "More partitions help tenant keys up to about 16: beyond that acme, 6.0 % of the records, is more than an \
             even share."
        );
        assert_eq!(finding.value, 16.0);
        assert_eq!(finding.advice, "To grow further, spread acme by entity; then partitions help.");
    }

    #[test]
    fn growth_is_silent_with_room_to_double() {
        assert!(growth(&quiet()).is_none());
        let mut report = quiet();
        report.workload.largest_tenant = None;
        assert!(growth(&report).is_none());
    }
}
