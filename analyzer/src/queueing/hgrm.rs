//! Latencies as HdrHistogram's own plotter reads them.

use std::fmt::Write;

use super::latencies::Latencies;

/// Steps between one percentile and half of the way from there to 100, as HdrHistogram's tools have it.
const TICKS_PER_HALF_DISTANCE: u32 = 5;

/// Counters of an equal width in each of the histogram's buckets at three significant digits.
const SUB_BUCKETS: u32 = 2_048;

const US_PER_MS: f64 = 1_000.0;

impl Latencies {
    /// The percentile distribution in milliseconds, in the text form that HdrHistogram calls `.hgrm`.
    ///
    /// As Java's `AbstractHistogram.outputPercentileDistribution` prints it, to be dropped on
    /// <https://hdrhistogram.github.io/HdrHistogram/plotFiles.html>.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // microseconds and counts
    pub fn hgrm(&self) -> String {
        let histogram = self.histogram();
        let mut text = format!(
            "{:>12} {:>14} {:>10} {:>14}\n\n",
            "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
        );
        let mut total = 0;
        for at in histogram.iter_quantiles(TICKS_PER_HALF_DISTANCE) {
            total += at.count_since_last_iteration();
            let (value_ms, quantile) = (at.value_iterated_to() as f64 / US_PER_MS, at.quantile_iterated_to());
            // Writing to a string cannot fail.
            let _ = write!(text, "{value_ms:12.3} {quantile:2.12} {total:10}");
            let _ = if quantile < 1.0 {
                writeln!(text, " {:14.2}", 1.0 / (1.0 - quantile))
            } else {
                writeln!(text)
            };
        }
        let (mean_ms, deviation_ms) = (histogram.mean() / US_PER_MS, histogram.stdev() / US_PER_MS);
        let _ = writeln!(text, "#[Mean    = {mean_ms:12.3}, StdDeviation   = {deviation_ms:12.3}]");
        let _ = writeln!(
            text,
            "#[Max     = {:12.3}, Total count    = {:12}]",
            histogram.max() as f64 / US_PER_MS,
            histogram.len()
        );
        let _ = writeln!(text, "#[Buckets = {:12}, SubBuckets     = {SUB_BUCKETS:12}]", histogram.buckets());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_reads_as_that_of_the_java_library() {
        let mut latencies = Latencies::default();
        for ms in 1..=4 {
            latencies.record(f64::from(ms) * 1_000.0);
        }
        let text = latencies.hgrm();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "       Value     Percentile TotalCount 1/(1-Percentile)");
        assert_eq!(lines[1], "");
        assert_eq!(lines[2], "       1.000 0.000000000000          1           1.00");
        let median = lines.iter().find(|line| line.contains(" 0.500000000000 ")).unwrap();
        assert_eq!(*median, "       2.000 0.500000000000          2           2.00");
        let last = lines.iter().rposition(|line| !line.starts_with('#')).unwrap();
        assert_eq!(lines[last], "       4.001 1.000000000000          4");
        // From 2,048 µs on counters are 2 µs wide, and count with their middle.
        assert_eq!(lines[last + 1], "#[Mean    =        2.501, StdDeviation   =        1.118]");
        assert!(lines[last + 2].ends_with("Total count    =            4]"), "{text}");
        assert!(lines[last + 3].ends_with("SubBuckets     =         2048]"), "{text}");
    }

    #[test]
    fn values_and_counts_never_fall() {
        let mut latencies = Latencies::default();
        (0..10_000u32).for_each(|at| latencies.record(f64::from(at * at % 7_919)));
        let rows = latencies.hgrm();
        let rows = rows.lines().skip(2).filter(|line| !line.starts_with('#'));
        let rows: Vec<Vec<f64>> =
            rows.map(|line| line.split_whitespace().map(|n| n.parse().unwrap()).collect()).collect();
        assert!(rows.len() > 20);
        assert!(rows.windows(2).all(|pair| (0..3).all(|column| pair[0][column] <= pair[1][column])));
        assert_eq!(rows[rows.len() - 1][2], 10_000.0);
    }
}
