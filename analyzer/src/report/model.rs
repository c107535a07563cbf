//! The one result every renderer reads; serialised as it stands, it is the JSON report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What one run of `analyzer simulate` found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Version of this shape, 1.
    pub schema_version: u32,
    /// The command line that made the report, shell-quoted.
    pub command: String,
    /// The seed of everything random in the run.
    pub seed: u64,
    /// Partitions of the simulated topic.
    pub partitions: u32,
    /// Partitions of the VIP pool of `tenant-aware`; absent when no strategy has such a pool.
    pub vip_count: Option<u32>,
    /// How what the user left out was chosen, one sentence each, e.g.
    /// `vip_count 10 (closed form; --sweep vip-count shows the rest)`.
    pub choices: Vec<String>,
    /// What was replayed.
    pub workload: WorkloadSummary,
    /// One entry per strategy, in the order asked for.
    pub strategies: Vec<StrategyReport>,
    /// One row per `vip_count`; empty without `--sweep`.
    pub sweep: Vec<SweepRow>,
    /// How late records are; absent when no rate of the consumers was given (`--service-rate`).
    #[serde(default)]
    pub lag: Option<LagReport>,
    /// What stands out, most important first.
    pub findings: Vec<Finding>,
}

/// What was replayed, the same for every strategy.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkloadSummary {
    /// Profile name, or the trace's file name, or `stdin`.
    pub name: String,
    /// Records replayed.
    pub records: u64,
    /// Their bytes; absent when the trace has no size column.
    pub bytes: Option<u64>,
    /// Distinct tenants.
    pub tenants: u64,
    /// Distinct `tenant:entity` pairs.
    pub entities: u64,
    /// max(1, partitions × the largest tenant's share): no placement that keeps tenants in order has a lower max/mean.
    pub floor_tenant: f64,
    /// The same for the largest entity.
    pub floor_entity: f64,
    /// The tenants treated as VIP, with their share of the records, largest first.
    pub vips: Vec<TenantShare>,
    /// The largest tenant's and the largest entity's name and share.
    pub largest_tenant: Option<TenantShare>,
    /// The largest entity, named `tenant:entity`.
    pub largest_entity: Option<TenantShare>,
    /// The largest tenants, largest first: those whose records each strategy has per partition, in the same order.
    #[serde(default)]
    pub largest_tenants: Vec<TenantShare>,
    /// Rows that were not replayed because they could not be read (`--skip-bad-rows`).
    pub skipped_rows: u64,
    /// Present when distinct counts and shares are estimates of a sketch and not exact.
    pub approximate: Option<Approximation>,
}

/// A name and its share of the records, 0 to 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TenantShare {
    /// Name, escaped for display.
    pub name: String,
    /// Share of the records.
    pub share: f64,
}

/// How far sketched figures may be off.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Approximation {
    /// Relative standard error of `tenants`; 0 when that is exact.
    pub tenants_relative_error: f64,
    /// Relative standard error of `entities`; 0 when that is exact.
    pub entities_relative_error: f64,
    /// Largest possible error of `floor_tenant`, in the same unit; 0 when that is exact.
    pub floor_tenant_error: f64,
    /// Largest possible error of `floor_entity`, in the same unit; 0 when that is exact.
    pub floor_entity_error: f64,
}

/// One strategy's load and what it amounts to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StrategyReport {
    /// Name, as `--strategies` takes it.
    pub name: String,
    /// What it does in a few words, e.g. `murmur2 of the tenant (Java default)`.
    pub description: String,
    /// The finest unit whose records stay in order, e.g. `tenant`, `entity`, `none (breaks entity order)`.
    pub ordering_scope: String,
    /// Whether records of one entity may land on several partitions.
    pub breaks_entity_order: bool,
    /// Records per partition.
    pub records: Vec<u64>,
    /// Bytes per partition; empty when the workload has no sizes.
    pub bytes: Vec<u64>,
    /// Records per partition of each of the workload's `largest_tenants`; absent for a tenant that was not tracked.
    #[serde(default)]
    pub tenant_records: Vec<Option<Vec<u64>>>,
    /// Figures of `records`.
    #[serde(flatten)]
    pub skew: SkewReport,
    /// max/mean of `bytes`; absent when the workload has no sizes.
    pub bytes_max_mean: Option<f64>,
    /// max(1, partitions × share of the largest unit this strategy keeps in order).
    pub floor: f64,
    /// max_mean / floor, at least 1.
    pub regret: f64,
    /// For each VIP tenant the share of other tenants' records that share a partition with it; absent values are
    /// tenants whose partitions were not tracked.
    pub blast_radius: BTreeMap<String, Option<f64>>,
    /// How much larger equal consumers must be than with even load: max/mean.
    pub cost_multiplier: f64,
    /// Partitions with at least one record.
    pub partitions_used: u32,
    /// Records refused by the contract, by reason; they are part of no partition's load.
    pub rejected: BTreeMap<String, u64>,
}

impl StrategyReport {
    /// The largest blast radius of a VIP tenant among those that are known; `None` when none is.
    #[must_use]
    pub fn worst_blast_radius(&self) -> Option<f64> {
        self.blast_radius.values().flatten().copied().max_by(f64::total_cmp)
    }
}

/// Shape of a load vector; see `metrics`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct SkewReport {
    /// max / mean, 1 to n.
    pub max_mean: f64,
    /// I/m = (max − mean) / total, 0 to 1.
    pub imbalance: f64,
    /// Population σ / mean.
    pub cv: f64,
    /// 0 (even) to 1 − 1/n.
    pub gini: f64,
    /// 1/n to 1 (even).
    pub jain: f64,
    /// Flink's FLIP-418 skew in percent, 0 to 100.
    pub flip418: f64,
    /// Load per partition at percentiles.
    pub percentiles: Percentiles,
}

/// Records per partition at percentiles, by hdrhistogram at three significant digits.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Percentiles {
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest, exact.
    pub max: u64,
}

/// `tenant-aware` at one `vip_count`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SweepRow {
    /// Partitions of the VIP pool.
    pub vip_count: u32,
    /// max/mean over all partitions.
    pub max_mean: f64,
    /// Hottest VIP partition over the mean of all partitions.
    pub vip_max_mean: f64,
    /// Hottest standard partition over the mean of all partitions.
    pub standard_max_mean: f64,
    /// Whether this is the lowest max/mean (the first of equals).
    pub best: bool,
    /// Whether this is the closed form V* = argmin max(s/V, (1 − s)/(n − V)).
    pub closed_form: bool,
}

/// A fact, its number, and what to do about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What was seen, a full sentence with the number in it.
    pub fact: String,
    /// The number.
    pub value: f64,
    /// What to do.
    pub advice: String,
}

/// How late records are handled: a queue for each partition, with one consumer that takes the records in order.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct LagReport {
    /// `poisson`, or `traced` for the traffic's own times.
    pub arrivals: String,
    /// `deterministic` or `exponential`.
    pub service: String,
    /// Records that arrive in a second at the whole topic, on average.
    pub arrival_rate_records_per_s: f64,
    /// What one consumer handles in a second, in `service_unit`.
    pub service_rate_per_s: f64,
    /// `records` or `bytes`.
    pub service_unit: String,
    /// Seconds in which the records arrive: their number over the arrival rate.
    pub duration_s: f64,
    /// One entry per strategy, in the order of the report's.
    pub strategies: Vec<StrategyLag>,
}

/// How late records are under one strategy.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct StrategyLag {
    /// Name, as `--strategies` takes it.
    pub name: String,
    /// Whether records of one entity may land on several partitions.
    pub breaks_entity_order: bool,
    /// Work that arrives at the hottest partition over what its consumer can do meanwhile; above 1 it falls behind.
    pub hottest_utilization: f64,
    /// Records a second of this traffic that the topic carries before the hottest consumer is busy all the time.
    pub capacity_records_per_s: f64,
    /// Seconds from the last arrival until the last record is handled.
    pub drain_s: f64,
    /// One entry for each class of tenants that has records.
    pub classes: Vec<ClassLag>,
}

/// How late the records of a class of tenants are: from arrival until handled.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct ClassLag {
    /// `VIP tenants`, `other tenants`, `other tenants beside a VIP` (those of them whose partition also has records of a
    /// VIP tenant under this strategy), or `no tenant`.
    pub class: String,
    /// Records.
    pub records: u64,
    /// Mean latency in milliseconds, exact.
    pub mean_ms: f64,
    /// Ascending; only those that the number of records supports.
    pub percentiles: Vec<LagPercentile>,
    /// All percentiles in the text form of HdrHistogram's plotter, in milliseconds; a file of its own and no part of JSON.
    #[serde(skip)]
    pub hgrm: String,
}

/// The latency that a percentage of the records does not exceed, by hdrhistogram at three significant digits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq)]
pub struct LagPercentile {
    /// 0 to 100; 100 is the longest, exact.
    pub percentile: f64,
    /// Milliseconds.
    pub latency_ms: f64,
}
