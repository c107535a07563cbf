//! From the file as written to a profile that cannot be wrong.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use partitioner::ids::{PartitionCount, PartitionIndex};
use rand_distr::{LogNormal, Pareto};
use std::collections::{HashMap, HashSet};
use toml::Spanned;

use super::error::{ProfileError, Source, nearest};
use super::file::{
    BurstFile, ConstantFile, LogNormalFile, ParetoFile, ProfileFile, ShapeFile, SizeDistributionFile,
    SizesFile, TenantsFile, UniformFile,
};
use super::group::{Burst, Group, Share, Volume, mean_shares};
use super::names::{NamePattern, Names};
use super::pick::Shape;
use super::sizes::{CONSTANT_BYTES_DEFAULT, MAX_BYTES_DEFAULT, RECORD_BYTES_MAX, SizeDistribution, Sizes};
use super::{Profile, digits};
use crate::load::TenantId;

/// The longest run: its last record's time in microseconds, at one record a second, still fits in 64 bits.
pub(super) const RECORDS_MAX: u64 = 1_000_000_000_000;
/// Exact counts are shuffled in memory, 4 bytes a record.
const EXACT_RECORDS_MAX: u64 = 10_000_000;
const RATE_PER_S_MAX: u64 = 1_000_000_000;
const GROUPS_MAX: usize = 1_000;
const TENANTS_MAX: u32 = 1_000_000;
const UNIFORM_ENTITIES_MAX: u32 = u32::MAX;
/// A Zipf entity takes 8 bytes of a table that should stay in the cache.
const ZIPF_ENTITIES_MAX: u32 = 1_000_000;
/// Of all groups together, 32 MB.
const ZIPF_ENTITIES_SUM_MAX: u32 = 4_000_000;
const ZIPF_EXPONENT_MAX: f64 = 10.0;
/// Weights are 0 or at least this, so that no division of them overflows.
const WEIGHT_MIN: f64 = 1e-12;
const WEIGHT_MAX: f64 = 1e12;
const FACTOR_MIN: f64 = 1e-6;
const FACTOR_MAX: f64 = 1e6;
const SIGMA_MAX: f64 = 10.0;

const RECORDS_DEFAULT: u64 = 1_000_000;
const PARTITIONS_DEFAULT: u32 = 12;
const RATE_PER_S_DEFAULT: u64 = 10_000;
const ENTITIES_DEFAULT: u32 = 100;
const ENTITY_NAME_DEFAULT: &str = "order-{}";

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

    fn groups(self, files: &[Spanned<TenantsFile>]) -> Result<(Vec<Group>, Names)> {
        let origin = self.source.origin;
        if files.is_empty() {
            return Err(ProfileError::new(origin, "no tenants; add a [[tenants]] table with a `name`"));
        }
        if files.len() > GROUPS_MAX {
            let message = format!("{} [[tenants]] tables; at most {GROUPS_MAX} are allowed", files.len());
            return Err(ProfileError::new(origin, message));
        }
        self.same_volume(files)?;
        let (mut groups, mut names) = (Vec::with_capacity(files.len()), Names::default());
        let (mut tenants_left, mut zipf_left) = (TENANTS_MAX, ZIPF_ENTITIES_SUM_MAX);
        for file in files {
            let name = &file.get_ref().name;
            let (group, pattern) = self.group(file, TENANTS_MAX - tenants_left)?;
            let Some(left) = tenants_left.checked_sub(group.count) else {
                let max = digits(TENANTS_MAX.into());
                return self.wrong(name, format!("more than {max} tenants in all"));
            };
            tenants_left = left;
            if group.entity_shape != Shape::Uniform {
                let Some(left) = zipf_left.checked_sub(group.entities) else {
                    let max = digits(ZIPF_ENTITIES_SUM_MAX.into());
                    return self
                        .wrong(name, format!("more than {max} Zipf `entities` in all groups together"));
                };
                zipf_left = left;
            }
            names.extend(&pattern, group.count);
            groups.push(group);
        }
        self.some_weight(&groups, files)?;
        Ok((groups, names))
    }

    /// Either every group has `records` or none, and beside exact counts nothing else divides the traffic.
    fn same_volume(self, files: &[Spanned<TenantsFile>]) -> Result<()> {
        if files.iter().all(|file| file.get_ref().records.is_none()) {
            return Ok(());
        }
        for file in files {
            let TenantsFile { name, records, weight, within, burst, growth, .. } = file.get_ref();
            if records.is_none() {
                return self.wrong(
                    name,
                    "this group has no `records`, others have; give every group an exact count",
                );
            }
            let spans = [
                ("weight", weight.as_ref().map(Spanned::span)),
                ("within", within.as_ref().map(Spanned::span)),
                ("burst", burst.as_ref().map(Spanned::span)),
                ("growth", growth.as_ref().map(Spanned::span)),
            ];
            for (key, span) in spans {
                if let Some(span) = span {
                    let message =
                        format!("`{key}` has no meaning beside `records`, an exact count; leave out one");
                    return Err(self.source.error(span, message));
                }
            }
        }
        Ok(())
    }

    fn some_weight(self, groups: &[Group], files: &[Spanned<TenantsFile>]) -> Result<()> {
        let none =
            groups.iter().all(|group| matches!(&group.volume, Volume::Share(share) if share.weight == 0.0));
        match files.first() {
            Some(file) if none => {
                self.wrong(&file.get_ref().name, "the weights of all groups sum to 0; give one a weight")
            }
            _ => Ok(()),
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

    fn group(self, file: &Spanned<TenantsFile>, first: u32) -> Result<(Group, NamePattern)> {
        let file = file.get_ref();
        let count = self.whole("count", file.count.clone(), 1..=TENANTS_MAX, 1)?;
        let named = |key: &str, text: &Spanned<String>, count| {
            let pattern = NamePattern::new(text.get_ref(), count);
            pattern.map_err(|message| self.source.error(text.span(), format!("`{key}` {message}")))
        };
        let name = named("name", &file.name, count)?;
        let entity_shape = self.shape("entity_distribution", file.entity_distribution.as_ref())?;
        let entities_max = match entity_shape {
            Shape::Uniform => UNIFORM_ENTITIES_MAX,
            Shape::Zipf(_) => ZIPF_ENTITIES_MAX,
        };
        let entities = self.whole("entities", file.entities.clone(), 1..=entities_max, ENTITIES_DEFAULT)?;
        let entity_name = match &file.entity_name {
            Some(text) => named("entity_name", text, entities)?,
            None => NamePattern::new(ENTITY_NAME_DEFAULT, entities)
                .map_err(|message| ProfileError::new(self.source.origin, message))?,
        };
        let group = Group {
            first,
            count,
            volume: self.volume(file)?,
            within: self.shape("within", file.within.as_ref())?,
            entities,
            entity_shape,
            entity_name,
            sizes: file.sizes.as_ref().map(|sizes| self.sizes(sizes)).transpose()?,
        };
        Ok((group, name))
    }

    fn volume(self, file: &TenantsFile) -> Result<Volume> {
        if let Some(records) = &file.records {
            let max = EXACT_RECORDS_MAX.try_into().unwrap_or(u32::MAX);
            let records_per_tenant = self.whole("records", Some(records.clone()), 1..=max, 1)?;
            return Ok(Volume::Exact { records_per_tenant });
        }
        let weight = match &file.weight {
            None => 1.0,
            Some(value) if *value.get_ref() == 0.0 => 0.0,
            Some(value) => self.real("weight", value, WEIGHT_MIN..=WEIGHT_MAX)?,
        };
        let growth = file
            .growth
            .as_ref()
            .map_or(Ok(1.0), |value| self.real("growth", value, FACTOR_MIN..=FACTOR_MAX))?;
        let burst = file.burst.as_ref().map(|burst| self.burst(burst)).transpose()?;
        Ok(Volume::Share(Share { weight, growth, burst }))
    }

    fn burst(self, file: &Spanned<BurstFile>) -> Result<Burst> {
        let BurstFile { from, until, factor } = file.get_ref();
        let burst = Burst {
            from: self.real("burst.from", from, 0.0..=1.0)?,
            until: self.real("burst.until", until, 0.0..=1.0)?,
            factor: self.real("burst.factor", factor, FACTOR_MIN..=FACTOR_MAX)?,
        };
        if burst.from >= burst.until {
            let Burst { from, until, .. } = burst;
            return self
                .wrong(file, format!("the burst is from {from} until {until}; `from` must be the smaller"));
        }
        Ok(burst)
    }

    fn shape(self, key: &str, file: Option<&Spanned<ShapeFile>>) -> Result<Shape> {
        let Some(file) = file else { return Ok(Shape::Uniform) };
        match *file.get_ref() {
            ShapeFile::Uniform => Ok(Shape::Uniform),
            ShapeFile::Zipf(exponent) => {
                let exponent = Spanned::new(file.span(), exponent);
                Ok(Shape::Zipf(self.real(&format!("{key}.zipf"), &exponent, 0.0..=ZIPF_EXPONENT_MAX)?))
            }
        }
    }

    fn sizes(self, file: &SizesFile) -> Result<Sizes> {
        let bytes = 1..=RECORD_BYTES_MAX;
        let min_bytes = self.whole("min_bytes", file.min_bytes.clone(), bytes.clone(), 1)?;
        let max_bytes = self.whole("max_bytes", file.max_bytes.clone(), bytes.clone(), MAX_BYTES_DEFAULT)?;
        let at = &file.distribution;
        if min_bytes > max_bytes {
            return self.wrong(at, format!("`min_bytes` is {min_bytes}, above `max_bytes`, {max_bytes}"));
        }
        let limits = min_bytes..=max_bytes;
        let real_bytes = 1.0..=f64::from(RECORD_BYTES_MAX);
        let unsound = |error: &dyn std::error::Error| self.source.error(at.span(), error);
        let distribution = match at.get_ref() {
            SizeDistributionFile::Constant(ConstantFile { bytes }) => {
                let bytes = self.whole("bytes", Some(bytes.clone()), limits, CONSTANT_BYTES_DEFAULT)?;
                SizeDistribution::Constant { bytes }
            }
            SizeDistributionFile::Uniform(UniformFile { from_bytes, to_bytes }) => {
                let from_bytes =
                    self.whole("from_bytes", Some(from_bytes.clone()), limits.clone(), min_bytes)?;
                let rest = from_bytes..=max_bytes;
                let to_bytes = self.whole("to_bytes", Some(to_bytes.clone()), rest, max_bytes)?;
                SizeDistribution::Uniform { from_bytes, to_bytes }
            }
            SizeDistributionFile::LogNormal(LogNormalFile { median_bytes, sigma }) => {
                let median_bytes = self.real("median_bytes", median_bytes, real_bytes)?;
                let sigma = self.real("sigma", sigma, 0.0..=SIGMA_MAX)?;
                let distribution = LogNormal::new(libm::log(median_bytes), sigma);
                SizeDistribution::LogNormal(distribution.map_err(|error| unsound(&error))?)
            }
            SizeDistributionFile::Pareto(ParetoFile { scale_bytes, shape }) => {
                let scale_bytes = self.real("scale_bytes", scale_bytes, real_bytes)?;
                let shape = self.real("shape", shape, 0.1..=100.0)?;
                let distribution = Pareto::new(scale_bytes, shape);
                SizeDistribution::Pareto(distribution.map_err(|error| unsound(&error))?)
            }
        };
        Ok(Sizes { distribution, min_bytes, max_bytes })
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
