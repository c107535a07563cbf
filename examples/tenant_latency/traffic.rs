//! The records that every strategy sends, planned before the first one is sent.

use std::time::Duration;

use analyzer::load::TenantId;
use analyzer::workload::profile::{NumberedBatch, Profile, ProfileError, ProfileTraffic};
use partitioner::hash::KeyHash;

use super::Args;

/// Whose latency a record is counted under, the same for every strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The tenant that makes most of the traffic.
    Mega,
    /// A small tenant whose name hashes to the partition of the mega tenant's name: keyed by tenant, they share it.
    Neighbour,
    /// Any other small tenant.
    Other,
}

impl Class {
    pub(crate) const ALL: [Self; 3] = [Self::Mega, Self::Neighbour, Self::Other];
}

/// A record that is to be sent.
#[derive(Debug)]
pub(crate) struct Planned {
    /// When, from the start of the run.
    pub(crate) due: Duration,
    pub(crate) class: Class,
    /// `tenant:order`.
    pub(crate) key: String,
    /// How much of the key is the tenant.
    pub(crate) tenant_bytes: usize,
    pub(crate) payload_bytes: usize,
}

/// What a run sends.
#[derive(Debug)]
pub(crate) struct Traffic {
    pub(crate) records: Vec<Planned>,
    pub(crate) mega: String,
    /// The share of the records that the mega tenant is expected to send, 0 to 1.
    pub(crate) mega_share: f64,
}

/// Records of `profile`, evenly in time; whose record is next is drawn from the seed.
///
/// During a burst the records that the mega tenant sends beyond its usual rate come on top.
pub(crate) fn plan(profile: &Profile, args: &Args) -> Result<Traffic, ProfileError> {
    let mega = profile.vips().first().copied().unwrap_or(TenantId(0));
    let mega_share = profile.expected_share(mega);
    let seconds = f64::from(args.duration_s);
    let usual = u64::from(args.rate_per_s) * u64::from(args.duration_s);
    let mut records = draw(profile, mega, usual, args.seed)?;
    spread(&mut records, 0.0, seconds);
    if args.burst_factor > 1 {
        let drawn = usual / 5 * u64::from(args.burst_factor - 1);
        let mut burst = draw(profile, mega, drawn, args.seed.wrapping_add(1))?;
        burst.retain(|record| record.class == Class::Mega);
        spread(&mut burst, seconds * 0.4, seconds * 0.6);
        records.append(&mut burst);
        records.sort_by_key(|record| record.due);
    }
    Ok(Traffic { records, mega: profile.tenant_name(mega).to_owned(), mega_share })
}

/// `count` records of `profile`, all due at once.
fn draw(profile: &Profile, mega: TenantId, count: u64, seed: u64) -> Result<Vec<Planned>, ProfileError> {
    let partition_of =
        |tenant| KeyHash::Murmur2.partition(profile.tenant_name(tenant).as_bytes(), profile.partitions());
    let mega_partition = partition_of(mega);
    let (mut traffic, mut batch) = (ProfileTraffic::new(profile, count, seed)?, NumberedBatch::default());
    let mut records = Vec::new();
    while traffic.read(&mut batch) {
        for ((&tenant, &entity), &bytes) in batch.tenants.iter().zip(&batch.entities).zip(&batch.bytes) {
            let tenant = TenantId(tenant);
            let class = match partition_of(tenant) {
                _ if tenant == mega => Class::Mega,
                partition if partition == mega_partition => Class::Neighbour,
                _ => Class::Other,
            };
            let name = profile.tenant_name(tenant);
            let mut order = Vec::new();
            profile.write_entity_name(tenant, entity, &mut order);
            let key = format!("{name}:{}", String::from_utf8_lossy(&order));
            let payload_bytes = (bytes as usize).saturating_sub(key.len());
            let due = Duration::ZERO;
            records.push(Planned { due, class, key, tenant_bytes: name.len(), payload_bytes });
        }
    }
    Ok(records)
}

/// Makes `records` due evenly from one second of the run until another.
fn spread(records: &mut [Planned], from_s: f64, until_s: f64) {
    let gap_s = (until_s - from_s) / records.len() as f64;
    for (index, record) in records.iter_mut().enumerate() {
        record.due = Duration::from_secs_f64(from_s + index as f64 * gap_s);
    }
}
