//! Whether partition counts, VIP tenants and contract go together.

use partitioner::contract::TopicContract;
use partitioner::explain::nearest;
use partitioner::ids::PartitionCount;
use partitioner::route::OnGrowth;

use super::{Result, TrafficSource, wrong};
use crate::cli::PlacementArgs;
use crate::load::TenantId;
use crate::workload::profile::Profile;

/// Partitions of a topic of which nothing else is known.
const PARTITIONS_DEFAULT: u32 = 12;

/// The partition count: as asked for, or the contract's, the profile's, or the default.
pub(super) fn partition_count(
    args: &PlacementArgs,
    contract: Option<&TopicContract>,
    source: &TrafficSource,
) -> Result<PartitionCount> {
    count_of(args.partitions, contract, source)
}

/// The partition count: `asked`, or the contract's, the profile's, or the default.
pub(super) fn count_of(
    asked: Option<u32>,
    contract: Option<&TopicContract>,
    source: &TrafficSource,
) -> Result<PartitionCount> {
    let from_contract = contract.and_then(|contract| contract.partitions);
    let from_profile = match source {
        TrafficSource::Profile { profile, .. } => Some(profile.partitions().get()),
        TrafficSource::Trace { .. } => None,
    };
    let partitions = asked.or(from_contract).or(from_profile).unwrap_or(PARTITIONS_DEFAULT);
    let Some(count) = PartitionCount::new(partitions) else {
        return wrong(format!(
            "--partitions {partitions}: a topic has 1 to {} partitions",
            PartitionCount::MAX
        ));
    };
    Ok(count)
}

/// The names of the VIP tenants, which a profile must have.
pub(super) fn vips(args: &PlacementArgs, source: &TrafficSource) -> Result<Vec<Vec<u8>>> {
    if let TrafficSource::Profile { profile, .. } = source {
        check_vips("--vip", &args.vip, profile)?;
    }
    Ok(args.vip.iter().map(|name| name.clone().into_bytes()).collect())
}

pub(super) fn check_vip_count(vip_count: Option<u32>, count: PartitionCount) -> Result<()> {
    let Some(vip_count) = vip_count else {
        return Ok(());
    };
    let n = count.get();
    match vip_count {
        _ if n == 1 => wrong("--vip-count: a topic of 1 partition has no room for a VIP and a standard pool"),
        0 => wrong(format!(
            "--vip-count 0: the VIP pool would be empty; expected 1 to {}, or leave it out",
            n - 1
        )),
        v if v == n => wrong(format!(
            "--vip-count {v} takes all {n} partitions and leaves none to the standard pool; expected 1 to {}",
            n - 1
        )),
        v if v > n => {
            wrong(format!("--vip-count {v} is more than the topic's {n} partitions; expected 1 to {}", n - 1))
        }
        _ => Ok(()),
    }
}

/// Whether a profile has the tenants that `flag` names.
pub(super) fn check_vips(flag: &str, vips: &[String], profile: &Profile) -> Result<()> {
    for vip in vips {
        if profile.tenant_id(vip).is_none() {
            let names = (0..profile.tenant_count()).map(|tenant| profile.tenant_name(TenantId(tenant)));
            let hint =
                nearest(vip, names).map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
            return wrong(format!("{flag} {vip:?}: profile {:?} has no such tenant{hint}", profile.name()));
        }
    }
    Ok(())
}

/// A contract refuses every record of a topic that it was not made for; better to say so before reading the traffic.
pub(super) fn check_contract_count(contract: &TopicContract, count: PartitionCount) -> Result<()> {
    match contract.partitions {
        Some(made_for) if made_for > count.get() => wrong(format!(
            "--partitions {count}: the contract is for {made_for} partitions and refuses records of a topic with fewer; \
             use {made_for} or more, or change its `partitions`"
        )),
        Some(made_for) if made_for < count.get() && contract.on_growth == OnGrowth::Reject => wrong(format!(
            "--partitions {count}: the contract is for {made_for} partitions and its on_growth is \"reject\"; use \
             {made_for}, or change its `partitions` or `on_growth`"
        )),
        _ => Ok(()),
    }
}
