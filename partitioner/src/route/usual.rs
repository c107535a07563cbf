//! The short way of a decision, for keys as most keys are under contracts as most contracts are.
//!
//! Nothing is decided here that [`Router::route_any`] would decide otherwise. It asks once, when the contract is made ready,
//! what that asks for every record, and is small enough to be inlined, which halves the cost.

use super::{Record, Reject, Route, Router, Step};
use crate::hash::murmur2::{murmur2, murmur2_of_start};
use crate::hash::sign;
use crate::ids::{PartitionCount, PoolIndex};
use crate::splitter::START_BYTES;
use crate::spread::Spread;

impl Router {
    /// The decision about a key, when it may take a short way.
    ///
    /// Cannot panic, and says nothing of keys and contracts that are rare, or that are refused.
    #[cfg(any(test, feature = "rdkafka"))]
    #[inline(always)]
    pub(crate) fn usual(&self, key: &[u8], count: PartitionCount) -> Option<Route> {
        if self.usual_count == Some(count) {
            return match key.first_chunk() {
                Some(start) => self.route_usual(start, key),
                None => self.route_usual(&self.splitter.padded(key)?, key),
            };
        }
        if self.whole_count == Some(count) && !key.is_empty() {
            let partition = self.pools.standard.table.place(u64::from(sign::mask(murmur2(key))));
            return Some(Route { partition, step: Step::Standard, fault: None });
        }
        None
    }

    /// The key of a record that may take the short way.
    #[inline]
    pub(super) fn usual_key<'r>(&self, record: &Record<'r>, count: PartitionCount) -> Option<&'r [u8]> {
        record.key.filter(|_| record.partition.is_none() && self.usual_count == Some(count))
    }

    /// The decision about a `tenant-entity` key by its first bytes; see [`usual_count`](Self::usual_count).
    #[inline(always)]
    pub(super) fn route_usual(&self, start: &[u8; START_BYTES], key: &[u8]) -> Option<Route> {
        let tenant = self.splitter.tenant_block(start);
        let index = match self.classes.pool_of_block(tenant) {
            Some(index) => index,
            None if self.classes.has_prefixes() || self.splitter.is_escaped(tenant) => return None,
            None => {
                self.splitter.bytes_to_separator(start)?;
                PoolIndex::STANDARD
            }
        };
        let pool = self.pools.of(index);
        // Each spread hashes in a branch of its own: choosing the bytes first would make the hash wait for the look-up of
        // the tenant, where the processor can otherwise predict the branch and do both at once.
        let hash = match pool.spread {
            Spread::Entity => murmur2(key),
            Spread::Tenant => murmur2_of_start(start, self.splitter.bytes_to_separator(start)?),
        };
        let step = if index == PoolIndex::STANDARD { Step::Standard } else { Step::Vip(index) };
        Some(Route { partition: pool.table.place(u64::from(sign::mask(hash))), step, fault: None })
    }

    /// The decision about any record, the short way too where the key has less than the bytes looked at.
    #[cold]
    pub(super) fn route_other(&self, record: Record<'_>, count: PartitionCount) -> Result<Route, Reject> {
        if let Some(key) = self.usual_key(&record, count)
            && let Some(start) = self.splitter.padded(key)
            && let Some(route) = self.route_usual(&start, key)
        {
            return Ok(route);
        }
        self.route_any(&record, count)
    }
}
