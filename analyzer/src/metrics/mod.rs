//! What a load table amounts to: pure functions over loads, one noun a file.
//!
//! Sums are exact integers, and where a sum of fractions is unavoidable the loads are sorted first. So a figure does
//! not depend on how the partitions are numbered, and is the same on every machine. Nothing here returns NaN: loads
//! that add up to nothing have no shape, which is `None` and not a zero.

use crate::report::model::SkewReport;

pub mod blast_radius;
pub mod flink;
pub mod floor;
pub mod outlier;
pub mod percentiles;
pub mod shape;
pub mod spark;
pub mod vip_count;

pub use blast_radius::blast_radius;
pub use flink::flip418;
pub use floor::{floor, regret};
pub use outlier::hot_partitions;
pub use percentiles::percentiles;
pub use shape::Shape;
pub use vip_count::closed_form_vip_count;

/// Every figure of one load vector, as reports print it; `None` when the loads add up to 0.
///
/// ```
/// let skew = analyzer::metrics::skew(&[945, 24, 31]).unwrap();
/// assert_eq!(skew.max_mean, 2.835);
/// assert_eq!(skew.percentiles.max, 945);
/// assert_eq!(analyzer::metrics::skew(&[0, 0, 0]), None);
/// ```
#[must_use]
pub fn skew(loads: &[u64]) -> Option<SkewReport> {
    let shape = Shape::of(loads)?;
    Some(SkewReport {
        max_mean: shape.max_mean(),
        imbalance: shape.imbalance(),
        cv: shape.cv(),
        gini: shape.gini(),
        jain: shape.jain(),
        flip418: flip418(loads),
        percentiles: percentiles(loads)?,
    })
}

#[cfg(test)]
mod tests {
    use super::skew;
    use proptest::prelude::*;

    #[test]
    fn no_load_has_no_skew() {
        assert_eq!(skew(&[]), None);
        assert_eq!(skew(&[0]), None);
        assert_eq!(skew(&[0; 48]), None);
    }

    proptest! {
        /// Renumbering the partitions changes no bit of any figure.
        #[test]
        fn order_of_partitions_is_irrelevant(
            (loads, shuffled) in prop::collection::vec(any::<u64>(), 1..40)
                .prop_flat_map(|loads| (Just(loads.clone()), Just(loads).prop_shuffle()))
        ) {
            prop_assert_eq!(skew(&loads), skew(&shuffled));
        }

        #[test]
        fn every_figure_is_finite(loads in prop::collection::vec(any::<u64>(), 1..40)) {
            prop_assume!(loads.iter().any(|&load| load > 0));
            let skew = skew(&loads).expect("some load");
            for figure in [skew.max_mean, skew.imbalance, skew.cv, skew.gini, skew.jain, skew.flip418] {
                prop_assert!(figure.is_finite());
            }
        }
    }
}
