//! Pools made ready to place keys.

use crate::ids::PoolIndex;
use crate::slot::SlotTable;
use crate::spread::Spread;

/// A pool ready to place keys.
#[derive(Clone, Debug)]
pub(crate) struct PlacingPool {
    pub(crate) spread: Spread,
    pub(crate) table: SlotTable,
}

/// The pools of a contract.
///
/// The two that nearly every contract has stand apart, so that their address does not wait for the look-up of a tenant.
#[derive(Debug)]
pub(crate) struct PlacingPools {
    pub(crate) standard: PlacingPool,
    /// Stands for the standard pool where there is no dedicated one; then no tenant is mapped to it.
    first: PlacingPool,
    later: Box<[PlacingPool]>,
    dedicated_count: usize,
}

impl PlacingPools {
    pub(crate) fn new(standard: PlacingPool, dedicated: Vec<PlacingPool>) -> Self {
        let dedicated_count = dedicated.len();
        let mut dedicated = dedicated.into_iter();
        let first = dedicated.next().unwrap_or_else(|| standard.clone());
        Self { standard, first, later: dedicated.collect(), dedicated_count }
    }

    /// A pool that is there, as all are that a contract's own tables name.
    #[inline]
    pub(crate) fn of(&self, index: PoolIndex) -> &PlacingPool {
        match index.get() {
            0 => &self.standard,
            1 => &self.first,
            later => self.of_later(later),
        }
    }

    #[cold]
    fn of_later(&self, index: u32) -> &PlacingPool {
        self.later.get(index as usize - 2).unwrap_or(&self.standard)
    }

    /// Every pool but the standard one, in the order of the contract.
    pub(crate) fn dedicated(&self) -> impl Iterator<Item = &PlacingPool> {
        std::iter::once(&self.first).chain(&self.later).take(self.dedicated_count)
    }
}
