//! Which tenants are VIP, and the contract that follows.

use partitioner::contract::{KeyContract, KeyFormatName, PoolContract, TenantPattern, TopicContract};
use partitioner::explain::nearest;
use partitioner::ids::{PartitionCount, PartitionIndex, PoolIndex};
use partitioner::key::KeyFormat;
use partitioner::route::OnGrowth;

use super::error::CommandError;
use crate::load::TenantId;
use crate::metrics::closed_form_vip_count;
use crate::report::display_bytes;
use crate::settings::{SimulateSettings, TrafficSource};
use crate::simulate::{Replay, UnitSize};
use crate::workload::profile::Profile;

/// Most VIP tenants that are chosen by their share, or listed one by one in a report.
pub const VIPS_MAX: usize = 64;

/// Tenants among which the nearest name to a mistyped one is looked for.
const NAMES_COMPARED_MAX: usize = 1_000;

/// The decision about VIP tenants.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Names of the VIP tenants.
    pub vips: Vec<Vec<u8>>,
    /// The contract of `tenant-aware`; `None` when it does not apply.
    pub contract: Option<TopicContract>,
    /// The closed-form size of the VIP pool, where there is one.
    pub closed_form: Option<u32>,
    /// How what the user left out was chosen.
    pub choices: Vec<String>,
}

/// How a user finds out whether another size of the VIP pool would do better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// By the sweep that is made in the same run.
    IsSwept,
    /// By a sweep in the next run.
    Sweep,
    /// By another command.
    Simulate,
}

impl Hint {
    fn text(self) -> &'static str {
        match self {
            Self::IsSwept => "the sweep shows the rest",
            Self::Sweep => "--sweep vip-count shows the rest",
            Self::Simulate => "`analyzer simulate --sweep vip-count` shows the rest",
        }
    }
}

/// The format of the keys that are simulated.
///
/// # Errors
/// When the contract cannot be used.
pub fn key_format(
    contract: Option<&TopicContract>,
    source: &TrafficSource,
) -> Result<KeyFormat, CommandError> {
    if let Some(contract) = contract {
        return Ok(contract.key_format()?);
    }
    match source {
        TrafficSource::Trace { options, .. }
            if options.fields.key.is_none() && options.fields.entity.is_none() =>
        {
            Ok(KeyFormat::Whole)
        }
        _ => Ok(KeyFormat::default()),
    }
}

/// The plan that needs no look at the traffic: a contract, a profile, or named tenants and a named pool size.
///
/// # Errors
/// When the contract that follows breaks a rule.
pub fn before_traffic(
    settings: &SimulateSettings,
    format: KeyFormat,
    hint: Hint,
) -> Result<Option<Plan>, CommandError> {
    if let Some(contract) = &settings.contract {
        let choices = held(contract, settings.count).into_iter().collect();
        return Ok(Some(Plan { contract: Some(contract.clone()), choices, ..Plan::default() }));
    }
    if let TrafficSource::Profile { profile, .. } = &settings.source {
        return of_profile(settings, profile, format, hint).map(Some);
    }
    if settings.vips.is_empty() || settings.vip_count.is_none() {
        return Ok(None);
    }
    plan(settings, format, settings.vips.clone(), None, Vec::new(), hint).map(Some)
}

/// Says why partitions stay empty of keyed records when the contract is for fewer than there are.
fn held(contract: &TopicContract, count: PartitionCount) -> Option<String> {
    let made_for = contract.partitions.filter(|&made_for| made_for < count.get())?;
    (contract.on_growth == OnGrowth::Hold).then(|| {
        format!("the contract is for {made_for} partitions and holds on to them (on_growth); the others get no keys")
    })
}

fn of_profile(
    settings: &SimulateSettings,
    profile: &Profile,
    format: KeyFormat,
    hint: Hint,
) -> Result<Plan, CommandError> {
    let mut choices = Vec::new();
    let vips: Vec<TenantId> = if settings.vips.is_empty() {
        if !profile.vips().is_empty() {
            choices.push("VIP tenants: the profile's; --vip names others".to_owned());
        }
        profile.vips().to_vec()
    } else {
        let id = |name: &Vec<u8>| profile.tenant_id(std::str::from_utf8(name).ok()?);
        settings.vips.iter().filter_map(id).collect()
    };
    let share = vips.iter().map(|&vip| profile.expected_share(vip)).sum();
    let names = vips.iter().map(|&vip| profile.tenant_name(vip).as_bytes().to_vec()).collect();
    plan(settings, format, names, Some(share), choices, hint)
}

/// The plan that follows from the traffic.
///
/// # Errors
/// When a named VIP tenant has no record, or the contract that follows breaks a rule.
pub fn after_traffic(
    settings: &SimulateSettings,
    replay: &Replay,
    format: KeyFormat,
    hint: Hint,
) -> Result<Plan, CommandError> {
    let records = replay.volume().load.records;
    let mut choices = Vec::new();
    let vips = if settings.vips.is_empty() {
        let mut heavy = replay.heavy_tenants(records / u64::from(settings.count.get()) + 1);
        choices.push(match heavy.len() {
            0 => format!(
                "no VIP tenants: none has more than 1/{} of the records; --vip names some",
                settings.count
            ),
            _ => format!(
                "VIP tenants: those with more than 1/{} of the records; --vip names others",
                settings.count
            ),
        });
        heavy.truncate(VIPS_MAX);
        heavy
    } else {
        let named = |name: &Vec<u8>| {
            let records = replay.tenant_records(named_vip(name, replay)?).unwrap_or(0);
            Ok(UnitSize { name: name.clone(), records, error_records: 0 })
        };
        settings.vips.iter().map(named).collect::<Result<_, CommandError>>()?
    };
    let vip_records: u64 = vips.iter().map(|vip| vip.records).sum();
    let names = vips.into_iter().map(|vip| vip.name).collect();
    #[allow(clippy::cast_precision_loss)] // a share that is compared with fractions of a few digits
    let share = vip_records as f64 / records as f64;
    plan(settings, format, names, Some(share), choices, hint)
}

/// A trace planned before it was read may turn out not to have a tenant that was named.
fn check_named_vips(settings: &SimulateSettings, replay: &Replay) -> Result<(), CommandError> {
    let is_trace = matches!(settings.source, TrafficSource::Trace { .. });
    settings.vips.iter().filter(|_| is_trace).try_for_each(|name| named_vip(name, replay).map(drop))
}

fn named_vip(name: &[u8], replay: &Replay) -> Result<TenantId, CommandError> {
    let id = replay.book().tenant_id(name);
    if let Some(id) = id.filter(|&id| replay.tenant_records(id).is_some_and(|records| records > 0)) {
        return Ok(id);
    }
    let known = replay.tenants_from(1).into_iter();
    Err(no_such_tenant("--vip", name, known.map(|id| replay.book().tenant_name(id))))
}

/// The error for a tenant that `flag` names and no record has, with the nearest of the `known` names.
pub(super) fn no_such_tenant<'n>(
    flag: &str,
    name: &[u8],
    known: impl Iterator<Item = &'n [u8]>,
) -> CommandError {
    let known: Vec<_> = known.take(NAMES_COMPARED_MAX).map(display_bytes).collect();
    let shown = display_bytes(name);
    let hint = nearest(&shown, known.iter().map(String::as_str));
    let hint = hint.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
    CommandError::new(format!("{flag} {shown:?}: the trace has no record of this tenant{hint}"))
}

fn plan(
    settings: &SimulateSettings,
    format: KeyFormat,
    vips: Vec<Vec<u8>>,
    vip_share: Option<f64>,
    mut choices: Vec<String>,
    hint: Hint,
) -> Result<Plan, CommandError> {
    let vip_share = vip_share.filter(|_| !vips.is_empty());
    let closed_form = vip_share.and_then(|share| closed_form_vip_count(settings.count, share));
    let vip_count = settings.vip_count.filter(|_| !vips.is_empty()).or(closed_form);
    let Some(vip_count) = vip_count.filter(|_| settings.wants_tenant_aware()) else {
        return Ok(Plan { vips, contract: None, closed_form, choices });
    };
    if settings.vip_count.is_none() {
        choices.push(format!("vip_count {vip_count} (closed form; {})", hint.text()));
    }
    let contract = contract(settings.count, format, &vips, vip_count);
    contract.router(settings.seed)?;
    Ok(Plan { vips, contract: Some(contract), closed_form, choices })
}

/// A contract that gives all tenants one pool.
#[must_use]
pub fn without_pools(count: PartitionCount, format: KeyFormat) -> TopicContract {
    let format = match format {
        KeyFormat::Whole => KeyFormatName::Whole,
        _ => KeyFormatName::TenantEntity,
    };
    let key = KeyContract { format, ..KeyContract::default() };
    TopicContract { partitions: Some(count.get()), key, ..TopicContract::default() }
}

fn contract(count: PartitionCount, format: KeyFormat, vips: &[Vec<u8>], vip_count: u32) -> TopicContract {
    TopicContract {
        vip_count: Some(vip_count),
        vip: PoolContract {
            tenants: vips.iter().map(|name| TenantPattern::exact(name.clone())).collect(),
            ..PoolContract::default()
        },
        ..without_pools(count, format)
    }
}

/// The tenants to which a contract gives a dedicated pool by their whole name.
#[must_use]
pub fn named_tenants(contract: &TopicContract) -> Vec<Vec<u8>> {
    let pools = std::iter::once(&contract.vip).chain(&contract.pools);
    let exact = pools.flat_map(|pool| &pool.tenants).filter(|pattern| !pattern.is_prefix());
    exact.map(|pattern| pattern.as_bytes().to_vec()).collect()
}

impl Plan {
    /// Names the VIP tenants of a contract that the user gave, now that the tenants are known.
    ///
    /// # Errors
    /// When the contract cannot be used, or a tenant that the user named has no record.
    pub fn name_vips(&mut self, settings: &SimulateSettings, replay: &Replay) -> Result<(), CommandError> {
        let Some(contract) = settings.contract.as_ref() else {
            return check_named_vips(settings, replay);
        };
        let (router, book) = (contract.router(settings.seed)?, replay.book());
        let mut vips = replay.tenants_from(1);
        vips.retain(|&tenant| router.pool_of_tenant(book.tenant_name(tenant)) != PoolIndex::STANDARD);
        let vip_records: u64 = vips.iter().filter_map(|&vip| replay.tenant_records(vip)).sum();
        #[allow(clippy::cast_precision_loss)] // a share that is compared with fractions of a few digits
        let share = vip_records as f64 / replay.volume().load.records as f64;
        self.closed_form = closed_form_vip_count(settings.count, share).filter(|_| !vips.is_empty());
        if vips.len() > VIPS_MAX {
            self.choices.push(format!("the {VIPS_MAX} largest of {} VIP tenants are listed", vips.len()));
            vips.truncate(VIPS_MAX);
        }
        self.vips = vips.iter().map(|&vip| book.tenant_name(vip).to_vec()).collect();
        Ok(())
    }

    /// Partitions of dedicated pools.
    #[must_use]
    pub fn vip_count(&self) -> Option<u32> {
        let router = self.contract.as_ref()?.router(0).ok()?;
        Some(router.pools().partitions_min() - 1).filter(|&dedicated| dedicated > 0)
    }

    /// Partition of each tenant for `explicit-map`: the contract's pinned tenants, then the profile's map.
    #[must_use]
    pub fn map(settings: &SimulateSettings) -> Vec<(Vec<u8>, PartitionIndex)> {
        let pins = settings.contract.iter().flat_map(|contract| &contract.pins);
        let pinned = pins.filter(|pin| pin.partition < PartitionCount::MAX).filter_map(|pin| {
            let tenant = pin.tenant.as_ref()?.as_bytes().to_vec();
            Some((tenant, PartitionIndex::new(pin.partition)))
        });
        let mut map: Vec<_> = pinned.collect();
        if let TrafficSource::Profile { profile, .. } = &settings.source {
            let mapped = profile.explicit_map().iter();
            map.extend(mapped.map(|&(tenant, at)| (profile.tenant_name(tenant).as_bytes().to_vec(), at)));
        }
        map
    }
}
