//! How much worse a figure may get, for use in continuous integration.

use std::error::Error;
use std::fmt;

use super::ROUNDING;
use crate::report::compare::model::{Comparison, FigureChange, StrategyChange, Verdict};
use partitioner::explain::nearest;

/// How much worse the figures of a comparison may get.
#[derive(Clone, Debug, PartialEq)]
pub struct WorseGate {
    /// Share of what a figure was before; finite, at least 0.
    share: f64,
    /// The one strategy looked at; all when absent.
    strategy: Option<String>,
}

/// A limit that cannot be checked, which is not the same as one that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorseGateError(String);

impl fmt::Display for WorseGateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--fail-on-worse: {}", self.0)
    }
}

impl Error for WorseGateError {}

impl WorseGate {
    /// A gate of `limit`, such as `5%`, on one strategy or on all.
    ///
    /// # Errors
    /// Says what was expected when `limit` is no percentage of at least 0.
    ///
    /// ```
    /// use analyzer::compare::WorseGate;
    ///
    /// assert!(WorseGate::new("5%", None).is_ok());
    /// assert!(WorseGate::new("0.05", None).unwrap_err().contains("such as 5%"));
    /// ```
    pub fn new(limit: &str, strategy: Option<String>) -> Result<Self, String> {
        let percent = limit.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        match percent.filter(|percent| percent.is_finite() && *percent >= 0.0) {
            Some(percent) => Ok(Self { share: percent / 100.0, strategy }),
            None => {
                Err(format!("--fail-on-worse {limit:?}: expected a percentage of at least 0, such as 5%"))
            }
        }
    }

    /// What got worse by more than the limit, in words.
    ///
    /// # Errors
    /// [`WorseGateError`] when a strategy or a figure that is looked at is in only one of the reports.
    pub fn exceeded(&self, comparison: &Comparison) -> Result<Vec<String>, WorseGateError> {
        let mut exceeded = Vec::new();
        for strategy in self.gated(comparison)? {
            for figure in &strategy.figures {
                if let Some(told) = self.too_much_worse(&strategy.name, figure)? {
                    exceeded.push(told);
                }
            }
        }
        Ok(exceeded)
    }

    fn gated<'a>(&self, comparison: &'a Comparison) -> Result<Vec<&'a StrategyChange>, WorseGateError> {
        let fail = |message: String| Err(WorseGateError(message));
        let names = comparison.strategies.iter().map(|strategy| strategy.name.as_str());
        let Some(gated) = &self.strategy else {
            if !comparison.strategies_gone.is_empty() {
                let gone = comparison.strategies_gone.join(", ");
                return fail(format!("{gone} is not in the report after; choose a strategy with --gate"));
            }
            if comparison.strategies.is_empty() {
                return fail("no strategy is in both reports".to_owned());
            }
            return Ok(comparison.strategies.iter().collect());
        };
        match comparison.strategies.iter().find(|strategy| strategy.name == *gated) {
            Some(strategy) => Ok(vec![strategy]),
            None if comparison.strategies_gone.contains(gated) => {
                fail(format!("--gate {gated}: it is not in the report after"))
            }
            None if comparison.strategies_new.contains(gated) => {
                fail(format!("--gate {gated}: it is not in the report before"))
            }
            None => {
                let hint = nearest(gated, names.clone())
                    .map_or(".".to_owned(), |name| format!("; did you mean {name:?}?"));
                let names: Vec<_> = names.collect();
                fail(format!(
                    "--gate {gated:?}: no report has it{hint} Strategies in both are {}",
                    names.join(", ")
                ))
            }
        }
    }

    fn too_much_worse(
        &self,
        strategy: &str,
        figure: &FigureChange,
    ) -> Result<Option<String>, WorseGateError> {
        let name = &figure.name;
        let (before, after) = match (figure.verdict, figure.before, figure.after) {
            (Verdict::Worse, Some(before), Some(after)) => (before, after),
            (Verdict::Appeared, ..) => {
                return Err(WorseGateError(format!("{name} of {strategy} is missing in the report before")));
            }
            (Verdict::Vanished, ..) => {
                return Err(WorseGateError(format!("{name} of {strategy} is missing in the report after")));
            }
            _ => return Ok(None),
        };
        let limit = self.share * 100.0;
        Ok(match figure.change {
            // There is no percentage of nothing.
            None => Some(format!(
                "{name} of {strategy} went from {before} to {after}, which no percentage allows"
            )),
            // 1.05 is a little more than 5 % above 1, by rounding.
            Some(change) if change.abs() > self.share + ROUNDING => Some(format!(
                "{name} of {strategy} is {after:.4}, was {before:.4}: worse by {:.2} %, more than {limit} %",
                change.abs() * 100.0
            )),
            Some(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::compare::model::Unit;

    fn comparison(
        before: Option<f64>,
        after: Option<f64>,
        change: Option<f64>,
        verdict: Verdict,
    ) -> Comparison {
        let figure =
            FigureChange { name: "cv".to_owned(), unit: Unit::Ratio, before, after, change, verdict };
        Comparison {
            schema_version: 1,
            command: String::new(),
            differences: Vec::new(),
            strategies: vec![StrategyChange { name: "tenant-key".to_owned(), figures: vec![figure] }],
            strategies_gone: vec!["random".to_owned()],
            strategies_new: Vec::new(),
            findings_gone: Vec::new(),
            findings_new: Vec::new(),
        }
    }

    fn gate() -> WorseGate {
        WorseGate::new("5%", Some("tenant-key".to_owned())).unwrap()
    }

    #[test]
    fn exactly_the_limit_is_kept() {
        let at = comparison(Some(1.0), Some(1.05), Some(1.05 - 1.0), Verdict::Worse);
        assert_eq!(gate().exceeded(&at), Ok(Vec::new()));
        let above = comparison(Some(1.0), Some(1.051), Some(1.051 - 1.0), Verdict::Worse);
        assert_eq!(gate().exceeded(&above).unwrap().len(), 1);
    }

    #[test]
    fn what_was_nothing_may_not_get_worse() {
        let grown = comparison(Some(0.0), Some(1e-9), None, Verdict::Worse);
        assert!(gate().exceeded(&grown).unwrap()[0].contains("no percentage allows"));
    }

    #[test]
    fn what_is_missing_is_no_pass() {
        let appeared = comparison(None, Some(1.0), None, Verdict::Appeared);
        let vanished = comparison(Some(1.0), None, None, Verdict::Vanished);
        assert!(gate().exceeded(&appeared).unwrap_err().to_string().contains("report before"));
        assert!(gate().exceeded(&vanished).unwrap_err().to_string().contains("report after"));
        let all = WorseGate::new("5%", None).unwrap();
        assert!(
            all.exceeded(&vanished).unwrap_err().to_string().contains("random is not in the report after")
        );
    }

    #[test]
    fn only_a_percentage_is_a_limit() {
        for limit in ["5", "0.05", "-1%", "nan%", "inf%", "%", "", "5 %", "5%%"] {
            assert!(WorseGate::new(limit, None).is_err(), "{limit}");
        }
    }
}
