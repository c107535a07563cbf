//! The partitions that Apache Spark's adaptive execution would split.

/// Default of `spark.sql.adaptive.skewJoin.skewedPartitionFactor`.
pub const SKEWED_PARTITION_FACTOR: u64 = 5;

/// Default of `spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes`, 256 MiB.
pub const SKEWED_PARTITION_BYTES: u64 = 256 << 20;

/// The partitions that Spark at its defaults calls skewed: above 5 × the median and above 256 MiB, in order.
///
/// Spark's median of an even number of partitions is the mean of the middle two, rounded down, and at least 1.
/// With half of the partitions hot the median is hot too and nothing is found; see
/// [`hot_partitions`](super::hot_partitions) for a rule without that gap.
/// Source: `OptimizeSkewedJoin.getSkewThreshold` and `Utils.median`.
///
/// ```
/// let gib = 1 << 30;
/// assert_eq!(analyzer::metrics::spark::skewed_partitions(&[gib / 8, gib, gib / 8]), [1]);
/// assert!(analyzer::metrics::spark::skewed_partitions(&[1, 1000, 1]).is_empty(), "too small to matter");
/// ```
#[must_use]
pub fn skewed_partitions(partition_bytes: &[u64]) -> Vec<usize> {
    let mut ascending = partition_bytes.to_vec();
    ascending.sort_unstable();
    let middle = ascending.len() / 2;
    let median = match ascending.get(middle) {
        None => return Vec::new(),
        Some(&upper) if ascending.len().is_multiple_of(2) => ascending[middle - 1].midpoint(upper),
        Some(&only) => only,
    };
    let limit = median.max(1).saturating_mul(SKEWED_PARTITION_FACTOR).max(SKEWED_PARTITION_BYTES);
    (0..partition_bytes.len()).filter(|&partition| partition_bytes[partition] > limit).collect()
}

#[cfg(test)]
mod tests {
    use super::{SKEWED_PARTITION_BYTES, skewed_partitions};

    #[test]
    fn both_limits_are_exclusive() {
        let at = SKEWED_PARTITION_BYTES;
        assert!(skewed_partitions(&[0, at, 0]).is_empty());
        assert_eq!(skewed_partitions(&[0, at + 1, 0]), [1]);
        assert!(skewed_partitions(&[at, 5 * at, at]).is_empty());
        assert_eq!(skewed_partitions(&[at, 5 * at + 1, at]), [1]);
    }

    #[test]
    fn median_of_an_even_number_is_the_mean_of_two() {
        let at = SKEWED_PARTITION_BYTES;
        assert_eq!(skewed_partitions(&[at, at, 2 * at, 7 * at + at / 2]), [] as [usize; 0]);
        assert_eq!(skewed_partitions(&[at, at, 2 * at, 7 * at + at / 2 + 6]), [3]);
    }

    #[test]
    fn nothing_and_the_largest_loads() {
        assert!(skewed_partitions(&[]).is_empty());
        assert!(skewed_partitions(&[u64::MAX; 4]).is_empty());
        assert_eq!(skewed_partitions(&[0, 0, u64::MAX]), [2]);
    }
}
