//! What stands out in the report of a tuning.

use super::threshold::{
    BLAST_RADIUS_DIFFERENCE, CLOSE_RATIO, KNOWN_KEYS, MATERIAL_RATIO, PERSISTENCE, POOL_HOT,
};
use super::wording::{list, percent, quantity, ratio, whole};
use crate::report::model::Finding;
use crate::report::tune::model::{Alternative, PlacementReport, TuneReport};

/// Says one thing about a tuning, or nothing.
type Check = fn(&TuneReport) -> Option<Finding>;

/// Most important first: whether the figures carry over, what was gained, what limits any remedy, and what else could be
/// had.
const CHECKS: [Check; 10] = [
    short_lived,
    differs,
    gain,
    no_pool,
    costly_order,
    fewer_vips,
    neighbours,
    by_chance_only,
    growth,
    estimates,
];

/// What stands out in `report`, most important first.
///
/// Reads the figures and not `report.findings`, which this is meant to fill.
#[must_use]
pub fn tuning_findings(report: &TuneReport) -> Vec<Finding> {
    CHECKS.iter().filter_map(|check| check(report)).collect()
}

fn placement<'r>(report: &'r TuneReport, name: &str) -> Option<&'r PlacementReport> {
    report.placements.iter().find(|placement| placement.name == name)
}

/// Slots are about keys, and the keys do not come again.
fn short_lived(report: &TuneReport) -> Option<Finding> {
    let known = report.traffic.known_key_share?;
    (known < KNOWN_KEYS).then(|| Finding {
        fact: format!(
            "Only {} of the judged records have a key that was there before: entities do not live long enough for moved \
             slots to carry over.",
            percent(known)
        ),
        value: known,
        advice: "Keep the VIP tenants and the size of their pool; without moved slots (--slots off) the contract is \
                 simpler and loses little."
            .to_owned(),
    })
}

/// The two parts differ by more than chance.
fn differs(report: &TuneReport) -> Option<Finding> {
    let tuned = placement(report, "tuned")?;
    let (on, off) = (tuned.tuned.max_mean, tuned.judged.as_ref()?.max_mean);
    let chance = report.traffic.chance?;
    let difference = (off - on).abs() / on;
    (difference > chance).then(|| Finding {
        fact: format!(
            "max/mean is {} on the traffic that was tuned on and {} on the traffic that was judged on: they differ by {}, \
             where chance explains {}.",
            ratio(on),
            ratio(off),
            percent(difference),
            percent(chance)
        ),
        value: difference,
        advice: "The traffic changes; expect the judged figure, and tune again on recent traffic from time to time \
                 (--from moves few slots)."
            .to_owned(),
    })
}

/// What was gained against keying by tenant, or the contract before.
fn gain(report: &TuneReport) -> Option<Finding> {
    let tuned = placement(report, "tuned")?.figures().max_mean;
    let (name, before) = match placement(report, "current") {
        Some(current) => ("the current contract", current.figures().max_mean),
        None => ("keying by tenant", placement(report, "tenant-key")?.figures().max_mean),
    };
    let gain = before / tuned;
    let floor = placement(report, "tuned")?.tuned.floor;
    if report.decision.moved.is_some() && tuned > floor * POOL_HOT {
        return Some(Finding {
            fact: format!(
                "Moving slots brings max/mean from {} under {name} to {} only: the pools themselves do not fit this traffic.",
                ratio(before),
                ratio(tuned)
            ),
            value: gain,
            advice: "Tune without --from to choose the VIP tenants and the size of their pool anew; that moves most keys."
                .to_owned(),
        });
    }
    Some(if gain >= MATERIAL_RATIO {
        Finding {
            fact: format!("max/mean falls from {} under {name} to {}.", ratio(before), ratio(tuned)),
            value: gain,
            advice:
                "Deploy the contract to every producer of the topic at once, or its order is lost in between."
                    .to_owned(),
        }
    } else {
        Finding {
            fact: format!(
                "max/mean is {} under {name} and {} under the tuned contract: nothing worth a change.",
                ratio(before),
                ratio(tuned)
            ),
            value: gain,
            advice: "Leave the topic as it is.".to_owned(),
        }
    })
}

/// No VIP pool is better than one.
fn no_pool(report: &TuneReport) -> Option<Finding> {
    report.outlook?;
    let tuned = placement(report, "tuned")?.figures().max_mean;
    (report.decision.vip_count == 0).then(|| Finding {
        fact: format!("No VIP pool is better: max/mean is {} without one.", ratio(tuned)),
        value: tuned,
        advice: if report.decision.standard_spread == "entity" {
            "All tenants are spread by entity; --keep-tenant-order names those that may not be.".to_owned()
        } else {
            "Keep all tenants in order; the moved slots even out which of them share a partition.".to_owned()
        },
    })
}

/// Fewer VIP tenants come close, and keep the others' order and the VIPs apart.
fn fewer_vips(report: &TuneReport) -> Option<Finding> {
    let chosen = report.alternatives.iter().find(|alternative| alternative.is_chosen)?;
    let fewer = report.alternatives.iter().filter(|other| {
        let is_close = other.tuned_max_mean <= chosen.tuned_max_mean * CLOSE_RATIO;
        let is_like =
            other.standard_spread == chosen.standard_spread && other.pools <= 1 && chosen.pools <= 1;
        other.vips > 0 && other.vips < chosen.vips && is_like && is_close
    });
    let fewer = fewer.min_by_key(|other| other.vips)?;
    let names: Vec<_> =
        report.decision.vips.iter().take(fewer.vips as usize).map(|vip| vip.name.as_str()).collect();
    Some(Finding {
        fact: format!(
            "With {} as VIP ({}) max/mean would be {} instead of {}, and {} of the others' records would share a partition \
             with a VIP tenant instead of {}.",
            quantity(u64::from(fewer.vips), "tenant", "tenants"),
            list(&names),
            ratio(fewer.tuned_max_mean),
            ratio(chosen.tuned_max_mean),
            percent(fewer.blast_radius.unwrap_or(0.0)),
            percent(chosen.blast_radius.unwrap_or(0.0))
        ),
        value: fewer.tuned_max_mean,
        advice: format!(
            "Choose it when isolation counts for more than the last percent of balance: --vip {}.",
            names.join(",")
        ),
    })
}

/// Keeping the other tenants in order as a whole would cost little.
fn costly_order(report: &TuneReport) -> Option<Finding> {
    let chosen = report.alternatives.iter().find(|alternative| alternative.is_chosen)?;
    let keeping = report.alternatives.iter().filter(|other| other.standard_spread == "tenant");
    let best = keeping.min_by(|a, b| a.tuned_max_mean.total_cmp(&b.tuned_max_mean))?;
    let is_close = best.tuned_max_mean <= chosen.tuned_max_mean * CLOSE_RATIO;
    (chosen.standard_spread == "entity" && is_close).then(|| Finding {
        fact: format!(
            "With {} and the others in order as a whole max/mean would be {} instead of {}: that much is what spreading them by \
             entity gains.",
            quantity(u64::from(best.vips), "VIP tenant", "VIP tenants"),
            ratio(best.tuned_max_mean),
            ratio(chosen.tuned_max_mean)
        ),
        value: best.tuned_max_mean,
        advice: "Choose it when their order counts for more: --keep-tenant-order with one of them keeps all of them."
            .to_owned(),
    })
}

/// VIP tenants share their partitions, and would not need to.
fn neighbours(report: &TuneReport) -> Option<Finding> {
    let chosen = report.alternatives.iter().find(|alternative| alternative.is_chosen)?;
    let apart = report.alternatives.iter().find(|other| other.pools > 1 && other.pools == other.vips)?;
    let radius = |alternative: &Alternative| alternative.blast_radius.unwrap_or(0.0);
    let is_better = radius(chosen) - radius(apart) > BLAST_RADIUS_DIFFERENCE;
    (chosen.pools == 1 && is_better).then(|| Finding {
        fact: format!(
            "With a pool for each of {} max/mean would be {} instead of {}, and at most {} of the others' records would share \
             a partition with a VIP tenant instead of {}.",
            quantity(u64::from(apart.vips), "VIP tenant", "VIP tenants"),
            ratio(apart.tuned_max_mean),
            ratio(chosen.tuned_max_mean),
            percent(radius(apart)),
            percent(radius(chosen))
        ),
        value: apart.tuned_max_mean,
        advice: "Choose it when VIP tenants must not slow each other down: --pools each.".to_owned(),
    })
}

/// Which keys of a VIP tenant are hot is chance.
fn by_chance_only(report: &TuneReport) -> Option<Finding> {
    let persistence = report.traffic.persistence?;
    let is_short_lived = report.traffic.known_key_share.is_some_and(|known| known < KNOWN_KEYS);
    (persistence < PERSISTENCE && !is_short_lived).then(|| Finding {
        fact: format!(
            "Of what a VIP key is above its tenant's mean, {} carries over to later traffic: their keys are about equally \
             busy.",
            percent(persistence)
        ),
        value: persistence,
        advice: "The moved slots even out how many keys each partition has, not which are hot, and so they stay right as \
                 long as the keys do."
            .to_owned(),
    })
}

/// Whether more partitions would help.
fn growth(report: &TuneReport) -> Option<Finding> {
    let outlook = report.outlook?;
    let tuned = placement(report, "tuned")?;
    let hottest = tuned.figures().max_mean / f64::from(report.partitions);
    let n = whole(u64::from(outlook.partitions));
    let floor = outlook.largest_unit_share * f64::from(report.partitions);
    Some(if floor > MATERIAL_RATIO || outlook.hottest_share * MATERIAL_RATIO > hottest {
        Finding {
            fact: format!(
                "More partitions would not help: the largest unit that stays in order has {} of the records, and the hottest \
                 partition {}; with {n} partitions it would have at least {}.",
                percent(outlook.largest_unit_share),
                percent(hottest),
                percent(outlook.hottest_share)
            ),
            value: outlook.hottest_share,
            advice: "Only dividing that unit would help: a finer key, such as order and line.".to_owned(),
        }
    } else {
        Finding {
            fact: format!(
                "More partitions would help: with {n} the hottest could have {} of the records instead of {}.",
                percent(outlook.hottest_share),
                percent(hottest)
            ),
            value: outlook.hottest_share,
            advice: "Grow only when a consumer cannot keep up: it moves keys.".to_owned(),
        }
    })
}

/// Figures rest on estimates.
fn estimates(report: &TuneReport) -> Option<Finding> {
    report.traffic.is_approximate.then(|| Finding {
        fact: format!(
            "There are more distinct keys or tenants than can be told apart ({} were); light ones are taken to be spread \
             evenly.",
            whole(report.traffic.keys)
        ),
        #[allow(clippy::cast_precision_loss)] // a number of keys
        value: report.traffic.keys as f64,
        advice: "`analyzer simulate --config` gives exact loads of the contract.".to_owned(),
    })
}
