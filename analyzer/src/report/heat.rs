//! How hot a partition is.

/// From here a load is warm, as a multiple of its strategy's mean.
pub(super) const WARM_MEANS: f64 = 1.5;
/// From here a load is hot.
pub(super) const HOT_MEANS: f64 = 3.0;

/// How a load stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heat {
    Usual,
    Warm,
    Hot,
}

impl Heat {
    /// The heat of a load that is `means` times the mean of its strategy.
    pub(super) fn of(means: f64) -> Self {
        if means >= HOT_MEANS {
            Self::Hot
        } else if means >= WARM_MEANS {
            Self::Warm
        } else {
            Self::Usual
        }
    }
}
