//! What tuning found; serialised as it stands, it is the JSON report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::model::{Finding, TenantShare};

/// What one run of `analyzer tune` found.
#[derive(Clone, Debug, Serialize)]
pub struct TuneReport {
    /// Version of this shape, 1.
    pub schema_version: u32,
    /// The command line that made the report, shell-quoted.
    pub command: String,
    /// The seed of the traffic that was tuned on.
    pub seed: u64,
    /// Partitions of the topic.
    pub partitions: u32,
    /// The tenants whose order would change, largest first; for the user to decide.
    pub order_changes: Vec<OrderChange>,
    /// How many tenants beyond those listed change their order.
    pub order_changes_unlisted: u64,
    /// What was tuned on and judged on.
    pub traffic: TrafficSummary,
    /// How what the user left out was chosen, one sentence each.
    pub choices: Vec<String>,
    /// The contract's decisions.
    pub decision: Decision,
    /// What twice as many partitions would change; absent with `--from`.
    pub outlook: Option<Outlook>,
    /// What was compared, what the topic has now first, the tuned contract last.
    pub placements: Vec<PlacementReport>,
    /// The best contract for other numbers of VIP tenants and pools, fewest first.
    pub alternatives: Vec<Alternative>,
    /// How balance grows with the number of moved slots, from none on.
    pub curve: Vec<CurvePoint>,
    /// What stands out, most important first.
    pub findings: Vec<Finding>,
    /// The contract as TOML, with the evidence in comments.
    pub contract: String,
}

impl TuneReport {
    /// How many tenants change their order, listed or not.
    #[must_use]
    pub fn order_changes_count(&self) -> u64 {
        self.order_changes.len() as u64 + self.order_changes_unlisted
    }
}

/// A tenant of which other units than before stay in order.
#[derive(Clone, Debug, Serialize)]
pub struct OrderChange {
    /// The tenant, escaped for display, with its share of the records.
    #[serde(flatten)]
    pub tenant: TenantShare,
    /// What stays in order now: `tenant` or `entity`.
    pub before: String,
    /// What stays in order under the tuned contract.
    pub after: String,
}

/// What was tuned on and judged on.
#[derive(Clone, Debug, Serialize)]
pub struct TrafficSummary {
    /// Profile name, or the trace's file name, or `stdin`.
    pub name: String,
    /// Records that the contract was tuned on.
    pub tuned_records: u64,
    /// Records that it was judged on; absent without a holdout.
    pub judged_records: Option<u64>,
    /// How the two were told apart, e.g. `the last 25 % by time`, `another seed (43)`.
    pub holdout: Option<String>,
    /// Tenants that have records.
    pub tenants: u64,
    /// Distinct keys.
    pub keys: u64,
    /// Share of the judged records whose key was among those tuned on, 0 to 1.
    pub known_key_share: Option<f64>,
    /// How much of what a VIP key is above its tenant's mean carries over to later traffic, by records, 0 to 1; absent
    /// without VIP tenants.
    pub persistence: Option<f64>,
    /// By how much max/mean of the two parts may differ by chance, as a share of it; absent without a holdout.
    pub chance: Option<f64>,
    /// Rows that could not be read (`--skip-bad-rows`).
    pub skipped_rows: u64,
    /// Whether figures are estimates, for there are more keys than can be told apart.
    pub is_approximate: bool,
}

/// The contract's decisions.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// Tenants with a dedicated pool, largest first.
    pub vips: Vec<TenantShare>,
    /// Partitions of dedicated pools; 0 when no pool is better.
    pub vip_count: u32,
    /// The dedicated pools, in the order of their partitions.
    pub pools: Vec<DedicatedPool>,
    /// What stays together in the standard pool: `tenant` or `entity`.
    pub standard_spread: String,
    /// `strict` or `shared`.
    pub isolation: String,
    /// Slots for each partition of a pool; absent when slots are off.
    pub slots_per_partition: Option<u32>,
    /// Slots of dedicated pools that the contract moves away from the plain modulo.
    pub moved_slots_vip: u32,
    /// The same of the standard pool.
    pub moved_slots_standard: u32,
    /// What changes against the contract of `--from`; absent without it.
    pub moved: Option<Moved>,
}

/// A pool of VIP tenants.
#[derive(Clone, Debug, Serialize)]
pub struct DedicatedPool {
    /// Its name in the contract, escaped for display.
    pub name: String,
    /// Its partitions, as `0..4`, the end not included.
    pub range: String,
    /// Its tenants in the traffic, largest first, escaped for display.
    pub tenants: Vec<String>,
    /// Share of the records that were tuned on, 0 to 1.
    pub share: f64,
}

/// What more partitions would change.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Outlook {
    /// So many partitions.
    pub partitions: u32,
    /// Share of the records on the hottest of them at best, 0 to 1.
    pub hottest_share: f64,
    /// Share of the records of the largest unit that the tuned contract keeps in order, below which no partition count
    /// brings the hottest partition.
    pub largest_unit_share: f64,
}

/// What a new contract moves.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// Slots that get another owner.
    pub slots: u32,
    /// Share of the distinct keys in them, 0 to 1.
    pub key_share: f64,
    /// Share of the records in them, 0 to 1.
    pub record_share: f64,
}

/// One way of placing the traffic.
#[derive(Clone, Debug, Serialize)]
pub struct PlacementReport {
    /// `tenant-key`, `compound-key`, `current` or `tuned`.
    pub name: String,
    /// The finest unit whose records stay in order.
    pub ordering_scope: String,
    /// Its figures on the part that was tuned on.
    pub tuned: PlacementFigures,
    /// Its figures on the part that was judged on; absent without a holdout.
    pub judged: Option<PlacementFigures>,
}

impl PlacementReport {
    /// The figures that count: of the part that was judged on, where there is one.
    #[must_use]
    pub fn figures(&self) -> &PlacementFigures {
        self.judged.as_ref().unwrap_or(&self.tuned)
    }
}

/// What a placement comes to on one part of the traffic.
#[derive(Clone, Debug, Serialize)]
pub struct PlacementFigures {
    /// Records per partition.
    pub records: Vec<u64>,
    /// max / mean, 1 to n.
    pub max_mean: f64,
    /// max(1, partitions × share of the largest unit that is kept in order).
    pub floor: f64,
    /// max_mean / floor, at least 1.
    pub regret: f64,
    /// 99th percentile of the latency in milliseconds, each partition an M/M/1 queue; absent when lag was not asked for, or
    /// a partition gets more than its consumer handles.
    pub lag_p99_ms: Option<f64>,
    /// For each VIP tenant the share of other tenants' records that share a partition with it, 0 to 1.
    pub blast_radius: BTreeMap<String, f64>,
}

impl PlacementFigures {
    /// The largest blast radius of a VIP tenant; `None` without VIP tenants.
    #[must_use]
    pub fn worst_blast_radius(&self) -> Option<f64> {
        self.blast_radius.values().copied().reduce(f64::max)
    }
}

/// The best contract for a number of VIP tenants and of pools for them.
#[derive(Clone, Debug, Serialize)]
pub struct Alternative {
    /// VIP tenants, the largest ones.
    pub vips: u32,
    /// Dedicated pools.
    pub pools: u32,
    /// Partitions of these pools.
    pub vip_count: u32,
    /// What stays together in the standard pool: `tenant` or `entity`.
    pub standard_spread: String,
    /// max/mean on the part that was tuned on.
    pub tuned_max_mean: f64,
    /// max/mean on the part that was judged on.
    pub judged_max_mean: Option<f64>,
    /// Largest blast radius of a VIP tenant, 0 to 1; absent without VIP tenants.
    pub blast_radius: Option<f64>,
    /// Whether it is the one of the contract.
    pub is_chosen: bool,
}

/// The balance after some slots were moved.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Slots that have another owner than at the start.
    pub moved_slots: u32,
    /// Share of the records that were tuned on in those slots, 0 to 1.
    pub moved_record_share: f64,
    /// max/mean on the part that was tuned on.
    pub tuned_max_mean: f64,
    /// max/mean on the part that was judged on.
    pub judged_max_mean: Option<f64>,
}
