//! Limits on a report, for use in continuous integration.

use std::fmt;
use std::str::FromStr;

use crate::report::model::{Report, StrategyReport};
use crate::strategy::nearest;

/// Limits that one strategy of a report must keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The strategy looked at.
    pub strategy: &'static str,
    /// Its limits.
    pub limits: Vec<Limit>,
}

/// The largest value that a figure may have.
///
/// ```
/// use analyzer::gate::Limit;
///
/// assert_eq!("max-mean=2".parse::<Limit>().unwrap().to_string(), "max-mean=2");
/// assert!("max-mean=nan".parse::<Limit>().is_err());
/// assert!("maxmean=2".parse::<Limit>().unwrap_err().contains("max-mean"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    metric: Metric,
    /// Finite.
    most: f64,
}

type Figure = fn(&StrategyReport) -> f64;

#[derive(Clone, Copy, Debug)]
struct Metric {
    name: &'static str,
    figure: Figure,
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const METRICS: [Metric; 7] = [
    Metric { name: "max-mean", figure: |strategy| strategy.skew.max_mean },
    Metric { name: "regret", figure: |strategy| strategy.regret },
    Metric { name: "imbalance", figure: |strategy| strategy.skew.imbalance },
    Metric { name: "cv", figure: |strategy| strategy.skew.cv },
    Metric { name: "gini", figure: |strategy| strategy.skew.gini },
    Metric { name: "flip418", figure: |strategy| strategy.skew.flip418 },
    Metric {
        name: "blast-radius",
        figure: |strategy| strategy.blast_radius.values().flatten().copied().fold(0.0, f64::max),
    },
];

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names = || METRICS.iter().map(|metric| metric.name);
        let Some((name, most)) = text.split_once('=') else {
            return Err(format!("{text:?}: expected METRIC=NUMBER, such as max-mean=2"));
        };
        let Some(&metric) = METRICS.iter().find(|metric| metric.name == name) else {
            let hint =
                nearest(name, names()).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
            return Err(format!(
                "{text:?}: no metric {name:?}{hint} Known are {}",
                names().collect::<Vec<_>>().join(", ")
            ));
        };
        match most.parse::<f64>() {
            Ok(most) if most.is_finite() => Ok(Self { metric, most }),
            _ => Err(format!("{text:?}: {most:?} is not a finite number")),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.metric.name, self.most)
    }
}

impl Gate {
    /// The limits that `report` exceeds, in words; `None` when it does not have the strategy.
    #[must_use]
    pub fn exceeded(&self, report: &Report) -> Option<Vec<String>> {
        let strategy = report.strategies.iter().find(|strategy| strategy.name == self.strategy)?;
        let exceeded = self.limits.iter().filter_map(|limit| {
            let value = (limit.metric.figure)(strategy);
            (value > limit.most).then(|| {
                format!("{} of {} is {value:.4}, above {}", limit.metric.name, self.strategy, limit.most)
            })
        });
        Some(exceeded.collect())
    }
}
