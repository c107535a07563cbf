//! The slot table of a pool: which partition owns each bucket of keys.

use std::error::Error;
use std::fmt;

use crate::ids::{PartitionCount, PartitionIndex, PartitionRange};
use crate::modulus::Modulus;

/// Most slots a table may have.
pub const SLOTS_MAX: u32 = 65_536;

/// Slots per partition where the contract names none.
pub const SLOTS_PER_PARTITION_DEFAULT: u32 = 64;

/// Who may own the slots of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Partitions of the pool only: tenants of the pool never leave it.
    #[default]
    Strict,
    /// Any partition of the topic. A moved slot then shares its partition with tenants of another pool, which is their
    /// blast radius.
    Shared,
}

/// Keys → slots → partitions.
///
/// A key's slot is `hash % slots` with `slots = slots_per_partition × pool size`, and slot `s` belongs to partition
/// `pool.start + s % pool size` unless it was moved. The pool size divides `slots`, so a table with no moved slot places
/// every key exactly where plain `hash % pool size` does, and a moved slot moves only its own keys. Redis Cluster (16,384
/// slots) and Couchbase (1,024 vBuckets) place keys on servers in this way; Kafka has nothing like it.
///
/// Limits: what carries over to later traffic is the tenant's share and the number of slots, not the heat of slots whose
/// entities live for minutes. One entity above `1/n` of the traffic stays above the mean wherever its slot goes.
///
/// ```
/// use partitioner::ids::{PartitionCount, PartitionIndex, PartitionRange};
/// use partitioner::slot::{Isolation, SlotTable};
///
/// let pool = PartitionRange::new(0, 10).unwrap();
/// let twelve = PartitionCount::new(12);
/// let table = SlotTable::new(pool, 64, &[(17, PartitionIndex::new(3))], Isolation::Strict, twelve).unwrap();
/// assert_eq!(table.slots(), 640);
/// assert_eq!(table.place(7_017).get(), 7, "slot 617, not moved: 7,017 % 10");
/// assert_eq!(table.place(657).get(), 3, "slot 17, moved from 7 to 3");
/// ```
#[derive(Clone, Debug)]
pub struct SlotTable {
    pool: PartitionRange,
    slots: Modulus,
    owners: Owners,
}

#[derive(Clone, Debug)]
enum Owners {
    /// No slot is moved: one remainder by the pool size is the same as two.
    Modulo(Modulus),
    /// The owner of each slot.
    Table(Box<[PartitionIndex]>),
}

impl SlotTable {
    /// A table over `pool` with these slots moved, for a topic of `count` partitions (`None`: of unknown size).
    ///
    /// # Errors
    /// [`SlotError`] when there would be no slot or more than [`SLOTS_MAX`], a moved slot is out of range, is moved
    /// twice or goes to the partition that owns it anyway, or an owner is outside the topic or, under
    /// [`Isolation::Strict`], outside the pool.
    pub fn new(
        pool: PartitionRange,
        slots_per_partition: u32,
        moved: &[(u32, PartitionIndex)],
        isolation: Isolation,
        count: Option<PartitionCount>,
    ) -> Result<Self, SlotError> {
        let slots = slots_per_partition.saturating_mul(pool.len());
        if slots == 0 || slots > SLOTS_MAX {
            return Err(SlotError(SlotErrorKind::SlotCount { slots_per_partition, pool }));
        }
        let mut owners: Vec<_> = (0..slots).map(|slot| pool.at(slot % pool.len())).collect();
        let mut is_moved = vec![false; owners.len()];
        for &(slot, owner) in moved {
            let at = slot as usize;
            if slot >= slots {
                return Err(SlotError(SlotErrorKind::SlotOutOfRange { slot, slots }));
            }
            if is_moved[at] {
                return Err(SlotError(SlotErrorKind::OwnedTwice { slot }));
            }
            if isolation == Isolation::Strict && !pool.contains(owner) {
                return Err(SlotError(SlotErrorKind::OutsidePool { slot, owner, pool }));
            }
            if let Some(count) = count.filter(|count| !count.contains(owner)) {
                return Err(SlotError(SlotErrorKind::OutsideTopic { slot, owner, count }));
            }
            if owners[at] == owner {
                return Err(SlotError(SlotErrorKind::NotMoved { slot, owner }));
            }
            (owners[at], is_moved[at]) = (owner, true);
        }
        let owners = if moved.is_empty() {
            Owners::Modulo(Modulus::new(pool.len()))
        } else {
            Owners::Table(owners.into())
        };
        Ok(Self { pool, slots: Modulus::new(slots), owners })
    }

    /// A table with no moved slot: plain `hash % pool size`.
    #[must_use]
    pub fn unmoved(pool: PartitionRange) -> Self {
        let modulus = Modulus::new(pool.len());
        Self { pool, slots: modulus, owners: Owners::Modulo(modulus) }
    }

    /// The partition of a key by its hash.
    #[inline]
    #[must_use]
    pub fn place(&self, hash: u64) -> PartitionIndex {
        match &self.owners {
            Owners::Modulo(modulus) => self.pool.at(modulus.reduce(hash)),
            Owners::Table(owners) => owners[self.slots.reduce(hash) as usize],
        }
    }

    /// The slot of a key by its hash, `0..slots()`.
    #[must_use]
    pub fn slot_of(&self, hash: u64) -> u32 {
        self.slots.reduce(hash)
    }

    /// Number of slots.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.slots.divisor()
    }

    /// The pool whose keys the table places.
    #[must_use]
    pub fn pool(&self) -> PartitionRange {
        self.pool
    }
}

/// A slot table that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotError(SlotErrorKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SlotErrorKind {
    SlotCount { slots_per_partition: u32, pool: PartitionRange },
    SlotOutOfRange { slot: u32, slots: u32 },
    OwnedTwice { slot: u32 },
    OutsidePool { slot: u32, owner: PartitionIndex, pool: PartitionRange },
    OutsideTopic { slot: u32, owner: PartitionIndex, count: PartitionCount },
    NotMoved { slot: u32, owner: PartitionIndex },
}

impl fmt::Display for SlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            SlotErrorKind::SlotCount { slots_per_partition, pool } => write!(
                f,
                "a slot table has 1 to {SLOTS_MAX} slots: {slots_per_partition} slots per partition × {} partitions is \
                 outside; {}",
                pool.len(),
                match SLOTS_MAX / pool.len() {
                    0 => format!("a pool of more than {SLOTS_MAX} partitions cannot have one"),
                    most => format!("use 1 to {most} slots per partition"),
                }
            ),
            SlotErrorKind::SlotOutOfRange { slot, slots } => {
                write!(f, "slot {slot} does not exist: the pool has slots 0 to {}", slots - 1)
            }
            SlotErrorKind::OwnedTwice { slot } => {
                write!(f, "slot {slot} is given an owner twice; keep one of the two")
            }
            SlotErrorKind::OutsidePool { slot, owner, pool } => write!(
                f,
                "slot {slot} may not be owned by partition {owner}: under isolation \"strict\" owners are in the pool \
                 {pool}; choose one of those or set isolation = \"shared\""
            ),
            SlotErrorKind::OutsideTopic { slot, owner, count } => write!(
                f,
                "slot {slot} may not be owned by partition {owner}: the topic has partitions 0 to {}",
                count.get() - 1
            ),
            SlotErrorKind::NotMoved { slot, owner } => write!(
                f,
                "slot {slot} belongs to partition {owner} anyway; only slots with another owner are listed, so remove it"
            ),
        }
    }
}

impl Error for SlotError {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn pool(start: u32, end: u32) -> PartitionRange {
        PartitionRange::new(start, end).unwrap()
    }

    fn table(per_partition: u32, moved: &[(u32, u32)], isolation: Isolation) -> Result<SlotTable, SlotError> {
        let moved: Vec<_> = moved.iter().map(|&(slot, owner)| (slot, PartitionIndex::new(owner))).collect();
        SlotTable::new(pool(2, 6), per_partition, &moved, isolation, PartitionCount::new(8))
    }

    #[test]
    fn each_broken_rule_is_named() {
        type Case = (u32, &'static [(u32, u32)], &'static str);
        let cases: [Case; 6] = [
            (0, &[], "use 1 to 16384 slots per partition"),
            (16_385, &[], "use 1 to 16384 slots per partition"),
            (64, &[(256, 2)], "slot 256 does not exist: the pool has slots 0 to 255"),
            (64, &[(3, 2), (3, 4)], "slot 3 is given an owner twice"),
            (64, &[(3, 7)], "owners are in the pool 2..6"),
            (64, &[(3, 5)], "belongs to partition 5 anyway"),
        ];
        for (per_partition, moved, expected) in cases {
            let message = table(per_partition, moved, Isolation::Strict).unwrap_err().to_string();
            assert!(message.contains(expected), "{moved:?}: {message}");
        }
        let message = table(64, &[(3, 8)], Isolation::Shared).unwrap_err().to_string();
        assert!(message.contains("the topic has partitions 0 to 7"), "{message}");
        assert_eq!(table(64, &[(3, 7)], Isolation::Shared).unwrap().place(3).get(), 7);
    }

    proptest! {
        #[test]
        fn without_a_move_the_table_is_plain_modulo(
            hash: u32, start in 0u32..5, len in 1u32..200, per_partition in 1u32..300,
        ) {
            let pool = pool(start, start + len);
            let table = SlotTable::new(pool, per_partition, &[], Isolation::Strict, None).unwrap();
            let expected = start + hash % len;
            prop_assert_eq!(table.place(u64::from(hash)).get(), expected);
            prop_assert_eq!(pool.start() + table.slot_of(u64::from(hash)) % len, expected);
            prop_assert_eq!(SlotTable::unmoved(pool).place(u64::from(hash)).get(), expected);
        }

        #[test]
        fn a_moved_slot_moves_only_its_own_keys(
            moved in proptest::collection::btree_map(0u32..640, 0u32..10, 1..40),
            hashes in proptest::collection::vec(any::<u32>(), 100),
        ) {
            let pool = pool(0, 10);
            let moved: BTreeMap<_, _> = moved.into_iter().filter(|(slot, owner)| slot % 10 != *owner).collect();
            let list: Vec<_> = moved.iter().map(|(&slot, &owner)| (slot, PartitionIndex::new(owner))).collect();
            let table = SlotTable::new(pool, 64, &list, Isolation::Strict, None).unwrap();
            for hash in hashes {
                let expected = moved.get(&(hash % 640)).copied().unwrap_or(hash % 10);
                prop_assert_eq!(table.place(u64::from(hash)).get(), expected);
            }
        }
    }
}
