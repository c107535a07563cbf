//! What of a tenant stays together inside its pool.

use std::fmt;

/// The finest unit whose records keep their order, because all of them go to one partition.
///
/// Kafka orders the records of one partition and nothing beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OrderingScope {
    /// Nothing: records of one entity may lie on several partitions, so its order is lost.
    None,
    /// All records of one (tenant, entity) pair.
    Entity,
    /// All records of one tenant.
    Tenant,
}

impl OrderingScope {
    /// Whether records of one entity may be split over partitions.
    #[must_use]
    pub fn breaks_entity_order(self) -> bool {
        self == Self::None
    }
}

impl fmt::Display for OrderingScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none (breaks entity order)",
            Self::Entity => "entity",
            Self::Tenant => "tenant",
        })
    }
}

/// How the records of a tenant are spread over the partitions of its pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// By the hash of the whole key: each order keeps its order, the tenant uses the whole pool.
    Entity,
    /// By the hash of the tenant as it stands in the key: the tenant keeps its order on one partition.
    Tenant,
}

impl Spread {
    /// What stays in order.
    #[must_use]
    pub const fn ordering_scope(self) -> OrderingScope {
        match self {
            Self::Entity => OrderingScope::Entity,
            Self::Tenant => OrderingScope::Tenant,
        }
    }
}
