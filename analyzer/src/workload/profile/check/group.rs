//! The `[[tenants]]` tables.

use toml::Spanned;

use super::{Check, EXACT_RECORDS_MAX, Result};
use crate::workload::profile::digits;
use crate::workload::profile::error::ProfileError;
use crate::workload::profile::file::{BurstFile, ShapeFile, TenantsFile};
use crate::workload::profile::group::{Burst, Group, Share, Volume};
use crate::workload::profile::names::{NamePattern, Names};
use crate::workload::profile::pick::Shape;

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

const ENTITIES_DEFAULT: u32 = 100;
const ENTITY_NAME_DEFAULT: &str = "order-{}";

impl Check<'_> {
    pub(super) fn groups(self, files: &[Spanned<TenantsFile>]) -> Result<(Vec<Group>, Names)> {
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
}
