//! The strategies that can be simulated, by name.

use partitioner::baseline::{ExplicitMap, KeyIgnored, KeyedHash};
use partitioner::contract::{ContractError, TopicContract};
use partitioner::explain::nearest;
use partitioner::ids::PartitionIndex;
use partitioner::key::KeyFormat;
use partitioner::strategy::Strategy;

pub mod literature;

/// What a strategy may be built from.
#[derive(Clone, Copy, Debug)]
pub struct Ingredients<'a> {
    /// Seed of random and sticky choices, and of hashes that are drawn.
    pub seed: u64,
    /// Format of the keys.
    pub format: KeyFormat,
    /// The contract of `tenant-aware`; without one it does not apply.
    pub contract: Option<&'a TopicContract>,
    /// Partition of each tenant for `explicit-map`; when empty it does not apply.
    pub map: &'a [(Vec<u8>, PartitionIndex)],
}

/// A strategy by name.
#[derive(Debug)]
pub struct Entry {
    /// The name in reports and on the command line.
    pub name: &'static str,
    /// What it does, in a few words.
    pub description: &'static str,
    /// Whether a report has it unasked.
    pub group: Group,
    build: Build,
}

/// Strategies that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What clients do, and what a contract does: these are compared unless others are named.
    Usual,
    /// What papers and other systems do: these are compared when they, or all of them, are named.
    Literature,
}

impl Group {
    /// The name of [`Literature`](Self::Literature) on the command line, where it stands for all of them.
    pub const LITERATURE: &'static str = "literature";
}

type Boxed = Box<dyn Strategy>;

#[derive(Clone, Copy, Debug)]
enum Build {
    Always(fn(&Ingredients<'_>) -> Boxed),
    WithContract,
    WithMap,
}

/// The name of the strategy that a contract describes.
pub const TENANT_AWARE: &str = "tenant-aware";

/// The usual strategies, in the order of a report.
const USUAL: [Entry; 9] = [
    Entry {
        name: "tenant-key",
        description: "murmur2 of the tenant (Java default, records keyed by tenant)",
        group: Group::Usual,
        build: Build::Always(|from| Box::new(KeyedHash::java(from.seed).of_tenant(from.format))),
    },
    Entry {
        name: "tenant-key-crc32",
        description: "CRC32 of the tenant (librdkafka default, records keyed by tenant)",
        group: Group::Usual,
        build: Build::Always(|from| Box::new(KeyedHash::librdkafka(from.seed).of_tenant(from.format))),
    },
    Entry {
        name: "tenant-key-fnv1a",
        description: "FNV-1a of the tenant (Sarama default, records keyed by tenant)",
        group: Group::Usual,
        build: Build::Always(|from| Box::new(KeyedHash::sarama(from.seed).of_tenant(from.format))),
    },
    Entry {
        name: "compound-key",
        description: "murmur2 of tenant:entity over all partitions",
        group: Group::Usual,
        build: Build::Always(|from| Box::new(KeyedHash::java(from.seed))),
    },
    Entry {
        name: TENANT_AWARE,
        description: "VIP tenants by entity in a pool of their own, others by tenant in the standard pool",
        group: Group::Usual,
        build: Build::WithContract,
    },
    Entry {
        name: "round-robin",
        description: "one partition after the other, keys ignored",
        group: Group::Usual,
        build: Build::Always(|_| Box::new(KeyIgnored::round_robin())),
    },
    Entry {
        name: "random",
        description: "a random partition for every record, keys ignored",
        group: Group::Usual,
        build: Build::Always(|from| Box::new(KeyIgnored::random(from.seed))),
    },
    Entry {
        name: "sticky",
        description: "one partition for 16 KiB at a time, keys ignored",
        group: Group::Usual,
        build: Build::Always(|from| Box::new(KeyIgnored::sticky(from.seed))),
    },
    Entry {
        name: "explicit-map",
        description: "tenants by a table to partitions, others by murmur2 of the tenant",
        group: Group::Usual,
        build: Build::WithMap,
    },
];

impl Entry {
    /// Every strategy, in the order of a report.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        USUAL.iter().chain(&literature::ENTRIES)
    }

    /// The strategies of a group, in the order of a report.
    pub fn of(group: Group) -> impl Iterator<Item = &'static Self> {
        Self::all().filter(move |entry| entry.group == group)
    }

    /// The strategy of that name, or the nearest name.
    ///
    /// # Errors
    /// The name that is most like `name`, where one is.
    pub fn named(name: &str) -> Result<&'static Self, Option<&'static str>> {
        Self::all().find(|entry| entry.name == name).ok_or_else(|| {
            let names = Self::all().map(|entry| entry.name);
            nearest(name, names.chain([Group::LITERATURE]))
        })
    }

    /// Whether a contract is among what it is built from.
    #[must_use]
    pub fn needs_contract(&self) -> bool {
        matches!(self.build, Build::WithContract)
    }

    /// Whether it takes a tenant map.
    #[must_use]
    pub fn needs_map(&self) -> bool {
        matches!(self.build, Build::WithMap)
    }

    /// The strategy made ready, or `None` when it does not apply.
    ///
    /// # Errors
    /// [`ContractError`] when the contract breaks a rule.
    pub fn build(&self, from: &Ingredients<'_>) -> Result<Option<Boxed>, ContractError> {
        Ok(match self.build {
            Build::Always(build) => Some(build(from)),
            Build::WithContract => match from.contract {
                Some(contract) => Some(Box::new(contract.router(from.seed)?)),
                None => None,
            },
            Build::WithMap if from.map.is_empty() => None,
            Build::WithMap => {
                let map = from.map.iter().map(|(tenant, partition)| (tenant.as_slice(), *partition));
                Some(Box::new(ExplicitMap::new(map, from.format, from.seed)))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_typing_errors_answered() {
        assert_eq!(Entry::named("sticky").unwrap().name, "sticky");
        assert_eq!(Entry::named("tenant-awaer").unwrap_err(), Some("tenant-aware"));
        assert_eq!(Entry::named("zzzzzz").unwrap_err(), None);
    }

    #[test]
    fn what_cannot_apply_is_not_built() {
        let bare = Ingredients { seed: 1, format: KeyFormat::default(), contract: None, map: &[] };
        for entry in Entry::all() {
            let built = entry.build(&bare).unwrap();
            assert_eq!(built.is_none(), entry.needs_contract() || entry.needs_map(), "{}", entry.name);
        }
    }

    #[test]
    fn names_are_unique_and_none_is_a_groups() {
        let mut names: Vec<_> = Entry::all().map(|entry| entry.name).collect();
        names.push(Group::LITERATURE);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(Entry::of(Group::Usual).count() + Entry::of(Group::Literature).count() + 1, count);
    }

    #[test]
    fn only_strategies_that_place_by_key_alone_keep_entity_order() {
        let from = Ingredients { seed: 1, format: KeyFormat::default(), contract: None, map: &[] };
        let built = Entry::all().filter_map(|entry| Some((entry.name, entry.build(&from).unwrap()?)));
        let (keeping, breaking): (Vec<_>, Vec<_>) =
            built.partition(|(_, s)| !s.ordering().contains("breaks"));
        assert!(keeping.iter().all(|(_, strategy)| strategy.is_consistent()));
        assert!(breaking.iter().all(|(_, strategy)| !strategy.is_consistent()));
        let breaking: Vec<_> = breaking.iter().map(|(name, _)| *name).collect();
        let literature = ["pkg", "d-choices", "d-choices-distinct", "w-choices", "bounded-loads"];
        let others = ["shuffle-shard-rate", "two-choices", "key-dropping"];
        assert_eq!(breaking, [&["round-robin", "random", "sticky"], &literature[..], &others].concat());
    }
}
