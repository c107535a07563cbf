//! Time from a record's arrival until it is handled, by percentile, for each class of tenants under each strategy.
//!
//! The axis is that of HdrHistogram's plots: equally far apart are 90 %, 99 % and 99.9 %, so that the few records that wait
//! longest, which an average hides, have most of the room.

use maud::{Markup, html};

use super::super::escape::display_text;
use super::super::model::{ClassLag, LagReport, Report, StrategyLag};
use super::super::{label, number};
use super::axis::{Axis, Scale};
use super::curve::{Curves, Line};
use super::role::{self, Role};
use super::table::{Cell, Column, Row, Table};

/// Percentiles that are written at the axis, in percent.
const PERCENTS: [(f64, &str); 6] = [
    (50.0, "50 %"),
    (90.0, "90 %"),
    (99.0, "99 %"),
    (99.9, "99.9 %"),
    (99.99, "99.99 %"),
    (99.999, "99.999 %"),
];

/// Ids of the charts, one a class; more classes than these are in the table only.
const IDS: [&str; 4] = ["lag-0", "lag-1", "lag-2", "lag-3"];

/// A chart for each class of tenants, and all figures; nothing where lag was not simulated.
pub(super) fn lag_percentiles(report: &Report) -> Option<Markup> {
    let lag = report.lag.as_ref()?;
    let mut classes: Vec<&str> = Vec::new();
    for class in lag.strategies.iter().flat_map(|strategy| &strategy.classes) {
        if !classes.contains(&class.class.as_str()) {
            classes.push(&class.class);
        }
    }
    let range = latencies(lag);
    Some(html! {
        section {
            h2 { "Time until a record is handled" }
            p.note {
                (label::arrivals(lag)) ", " (number::figure(lag.arrival_rate_records_per_s)) " records/s; "
                (display_text(&lag.service)) " service of " (number::figure(lag.service_rate_per_s)) " "
                (display_text(&lag.service_unit)) "/s on each partition; " (number::figure(lag.duration_s)) " s."
            }
            @if let Some(range) = range {
                div.wide {
                    @for (class, id) in classes.iter().zip(IDS) { (chart(report, lag, class, id, range)) }
                }
            }
            (figures(report, lag))
        }
    })
}

/// The shortest and the longest latency above 0; `None` when there is none.
fn latencies(lag: &LagReport) -> Option<(f64, f64)> {
    let percentiles = lag.strategies.iter().flat_map(|s| &s.classes).flat_map(|class| &class.percentiles);
    let latencies = percentiles.map(|at| at.latency_ms).filter(|ms| ms.is_finite() && *ms > 0.0);
    latencies.fold(None, |range: Option<(f64, f64)>, ms| {
        Some(range.map_or((ms, ms), |(low, high)| (low.min(ms), high.max(ms))))
    })
}

/// One in so many records is above the percentile; the place on the axis.
fn one_in(percent: f64) -> f64 {
    1.0 / (1.0 - percent / 100.0).max(1e-9)
}

fn chart(report: &Report, lag: &LagReport, class: &str, id: &'static str, range: (f64, f64)) -> Markup {
    let of_class = |strategy: &StrategyLag| {
        let lag = strategy.classes.iter().find(|lag| lag.class == class)?;
        let known = report.strategies.iter().find(|known| known.name == strategy.name);
        let name = known.map_or_else(|| strategy.name.clone(), label::strategy);
        let points =
            lag.percentiles.iter().map(|at| (one_in(at.percentile), at.latency_ms.max(range.0))).collect();
        let class = known.map_or(Role::Other, |known| Role::of(known, report)).class();
        Some(Line { name: Some(name), class, points })
    };
    let mut lines: Vec<Line> = lag.strategies.iter().filter_map(of_class).collect();
    // Those that stand out lie on top.
    lines.sort_by_key(|line| line.class != Role::Other.class());
    let last =
        lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).filter(|x| *x < 1e8).fold(10.0, f64::max);
    let ticks = PERCENTS.map(|(percent, shown)| (one_in(percent), shown.to_owned()));
    let ticks = ticks.into_iter().filter(|(x, _)| *x <= last * 1.000_001).collect();
    let sentences = lag.strategies.iter().filter_map(|strategy| {
        let lag = strategy.classes.iter().find(|lag| lag.class == class)?;
        Some(format!(
            "{}: 99 % within {}.",
            strategy.name,
            at(lag, 99.0).map_or(number::MISSING.to_owned(), number::milliseconds)
        ))
    });
    let curves = Curves {
        id,
        title: format!("Time until a record is handled by percentile, {class}"),
        description: sentences.collect::<Vec<_>>().join(" "),
        x: Axis::new("percentile of the records", Scale::Log, (1.0, last), ticks),
        y: Axis::log("time until handled", range, at_axis),
        lines,
        marks: Vec::new(),
    };
    html! {
        figure.chart {
            figcaption { b { (display_text(class)) } }
            (curves.markup())
        }
    }
}

/// The latency at a percentile, if it was recorded.
fn at(lag: &ClassLag, percent: f64) -> Option<f64> {
    let found = lag.percentiles.iter().find(|at| (at.percentile - percent).abs() < 1e-9);
    found.map(|at| at.latency_ms)
}

/// A time at an axis, without needless digits.
fn at_axis(ms: f64) -> String {
    let time = number::milliseconds(ms);
    match time.split_once(' ') {
        Some((figure, unit)) if figure.contains('.') => {
            format!("{} {unit}", figure.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => time,
    }
}

fn figures(report: &Report, lag: &LagReport) -> Markup {
    let time = |value: Option<f64>| {
        Cell::number(&value.map_or(number::MISSING.to_owned(), number::milliseconds), value)
    };
    let rows = lag.strategies.iter().flat_map(|strategy| {
        let known = report.strategies.iter().find(|known| known.name == strategy.name);
        let name = known.map_or_else(|| html! { code { (display_text(&strategy.name)) } }, role::name);
        let role = known.map_or("", |known| Role::of(known, report).class());
        strategy.classes.iter().map(move |class| Row {
            cells: vec![
                Cell::markup(name.clone()),
                Cell::words(&class.class),
                Cell::number(&number::count(class.records), Some(class.records as f64)),
                time(Some(class.mean_ms)),
                time(at(class, 50.0)),
                time(at(class, 99.0)),
                time(at(class, 99.9)),
                time(class.percentiles.last().map(|at| at.latency_ms)),
                Cell::number(
                    &number::percent(strategy.hottest_utilization),
                    Some(strategy.hottest_utilization),
                ),
            ],
            class: role,
        })
    });
    let headings = ["records", "mean", "p50", "p99", "p99.9", "highest", "hottest utilization"];
    let table = Table {
        caption: "Time until a record is handled".to_owned(),
        columns: [Column::words("strategy"), Column::words("class")]
            .into_iter()
            .chain(headings.map(Column::number))
            .collect(),
        rows: rows.collect(),
        is_sortable: true,
    };
    table.markup()
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::super::super::model::LagPercentile;
    use super::*;

    /// A queue at each utilization: exponential times, longer for the class that shares the hottest partition.
    fn with_lag() -> Report {
        let mut report = fixture::multitenant();
        let class = |name: &str, mean_ms: f64| {
            let at = |percentile: f64| LagPercentile {
                percentile,
                latency_ms: mean_ms * -libm::log((1.0 - percentile / 100.0).max(0.000_01)),
            };
            let percents = [0.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.99, 100.0];
            ClassLag {
                class: name.into(),
                records: 500_000,
                mean_ms,
                percentiles: percents.map(at).to_vec(),
                hgrm: String::new(),
            }
        };
        let strategies = report.strategies.iter().map(|strategy| {
            let utilization = 0.07 * strategy.skew.max_mean + 0.2;
            let mean_ms = 2.0 / (1.0 - utilization.min(0.999));
            StrategyLag {
                name: strategy.name.clone(),
                breaks_entity_order: strategy.breaks_entity_order,
                hottest_utilization: utilization,
                capacity_records_per_s: 5_000.0,
                drain_s: 0.004,
                classes: vec![class("VIP tenants", mean_ms), class("other tenants", mean_ms * 0.8)],
            }
        });
        report.lag = Some(LagReport {
            arrivals: "poisson".into(),
            service: "exponential".into(),
            arrival_rate_records_per_s: 3_000.0,
            service_rate_per_s: 500.0,
            service_unit: "records".into(),
            duration_s: 60.0,
            strategies: strategies.collect(),
        });
        report
    }

    #[test]
    fn each_class_has_a_chart_and_each_strategy_a_row_in_each() {
        let report = with_lag();
        let text = lag_percentiles(&report).unwrap().into_string();
        assert_eq!(text.matches("role=\"img\"").count(), 2);
        assert_eq!(text.matches("<th scope=\"row\">").count(), 2 * report.strategies.len());
        assert!(text.contains(">99.9 %</text>"), "{text}");
        assert!(text.contains(">random !</text>"), "what breaks order is marked in the chart too");
    }

    #[test]
    fn without_lag_there_is_nothing_and_without_latencies_no_chart() {
        assert!(lag_percentiles(&fixture::multitenant()).is_none());
        let mut report = with_lag();
        for strategy in &mut report.lag.as_mut().unwrap().strategies {
            strategy.classes.iter_mut().for_each(|class| class.percentiles.clear());
        }
        let text = lag_percentiles(&report).unwrap().into_string();
        assert!(!text.contains("<svg") && text.contains("<td class=\"number\">–</td>"), "{text}");
    }

    #[test]
    fn times_at_an_axis_have_no_needless_digits() {
        assert_eq!([1_000.0, 0.5, 200.0].map(at_axis), ["1 s", "500 µs", "200 ms"]);
    }
}
