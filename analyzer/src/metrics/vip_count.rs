//! The size of the VIP pool, by arithmetic.

use partitioner::ids::PartitionCount;

/// V* = argmin over V in 1..n of max(s / V, (1 − s) / (n − V)), the smaller of equals: 1 to n − 1.
///
/// `vip_share` is s, the share of the records that VIP tenants send. It takes both pools to be perfectly even
/// inside, so it knows nothing of the size of keys, and may miss the best count measured by one or two. A start for
/// a search, not its end. `None` when there are not two partitions to divide, or the share is outside 0..=1.
///
/// ```
/// use analyzer::metrics::closed_form_vip_count;
/// use partitioner::ids::PartitionCount;
///
/// for (partitions, best) in [(12, 10), (24, 21), (48, 43)] {
///     assert_eq!(closed_form_vip_count(PartitionCount::new(partitions).unwrap(), 0.9), Some(best));
/// }
/// assert_eq!(closed_form_vip_count(PartitionCount::new(1).unwrap(), 0.9), None);
/// ```
#[must_use]
pub fn closed_form_vip_count(count: PartitionCount, vip_share: f64) -> Option<u32> {
    let largest = count.get() - 1;
    if largest == 0 || !(0.0..=1.0).contains(&vip_share) {
        return None;
    }
    // The VIP side falls with V and the standard side rises; they cross at s·n, so the best is beside that.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 1,000,000
    let crossing = (vip_share * f64::from(count.get())) as u32;
    let below = crossing.clamp(1, largest);
    let above = (below + 1).min(largest);
    Some(if hottest(count, vip_share, above) < hottest(count, vip_share, below) { above } else { below })
}

/// Share of the records on the hottest partition when both pools are even inside.
fn hottest(count: PartitionCount, vip_share: f64, vip_count: u32) -> f64 {
    let vip = vip_share / f64::from(vip_count);
    let standard = (1.0 - vip_share) / f64::from(count.get() - vip_count);
    vip.max(standard)
}

#[cfg(test)]
mod tests {
    use super::{closed_form_vip_count, hottest};
    use partitioner::ids::PartitionCount;
    use proptest::prelude::*;

    fn best_of_all(count: PartitionCount, share: f64) -> u32 {
        let mut best = 1;
        for vip_count in 2..count.get() {
            if hottest(count, share, vip_count) < hottest(count, share, best) {
                best = vip_count;
            }
        }
        best
    }

    #[test]
    fn ties_go_to_the_smaller_pool() {
        assert_eq!(closed_form_vip_count(PartitionCount::new(3).unwrap(), 0.5), Some(1));
        assert_eq!(closed_form_vip_count(PartitionCount::new(5).unwrap(), 0.5), Some(2));
    }

    #[test]
    fn extremes_keep_both_pools() {
        let twelve = PartitionCount::new(12).unwrap();
        assert_eq!(closed_form_vip_count(twelve, 0.0), Some(1));
        assert_eq!(closed_form_vip_count(twelve, 1.0), Some(11));
        assert_eq!(closed_form_vip_count(PartitionCount::new(2).unwrap(), 0.3), Some(1));
        let most = PartitionCount::new(PartitionCount::MAX).unwrap();
        assert_eq!(closed_form_vip_count(most, 1.0), Some(PartitionCount::MAX - 1));
    }

    #[test]
    fn impossible_shares_have_none() {
        let twelve = PartitionCount::new(12).unwrap();
        for share in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
            assert_eq!(closed_form_vip_count(twelve, share), None);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_trying_all(n in 2..300_u32, share in 0.0..=1.0_f64) {
            let count = PartitionCount::new(n).unwrap();
            prop_assert_eq!(closed_form_vip_count(count, share), Some(best_of_all(count, share)));
        }

        /// Shares that are exact multiples of 1/n, where rounding could pick the wrong side.
        #[test]
        fn agrees_at_the_crossing(n in 2..300_u32, part in any::<prop::sample::Index>()) {
            let count = PartitionCount::new(n).unwrap();
            let share = part.index(count.as_usize() + 1) as f64 / f64::from(n);
            prop_assert_eq!(closed_form_vip_count(count, share), Some(best_of_all(count, share)));
        }
    }
}
