//! Limits on a report, for use in continuous integration.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::report::model::{Report, StrategyReport};
use partitioner::explain::nearest;

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

/// `None` where the report does not have the figure.
type Figure = fn(&StrategyReport) -> Option<f64>;

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
    Metric { name: "max-mean", figure: |strategy| Some(strategy.skew.max_mean) },
    Metric { name: "regret", figure: |strategy| Some(strategy.regret) },
    Metric { name: "imbalance", figure: |strategy| Some(strategy.skew.imbalance) },
    Metric { name: "cv", figure: |strategy| Some(strategy.skew.cv) },
    Metric { name: "gini", figure: |strategy| Some(strategy.skew.gini) },
    Metric { name: "flip418", figure: |strategy| Some(strategy.skew.flip418) },
    Metric { name: "blast-radius", figure: StrategyReport::worst_blast_radius },
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
                nearest(name, names()).map_or(".".to_owned(), |name| format!("; did you mean {name}?"));
            return Err(format!(
                "{text:?}: no metric {name:?}{hint} Metrics are {}",
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

impl Limit {
    /// Names of the figures that can be limited.
    pub fn metric_names() -> impl Iterator<Item = &'static str> {
        METRICS.iter().map(|metric| metric.name)
    }
}

/// A limit that cannot be checked, which is not the same as one that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError(String);

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for GateError {}

impl Gate {
    /// The limits that `report` exceeds, in words.
    ///
    /// # Errors
    /// [`GateError`] when the report does not have the strategy, or the strategy does not have a limited figure.
    pub fn exceeded(&self, report: &Report) -> Result<Vec<String>, GateError> {
        let name = self.strategy;
        let Some(strategy) = report.strategies.iter().find(|strategy| strategy.name == name) else {
            let names: Vec<_> = report.strategies.iter().map(|strategy| strategy.name.as_str()).collect();
            return Err(GateError(format!(
                "--fail-above: {name} does not apply to this traffic; choose with --gate one of {}",
                names.join(", ")
            )));
        };
        let mut exceeded = Vec::new();
        for limit in &self.limits {
            let metric = limit.metric.name;
            match (limit.metric.figure)(strategy).filter(|value| !value.is_nan()) {
                None => {
                    return Err(GateError(format!(
                        "--fail-above {limit}: {name} has no such figure here; blast-radius needs a VIP tenant, see --vip"
                    )));
                }
                Some(value) if value > limit.most => {
                    exceeded.push(format!("{metric} of {name} is {value:.4}, above {}", limit.most));
                }
                Some(_) => {}
            }
        }
        Ok(exceeded)
    }
}
