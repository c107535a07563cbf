//! The traffic as tuning sees it: tenants, and of each the cells that cannot be divided further.

use std::ops::Range;

use partitioner::hash::KeyHash;

use super::foresight::{History, SPANS_MAX};
use super::tally::{FOREIGN, Holdout, LIGHT, Tally, UNKEYED};
use crate::load::TenantId;
use crate::workload::key_book::KeyBook;

/// A tenant with records to tune on or to judge on.
#[derive(Clone, Debug)]
pub struct Tenant {
    /// Its number in the book.
    pub id: TenantId,
    /// The hash of its name as it stands in a key.
    pub(super) raw_hash: u64,
    /// Its cells, light ones aside.
    pub(super) cells: Range<usize>,
}

/// Records of everything that has a place: of one part of the traffic, or as they are foreseen.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// By cell.
    pub(super) cells: Vec<f64>,
    /// By tenant, light cells included.
    pub tenants: Vec<f64>,
    /// By tenant: what is spread evenly where the tenant is spread by entity.
    pub(super) light: Vec<f64>,
    /// What is spread evenly over the slots of the standard pool.
    pub(super) light_foreign: f64,
    /// Records without a key.
    pub unkeyed: f64,
    /// All of them.
    pub total: f64,
}

/// Tenants and their cells, the largest tenant of the part to tune on first.
#[derive(Debug)]
pub struct Units {
    /// The tenants.
    pub tenants: Vec<Tenant>,
    /// By cell: those of tenants in their order, then those whose key names none.
    pub(super) hashes: Vec<u64>,
    /// Cells whose key names no tenant.
    pub(super) foreign: Range<usize>,
    /// The part to tune on.
    pub tuned: Loads,
    /// The part to judge on; empty without a holdout.
    pub later: Loads,
    /// What the part to tune on lets expect of later traffic of the same size.
    pub foreseen: Loads,
    /// By tenant: how much of what a cell is above or below the tenant's mean carries over to later traffic, 0 to 1.
    pub persistence: Vec<f64>,
    /// The first position of the part to judge on, where it was cut by share.
    pub cut: Option<u64>,
    /// Distinct keys of both parts; an estimate from below where light ones were joined.
    pub keys: u64,
}

impl Units {
    /// Sorts what was counted.
    #[must_use]
    pub fn new(tally: &Tally, book: &KeyBook, hash: KeyHash) -> Self {
        let cells = tally.cells.tenants.len();
        let windows = tally.earlier.len();
        let tuned_windows = match tally.holdout() {
            Holdout::Share(share) if !tally.is_later() => {
                tally.earlier.cut(windows, part_of(tally.earlier.records(), 1.0 - share))
            }
            _ => windows,
        };
        let spans: Vec<_> = tally.earlier.spans(tuned_windows, SPANS_MAX);
        let spans: Vec<_> = spans.into_iter().map(|windows| tally.earlier.sum(windows, cells)).collect();
        let tuned = tally.earlier.sum(0..tuned_windows, cells);
        let mut later = tally.earlier.sum(tuned_windows..windows, cells);
        later.iter_mut().zip(&tally.later).for_each(|(sum, records)| *sum += records);

        let order = Order::new(tally, &tuned, &later, book.tenant_count());
        let mut units = Self {
            tenants: order.tenants(book, hash),
            hashes: order.cells.iter().map(|&cell| tally.cells.hashes[cell as usize]).collect(),
            foreign: order.foreign.clone(),
            tuned: order.loads(&tuned, tally),
            later: order.loads(&later, tally),
            foreseen: Loads::default(),
            persistence: Vec::new(),
            cut: tally.earlier.end(tuned_windows),
            keys: order.cells.len() as u64,
        };
        let in_order = |counts: Vec<u32>| order.cells.iter().map(|&cell| counts[cell as usize]).collect();
        let history = History { spans: spans.into_iter().map(in_order).collect() };
        (units.foreseen, units.persistence) = history.foresee(&units);
        units
    }

    /// The part of a tenant that cannot be divided where it is spread by entity.
    pub(super) fn largest_cell(&self, loads: &Loads, rank: usize) -> f64 {
        loads.cells[self.tenants[rank].cells.clone()].iter().copied().fold(0.0, f64::max)
    }

    /// Share of the records to judge on whose key was there before: what moving slots can be about.
    #[must_use]
    pub fn known_share(&self) -> Option<f64> {
        let pairs = self.later.cells.iter().zip(&self.tuned.cells);
        let (mut known, mut all) = (0.0, 0.0);
        for (&later, &tuned) in pairs {
            all += later;
            known += if tuned > 0.0 { later } else { 0.0 };
        }
        (all > 0.0).then(|| known / all)
    }
}

/// A whole number of records.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // below 2³²
pub(super) fn part_of(records: u64, share: f64) -> u64 {
    (records as f64 * share).round() as u64
}

/// Cells and tenants by number, in the order in which tuning wants them.
struct Order {
    /// Tenants that have records, largest first, by number.
    ranked: Vec<u32>,
    /// Cells of each of them, then foreign ones.
    cells: Vec<u32>,
    ends: Vec<usize>,
    foreign: Range<usize>,
    rank_of: Vec<usize>,
}

const NO_RANK: usize = usize::MAX;

impl Order {
    fn new(tally: &Tally, tuned: &[u32], later: &[u32], tenant_count: usize) -> Self {
        let owners = &tally.cells.tenants;
        let mut records = vec![(0u64, 0u64); tenant_count];
        let mut cells_of = vec![0usize; tenant_count];
        let is_counted = |cell: usize| tuned[cell] + later[cell] > 0 && tally.cells.hashes[cell] != LIGHT;
        for (cell, &owner) in owners.iter().enumerate() {
            if let Some(records) = records.get_mut(owner as usize) {
                records.0 += u64::from(tuned[cell]);
                records.1 += u64::from(later[cell]);
                cells_of[owner as usize] += usize::from(is_counted(cell));
            }
        }
        let mut ranked: Vec<u32> = (0..u32::try_from(tenant_count).unwrap_or(u32::MAX)).collect();
        ranked.retain(|&tenant| records[tenant as usize] != (0, 0));
        ranked.sort_by_key(|&tenant| (std::cmp::Reverse(records[tenant as usize]), tenant));
        let mut rank_of = vec![NO_RANK; tenant_count];
        let (mut starts, mut ends, mut end) = (vec![0; tenant_count], Vec::new(), 0);
        for (rank, &tenant) in ranked.iter().enumerate() {
            rank_of[tenant as usize] = rank;
            starts[tenant as usize] = end;
            end += cells_of[tenant as usize];
            ends.push(end);
        }
        let mut cells = vec![0; end];
        let foreign_start = end;
        for (cell, &owner) in owners.iter().enumerate() {
            let number = u32::try_from(cell).unwrap_or(u32::MAX);
            match owner {
                FOREIGN if is_counted(cell) => cells.push(number),
                FOREIGN | UNKEYED => {}
                tenant if is_counted(cell) => {
                    let start = &mut starts[tenant as usize];
                    cells[*start] = number;
                    *start += 1;
                }
                _ => {}
            }
        }
        let foreign = foreign_start..cells.len();
        Self { ranked, cells, ends, foreign, rank_of }
    }

    fn tenants(&self, book: &KeyBook, hash: KeyHash) -> Vec<Tenant> {
        let format = book.format();
        let mut start = 0;
        let with_ends = self.ranked.iter().zip(&self.ends);
        let tenants = with_ends.map(|(&id, &end)| {
            let cells = start..end;
            start = end;
            let key = format.encode(book.tenant_name(TenantId(id)), &[]);
            // The tenant came out of a key of this format, so it goes into one.
            let key = key.unwrap_or_default();
            let raw_hash = hash.value(format.raw_tenant(&key).unwrap_or_default());
            Tenant { id: TenantId(id), raw_hash, cells }
        });
        tenants.collect()
    }

    #[allow(clippy::cast_precision_loss)] // below 2³² records
    fn loads(&self, counts: &[u32], tally: &Tally) -> Loads {
        let mut loads = Loads {
            cells: self.cells.iter().map(|&cell| f64::from(counts[cell as usize])).collect(),
            tenants: vec![0.0; self.ranked.len()],
            light: vec![0.0; self.ranked.len()],
            ..Loads::default()
        };
        for (cell, &owner) in tally.cells.tenants.iter().enumerate() {
            let records = f64::from(counts[cell]);
            loads.total += records;
            match owner {
                UNKEYED => loads.unkeyed += records,
                FOREIGN if tally.cells.hashes[cell] == LIGHT => loads.light_foreign += records,
                FOREIGN => {}
                tenant if records > 0.0 => {
                    let rank = self.rank_of[tenant as usize];
                    loads.tenants[rank] += records;
                    if tally.cells.hashes[cell] == LIGHT {
                        loads.light[rank] += records;
                    }
                }
                _ => {}
            }
        }
        loads
    }
}
