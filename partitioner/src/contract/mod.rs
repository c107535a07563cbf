//! The routing contract: what every producer of a topic must share, as one TOML file.
//!
//! ```toml
//! [topics.orders]
//! partitions = 12
//! vip_count = 10                     # the VIP pool is 0..10, the standard pool 10..12
//! vip.tenants = ["tenant-mega", "acme-*"]
//! ```
//!
//! `config/partitioner.toml` in the repository shows every key at its default. Reading checks everything, so a contract that
//! was read can be made ready; writing and reading again gives an equal contract.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::hash::KeyHash;
use crate::key::KeyFormat;
use crate::route::{KeyPolicy, OnGrowth, Router};
use crate::slot::Isolation;
use crate::spread::Spread;

pub use self::error::ContractError;
pub use self::name::{ByteName, TenantPattern};
pub use self::producer::{ProducerProperties, PropertyValue, is_secret};

mod build;
mod error;
mod name;
mod producer;

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// A contract file: one section per topic or prefix of topics.
///
/// ```
/// use partitioner::contract::Contract;
///
/// let text = "[topics.\"orders-*\"]\npartitions = 12\nvip_count = 12\nvip.tenants = [\"tenant-mega\"]\n";
/// let error = Contract::from_toml(text, "partitioner.toml").unwrap_err();
/// assert_eq!(error.line(), Some(3));
/// assert!(error.to_string().starts_with("partitioner.toml:3:13: topics.\"orders-*\".vip_count: "));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Version of the format, 1.
    #[serde(default = "version")]
    pub version: u32,
    /// Properties of a producer that keeps the contract; no part of it.
    #[serde(default, skip_serializing_if = "ProducerProperties::is_empty")]
    pub producer: ProducerProperties,
    /// Sections by topic name, or by prefix when the name ends in `*`.
    #[serde(default)]
    pub topics: BTreeMap<String, TopicContract>,
}

fn version() -> u32 {
    VERSION
}

impl Default for Contract {
    fn default() -> Self {
        Self { version: VERSION, producer: ProducerProperties::default(), topics: BTreeMap::new() }
    }
}

/// The contract of one topic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TopicContract {
    /// Partitions of the topic, 1 to 1,000,000. Left out, the contract follows the topic: when that grows, standard keys
    /// move, at a different moment for every producer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u32>,
    /// What to do when the topic has more.
    pub on_growth: OnGrowth,
    /// The rule from key to number.
    pub hash: KeyHash,
    /// Partitions of the VIP pool `0..vip_count`; the short form of one dedicated pool.
    #[serde(alias = "vipCount", skip_serializing_if = "Option::is_none")]
    pub vip_count: Option<u32>,
    /// The keys of the topic.
    pub key: KeyContract,
    /// The VIP pool; `name` and `range` are not used.
    #[serde(skip_serializing_if = "PoolContract::is_default")]
    pub vip: PoolContract,
    /// The standard pool; `name`, `range` and `tenants` are not used.
    #[serde(skip_serializing_if = "PoolContract::is_default")]
    pub standard: PoolContract,
    /// Dedicated pools, in place of `vip_count`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<PoolContract>,
    /// Records without a key.
    pub unkeyed: UnkeyedContract,
    /// Keys and tenants with a partition of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinContract>,
}

/// How the parts of a key lie in its bytes; see [`KeyFormat`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeyContract {
    /// Which of the formats.
    pub format: KeyFormatName,
    /// One ASCII character between tenant and entity.
    pub separator: String,
    /// One ASCII character that makes a separator part of a tenant, in `tenant-entity` keys.
    pub escape: String,
    /// Length of the tenant in `fixed-width` keys, 1 to 65,535 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_width_bytes: Option<u16>,
    /// Records without a key.
    pub null_key: KeyPolicy,
    /// Records whose key has no bytes.
    pub empty_key: KeyPolicy,
    /// Records whose key is not of the format.
    pub malformed_key: KeyPolicy,
}

impl Default for KeyContract {
    fn default() -> Self {
        Self {
            format: KeyFormatName::TenantEntity,
            separator: ":".to_owned(),
            escape: "\\".to_owned(),
            tenant_width_bytes: None,
            null_key: KeyPolicy::Unkeyed,
            empty_key: KeyPolicy::Standard,
            malformed_key: KeyPolicy::Standard,
        }
    }
}

/// The name of a key format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyFormatName {
    /// `tenant:entity`, separators in the tenant escaped.
    #[default]
    TenantEntity,
    /// The tenant is all before the first separator.
    TenantPrefix,
    /// The tenant is the first `tenant_width_bytes` bytes.
    FixedWidth,
    /// The key is the tenant.
    Whole,
}

/// A pool of partitions and how keys are placed in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PoolContract {
    /// Name of a pool in `pools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Partitions of a pool in `pools`, as `"0..4"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Tenants of the pool, by name or, with `*` at the end, by prefix.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tenants: Vec<TenantPattern>,
    /// What stays together; `entity` in dedicated pools and `tenant` in the standard pool where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<Spread>,
    /// Slots per partition; 64 where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots_per_partition: Option<u32>,
    /// Whether moved slots may leave the pool.
    pub isolation: Isolation,
    /// Slots whose owner is not `slot % pool size`, as `[slot, partition]`.
    pub moved: Vec<(u32, u32)>,
}

impl PoolContract {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Where records without a key go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UnkeyedContract {
    /// The pool that takes them: `standard`, `vip` or the name of a pool.
    pub pool: String,
    /// Bytes given to one partition before the next is chosen, 1 to 1,073,741,824.
    pub sticky_bytes: u32,
    /// Milliseconds after which the next is chosen in any case; 0 is never.
    pub sticky_ms: u32,
    /// One weight per partition of the pool; empty for equal ones.
    pub weights: Vec<u32>,
    /// Whether partitions with longer queues in the producer get less; for sections of one topic.
    pub adaptive: bool,
}

impl Default for UnkeyedContract {
    fn default() -> Self {
        let limits = crate::sticky::StickyLimits::default();
        Self {
            pool: STANDARD_POOL.to_owned(),
            sticky_bytes: limits.sticky_bytes,
            sticky_ms: limits.sticky_ms,
            weights: Vec::new(),
            adaptive: false,
        }
    }
}

/// A key or a tenant that always goes to one partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinContract {
    /// A whole key; excludes `tenant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<ByteName>,
    /// A tenant; excludes `key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<ByteName>,
    /// The partition.
    pub partition: u32,
    /// Allows a partition outside the tenant's pool.
    #[serde(default)]
    pub outside_pool: bool,
}

/// Name of the pool of all tenants without one.
pub const STANDARD_POOL: &str = "standard";

/// Name of the pool that `vip_count` makes.
pub const VIP_POOL: &str = "vip";

impl Contract {
    /// Reads and checks a contract; `origin` names the file in errors.
    ///
    /// # Errors
    /// [`ContractError`] for text that is not TOML, an unknown key, a wrong type, or a section that breaks a rule, with
    /// line, column and the path of the key.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, ContractError> {
        let contract: Self =
            toml::from_str(text).map_err(|error| ContractError::syntax(&error, text, origin))?;
        contract.check().map_err(|error| error.located(text, origin))?;
        Ok(contract)
    }

    /// The contract as TOML, which [`from_toml`](Self::from_toml) reads back to an equal contract.
    ///
    /// Each moved slot has a line of its own, so that the difference of two files reads as a list of moves.
    ///
    /// # Errors
    /// [`ContractError`] when a section breaks a rule: what cannot be read back is not written.
    pub fn to_toml(&self) -> Result<String, ContractError> {
        self.check()?;
        let text = toml::to_string(self).map_err(|error| ContractError::unwritable(&error))?;
        let lines = text.lines().map(|line| match line.strip_prefix("moved = [[") {
            Some(moved) => {
                let moved = moved.trim_end_matches("]]").replace("], [", "],\n    [");
                format!("moved = [\n    [{moved}],\n]\n")
            }
            None => format!("{line}\n"),
        });
        Ok(lines.collect())
    }

    /// The section of a topic: the one of its name, else the one of its longest matching prefix.
    ///
    /// ```
    /// # use partitioner::contract::Contract;
    /// let contract: Contract = "[topics.orders]\n[topics.\"o*\"]\n[topics.\"orders-*\"]\n".parse().unwrap();
    /// assert_eq!(contract.section("orders").unwrap().0, "orders");
    /// assert_eq!(contract.section("orders-eu").unwrap().0, "orders-*");
    /// assert!(contract.topic("payments").is_none());
    /// ```
    #[must_use]
    pub fn topic(&self, topic: &str) -> Option<&TopicContract> {
        self.section(topic).map(|(_, section)| section)
    }

    /// As [`topic`](Self::topic), with the name or pattern of the section.
    #[must_use]
    pub fn section(&self, topic: &str) -> Option<(&str, &TopicContract)> {
        let (name, section) =
            self.topics.get_key_value(topic).filter(|(name, _)| !name.ends_with('*')).or_else(|| {
                let prefix_of =
                    |name: &String| name.strip_suffix('*').is_some_and(|prefix| topic.starts_with(prefix));
                self.topics.iter().filter(|(name, _)| prefix_of(name)).max_by_key(|(name, _)| name.len())
            })?;
        Some((name, section))
    }

    /// The place in a contract's text of the value at `path`, or of the innermost table that encloses it.
    #[cfg(feature = "rdkafka")]
    pub(crate) fn place_of(text: &str, path: &[&str]) -> Option<crate::explain::Place> {
        let path: Vec<_> = path.iter().map(|&key| key.to_owned()).collect();
        error::place_of(text, &path)
    }

    fn check(&self) -> Result<(), ContractError> {
        if self.version != VERSION {
            let message =
                format!("version {} is not known; this release reads version {VERSION}", self.version);
            return Err(ContractError::rule(message).at("version"));
        }
        self.producer.check()?;
        for (name, section) in &self.topics {
            let within = |error: ContractError| error.within(name).within("topics");
            if name.strip_suffix('*').unwrap_or(name).contains('*') {
                let message = "a '*' stands only at the end of a topic pattern".to_owned();
                return Err(within(ContractError::rule(message)));
            }
            if section.unkeyed.adaptive && name.ends_with('*') {
                let message =
                    "the queues of several topics are not one; give each topic a section of its own"
                        .to_owned();
                return Err(within(ContractError::rule(message).at("adaptive").within("unkeyed")));
            }
            section.router(0).map_err(within)?;
        }
        Ok(())
    }
}

impl FromStr for Contract {
    type Err = ContractError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_toml(text, "contract")
    }
}

impl TopicContract {
    /// The format of the topic's keys.
    ///
    /// # Errors
    /// [`ContractError`] with the path of the key that breaks a rule.
    pub fn key_format(&self) -> Result<KeyFormat, ContractError> {
        build::key_format(&self.key).map_err(|error| error.within("key"))
    }

    /// The contract made ready.
    ///
    /// `seed` starts the sticky choice of records without a key; keyed placement does not depend on it. Producers should
    /// not share one, or they crowd the same partition.
    ///
    /// # Errors
    /// [`ContractError`] with the path of the key that breaks a rule.
    pub fn router(&self, seed: u64) -> Result<Router, ContractError> {
        build::router(self, seed)
    }
}

impl fmt::Display for KeyFormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TenantEntity => "tenant-entity",
            Self::TenantPrefix => "tenant-prefix",
            Self::FixedWidth => "fixed-width",
            Self::Whole => "whole",
        })
    }
}

#[cfg(test)]
mod tests;
