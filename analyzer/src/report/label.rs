//! What is printed for a strategy and a partition wherever they are named.

use super::model::{ClassLag, LagReport, Report, StrategyLag, StrategyReport};
use super::style::TextStyle;
use super::{number, width};

/// Stands behind the name of every strategy that breaks entity order, so that no figure of it is read without it.
pub(super) const BREAKS_ORDER_MARK: &str = " !";

/// The strategy's name, marked when it breaks entity order.
pub(super) fn strategy(strategy: &StrategyReport) -> String {
    let mark = if strategy.breaks_entity_order { BREAKS_ORDER_MARK } else { "" };
    format!("{}{mark}", strategy.name)
}

/// The strategy's name in at most `columns`; the mark stays when the name is cut.
pub(super) fn strategy_within(strategy: &StrategyReport, columns: usize, style: TextStyle) -> String {
    let mark = if strategy.breaks_entity_order { BREAKS_ORDER_MARK } else { "" };
    let room = columns.saturating_sub(mark.len());
    format!("{}{mark}", width::fit(&style.text(&strategy.name), room, &style.text("…")))
}

/// What the strategy keeps in order; says so in words when it is nothing.
pub(super) fn ordering(strategy: &StrategyReport) -> String {
    let scope = &strategy.ordering_scope;
    if !strategy.breaks_entity_order || scope.contains("breaks entity order") && !scope.starts_with("none") {
        return scope.clone();
    }
    let kept = if scope.starts_with("none") { "none" } else { scope };
    format!("{kept}: breaks entity order")
}

/// The strategy's floor, with `≈` when it rests on an estimate.
pub(super) fn floor(report: &Report, strategy: &StrategyReport) -> String {
    estimate(number::ratio(strategy.floor), floor_is_estimate(report, strategy))
}

/// The strategy's regret, with `≈` when its floor rests on an estimate.
pub(super) fn regret(report: &Report, strategy: &StrategyReport) -> String {
    estimate(number::ratio(strategy.regret), floor_is_estimate(report, strategy))
}

fn estimate(figure: String, is_estimate: bool) -> String {
    if is_estimate { format!("≈ {figure}") } else { figure }
}

/// A strategy's floor is exact when it is that of a unit counted exactly, or of single records.
fn floor_is_estimate(report: &Report, strategy: &StrategyReport) -> bool {
    let Some(approximate) = &report.workload.approximate else { return false };
    // Bit equality is meant: the strategy's floor is a copy of the workload's, or it is another figure.
    let is = |floor: f64| strategy.floor.to_bits() == floor.to_bits();
    if is(report.workload.floor_tenant) {
        approximate.floor_tenant_error > 0.0
    } else if is(report.workload.floor_entity) && !strategy.breaks_entity_order {
        approximate.floor_entity_error > 0.0
    } else {
        !strategy.breaks_entity_order
            && (approximate.floor_tenant_error > 0.0 || approximate.floor_entity_error > 0.0)
    }
}

/// The largest blast radius over the VIP tenants: `100 %`, `≥ 4.20 %` when some are not known, `–` when nothing can be
/// said.
pub(super) fn blast_radius(strategy: &StrategyReport) -> String {
    let Some(worst) = strategy.worst_blast_radius() else { return number::MISSING.to_owned() };
    let all_known = strategy.blast_radius.values().all(Option::is_some);
    match (all_known, number::percent(worst)) {
        (true, percent) => percent,
        (false, percent) if worst > 0.0 => format!("≥ {percent}"),
        (false, _) => number::MISSING.to_owned(),
    }
}

/// How many records the strategy refused and why: `33 records of tenant-aware, in no partition’s load: null key 33`.
pub(super) fn rejected(strategy: &StrategyReport) -> Option<String> {
    let total: u64 = strategy.rejected.values().sum();
    let reasons =
        strategy.rejected.iter().map(|(reason, records)| format!("{reason} {}", number::count(*records)));
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let total = (total > 0).then(|| number::count_of(total, "record", "records"))?;
    Some(format!("{total} of {}, in no partition’s load: {reasons}", self::strategy(strategy)))
}

/// The partition with the highest load, the first of equals, and that load; nothing without load.
pub(super) fn hottest(loads: &[u64]) -> Option<(usize, u64)> {
    let hottest = loads.iter().copied().enumerate().rev().max_by_key(|(_, load)| *load)?;
    (hottest.1 > 0).then_some(hottest)
}

/// When records arrived: `Poisson arrivals`, or `arrivals at the traffic’s own times`.
pub(super) fn arrivals(lag: &LagReport) -> &'static str {
    if lag.arrivals == "poisson" { "Poisson arrivals" } else { "arrivals at the traffic’s own times" }
}

/// In one sentence what came and what handled it.
pub(super) fn lag(lag: &LagReport) -> String {
    format!(
        "{} records/s for {}, {}; a consumer of {} {}/s on each partition, {} service. Latency is from arrival until \
         handled, without network and batching.",
        number::figure(lag.arrival_rate_records_per_s),
        number::milliseconds(lag.duration_s * 1_000.0),
        arrivals(lag),
        number::figure(lag.service_rate_per_s),
        lag.service_unit,
        lag.service,
    )
}

/// Whether the hottest consumer keeps up, in words.
pub(super) fn keeps_up(lag: &StrategyLag) -> &'static str {
    if lag.hottest_utilization > 1.0 { "falls behind" } else { "keeps up" }
}

/// A strategy's name where its lag is told, marked when it breaks entity order.
pub(super) fn lag_strategy(lag: &StrategyLag) -> String {
    let mark = if lag.breaks_entity_order { BREAKS_ORDER_MARK } else { "" };
    format!("{}{mark}", lag.name)
}

/// The latency of a class at a percentile; `–` where it has too few records for that.
pub(super) fn latency(class: &ClassLag, percentile: f64) -> String {
    let at = class.percentiles.iter().find(|at| (at.percentile - percentile).abs() < 1e-9);
    at.map_or(number::MISSING.to_owned(), |at| number::milliseconds(at.latency_ms))
}

/// The pool that partition `index` belongs to when the topic has a VIP pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pool {
    Vip,
    Standard,
}

impl Pool {
    /// The pool of a partition: the first `vip_count` are the VIP pool.
    pub(super) fn of(index: usize, vip_count: Option<u32>) -> Option<Self> {
        let vip_count = usize::try_from(vip_count?).unwrap_or(usize::MAX);
        Some(if index < vip_count { Self::Vip } else { Self::Standard })
    }

    /// The pool's name as the contract has it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Vip => "vip",
            Self::Standard => "standard",
        }
    }
}

/// A partition's row label: `0 vip` inside the VIP pool, else `0`.
pub(super) fn partition(index: usize, vip_count: Option<u32>) -> String {
    match Pool::of(index, vip_count) {
        Some(Pool::Vip) => format!("{index} vip"),
        _ => index.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn what_breaks_order_says_so() {
        let report = fixture::multitenant();
        let of = |name: &str| report.strategies.iter().find(|s| s.name == name).unwrap();
        assert_eq!(strategy(of("round-robin")), "round-robin !");
        assert_eq!(ordering(of("round-robin")), "none: breaks entity order");
        assert_eq!(
            (strategy(of("tenant-key")), ordering(of("tenant-key"))),
            ("tenant-key".into(), "tenant".into())
        );
        let mut partly = of("round-robin").clone();
        partly.ordering_scope = "tail entities".into();
        assert_eq!(ordering(&partly), "tail entities: breaks entity order");
    }

    #[test]
    fn an_unknown_blast_radius_is_not_zero() {
        let mut strategy = fixture::multitenant().strategies.remove(0);
        let set = |strategy: &mut StrategyReport, radii: &[Option<f64>]| {
            strategy.blast_radius = radii.iter().enumerate().map(|(i, r)| (i.to_string(), *r)).collect();
            blast_radius(strategy)
        };
        assert_eq!(set(&mut strategy, &[]), "–");
        assert_eq!(set(&mut strategy, &[None]), "–");
        assert_eq!(set(&mut strategy, &[Some(0.0)]), "0 %");
        assert_eq!(set(&mut strategy, &[Some(0.0), None]), "–", "at least nothing says nothing");
        assert_eq!(set(&mut strategy, &[Some(0.042), None, Some(0.01)]), "≥ 4.20 %");
    }

    #[test]
    fn the_hottest_partition_is_the_first_of_equals() {
        assert_eq!(hottest(&[1, 7, 7, 0]), Some((1, 7)));
        assert_eq!(hottest(&[0, 0]), None, "no partition is hot without load");
        assert_eq!(hottest(&[]), None);
    }

    #[test]
    fn only_a_floor_that_was_sketched_is_approximate() {
        let report = fixture::approximate();
        let of = |name: &str| floor(&report, report.strategies.iter().find(|s| s.name == name).unwrap());
        assert_eq!(of("tenant-key"), "10.800");
        assert_eq!(of("compound-key"), "≈ 1.104");
        assert_eq!(of("round-robin"), "1.000", "the floor of single records is 1 whatever the sketch says");
    }

    #[test]
    fn partitions_of_the_vip_pool_are_marked() {
        assert_eq!(
            [partition(9, Some(10)), partition(10, Some(10)), partition(0, None)],
            ["9 vip", "10", "0"]
        );
        assert_eq!(Pool::of(0, None), None);
    }
}
