//! Profiles: generated traffic of many tenants, described by a TOML file.
//!
//! A profile names groups of tenants, the share of the traffic each group makes and how it is divided inside the
//! group, the entities (orders, devices, …) that a tenant's records belong to, sizes, bursts and growth.
//! `config/README.md` describes every key; `config/profiles/` holds those that come with the program.
//! [`ProfileTraffic`] makes the records.
//!
//! Kafka's own `kafka-producer-perf-test` has neither tenants nor skew: it sends records without a key.

mod check;
mod embedded;
mod error;
mod file;
mod group;
mod names;
mod pick;
mod sizes;
mod traffic;

use std::fs::File;
use std::io::Read;

use partitioner::ids::{PartitionCount, PartitionIndex};

use crate::load::TenantId;
pub use check::RECORDS_MAX;
use embedded::EMBEDDED;
pub use error::ProfileError;
use error::Source;
use file::ProfileFile;
use group::{Group, Volume};
use names::Names;
use partitioner::explain::nearest;
use sizes::Sizes;
pub use traffic::{NumberedBatch, ProfileTraffic};

/// The largest profile file read, 1 MiB: a path that leads elsewhere is found out before memory is full.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// A profile that cannot be wrong: everything the file says was checked.
///
/// ```
/// use analyzer::load::TenantId;
/// use analyzer::workload::profile::Profile;
///
/// let profile = Profile::from_toml(
///     r#"
///     name = "two-sizes"
///     description = "one tenant makes half of the traffic"
///     [[tenants]]
///     name = "big"
///     weight = 50
///     [[tenants]]
///     name = "small-{}"
///     count = 10
///     weight = 50
///     "#,
///     "two-sizes.toml",
/// )
/// .unwrap();
/// assert_eq!(profile.tenant_count(), 11);
/// assert_eq!(profile.tenant_name(TenantId(3)), "small-2");
/// assert!((profile.expected_share(TenantId(0)) - 0.5).abs() < 1e-9);
/// assert!((profile.expected_share(TenantId(3)) - 0.05).abs() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    name: String,
    description: String,
    /// 1 to 10¹²; with exact counts their sum.
    records: u64,
    partitions: PartitionCount,
    /// 1 to 10⁹.
    rate_per_s: u64,
    vips: Vec<TenantId>,
    explicit_map: Vec<(TenantId, PartitionIndex)>,
    sizes: Sizes,
    /// Not empty; in the order of their tenants' numbers.
    groups: Vec<Group>,
    names: Names,
    /// For each group, the share of all records, averaged over the run, that a weight of 1 inside the group gets.
    share_per_weight: Vec<f64>,
}

impl Profile {
    /// The text of the profile that comes with the program under `name`.
    ///
    /// ```
    /// use analyzer::workload::profile::Profile;
    ///
    /// assert!(Profile::embedded("article").unwrap().contains("tenant-mega"));
    /// assert!(Profile::embedded("articel").is_none());
    /// ```
    #[must_use]
    pub fn embedded(name: &str) -> Option<&'static str> {
        EMBEDDED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Name and description of every profile that comes with the program, sorted by name.
    ///
    /// ```
    /// let names = analyzer::workload::profile::Profile::embedded_names();
    /// assert_eq!(names[0].0, "article");
    /// ```
    #[must_use]
    pub fn embedded_names() -> Vec<(&'static str, String)> {
        let profiles = EMBEDDED.iter().map(|(name, text)| (*name, Self::from_toml(text, name)));
        profiles.filter_map(|(name, profile)| Some((name, profile.ok()?.description))).collect()
    }

    /// The profile of that name, or the one in the file of that path.
    ///
    /// What contains a `/` (or the platform's separator) or ends in `.toml` is a path, anything else a name.
    ///
    /// # Errors
    /// When no profile has the name (the message lists them and the nearest), when the file cannot be read, is above
    /// 1 MiB or not UTF-8, and as [`from_toml`](Self::from_toml) does.
    pub fn load(name_or_path: &str) -> Result<Self, ProfileError> {
        let is_toml = name_or_path.to_ascii_lowercase().ends_with(".toml");
        if is_toml || name_or_path.contains(['/', std::path::MAIN_SEPARATOR]) {
            return Self::from_toml(&read_file(name_or_path)?, name_or_path);
        }
        if let Some(text) = Self::embedded(name_or_path) {
            return Self::from_toml(text, name_or_path);
        }
        let names = EMBEDDED.map(|(name, _)| name);
        let hint = nearest(name_or_path, names).map(|name| format!(", did you mean {name:?}?"));
        let message = format!(
            "no profile has this name{} Profiles: {}; or give the path of a .toml file",
            hint.unwrap_or_else(|| ".".to_owned()),
            names.join(", ")
        );
        Err(ProfileError::new(&format!("profile {name_or_path:?}"), message))
    }

    /// Reads a profile; `origin` is what errors call it, usually its path.
    ///
    /// # Errors
    /// When the text is not TOML, has an unknown, missing or wrongly typed key, or says something that cannot be: a
    /// weight that is NaN, infinite or negative, weights that sum to 0, no tenants, one name for two tenants, a count
    /// of 0 or beyond its limit, a VIP or an entry of the explicit map that is no tenant. Each message has the line
    /// and column, the value found and what was expected.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, ProfileError> {
        let source = Source { text, origin };
        let file: ProfileFile = toml::from_str(text).map_err(|error| source.toml_error(&error))?;
        check::profile(file, source)
    }

    /// The profile's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the profile shows, in one sentence.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// How many records a run has unless the user says otherwise; with exact counts always.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many records a second are produced, evenly in time.
    #[must_use]
    pub fn rate_per_s(&self) -> u64 {
        self.rate_per_s
    }

    /// How many partitions the topic has unless the user says otherwise.
    #[must_use]
    pub fn partitions(&self) -> PartitionCount {
        self.partitions
    }

    /// Whether the file gives each tenant an exact number of records, so that a run has exactly their sum.
    #[must_use]
    pub fn has_exact_counts(&self) -> bool {
        matches!(self.groups.first(), Some(Group { volume: Volume::Exact { .. }, .. }))
    }

    /// The tenants that get the VIP pool unless the user says otherwise, in the order of the file.
    #[must_use]
    pub fn vips(&self) -> &[TenantId] {
        &self.vips
    }

    /// Partitions that tenants are mapped to by hand, by tenant number; empty when the profile has no such map.
    ///
    /// Every partition is below [`partitions`](Self::partitions); a run with fewer partitions must check again.
    #[must_use]
    pub fn explicit_map(&self) -> &[(TenantId, PartitionIndex)] {
        &self.explicit_map
    }

    /// How many tenants there are, 1 to 1,000,000; they are numbered from 0 in the order of the file.
    #[must_use]
    pub fn tenant_count(&self) -> u32 {
        self.groups.last().map_or(0, |group| group.first + group.count)
    }

    /// The name of a tenant.
    ///
    /// # Panics
    /// When the tenant is not below [`tenant_count`](Self::tenant_count).
    #[must_use]
    pub fn tenant_name(&self, tenant: TenantId) -> &str {
        self.names.get(tenant.as_usize())
    }

    /// The tenant of that name; looks at every name.
    #[must_use]
    pub fn tenant_id(&self, name: &str) -> Option<TenantId> {
        (0..).map(TenantId).zip(self.names.iter()).find(|(_, known)| *known == name).map(|(id, _)| id)
    }

    /// How many entities a tenant has, at least 1; they are numbered from 0.
    ///
    /// # Panics
    /// When the tenant is not below [`tenant_count`](Self::tenant_count).
    #[must_use]
    pub fn entity_count(&self, tenant: TenantId) -> u32 {
        self.group_of(tenant).1.entities
    }

    /// Appends the name of an entity of a tenant to `out`.
    ///
    /// ```
    /// use analyzer::{load::TenantId, workload::profile::Profile};
    ///
    /// let mut name = Vec::new();
    /// Profile::load("multitenant").unwrap().write_entity_name(TenantId(0), 417, &mut name);
    /// assert_eq!(name, b"order-417");
    /// ```
    ///
    /// # Panics
    /// When the tenant is not below [`tenant_count`](Self::tenant_count).
    #[inline]
    pub fn write_entity_name(&self, tenant: TenantId, entity: u32, out: &mut Vec<u8>) {
        self.group_of(tenant).1.entity_name.write(entity, out);
    }

    /// The share of all records that a tenant is expected to have, 0 to 1: the average over the run, bursts and
    /// growth included.
    ///
    /// # Panics
    /// When the tenant is not below [`tenant_count`](Self::tenant_count).
    #[must_use]
    pub fn expected_share(&self, tenant: TenantId) -> f64 {
        let (number, group) = self.group_of(tenant);
        self.share_per_weight[number] * group.within.weight(tenant.0 - group.first)
    }

    fn group_of(&self, tenant: TenantId) -> (usize, &Group) {
        assert!(tenant.0 < self.tenant_count(), "tenant {} of {}", tenant.0, self.tenant_count());
        let number = self.groups.partition_point(|group| group.first <= tenant.0) - 1;
        (number, &self.groups[number])
    }
}

fn read_file(path: &str) -> Result<String, ProfileError> {
    if std::path::Path::new(path).is_dir() {
        return Err(ProfileError::new(path, "is a directory; expected a TOML file"));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes));
    if let Err(error) = file {
        return Err(ProfileError::new(path, format!("the profile cannot be read: {error}")));
    }
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(ProfileError::new(
            path,
            format!("larger than a profile may be, {} bytes", digits(FILE_BYTES_MAX)),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        ProfileError::new(path, format!("not UTF-8 text: byte {valid} (counted from 0) starts no character"))
    })
}

/// `number` with a comma between each three digits: limits in messages are large.
fn digits(number: u64) -> String {
    let text = number.to_string();
    let mut out = String::new();
    for (index, digit) in text.chars().enumerate() {
        if index > 0 && (text.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn digits_are_grouped_from_the_right() {
        let grouped = [0, 999, 1_000, 12_345_678].map(digits);
        assert_eq!(grouped, ["0", "999", "1,000", "12,345,678"]);
    }
}
