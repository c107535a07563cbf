//! Lorenz curves: the share of the records on the least loaded partitions, for every share of the partitions.
//!
//! M. O. Lorenz, "Methods of Measuring the Concentration of Wealth", 1905. The Gini coefficient is twice the area between
//! a curve and the diagonal.

use maud::{Markup, html};

use super::super::model::{Report, StrategyReport};
use super::super::{label, number};
use super::axis::{Axis, Scale};
use super::curve::{Curves, Line};
use super::role::{self, Role};

/// Most steps of a curve; with more partitions a point stands for some neighbours in rank.
const STEPS_MAX: usize = 100;

/// Shares of the partitions and of the load on them.
type Points = Vec<(f64, f64)>;

/// The curves of all strategies, and which is whose.
pub(super) fn lorenz_curve(report: &Report) -> Option<Markup> {
    let mut drawn: Vec<(&StrategyReport, Role, Points)> = report
        .strategies
        .iter()
        .map(|strategy| (strategy, Role::of(strategy, report), lorenz(&strategy.records)))
        .filter(|(.., points)| !points.is_empty())
        .collect();
    // Those that stand out lie on top.
    drawn.sort_by_key(|(_, role, _)| *role != Role::Other);
    if drawn.is_empty() {
        return None;
    }
    let line = |(_, role, points): &(_, Role, Points)| Line {
        name: None,
        class: role.class(),
        points: points.clone(),
    };
    let even = Line { name: None, class: "ideal", points: vec![(0.0, 0.0), (1.0, 1.0)] };
    let sentences =
        drawn.iter().map(|(s, ..)| format!("{}: Gini {}.", label::strategy(s), number::figure(s.skew.gini)));
    let percents =
        || [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, format!("{} %", share * 100.0))).to_vec();
    let curves = Curves {
        id: "lorenz",
        title: "Lorenz curves of the strategies".to_owned(),
        description: sentences.collect::<Vec<_>>().join(" "),
        x: Axis::new("partitions, least loaded first", Scale::Linear, (0.0, 1.0), percents()),
        y: Axis::new("share of the records", Scale::Linear, (0.0, 1.0), percents()),
        lines: std::iter::once(even).chain(drawn.iter().map(line)).collect(),
        marks: Vec::new(),
    };
    Some(html! {
        figure.chart {
            figcaption {
                b { "Lorenz curves. " }
                "On the diagonal every partition has the same load; the further below, the more of the records lie on few partitions."
            }
            (curves.markup())
            ul.key {
                @for strategy in &report.strategies {
                    li {
                        svg viewBox="0 0 28 8" aria-hidden="true" {
                            path class={ "line " (Role::of(strategy, report).class()) } d="M0 4H28" {}
                        }
                        span { (role::name(strategy)) " Gini " (number::figure(strategy.skew.gini)) }
                    }
                }
            }
        }
    })
}

/// Shares of the partitions and of the load on the least loaded of them, both ascending from 0 to 1; empty without load.
fn lorenz(loads: &[u64]) -> Points {
    let mut ascending = loads.to_vec();
    ascending.sort_unstable();
    let total: u128 = ascending.iter().copied().map(u128::from).sum();
    if total == 0 {
        return Vec::new();
    }
    let step = ascending.len().div_ceil(STEPS_MAX);
    let mut points = vec![(0.0, 0.0)];
    let mut sum = 0_u128;
    for (rank, load) in (1_usize..).zip(&ascending) {
        sum += u128::from(*load);
        // The hottest partition's rise is never smoothed away.
        if rank.is_multiple_of(step) || rank + 1 >= ascending.len() {
            points.push((rank as f64 / ascending.len() as f64, sum as f64 / total as f64));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_curve_goes_through_the_shares_of_the_definition() {
        assert_eq!(lorenz(&[3, 1, 0, 4]), [(0.0, 0.0), (0.25, 0.0), (0.5, 0.125), (0.75, 0.5), (1.0, 1.0)]);
        assert_eq!(lorenz(&[0, 0]), []);
        assert_eq!(lorenz(&[7]), [(0.0, 0.0), (1.0, 1.0)]);
    }

    proptest! {
        /// Twice the area between the curve and the diagonal is the Gini coefficient.
        #[test]
        fn the_area_is_the_gini_coefficient(loads in prop::collection::vec(0..1_000_u64, 1..100)) {
            prop_assume!(loads.iter().any(|load| *load > 0));
            let points = lorenz(&loads);
            let below: f64 = points.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1)).sum();
            let n = loads.len() as f64;
            let total: f64 = loads.iter().map(|load| *load as f64).sum();
            let pairs = loads.iter().flat_map(|a| loads.iter().map(move |b| a.abs_diff(*b) as f64));
            let gini = pairs.sum::<f64>() / (2.0 * n * total);
            prop_assert!((1.0 - 2.0 * below - gini).abs() < 1e-9, "{below} {gini}");
        }

        #[test]
        fn a_large_topic_has_few_points_and_keeps_the_last_rise(hot in 1_000..1_000_000_u64, count in 101..5_000_usize) {
            let mut loads = vec![1; count];
            loads[count / 2] = hot;
            let points = lorenz(&loads);
            prop_assert!(points.len() <= STEPS_MAX + 3);
            let before = points[points.len() - 2];
            let expected = (count - 1) as f64 / (count as f64 - 1.0 + hot as f64);
            prop_assert!((before.1 - expected).abs() < 1e-12);
            prop_assert!(points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
        }
    }
}
