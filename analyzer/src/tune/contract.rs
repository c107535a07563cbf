//! Layouts as contracts, and contracts as layouts.

use partitioner::contract::{ContractError, PoolContract, TenantPattern, TopicContract, VIP_POOL};
use partitioner::ids::{PartitionCount, PoolIndex};
use partitioner::slot::SLOTS_PER_PARTITION_DEFAULT;
use partitioner::spread::Spread;

use super::layout::{Layout, PoolPlan, evenly};
use super::units::Units;
use crate::workload::key_book::KeyBook;

/// `base`, a contract without pools, with the pools, slots and spreads of a layout.
///
/// One dedicated pool is written in its short form; several are named `vip-1`, `vip-2`, … in the order of their partitions.
#[must_use]
pub fn contract_of(layout: &Layout, units: &Units, book: &KeyBook, base: &TopicContract) -> TopicContract {
    let mut contract = base.clone();
    write_pool(&mut contract.standard, &layout.pools[0]);
    contract.standard.spread = Some(Spread::Entity).filter(|spread| *spread == layout.pools[0].spread);
    let tenants_of = |pool: usize| {
        let ranks = layout.pool_of.iter().zip(&units.tenants).filter(|(at, _)| usize::from(**at) == pool);
        let names = ranks.map(|(_, tenant)| book.tenant_name(tenant.id).to_vec());
        names.map(TenantPattern::exact).collect()
    };
    if let [_, vip] = &layout.pools[..] {
        contract.vip_count = Some(vip.range.len());
        write_pool(&mut contract.vip, vip);
        contract.vip.tenants = tenants_of(1);
        return contract;
    }
    let dedicated = layout.pools.iter().enumerate().skip(1);
    let named = dedicated.map(|(at, plan)| {
        let mut pool = PoolContract {
            name: Some(format!("{VIP_POOL}-{at}")),
            range: Some(format!("{}..{}", plan.range.start(), plan.range.end())),
            tenants: tenants_of(at),
            ..PoolContract::default()
        };
        write_pool(&mut pool, plan);
        pool
    });
    contract.pools = named.collect();
    contract
}

/// `base`, the contract that a layout was read from, with the layout's owners of slots.
#[must_use]
pub fn contract_with_owners(layout: &Layout, base: &TopicContract) -> TopicContract {
    let mut contract = base.clone();
    contract.partitions = Some(layout.count.get());
    contract.standard.moved = layout.pools[0].moved();
    if contract.vip_count.is_some() {
        contract.vip.moved = layout.pools.get(1).map(PoolPlan::moved).unwrap_or_default();
    }
    for (pool, plan) in contract.pools.iter_mut().zip(&layout.pools[1..]) {
        pool.moved = plan.moved();
    }
    contract
}

fn write_pool(pool: &mut PoolContract, plan: &PoolPlan) {
    pool.isolation = plan.isolation;
    pool.moved = plan.moved();
    let slots = plan.slots_per_partition();
    // A table without moves is the same for every number of slots.
    pool.slots_per_partition =
        Some(slots).filter(|&slots| !pool.moved.is_empty() && slots != SLOTS_PER_PARTITION_DEFAULT);
}

/// The layout that a contract gives a topic of `count` partitions.
///
/// # Errors
/// [`ContractError`] when the contract breaks a rule.
pub fn layout_of(
    contract: &TopicContract,
    count: PartitionCount,
    units: &Units,
    book: &KeyBook,
) -> Result<Layout, ContractError> {
    let router = contract.router(0)?;
    let dedicated: Vec<&PoolContract> = match contract.vip_count {
        Some(_) => vec![&contract.vip],
        None => contract.pools.iter().collect(),
    };
    let pools = std::iter::once(&contract.standard).chain(dedicated.iter().copied());
    let pools: Vec<_> = (0u32..)
        .zip(pools)
        .filter_map(|(index, pool)| {
            let range = router.pools().range(PoolIndex::new(index), count)?;
            let default_spread = if index == 0 { Spread::Tenant } else { Spread::Entity };
            let slots = pool.slots_per_partition.unwrap_or(SLOTS_PER_PARTITION_DEFAULT);
            let spread = pool.spread.unwrap_or(default_spread);
            let mut plan = PoolPlan::unmoved(range, spread, pool.isolation, slots);
            for &(slot, owner) in &pool.moved {
                plan.owners[slot as usize] = owner;
            }
            Some(plan)
        })
        .collect();
    let pool_of = units.tenants.iter().map(|tenant| {
        let pool = router.pool_of_tenant(book.tenant_name(tenant.id));
        u16::try_from(pool.get()).unwrap_or(0)
    });
    let unkeyed_names = dedicated.iter().map(|pool| pool.name.as_deref().unwrap_or(VIP_POOL));
    let unkeyed_pool = unkeyed_names.clone().position(|name| name == contract.unkeyed.pool);
    let unkeyed_range = pools[unkeyed_pool.map_or(0, |at| at + 1)].range;
    let mut unkeyed = evenly(count, unkeyed_range);
    let weights = &contract.unkeyed.weights;
    let sum: f64 = weights.iter().copied().map(f64::from).sum();
    for (partition, &weight) in unkeyed_range.iter().zip(weights) {
        unkeyed[partition.as_usize()] = f64::from(weight) / sum;
    }
    let mut layout = Layout {
        count,
        pool_of: pool_of.collect(),
        pools,
        pinned_tenants: Vec::new(),
        pinned_cells: Vec::new(),
        unkeyed,
    };
    pin(&mut layout, contract, units, book);
    Ok(layout)
}

/// Adds what is pinned and was met in the traffic.
fn pin(layout: &mut Layout, contract: &TopicContract, units: &Units, book: &KeyBook) {
    let rank_of = |name: &[u8]| {
        let id = book.tenant_id(name)?;
        units.tenants.iter().position(|tenant| tenant.id == id)
    };
    for pin in &contract.pins {
        if let Some(rank) = pin.tenant.as_ref().and_then(|tenant| rank_of(tenant.as_bytes())) {
            layout.pinned_tenants.push((rank, pin.partition));
        }
        let Some(key) = pin.key.as_ref() else {
            continue;
        };
        let tenant = book.format().decode(key.as_bytes()).ok().and_then(|key| rank_of(&key.tenant));
        let cells = tenant.map_or(units.foreign.clone(), |rank| units.tenants[rank].cells.clone());
        let hash = contract.hash.value(key.as_bytes());
        layout
            .pinned_cells
            .extend(cells.filter(|&cell| units.hashes[cell] == hash).map(|cell| (cell, pin.partition)));
    }
}
