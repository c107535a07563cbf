//! How even a load can be at all, and how far from that it is.

use partitioner::ids::PartitionCount;

/// Ordering floor: max(1, n · p), 1 to n, where p is the share of the largest unit that stays on one partition.
///
/// No placement that keeps each unit whole has a lower max/mean, because the partition of the largest unit carries
/// at least p of everything. The unit is what the strategy keeps in order: a tenant, or one entity of a tenant.
/// A share is clamped to 0..=1; NaN, a share nobody knows, gives 1, the floor that always holds.
///
/// ```
/// use analyzer::metrics::floor;
/// use partitioner::ids::PartitionCount;
///
/// let twelve = PartitionCount::new(12).unwrap();
/// assert_eq!(floor(twelve, 0.75), 9.0);
/// assert_eq!(floor(twelve, 0.01), 1.0, "small units do not limit");
/// ```
#[must_use]
pub fn floor(count: PartitionCount, largest_unit_share: f64) -> f64 {
    (f64::from(count.get()) * largest_unit_share.clamp(0.0, 1.0)).max(1.0)
}

/// max/mean over the floor, 1 (nothing left to gain) upwards.
///
/// 10.9 with a floor of 10.8 is a regret of 1.01: uneven, and no partitioner that keeps the same order does better.
/// Below 1 it can only be by rounding, or by a floor that was estimated; it is then 1.
///
/// # Panics
/// In debug builds when `max_mean` is not finite or `floor` is below 1; [`Shape`](super::Shape) and [`floor()`] give
/// neither.
///
/// ```
/// assert_eq!(analyzer::metrics::regret(3.0, 2.0), 1.5);
/// ```
#[must_use]
pub fn regret(max_mean: f64, floor: f64) -> f64 {
    debug_assert!(max_mean.is_finite() && floor >= 1.0, "max_mean {max_mean}, floor {floor}");
    (max_mean / floor).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::{floor, regret};
    use crate::metrics::Shape;
    use partitioner::ids::PartitionCount;
    use proptest::prelude::*;

    #[test]
    fn shares_outside_the_range() {
        let twelve = PartitionCount::new(12).unwrap();
        assert_eq!(floor(twelve, 1.5), 12.0);
        assert_eq!(floor(twelve, -1.0), 1.0);
        assert_eq!(floor(twelve, f64::NAN), 1.0);
        assert_eq!(floor(PartitionCount::new(1).unwrap(), 1.0), 1.0);
    }

    #[test]
    fn regret_is_at_least_one() {
        assert_eq!(regret(1.0, 1.0), 1.0);
        assert_eq!(regret(1.999, 2.0), 1.0);
    }

    proptest! {
        /// Any placement of whole units has at least the floor.
        #[test]
        fn no_placement_of_whole_units_is_below(
            units in prop::collection::vec((1..1000_u64, any::<prop::sample::Index>()), 1..40),
            n in 1..20_u32,
        ) {
            let count = PartitionCount::new(n).unwrap();
            let mut loads = vec![0; count.as_usize()];
            for (size, partition) in &units {
                loads[partition.index(count.as_usize())] += size;
            }
            let largest = units.iter().map(|unit| unit.0).max().unwrap() as f64;
            let total = units.iter().map(|unit| unit.0).sum::<u64>() as f64;
            let floor = floor(count, largest / total);
            prop_assert!(Shape::of(&loads).unwrap().max_mean() >= floor * (1.0 - 1e-12));
            prop_assert!((1.0..=f64::from(n)).contains(&floor));
        }
    }
}
