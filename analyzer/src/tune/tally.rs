//! What tuning needs to know of the traffic, counted in one pass.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use partitioner::hash::KeyHash;
use std::hash::BuildHasher;

use super::windows::Windows;
use crate::simulate::{SimulateError, write_key};
use crate::workload::key_book::{Columns, KeyBook, NO_KEY, NO_TENANT};

/// Most cells; with their windows they take some 150 MiB.
const CELLS_MAX: usize = 1 << 20;

/// Most records, so that no count of them overflows.
pub const RECORDS_MAX: u64 = u32::MAX as u64;

/// The owner of records whose key names no tenant that has a number: the key is empty or malformed, or there are too
/// many tenants.
pub(super) const FOREIGN: u32 = u32::MAX;

/// The owner of records without a key.
pub(super) const UNKEYED: u32 = u32::MAX - 1;

/// In place of a hash: light keys of one tenant, too many to be told apart, which are taken to be spread evenly.
pub(super) const LIGHT: u64 = u64::MAX;

/// Which part of the traffic a record belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Holdout {
    /// The last share of the records, by time or order.
    Share(f64),
    /// What lies at this position or after it.
    From(u64),
    /// Everything is tuned on.
    None,
}

/// What orders the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Their number.
    Order,
    /// Their time.
    Time,
}

impl Position {
    /// Whether records are ordered by their time.
    #[must_use]
    pub fn is_time(self) -> bool {
        self == Self::Time
    }
}

/// Keys that no rule can tell apart: those of one tenant with one hash.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The number of the tenant, [`FOREIGN`] or [`UNKEYED`].
    pub(super) tenants: Vec<u32>,
    /// The hash of the whole key, or [`LIGHT`].
    pub(super) hashes: Vec<u64>,
}

/// Counts records by cell, those to tune on by window and those to judge on in one sum.
///
/// Keys are forgotten as the book forgets them; cells stay. When there are too many, the lightest half of them becomes
/// one light cell a tenant.
#[derive(Debug)]
pub struct Tally {
    hash: KeyHash,
    position: Position,
    holdout: Holdout,
    pub(super) cells: Cells,
    /// By the number of the key in the book.
    cell_of_key: Vec<u32>,
    /// Cells by tenant and hash, once keys have been forgotten.
    known: Option<Known>,
    pub(super) earlier: Windows,
    pub(super) later: Vec<u32>,
    is_later: bool,
    records: u64,
    key: Vec<u8>,
    cells_max: usize,
    are_cells_joined: bool,
}

#[derive(Debug, Default)]
struct Known {
    cells: HashTable<u32>,
    state: RandomState,
}

impl Known {
    fn find(&self, cells: &Cells, owner: u32, hash: u64) -> Option<u32> {
        let is_it = |&cell: &u32| cells.get(cell) == (owner, hash);
        self.cells.find(self.state.hash_one((owner, hash)), is_it).copied()
    }

    fn insert(&mut self, cells: &Cells, cell: u32) {
        let hash_of = |&cell: &u32| self.state.hash_one(cells.get(cell));
        self.cells.insert_unique(hash_of(&cell), cell, hash_of);
    }
}

impl Tally {
    /// An empty tally of keys hashed by `hash`; of so many records, where that is known.
    #[must_use]
    pub fn new(hash: KeyHash, position: Position, holdout: Holdout, records: Option<u64>) -> Self {
        // With a known number some 16 to 32 windows come out at once.
        let width_bits = records.map_or(0, |records| (records / 16).checked_ilog2().unwrap_or(0));
        let mut tally = Self {
            hash,
            position,
            holdout,
            cells: Cells::default(),
            cell_of_key: Vec::new(),
            known: None,
            earlier: Windows::new(if position.is_time() { 0 } else { width_bits }),
            later: Vec::new(),
            is_later: false,
            records: 0,
            key: Vec::new(),
            cells_max: CELLS_MAX,
            are_cells_joined: false,
        };
        tally.cells.push(UNKEYED, 0);
        tally
    }

    /// The same with room for other than the usual number of cells.
    #[cfg(test)]
    pub(super) fn with_cells_max(self, cells_max: usize) -> Self {
        Self { cells_max, ..self }
    }

    /// From now on all records are for judging.
    pub fn begin_later(&mut self) {
        self.is_later = true;
    }

    /// Counts a batch of numbered records.
    ///
    /// # Errors
    /// [`SimulateError`] when a profile's key cannot be made.
    pub fn take(&mut self, book: &mut KeyBook, columns: &Columns) -> Result<(), SimulateError> {
        if self.records + columns.len() as u64 > RECORDS_MAX {
            return Err(SimulateError::too_many_records(RECORDS_MAX));
        }
        for number in self.cell_of_key.len()..book.key_count() {
            let cell = self.cell_of(book, u32::try_from(number).unwrap_or(NO_KEY))?;
            self.cell_of_key.push(cell);
        }
        let from = match self.holdout {
            _ if self.is_later => 0,
            Holdout::From(from) => from,
            _ => u64::MAX,
        };
        for (&key, &time_us) in columns.keys.iter().zip(&columns.time_us) {
            let cell = if key == NO_KEY { 0 } else { self.cell_of_key[key as usize] };
            let position = if self.position.is_time() { time_us } else { self.records };
            self.records += 1;
            if position < from {
                self.earlier.add(position, cell);
                continue;
            }
            if cell as usize >= self.later.len() {
                self.later.resize(self.cells.tenants.len(), 0);
            }
            self.later[cell as usize] += 1;
        }
        if book.is_full() {
            self.forget_keys(book);
        }
        Ok(())
    }

    /// The cell of a key of the book.
    fn cell_of(&mut self, book: &KeyBook, number: u32) -> Result<u32, SimulateError> {
        let mut key = std::mem::take(&mut self.key);
        write_key(book, number, &mut key)?;
        let tenant = book.tenant_of(number);
        let is_foreign = key.is_empty() || tenant == NO_TENANT || book.format().raw_tenant(&key).is_err();
        let (owner, hash) = (if is_foreign { FOREIGN } else { tenant.0 }, self.hash.value(&key));
        self.key = key;
        if let Some(cell) = self.known.as_ref().and_then(|known| known.find(&self.cells, owner, hash)) {
            return Ok(cell);
        }
        let cell = self.cells.push(owner, hash);
        if let Some(known) = &mut self.known {
            known.insert(&self.cells, cell);
        }
        Ok(cell)
    }

    /// Lets the book start anew; the cells of its keys are found again by tenant and hash.
    fn forget_keys(&mut self, book: &mut KeyBook) {
        book.forget_keys();
        self.cell_of_key.clear();
        if self.cells.tenants.len() > self.cells_max / 2 {
            self.join_light_cells();
        }
        let mut known = Known::default();
        (0..next(&self.cells)).for_each(|cell| known.insert(&self.cells, cell));
        self.known = Some(known);
    }

    /// Makes the lightest half of the cells one light cell a tenant.
    fn join_light_cells(&mut self) {
        let cells = self.cells.tenants.len();
        let mut totals = self.earlier.sum(0..self.earlier.len(), cells);
        totals.iter_mut().zip(&self.later).for_each(|(total, later)| *total += later);
        let mut sorted = totals.clone();
        let (_, &mut limit, _) = sorted.select_nth_unstable(cells / 2);
        let mut joined = Cells::default();
        let mut light_of: hashbrown::HashMap<u32, u32, RandomState> = hashbrown::HashMap::default();
        let mut new_of_old = Vec::with_capacity(cells);
        for (at, &total) in totals.iter().enumerate() {
            let (owner, hash) = (self.cells.tenants[at], self.cells.hashes[at]);
            let new = if owner == UNKEYED || (total > limit && hash != LIGHT) {
                joined.push(owner, hash)
            } else {
                *light_of.entry(owner).or_insert_with(|| joined.push(owner, LIGHT))
            };
            new_of_old.push(new);
        }
        let kept = joined.tenants.len();
        self.earlier.renumber(&new_of_old, kept);
        let mut later = vec![0; kept];
        self.later.iter().zip(&new_of_old).for_each(|(records, &new)| later[new as usize] += records);
        (self.cells, self.later, self.are_cells_joined) = (joined, later, true);
    }

    /// Whether keys were so many that light ones are taken to be spread evenly, so that figures are estimates.
    #[must_use]
    pub fn is_approximate(&self) -> bool {
        self.are_cells_joined
    }

    /// Whether the part to judge on was begun, so that none is cut off.
    pub(super) fn is_later(&self) -> bool {
        self.is_later
    }

    /// How the part to judge on is told from the one to tune on.
    pub(super) fn holdout(&self) -> Holdout {
        self.holdout
    }

    /// Records counted.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}

impl Cells {
    /// The owner and the hash of a cell.
    fn get(&self, cell: u32) -> (u32, u64) {
        (self.tenants[cell as usize], self.hashes[cell as usize])
    }

    fn push(&mut self, owner: u32, hash: u64) -> u32 {
        let cell = next(self);
        self.tenants.push(owner);
        self.hashes.push(hash);
        cell
    }
}

/// Cells are joined long before a `u32` runs out.
fn next(cells: &Cells) -> u32 {
    u32::try_from(cells.tenants.len()).unwrap_or(u32::MAX)
}
