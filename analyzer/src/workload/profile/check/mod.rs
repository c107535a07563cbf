//! From the file as written to a profile that cannot be wrong.

mod group;
mod sizes;

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use partitioner::ids::{PartitionCount, PartitionIndex};
use toml::Spanned;

use super::error::{ProfileError, Source};
use super::file::{ProfileFile, TenantsFile};
use super::group::{Group, Volume, mean_shares};
use super::names::Names;
use super::sizes::Sizes;
use super::{Profile, digits};
use crate::load::TenantId;
use partitioner::explain::nearest;

/// The longest run: its last record's time in microseconds, at one record a second, still fits in 64 bits.
pub const RECORDS_MAX: u64 = 1_000_000_000_000;
/// Exact counts are shuffled in memory, 4 bytes a record.
const EXACT_RECORDS_MAX: u64 = 10_000_000;
const RATE_PER_S_MAX: u64 = 1_000_000_000;

const RECORDS_DEFAULT: u64 = 1_000_000;
const PARTITIONS_DEFAULT: u32 = 12;
const RATE_PER_S_DEFAULT: u64 = 10_000;

type Result<T, E = ProfileError> = std::result::Result<T, E>;

/// Checks a whole file.
pub(super) fn profile(file: ProfileFile, source: Source<'_>) -> Result<Profile> {
    let check = Check { source };
    if file.name.get_ref().is_empty() {
        return check.wrong(&file.name, "`name` is empty");
    }
    let partitions = check.partitions(file.partitions)?;
    let rate_per_s = check.whole("rate_per_s", file.rate_per_s, 1..=RATE_PER_S_MAX, RATE_PER_S_DEFAULT)?;
    let sizes = file.sizes.as_ref().map_or_else(|| Ok(Sizes::default()), |sizes| check.sizes(sizes))?;
    let (groups, names) = check.groups(&file.tenants)?;
    let records = check.records(file.records, &groups)?;
    let ids = check.distinct(&names, &groups, &file.tenants)?;
    let vips = check.vips(&file.vip, &ids)?;
    let mut explicit_map = Vec::with_capacity(file.explicit_map.len());
    for (name, partition) in file.explicit_map {
        let tenant = check.tenant("explicit_map", &name, &ids)?;
        let range = 0..=partitions.get() - 1;
        let partition = check.whole("a partition of explicit_map", Some(partition), range, 0)?;
        explicit_map.push((tenant, PartitionIndex::new(partition)));
    }
    explicit_map.sort_unstable();
    drop(ids);

    let shares = mean_shares(&groups);
    let share_per_weight = groups
        .iter()
        .zip(shares)
        .map(|(group, share)| share / group.within.weight_sum(group.count))
        .collect();
    Ok(Profile {
        name: file.name.into_inner(),
        description: file.description,
        records,
        partitions,
        rate_per_s,
        vips,
        explicit_map,
        sizes,
        groups,
        names,
        share_per_weight,
    })
}

/// The checks, which need the text to say where something is wrong.
#[derive(Clone, Copy)]
struct Check<'a> {
    source: Source<'a>,
}

impl Check<'_> {
    fn wrong<T, V>(self, at: &Spanned<V>, message: impl std::fmt::Display) -> Result<T> {
        Err(self.source.error(at.span(), message))
    }

    /// A whole number within `range`, or `default` when the key is absent.
    fn whole<T>(
        self,
        key: &str,
        value: Option<Spanned<i64>>,
        range: RangeInclusive<T>,
        default: T,
    ) -> Result<T>
    where
        T: TryFrom<i64> + PartialOrd + Copy + Into<u64>,
    {
        let Some(value) = value else { return Ok(default) };
        match T::try_from(*value.get_ref()) {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (min, max) = (digits((*range.start()).into()), digits((*range.end()).into()));
                self.wrong(&value, format!("`{key}` is {}; it must be {min} to {max}", value.get_ref()))
            }
        }
    }

    /// A number within `range`, which no NaN and no infinity is.
    fn real(self, key: &str, value: &Spanned<f64>, range: RangeInclusive<f64>) -> Result<f64> {
        if range.contains(value.get_ref()) {
            return Ok(*value.get_ref());
        }
        let (found, min, max) = (value.get_ref(), range.start(), range.end());
        self.wrong(value, format!("`{key}` is {found}; it must be a number from {min} to {max}"))
    }

    fn partitions(self, value: Option<Spanned<i64>>) -> Result<PartitionCount> {
        let span = value.as_ref().map_or(0..0, Spanned::span);
        let count = self.whole("partitions", value, 1..=PartitionCount::MAX, PARTITIONS_DEFAULT)?;
        PartitionCount::new(count).ok_or_else(|| self.source.error(span, "`partitions` is out of range"))
    }

    /// The record count, which with exact counts is their sum.
    fn records(self, value: Option<Spanned<i64>>, groups: &[Group]) -> Result<u64> {
        let exact = groups.iter().filter_map(|group| match group.volume {
            Volume::Exact { records_per_tenant } => {
                Some(u64::from(records_per_tenant) * u64::from(group.count))
            }
            Volume::Share(_) => None,
        });
        let sum: u64 = exact.sum();
        if sum == 0 {
            return self.whole("records", value, 1..=RECORDS_MAX, RECORDS_DEFAULT);
        }
        if sum > EXACT_RECORDS_MAX {
            let message = format!(
                "the exact counts sum to {} records; at most {} are allowed, use weights beyond",
                digits(sum),
                digits(EXACT_RECORDS_MAX)
            );
            return Err(ProfileError::new(self.source.origin, message));
        }
        match value {
            Some(value) if u64::try_from(*value.get_ref()) != Ok(sum) => {
                let found = value.get_ref();
                self.wrong(
                    &value,
                    format!("`records` is {found}, but the exact counts sum to {sum}; leave it out"),
                )
            }
            _ => Ok(sum),
        }
    }

    /// The number of each name, which no two tenants share.
    fn distinct<'n>(
        self,
        names: &'n Names,
        groups: &[Group],
        files: &[Spanned<TenantsFile>],
    ) -> Result<HashMap<&'n str, TenantId>> {
        let mut ids = HashMap::with_capacity(names.len());
        for (id, name) in (0..).map(TenantId).zip(names.iter()) {
            if ids.insert(name, id).is_some() {
                let group = groups.partition_point(|group| group.first <= id.0) - 1;
                return self.wrong(&files[group].get_ref().name, format!("two tenants are named {name:?}"));
            }
        }
        Ok(ids)
    }

    fn vips(self, names: &[Spanned<String>], ids: &HashMap<&str, TenantId>) -> Result<Vec<TenantId>> {
        let (mut vips, mut met) = (Vec::with_capacity(names.len()), HashSet::new());
        for name in names {
            let id = self.tenant("vip", name, ids)?;
            if !met.insert(id) {
                return self.wrong(name, format!("`vip` names {:?} twice", name.get_ref()));
            }
            vips.push(id);
        }
        Ok(vips)
    }

    fn tenant(self, key: &str, name: &Spanned<String>, ids: &HashMap<&str, TenantId>) -> Result<TenantId> {
        if let Some(id) = ids.get(name.get_ref().as_str()) {
            return Ok(*id);
        }
        let mut known: Vec<&str> = ids.keys().copied().collect();
        known.sort_unstable();
        let hint = nearest(name.get_ref(), known).map(|known| format!("; did you mean {known:?}?"));
        self.wrong(
            name,
            format!("`{key}` names {:?}, which is no tenant{}", name.get_ref(), hint.unwrap_or_default()),
        )
    }
}
