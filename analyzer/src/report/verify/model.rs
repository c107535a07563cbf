//! The result of a verification; serialised as it stands, it is the JSON report.

use serde::Serialize;

/// What one run of `analyzer verify` found.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyReport {
    /// Version of this shape, 1.
    pub schema_version: u32,
    /// The command line that made the report, shell-quoted, without the values of properties.
    pub command: String,
    /// Whether every check passed.
    pub passed: bool,
    /// The seed of everything random but the id of the run.
    pub seed: u64,
    /// The id of the run, which its records carry in the header `analyzer-verify`.
    pub run: String,
    /// Where the records went.
    pub topic: TopicSummary,
    /// Partitions of dedicated pools, which are 0 to `vip_count` - 1; absent when there is none.
    pub vip_count: Option<u32>,
    /// How what the user left out was chosen, one sentence each.
    pub choices: Vec<String>,
    /// What was produced.
    pub workload: VerifyWorkload,
    /// One entry per partition.
    pub partitions: Vec<PartitionRow>,
    /// The records as the traffic has them.
    pub keyed: PhaseSummary,
    /// The same records without their keys.
    pub unkeyed: PhaseSummary,
    /// Records that were read and are not the run's.
    pub foreign_records: u64,
    /// What was checked.
    pub checks: Vec<Check>,
    /// The first mismatches of each kind.
    pub mismatches: Vec<MismatchRow>,
}

/// Where the records went.
#[derive(Clone, Debug, Serialize)]
pub struct TopicSummary {
    /// Name.
    pub name: String,
    /// The brokers that were named, or `a mock cluster`.
    pub cluster: String,
    /// Partitions when the run began.
    pub partitions: u32,
    /// Partitions when it ended; absent when the topic was gone.
    pub partitions_at_end: Option<u32>,
    /// Whether the run created it.
    pub is_created: bool,
}

/// What was produced.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyWorkload {
    /// Profile name, or the trace's file name, or `stdin`.
    pub name: String,
    /// Records, each sent twice: as it is, and without its key.
    pub records: u64,
    /// Distinct keys.
    pub keys: u64,
    /// Rows that could not be read and were left out (`--skip-bad-rows`).
    pub skipped_rows: u64,
}

/// What was predicted and found of a partition.
#[derive(Clone, Debug, Serialize)]
pub struct PartitionRow {
    /// Number of the partition.
    pub partition: u64,
    /// Name of its pool; absent when the contract uses it for none.
    pub pool: Option<String>,
    /// Keyed records that were predicted for it.
    pub predicted: u64,
    /// Records of the keyed phase that were found on it.
    pub found: u64,
    /// Records of the keyed phase that were found on it, of those that were predicted for a pool and not a partition.
    pub found_in_pool: u64,
    /// Records of the unkeyed phase that were found on it.
    pub unkeyed: u64,
}

/// What became of the records of a phase.
#[derive(Clone, Debug, Serialize)]
pub struct PhaseSummary {
    /// Records that were given to the producer.
    pub sent: u64,
    /// Records that the cluster acknowledged.
    pub acknowledged: u64,
    /// Records that were refused, as the contract has it.
    pub refused_as_predicted: u64,
    /// Records that were read back, doubled ones too.
    pub read: u64,
    /// Entities whose order was checked.
    pub entities_ordered: u64,
    /// Records on another partition than predicted, or on one although they were to be refused.
    pub misplaced: u64,
    /// Records behind a later one of their entity.
    pub out_of_order: u64,
    /// Records that were acknowledged and are not there.
    pub missing: u64,
    /// Records that are there once too often.
    pub doubled: u64,
    /// Records whose key or value is not what was sent.
    pub altered: u64,
    /// Records that were refused although a partition was predicted for them.
    pub refused: u64,
}

/// One thing that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What: `placement`, `order`, `delivery`, `unkeyed` or `partitions`.
    pub name: String,
    /// Whether all was as predicted.
    pub passed: bool,
    /// What was found.
    pub fact: String,
}

/// A record of which something is wrong.
#[derive(Clone, Debug, Serialize)]
pub struct MismatchRow {
    /// `keyed` or `unkeyed`.
    pub phase: String,
    /// `misplaced`, `out_of_order`, `missing`, `doubled`, `altered` or `refused`.
    pub kind: String,
    /// The key, escaped for display; absent when the record has none, or is none that was sent.
    pub key: Option<String>,
    /// Number of the record among those of its key.
    pub sequence: u64,
    /// Where it was expected: `partition 3`, `one of partitions 10 to 11` or `refused`.
    pub expected: String,
    /// Where it was found, if it was.
    pub partition: Option<u64>,
    /// Its offset there.
    pub offset: Option<u64>,
}
