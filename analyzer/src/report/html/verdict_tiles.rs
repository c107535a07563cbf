//! The answer at a glance: the strategies that stand out, large.

use maud::{Markup, html};

use super::super::model::{Report, StrategyReport, WorkloadSummary};
use super::super::{header, label, number, verdict};
use super::role::{self, Role};

/// A tile for the hottest, the evenest, the evenest that keeps VIP tenants apart, and for what no partitioner can beat.
pub(super) fn verdict_tiles(report: &Report) -> Markup {
    let Some(worst) = verdict::most_uneven(report) else {
        return html! { p.lead { "No strategy placed a record: there is nothing to compare." } };
    };
    let evenest = verdict::evenest_in_order(report);
    let radius = |strategy: &StrategyReport| {
        html! {
            @if !strategy.blast_radius.is_empty() { "; " span.whole { "blast radius " (label::blast_radius(strategy)) } }
        }
    };
    let hottest = label::hottest(&worst.records);
    html! {
        ul.tiles {
            @if evenest.is_none_or(|evenest| evenest.name != worst.name) {
                (tile(report, worst, "Hottest", &html! {
                    @if let Some((partition, records)) = hottest {
                        "; " span.whole { (number::count_of(records, "record", "records")) } " on "
                        span.whole { "partition " (partition) }
                    }
                }))
            }
            @match evenest {
                Some(evenest) => (tile(report, evenest, "Evenest that keeps entity order", &radius(evenest))),
                None => li { div.what { "No strategy shown keeps entity order" } },
            }
            @if let Some(apart) = verdict::evenest_apart(report) {
                (tile(report, apart, "Evenest with VIP tenants apart", &radius(apart)))
            }
            (floor(&report.workload))
        }
    }
}

/// What no better hash can change.
fn floor(workload: &WorkloadSummary) -> Markup {
    let errors = workload.approximate.as_ref();
    let figure = |value, error| header::estimate(number::figure(value), error, number::figure);
    html! {
        li {
            div.what { "Floor: what no partitioner can beat" }
            strong { (figure(workload.floor_tenant, errors.map_or(0.0, |a| a.floor_tenant_error))) " ×" }
            div { "with tenants in order" }
            div.what {
                (figure(workload.floor_entity, errors.map_or(0.0, |a| a.floor_entity_error)))
                " × with entities in order"
            }
        }
    }
}

fn tile(report: &Report, strategy: &StrategyReport, what: &str, beside: &Markup) -> Markup {
    html! {
        li class=(Role::of(strategy, report).class()) {
            div.what { (what) }
            strong { (number::ratio(strategy.skew.max_mean)) " ×" }
            div { (role::name(strategy)) }
            div.what { "max/mean" (beside) }
        }
    }
}
