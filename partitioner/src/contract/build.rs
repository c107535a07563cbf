//! From a contract's text to a router: every rule is checked here.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use super::{
    ContractError, KeyContract, KeyFormatName, PoolContract, STANDARD_POOL, TopicContract, VIP_POOL,
};
use crate::hash::KeyHash;
use crate::ids::{PartitionCount, PartitionIndex, PartitionRange, PoolIndex};
use crate::key::KeyFormat;
use crate::name_table::NameTable;
use crate::placing::{PlacingPool, PlacingPools};
use crate::pool::Pools;
use crate::route::{KeyPolicies, OnGrowth, Pins, Router};
use crate::slot::{Isolation, SLOTS_MAX, SLOTS_PER_PARTITION_DEFAULT, SlotTable};
use crate::splitter::Splitter;
use crate::spread::Spread;
use crate::sticky::{Sticky, StickyLimits};
use crate::tenant::TenantClasses;

/// Largest `sticky_bytes`, 1 GiB: librdkafka's own largest batch is `message.max.bytes`, which is below it.
const STICKY_BYTES_MAX: u32 = 1 << 30;

type Result<T> = std::result::Result<T, ContractError>;

fn broken<T>(key: &str, message: impl Into<String>) -> Result<T> {
    Err(ContractError::rule(message.into()).at(key))
}

/// A dedicated pool with where in the file it stands.
struct Dedicated<'c> {
    name: &'c str,
    range: PartitionRange,
    pool: &'c PoolContract,
    path: Vec<String>,
}

impl Dedicated<'_> {
    fn within(&self, error: ContractError) -> ContractError {
        self.path.iter().rev().fold(error, |error, key| error.within(key))
    }
}

pub(super) fn router(topic: &TopicContract, seed: u64) -> Result<Router> {
    let count = partition_count(topic)?;
    let format = topic.key_format()?;
    let dedicated = dedicated_pools(topic, count)?;
    let layout = layout(topic, &dedicated, count)?;
    let splitter = Splitter::new(format);
    let classes = tenant_classes(&dedicated, &splitter)?;
    let pools = router_pools(topic, &dedicated, &layout, count)?;
    let unkeyed_pool = unkeyed_pool(topic, &dedicated)?;
    let mut router = Router {
        count,
        usual_count: None,
        whole_count: None,
        on_growth: topic.on_growth,
        splitter,
        hash: topic.hash,
        classes,
        layout,
        pools,
        pins: None,
        policies: KeyPolicies {
            null: topic.key.null_key,
            empty: topic.key.empty_key,
            malformed: topic.key.malformed_key,
        },
        unkeyed_pool,
        sticky: Sticky::new(StickyLimits::default(), seed),
    };
    router.sticky = sticky(topic, &router, seed).map_err(|error| error.within("unkeyed"))?;
    router.pins = pins(topic, &router)?;
    let short_count = count.filter(|_| topic.hash == KeyHash::Murmur2 && router.pins.is_none());
    router.usual_count = short_count.filter(|_| matches!(format, KeyFormat::TenantEntity { .. }));
    router.whole_count = short_count.filter(|_| matches!(format, KeyFormat::Whole) && dedicated.is_empty());
    Ok(router)
}

fn partition_count(topic: &TopicContract) -> Result<Option<PartitionCount>> {
    let Some(partitions) = topic.partitions else {
        return Ok(None);
    };
    match PartitionCount::new(partitions) {
        Some(count) => Ok(Some(count)),
        None => {
            broken("partitions", format!("{partitions} partitions; expected 1 to {}", PartitionCount::MAX))
        }
    }
}

pub(super) fn key_format(key: &KeyContract) -> Result<KeyFormat> {
    let separator = one_ascii("separator", &key.separator)?;
    let escape = one_ascii("escape", &key.escape)?;
    if key.tenant_width_bytes.is_some() && key.format != KeyFormatName::FixedWidth {
        return broken(
            "tenant_width_bytes",
            format!("only fixed-width keys have a width; the format is {}", key.format),
        );
    }
    match key.format {
        KeyFormatName::TenantEntity if separator == escape => {
            broken("escape", format!("separator and escape are both {:?}; they must differ", key.escape))
        }
        KeyFormatName::TenantEntity => Ok(KeyFormat::TenantEntity { separator, escape }),
        KeyFormatName::TenantPrefix => Ok(KeyFormat::TenantPrefix { separator }),
        KeyFormatName::Whole => Ok(KeyFormat::Whole),
        KeyFormatName::FixedWidth => match key.tenant_width_bytes.map(NonZeroU16::new) {
            Some(Some(tenant_width_bytes)) => Ok(KeyFormat::FixedWidth { tenant_width_bytes }),
            Some(None) => broken("tenant_width_bytes", "a tenant of 0 bytes; expected 1 to 65535"),
            None => broken("format", "fixed-width keys need tenant_width_bytes, 1 to 65535"),
        },
    }
}

fn one_ascii(key: &str, text: &str) -> Result<u8> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => broken(key, format!("{text:?} is not one ASCII character, such as \":\"")),
    }
}

fn dedicated_pools(topic: &TopicContract, count: Option<PartitionCount>) -> Result<Vec<Dedicated<'_>>> {
    reject_name_and_range(&topic.vip).map_err(|error| error.within("vip"))?;
    reject_name_and_range(&topic.standard).map_err(|error| error.within("standard"))?;
    if !topic.standard.tenants.is_empty() {
        let error = broken("tenants", "every tenant without a pool of its own is standard; remove this list");
        return error.map_err(|error| error.within("standard"));
    }
    let Some(vip_count) = topic.vip_count else {
        if !topic.vip.is_default() {
            return broken("vip", "there is no VIP pool; add vip_count, the number of its partitions");
        }
        let named = topic.pools.iter().enumerate().map(|(index, pool)| {
            let path = vec!["pools".to_owned(), format!("[{index}]")];
            named_pool(pool, path.clone())
                .map_err(|error| path.iter().rev().fold(error, |e, key| e.within(key)))
        });
        let named = named.collect::<Result<Vec<_>>>()?;
        return distinct_names(named);
    };
    if !topic.pools.is_empty() {
        return broken(
            "vip_count",
            "vip_count is the short form of one pool; with [[pools]], write the VIP pool there",
        );
    }
    let Some(range) = PartitionRange::new(0, vip_count) else {
        let most = count.map_or(PartitionCount::MAX, PartitionCount::get) - 1;
        return broken(
            "vip_count",
            format!("a VIP pool of {vip_count} partitions; expected 1 to {most}, or no vip_count"),
        );
    };
    if let Some(count) = count.filter(|count| vip_count >= count.get()) {
        let message = match count.get() {
            1 => "a topic of 1 partition has no room for a VIP and a standard pool".to_owned(),
            n => format!(
                "a VIP pool of {vip_count} partitions leaves none of the topic's {n} to the standard pool; expected 1 to {}",
                n - 1
            ),
        };
        return broken("vip_count", message);
    }
    let pool = Dedicated { name: VIP_POOL, range, pool: &topic.vip, path: vec!["vip".to_owned()] };
    require_tenants(&pool)?;
    Ok(vec![pool])
}

fn reject_name_and_range(pool: &PoolContract) -> Result<()> {
    match (&pool.name, &pool.range) {
        (Some(_), _) => broken("name", "only [[pools]] have names of their own"),
        (_, Some(_)) => broken(
            "range",
            "only [[pools]] have ranges; the VIP pool is 0..vip_count, the standard pool the rest",
        ),
        _ => Ok(()),
    }
}

fn named_pool(pool: &PoolContract, path: Vec<String>) -> Result<Dedicated<'_>> {
    let Some(name) = pool.name.as_deref() else {
        return broken("name", "a pool needs a name");
    };
    if name.is_empty() || name == STANDARD_POOL {
        return broken("name", format!("{name:?} cannot be the name of a dedicated pool"));
    }
    let Some(range) = pool.range.as_deref() else {
        return broken("range", format!("pool {name:?} needs a range of partitions, such as \"0..4\""));
    };
    let parsed = range
        .split_once("..")
        .and_then(|(start, end)| PartitionRange::new(start.trim().parse().ok()?, end.trim().parse().ok()?));
    let Some(parsed) = parsed else {
        let message = format!(
            "{range:?} is not a range of partitions: expected \"start..end\" with start below end, end not included"
        );
        return broken("range", message);
    };
    Ok(Dedicated { name, range: parsed, pool, path })
}

fn distinct_names(pools: Vec<Dedicated<'_>>) -> Result<Vec<Dedicated<'_>>> {
    for (index, pool) in pools.iter().enumerate() {
        require_tenants(pool)?;
        if pools[..index].iter().any(|earlier| earlier.name == pool.name) {
            let error = broken("name", format!("two pools have the name {:?}", pool.name));
            return error.map_err(|error| pool.within(error));
        }
    }
    Ok(pools)
}

fn require_tenants(pool: &Dedicated<'_>) -> Result<()> {
    if pool.pool.tenants.is_empty() {
        let message = format!(
            "pool {:?} has no tenants, so its partitions would stay empty; name at least one",
            pool.name
        );
        return broken("tenants", message).map_err(|error| pool.within(error));
    }
    Ok(())
}

fn layout(
    topic: &TopicContract,
    dedicated: &[Dedicated<'_>],
    count: Option<PartitionCount>,
) -> Result<Pools> {
    let ranges: Vec<_> = dedicated.iter().map(|pool| (pool.name, pool.range)).collect();
    Pools::new(&ranges, count).map_err(|error| {
        let key = if topic.vip_count.is_some() { "vip_count" } else { "range" };
        let at = ContractError::rule(error.to_string()).at(key);
        if topic.vip_count.is_some() { at } else { dedicated[error.position()].within(at) }
    })
}

fn pool_index(position: usize) -> PoolIndex {
    PoolIndex::new(u32::try_from(position + 1).unwrap_or(u32::MAX))
}

fn tenant_classes(dedicated: &[Dedicated<'_>], splitter: &Splitter) -> Result<TenantClasses> {
    let mut by_pattern = BTreeMap::new();
    for (position, pool) in dedicated.iter().enumerate() {
        for (index, tenant) in pool.pool.tenants.iter().enumerate() {
            if let Some((other, _)) =
                by_pattern.insert((tenant.is_prefix(), tenant.as_bytes()), (position, index))
            {
                let message = match &dedicated[other] {
                    same if other == position => {
                        format!("tenant {tenant} stands twice in pool {:?}", same.name)
                    }
                    other => format!(
                        "tenant {tenant} is in the pools {:?} and {:?}; keep one",
                        other.name, pool.name
                    ),
                };
                let error = ContractError::rule(message).at(&format!("[{index}]")).within("tenants");
                return Err(pool.within(error));
            }
        }
    }
    let raw = |is_prefix: bool| -> Vec<_> {
        let of_kind = by_pattern.iter().filter(|((prefix, _), _)| *prefix == is_prefix);
        of_kind
            .map(|((_, name), (position, _))| {
                let mut raw = Vec::with_capacity(name.len());
                splitter.format().escape_tenant_into(name, &mut raw);
                (raw, pool_index(*position))
            })
            .collect()
    };
    let (exact, prefixes) = (raw(false), raw(true));
    Ok(TenantClasses::new(borrowed(&exact), borrowed(&prefixes), splitter))
}

fn borrowed(names: &[(Vec<u8>, PoolIndex)]) -> impl Iterator<Item = (&[u8], PoolIndex)> {
    names.iter().map(|(name, pool)| (name.as_slice(), *pool))
}

fn router_pools(
    topic: &TopicContract,
    dedicated: &[Dedicated<'_>],
    layout: &Pools,
    count: Option<PartitionCount>,
) -> Result<PlacingPools> {
    let standard_range = match count {
        Some(count) => layout.range(PoolIndex::STANDARD, count),
        // Stands for no real topic: every decision without a count derives the range anew.
        None => PartitionRange::new(layout.partitions_min() - 1, layout.partitions_min()),
    };
    let within_standard = |error: ContractError| error.within("standard");
    let Some(standard_range) = standard_range else {
        return broken("partitions", "no partition is left for the standard pool");
    };
    if !topic.standard.moved.is_empty() {
        let why = match (count, topic.on_growth) {
            (None, _) => Some("the standard pool's slots depend on its size; add partitions"),
            (_, OnGrowth::Follow) => Some(
                "on_growth = \"follow\" changes the standard pool's size and so its slots; use \"hold\" or \"reject\"",
            ),
            _ => None,
        };
        if let Some(why) = why {
            return broken("moved", why).map_err(within_standard);
        }
    }
    let standard =
        router_pool(&topic.standard, standard_range, Spread::Tenant, count).map_err(within_standard)?;
    let ready = dedicated.iter().map(|pool| {
        router_pool(pool.pool, pool.range, Spread::Entity, count).map_err(|error| pool.within(error))
    });
    Ok(PlacingPools::new(standard, ready.collect::<Result<_>>()?))
}

fn router_pool(
    pool: &PoolContract,
    range: PartitionRange,
    default_spread: Spread,
    count: Option<PartitionCount>,
) -> Result<PlacingPool> {
    let spread = pool.spread.unwrap_or(default_spread);
    let slots_per_partition = pool.slots_per_partition.unwrap_or(SLOTS_PER_PARTITION_DEFAULT);
    if pool.moved.is_empty() && pool.slots_per_partition.is_none() {
        return Ok(PlacingPool { spread, table: SlotTable::unmoved(range) });
    }
    let mut moved = Vec::with_capacity(pool.moved.len());
    for (index, &(slot, partition)) in pool.moved.iter().enumerate() {
        let known = partition < count.map_or(PartitionCount::MAX, PartitionCount::get);
        let outside = !(range.start()..range.end()).contains(&partition);
        if count.is_none() && outside && pool.isolation == Isolation::Shared {
            return broken("moved", "a slot outside its pool needs a topic of known size; add partitions");
        }
        if !known {
            let message =
                format!("slot {slot} may not be owned by partition {partition}: the topic does not have it");
            return Err(ContractError::rule(message).at(&format!("[{index}]")).within("moved"));
        }
        moved.push((slot, PartitionIndex::new(partition)));
    }
    let table =
        SlotTable::new(range, slots_per_partition, &moved, pool.isolation, count).or_else(|error| {
            let slots = u64::from(slots_per_partition) * u64::from(range.len());
            let key =
                if slots == 0 || slots > u64::from(SLOTS_MAX) { "slots_per_partition" } else { "moved" };
            broken(key, error.to_string())
        })?;
    Ok(PlacingPool { spread, table })
}

fn unkeyed_pool(topic: &TopicContract, dedicated: &[Dedicated<'_>]) -> Result<PoolIndex> {
    let name = topic.unkeyed.pool.as_str();
    if name == STANDARD_POOL {
        return Ok(PoolIndex::STANDARD);
    }
    match dedicated.iter().position(|pool| pool.name == name) {
        Some(position) => Ok(pool_index(position)),
        None => {
            let names: Vec<_> =
                std::iter::once(STANDARD_POOL).chain(dedicated.iter().map(|pool| pool.name)).collect();
            broken("pool", format!("there is no pool {name:?}; expected one of {}", names.join(", ")))
                .map_err(|error| error.within("unkeyed"))
        }
    }
}

fn sticky(topic: &TopicContract, router: &Router, seed: u64) -> Result<Sticky> {
    let unkeyed = &topic.unkeyed;
    if !(1..=STICKY_BYTES_MAX).contains(&unkeyed.sticky_bytes) {
        return broken(
            "sticky_bytes",
            format!("{} bytes; expected 1 to {STICKY_BYTES_MAX}", unkeyed.sticky_bytes),
        );
    }
    let limits = StickyLimits { sticky_bytes: unkeyed.sticky_bytes, sticky_ms: unkeyed.sticky_ms };
    if unkeyed.weights.is_empty() {
        return Ok(Sticky::new(limits, seed));
    }
    let of_standard = router.unkeyed_pool == PoolIndex::STANDARD;
    if of_standard && (router.count.is_none() || router.on_growth == OnGrowth::Follow) {
        return broken(
            "weights",
            "weights need a pool of known size; add partitions, and on_growth \"hold\" or \"reject\"",
        );
    }
    let size = router.pools.of(router.unkeyed_pool).table.pool().len();
    if unkeyed.weights.len() != size as usize {
        let given = unkeyed.weights.len();
        return broken(
            "weights",
            format!("{given} weight(s) for the {size} partition(s) of pool {:?}", unkeyed.pool),
        );
    }
    if unkeyed.weights.iter().all(|&weight| weight == 0) {
        return broken("weights", "all weights are 0, so no partition could be chosen");
    }
    Ok(Sticky::weighted(limits, seed, &unkeyed.weights))
}

fn pins(topic: &TopicContract, router: &Router) -> Result<Option<Pins>> {
    let (mut keys, mut raw_tenants) = (BTreeMap::new(), BTreeMap::new());
    for (index, pin) in topic.pins.iter().enumerate() {
        let within = |error: ContractError| error.within(&format!("[{index}]")).within("pins");
        let (what, pool, earlier) = match (&pin.key, &pin.tenant) {
            (Some(key), None) => {
                let key = key.as_bytes();
                let raw_tenant = router.splitter.format().split(key).ok().filter(|_| !key.is_empty());
                let pool =
                    raw_tenant.map_or(PoolIndex::STANDARD, |split| router.classes.pool_of(split.raw_tenant));
                ("key", pool, keys.insert(key.to_vec(), pin.partition))
            }
            (None, Some(tenant)) => {
                let mut raw = Vec::new();
                router.splitter.format().escape_tenant_into(tenant.as_bytes(), &mut raw);
                let pool = router.classes.pool_of(&raw);
                ("tenant", pool, raw_tenants.insert(raw, pin.partition))
            }
            _ => return broken("key", "a pin names either a key or a tenant").map_err(within),
        };
        if earlier.is_some() {
            return broken(what, format!("this {what} is pinned twice; keep one")).map_err(within);
        }
        check_pin_partition(pin.partition, pin.outside_pool, pool, router).map_err(within)?;
    }
    let table =
        |pins: &BTreeMap<Vec<u8>, u32>| NameTable::new(pins.iter().map(|(name, &p)| (name.as_slice(), p)));
    let is_pinned = !topic.pins.is_empty();
    Ok(is_pinned.then(|| Pins { keys: table(&keys), raw_tenants: table(&raw_tenants) }))
}

fn check_pin_partition(partition: u32, outside_pool: bool, pool: PoolIndex, router: &Router) -> Result<()> {
    let end = router.count.map_or(PartitionCount::MAX, PartitionCount::get);
    if partition >= end {
        return broken(
            "partition",
            format!("partition {partition}; the topic has partitions 0 to {}", end - 1),
        );
    }
    let (start, end) = match pool {
        PoolIndex::STANDARD => (router.layout.partitions_min() - 1, end),
        dedicated => {
            let range = router.pools.of(dedicated).table.pool();
            (range.start(), range.end())
        }
    };
    if !outside_pool && !(start..end).contains(&partition) {
        let message = format!(
            "partition {partition} is outside the tenant's pool {start}..{end}; choose one inside or set outside_pool = true"
        );
        return broken("partition", message);
    }
    Ok(())
}
