//! The result of a comparison; serialised as it stands, it is the JSON.

use serde::Serialize;

/// What differs between two reports of `analyzer simulate`.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Version of this shape, 1.
    pub schema_version: u32,
    /// The command line that made the comparison, shell-quoted.
    pub command: String,
    /// What was replayed differently; when this is not empty, the figures do not compare like with like.
    pub differences: Vec<Difference>,
    /// One entry per strategy in both reports, in the order of the report before.
    pub strategies: Vec<StrategyChange>,
    /// Strategies in the report before alone.
    pub strategies_gone: Vec<String>,
    /// Strategies in the report after alone.
    pub strategies_new: Vec<String>,
    /// Facts of findings in the report before alone.
    pub findings_gone: Vec<String>,
    /// Facts of findings in the report after alone.
    pub findings_new: Vec<String>,
}

/// Something of the workload or topic that is not the same.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Difference {
    /// What, e.g. `records`.
    pub what: String,
    /// Before; absent when the report does not have it.
    pub before: Option<String>,
    /// After; absent when the report does not have it.
    pub after: Option<String>,
}

/// What became of one strategy.
#[derive(Clone, Debug, Serialize)]
pub struct StrategyChange {
    /// Name, as `--strategies` takes it.
    pub name: String,
    /// Every figure that at least one of the reports has.
    pub figures: Vec<FigureChange>,
}

/// One figure, before and after.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct FigureChange {
    /// Name, e.g. `max-mean`; that of a blast radius ends with its tenant.
    pub name: String,
    /// How it counts.
    pub unit: Unit,
    /// Before; absent when it is missing.
    pub before: Option<f64>,
    /// After; absent when it is missing.
    pub after: Option<f64>,
    /// (after − before) / |before|; absent when a side is missing or before is 0.
    pub change: Option<f64>,
    /// What that amounts to.
    pub verdict: Verdict,
}

/// How a figure counts.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A number without a unit.
    Ratio,
    /// 0 to 1, shown in percent.
    Share,
    /// Whole records or partitions.
    Count,
}

/// What a change amounts to.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It moved in its good direction.
    Better,
    /// It moved in its bad direction.
    Worse,
    /// It did not move.
    Same,
    /// It moved and has no good direction.
    Changed,
    /// It was missing before, which is neither better nor worse.
    Appeared,
    /// It is missing after, which is neither better nor worse.
    Vanished,
}

impl Verdict {
    /// The word that reports print.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Appeared => "appeared",
            Self::Vanished => "vanished",
        }
    }
}
