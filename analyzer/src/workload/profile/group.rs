//! A group of tenants that are alike, and how its share of the traffic changes during the run.

use super::names::NamePattern;
use super::pick::Shape;
use super::sizes::Sizes;

/// One `[[tenants]]` table of a profile, checked.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The number of its first tenant within the profile.
    pub(super) first: u32,
    /// How many tenants it has, at least 1.
    pub(super) count: u32,
    pub(super) volume: Volume,
    /// How its volume is divided between its tenants.
    pub(super) within: Shape,
    /// How many entities each of its tenants has, at least 1.
    pub(super) entities: u32,
    /// How a tenant's records are divided between its entities.
    pub(super) entity_shape: Shape,
    pub(super) entity_name: NamePattern,
    /// `None`: those of the profile.
    pub(super) sizes: Option<Sizes>,
}

/// How much traffic a group makes. All groups of a profile have the same kind.
#[derive(Clone, Debug)]
pub(super) enum Volume {
    /// A share of the records.
    Share(Share),
    /// Exactly this many records of each tenant.
    Exact { records_per_tenant: u32 },
}

/// A weight that may change during the run. Points of time are shares of the run, 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// Finite, not negative.
    pub(super) weight: f64,
    /// The weight is multiplied by 1 at the start of the run, by this at its end, and linearly between.
    pub(super) growth: f64,
    pub(super) burst: Option<Burst>,
}

/// A part of the run in which a group's weight is multiplied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) from: f64,
    pub(super) until: f64,
    pub(super) factor: f64,
}

impl Share {
    /// The weight at the point `at` of the run.
    pub(super) fn weight_at(&self, at: f64) -> f64 {
        let factor = match self.burst {
            Some(burst) if burst.from <= at && at < burst.until => burst.factor,
            _ => 1.0,
        };
        self.weight * (1.0 + (self.growth - 1.0) * at) * factor
    }

    /// Whether the weight is the same during the whole run.
    pub(super) fn is_constant(&self) -> bool {
        self.burst.is_none() && self.growth.to_bits() == 1.0_f64.to_bits()
    }
}

/// Each group's share of all records, averaged over the run; sums to 1.
pub(super) fn mean_shares(groups: &[Group]) -> Vec<f64> {
    /// Points of the run that the average is taken over.
    const POINTS: u32 = 1_024;
    let mut shares = vec![0.0; groups.len()];
    for point in 0..POINTS {
        let at = (f64::from(point) + 0.5) / f64::from(POINTS);
        let weights: Vec<f64> = groups.iter().map(|group| group.weight_at(at)).collect();
        let sum: f64 = weights.iter().sum();
        for (share, weight) in shares.iter_mut().zip(weights) {
            *share += weight / sum / f64::from(POINTS);
        }
    }
    shares
}

impl Group {
    fn weight_at(&self, at: f64) -> f64 {
        match &self.volume {
            Volume::Share(share) => share.weight_at(at),
            Volume::Exact { records_per_tenant } => f64::from(*records_per_tenant) * f64::from(self.count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_grows_and_bursts_in_its_window_only() {
        let burst = Some(Burst { from: 0.25, until: 0.5, factor: 10.0 });
        let share = Share { weight: 2.0, growth: 3.0, burst };
        let at = [0.0, 0.25, 0.499, 0.5, 1.0].map(|at| share.weight_at(at));
        assert_eq!(at.map(|weight| (weight * 1000.0).round() / 1000.0), [2.0, 30.0, 39.96, 4.0, 6.0]);
        assert!(!share.is_constant());
        assert!(Share { weight: 2.0, growth: 1.0, burst: None }.is_constant());
    }
}
