//! What is known of the traffic after it was replayed.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use partitioner::route::Record;
use partitioner::spread::OrderingScope;

use super::heavy::{HeavyItem, HeavySketch};
use super::key_block::KeyBlock;
use super::pass::{number, write_key};
use super::record_block::RecordBlock;
use super::traffic::Batch;
use super::{Lane, SimulateError, SkippedRows};
use crate::load::{Load, TenantId};
use crate::workload::key_book::{Columns, KeyBook, NO_KEY, NO_TENANT};

/// Most heavy entities, and tenants, whose ordering scope is looked up under each strategy once keys have been forgotten.
const HEAVY_UNITS_MAX: usize = 4_096;

/// How much was replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Records and their bytes.
    pub load: Load,
    /// Rows of a trace that were left out.
    pub skipped: Option<SkippedRows>,
}

/// The size of an ordering unit, exact when the error is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitSize {
    /// Its bytes: a tenant's name or a key.
    pub name: Vec<u8>,
    /// Its records.
    pub records: u64,
    /// By how many that may be off.
    pub error_records: u64,
}

/// The traffic after it was replayed: counts by key and tenant.
#[derive(Debug)]
pub struct Replay {
    book: KeyBook,
    pub(super) volume: Volume,
    /// Load of each key at hand, by number.
    key_loads: Vec<Load>,
    /// Records at hand that are placed one by one, in order: those without a key, and those of
    /// [loose keys](KeyBook::is_loose).
    loose: Vec<Loose>,
    /// Records of each tenant, by number.
    tenant_records: Vec<u64>,
    sketches: Option<Sketches>,
}

/// Stand in for what was forgotten.
#[derive(Debug)]
struct Sketches {
    entities: HeavySketch,
    /// Tenants that have no number, for there are too many; the others are counted one by one.
    unnumbered_tenants: HeavySketch,
}

#[derive(Clone, Copy, Debug)]
struct Loose {
    key: u32,
    size_bytes: u32,
    now_us: u64,
}

impl Replay {
    pub(super) fn new(book: KeyBook) -> Self {
        Self {
            book,
            volume: Volume::default(),
            key_loads: Vec::new(),
            loose: Vec::new(),
            tenant_records: Vec::new(),
            sketches: None,
        }
    }

    /// Numbers a batch into `columns`, which are then to be counted before the next.
    pub(super) fn number(&mut self, batch: &Batch, columns: &mut Columns) -> Result<(), SimulateError> {
        number(batch, &mut self.book, columns)
    }

    /// Writes out the keys of records that were numbered and not yet counted: counting may forget them.
    pub(super) fn with_keys(&self, columns: &Columns) -> Result<RecordBlock, SimulateError> {
        let (mut block, mut text) = (RecordBlock::with_capacity(columns.len()), Vec::new());
        let records = columns.keys.iter().zip(&columns.tenants).zip(&columns.bytes).zip(&columns.time_us);
        for (((&key, &tenant), &size_bytes), &now_us) in records {
            if key == NO_KEY {
                block.push_unkeyed(size_bytes, now_us);
            } else {
                write_key(&self.book, key, &mut text)?;
                block.push(&text, tenant, size_bytes, now_us);
            }
        }
        Ok(block)
    }

    /// Counts what was numbered; places in `by_key` what no longer fits.
    pub(super) fn count(
        &mut self,
        columns: &Columns,
        by_key: Option<&mut [Lane]>,
    ) -> Result<(), SimulateError> {
        if self.key_loads.len() < self.book.key_count() {
            self.key_loads.resize(self.book.key_count(), Load::default());
        }
        let mut batch_bytes = 0;
        let records = columns.keys.iter().zip(&columns.bytes).zip(&columns.time_us);
        for ((&key, &size_bytes), &now_us) in records {
            let bytes = u64::from(size_bytes);
            batch_bytes += bytes;
            if key != NO_KEY {
                self.key_loads[key as usize].add(Load { records: 1, bytes });
            }
            if key == NO_KEY || self.book.is_loose(key) {
                self.loose.push(Loose { key, size_bytes, now_us });
            }
        }
        self.volume.load.add(Load { records: columns.len() as u64, bytes: batch_bytes });
        if self.book.is_full() {
            self.place(by_key.ok_or_else(SimulateError::too_much)?)?;
            self.forget()?;
        } else if self.loose.len() >= self.book.limits().loose_max {
            self.place_loose(by_key.ok_or_else(SimulateError::too_much)?)?;
            self.loose.clear();
        }
        Ok(())
    }

    /// Places what is still at hand, in the lanes that were there from the start.
    pub(super) fn finish(&mut self, by_key: Option<&mut [Lane]>) -> Result<(), SimulateError> {
        // Keys stay as long as they can: lanes may still come, and counts are exact.
        let may_stay = self.sketches.is_none() && !self.book.has_unnumbered_tenants();
        match by_key {
            Some(lanes) => self.place(lanes)?,
            None if may_stay => {}
            None => return Err(SimulateError::too_much()),
        }
        if may_stay {
            self.count_tenants();
            return Ok(());
        }
        self.forget()
    }

    /// Places every key at hand, and the records that are placed one by one, in each lane.
    ///
    /// Lanes know nothing of each other, so the cores share them.
    ///
    /// # Errors
    /// [`SimulateError`] when a key cannot be made.
    pub fn place(&self, lanes: &mut [Lane]) -> Result<(), SimulateError> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let lanes_per_core = lanes.len().div_ceil(cores).max(1);
        thread::scope(|scope| {
            let place = |lanes: &mut [Lane]| {
                self.place_keys(lanes)?;
                self.place_loose(lanes)
            };
            let start = |lanes| scope.spawn(move || place(lanes));
            let placing: Vec<_> = lanes.chunks_mut(lanes_per_core).map(start).collect();
            placing
                .into_iter()
                .try_for_each(|placed| placed.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }

    fn place_keys(&self, lanes: &mut [Lane]) -> Result<(), SimulateError> {
        let mut block = KeyBlock::default();
        let mut place = |block: &KeyBlock| lanes.iter_mut().for_each(|lane| lane.place_keys(block));
        self.each_key(|number, key, load| {
            if !self.book.is_loose(number) {
                block.push(key, self.book.tenant_of(number), load);
            }
            if block.is_full() {
                place(&block);
                block.clear();
            }
        })?;
        place(&block);
        Ok(())
    }

    fn place_loose(&self, lanes: &mut [Lane]) -> Result<(), SimulateError> {
        let mut key = Vec::new();
        for loose in &self.loose {
            let mut record = Record::unkeyed(loose.size_bytes, loose.now_us);
            let mut tenant = NO_TENANT;
            if loose.key != NO_KEY {
                write_key(&self.book, loose.key, &mut key)?;
                (record.key, tenant) = (Some(key.as_slice()), self.book.tenant_of(loose.key));
            }
            for lane in &mut *lanes {
                lane.place_record(&record, tenant);
            }
        }
        Ok(())
    }

    fn each_key(&self, mut visit: impl FnMut(u32, &[u8], Load)) -> Result<(), SimulateError> {
        let mut key = Vec::new();
        for (number, &load) in (0u32..).zip(&self.key_loads) {
            if load.records > 0 {
                write_key(&self.book, number, &mut key)?;
                visit(number, &key, load);
            }
        }
        Ok(())
    }

    fn count_tenants(&mut self) {
        self.tenant_records.resize(self.book.tenant_count(), 0);
        for (number, load) in (0u32..).zip(&self.key_loads).filter(|(_, load)| load.records > 0) {
            if let Some(records) = self.tenant_records.get_mut(self.book.tenant_of(number).as_usize()) {
                *records += load.records;
            }
        }
    }

    /// Moves the counts at hand into the sketches.
    fn forget(&mut self) -> Result<(), SimulateError> {
        let mut sketches = match self.sketches.take() {
            Some(sketches) => sketches,
            None => Sketches { entities: HeavySketch::new()?, unnumbered_tenants: HeavySketch::new()? },
        };
        let format = self.book.format();
        self.each_key(|number, key, load| {
            sketches.entities.add(key, load.records);
            if self.book.tenant_of(number) == NO_TENANT {
                let tenant = format.decode(key).map(|key| key.tenant);
                sketches.unnumbered_tenants.add(tenant.as_deref().unwrap_or(key), load.records);
            }
        })?;
        self.count_tenants();
        self.sketches = Some(sketches);
        self.book.forget_keys();
        self.key_loads.clear();
        self.loose.clear();
        Ok(())
    }

    /// How much was replayed.
    #[must_use]
    pub fn volume(&self) -> &Volume {
        &self.volume
    }

    /// Names and numbers of tenants.
    #[must_use]
    pub fn book(&self) -> &KeyBook {
        &self.book
    }

    /// Whether all keys are still at hand, so that every count is exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.sketches.is_none()
    }

    /// Records of a tenant; `None` when it has no number.
    #[must_use]
    pub fn tenant_records(&self, tenant: TenantId) -> Option<u64> {
        self.tenant_records.get(tenant.as_usize()).copied()
    }

    /// Tenants with at least `records_min` records, most records first.
    #[must_use]
    pub fn tenants_from(&self, records_min: u64) -> Vec<TenantId> {
        let numbered = (0u32..).map(TenantId).zip(&self.tenant_records);
        let mut tenants: Vec<_> = numbered.filter(|(_, records)| **records >= records_min.max(1)).collect();
        tenants.sort_by(|a, b| {
            b.1.cmp(a.1).then_with(|| self.book.tenant_name(a.0).cmp(self.book.tenant_name(b.0)))
        });
        tenants.into_iter().map(|(tenant, _)| tenant).collect()
    }

    /// Names and sizes of the tenants with at least `records_min` records, most records first.
    ///
    /// Beside the tenants that have a number those that were met too late to get one, as far as they are heavy; names of
    /// 1,024 bytes and more are left out of these.
    #[must_use]
    pub fn heavy_tenants(&self, records_min: u64) -> Vec<UnitSize> {
        let mut heavy: Vec<_> = self.tenants_from(records_min).into_iter().map(|id| self.sized(id)).collect();
        if let Some(sketches) = &self.sketches {
            let unnumbered = sketches.unnumbered_tenants.heaviest().into_iter();
            let unnumbered = unnumbered.take_while(|item| item.records >= records_min);
            heavy.extend(unnumbered.filter(HeavyItem::is_whole).map(UnitSize::from));
            heavy.sort_by(|a, b| b.records.cmp(&a.records).then_with(|| a.name.cmp(&b.name)));
        }
        heavy
    }

    /// A tenant that has a number, by name.
    fn sized(&self, tenant: TenantId) -> UnitSize {
        let name = self.book.tenant_name(tenant).to_vec();
        UnitSize { name, records: self.tenant_records[tenant.as_usize()], error_records: 0 }
    }

    /// Number of distinct tenants, and its relative standard error.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // numbers of tenants
    pub fn distinct_tenants(&self) -> (u64, f64) {
        let numbered = self.tenant_records.iter().filter(|&&records| records > 0).count() as u64;
        let Some(sketches) = &self.sketches else {
            return (numbered, 0.0);
        };
        let (unnumbered, relative_error) = rounded(sketches.unnumbered_tenants.distinct());
        let all = numbered + unnumbered;
        (all, if all == 0 { 0.0 } else { relative_error * unnumbered as f64 / all as f64 })
    }

    /// Number of distinct keys, and its relative standard error.
    #[must_use]
    pub fn distinct_entities(&self) -> (u64, f64) {
        match &self.sketches {
            Some(sketches) => rounded(sketches.entities.distinct()),
            None => (self.key_loads.iter().filter(|load| load.records > 0).count() as u64, 0.0),
        }
    }

    /// The largest tenant; `None` when no record has one.
    #[must_use]
    pub fn largest_tenant(&self) -> Option<UnitSize> {
        let exact = self.tenants_from(1).first().map(|&tenant| self.sized(tenant));
        let sketches = self.sketches.iter();
        let unnumbered =
            sketches.filter_map(|sketches| sketches.unnumbered_tenants.heaviest().into_iter().next());
        unnumbered.map(UnitSize::from).chain(exact).max_by_key(|unit| unit.records)
    }

    /// The largest entity, named by its key; `None` when no record has a key.
    #[must_use]
    pub fn largest_entity(&self) -> Option<UnitSize> {
        if let Some(sketches) = &self.sketches {
            return sketches.entities.heaviest().into_iter().next().map(UnitSize::from);
        }
        let numbered = (0u32..).zip(&self.key_loads);
        let (number, load) =
            numbered.max_by_key(|&(number, load)| (load.records, std::cmp::Reverse(number)))?;
        let mut name = Vec::new();
        self.book.write_key(number, &mut name).ok()?;
        Some(UnitSize { name, records: load.records, error_records: 0 })
    }

    /// Records of the largest unit that `lane` keeps in order, and by how many that may be off.
    ///
    /// Where there are too many tenants to count one by one, one that is not counts with all its records, those included
    /// that the strategy refuses, pins elsewhere by their keys, or treats as if they had none.
    #[must_use]
    pub fn largest_unit_records(&self, lane: &Lane) -> (u64, u64) {
        let largest = (lane.largest_placed_unit_records(), 0);
        let keeps = |key: &[u8], scope| lane.scope_of(key) == Some(scope);
        let Some(sketches) = &self.sketches else {
            // Loose keys were placed record by record.
            let loose = self.book.loose_keys().iter().filter_map(|&number| {
                let mut key = Vec::new();
                self.book.write_key(number, &mut key).ok()?;
                keeps(&key, OrderingScope::Entity).then_some((self.key_loads[number as usize].records, 0))
            });
            return loose.fold(largest, |largest, other| largest.max(other));
        };
        let heaviest = |sketch: &HeavySketch, keeps: &dyn Fn(&[u8]) -> bool| {
            let heaviest = sketch.heaviest().into_iter().take(HEAVY_UNITS_MAX);
            heaviest.into_iter().find(|item| keeps(&item.name)).map(|item| (item.records, item.error_records))
        };
        let entity = heaviest(&sketches.entities, &|key| keeps(key, OrderingScope::Entity));
        let tenant = heaviest(&sketches.unnumbered_tenants, &|name| {
            let key = self.book.format().encode(name, &[]);
            // A malformed key is its own tenant.
            key.is_ok_and(|key| keeps(&key, OrderingScope::Tenant)) || keeps(name, OrderingScope::Tenant)
        });
        entity.into_iter().chain(tenant).fold(largest, |a, b| if b.0 > a.0 { b } else { a })
    }
}

impl From<HeavyItem> for UnitSize {
    fn from(item: HeavyItem) -> Self {
        Self { name: item.name, records: item.records, error_records: item.error_records }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // an estimated count, far below 2⁵³
fn rounded((estimate, relative_error): (f64, f64)) -> (u64, f64) {
    (estimate.round() as u64, relative_error)
}
