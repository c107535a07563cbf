//! What is known of the traffic after it was replayed.

use super::heavy::{HeavyItem, HeavySketch};
use super::traffic::Batch;
use super::{Lane, Lanes, SimulateError, SkippedRows};
use crate::load::{Load, TenantId};
use crate::workload::key_book::{Columns, KeyBook, NO_KEY, NO_TENANT};

/// Records without a key above which those at hand are placed and forgotten.
const UNKEYED_MAX: usize = 1 << 20;

/// Most heavy entities whose ordering scope is looked up under each strategy once keys have been forgotten.
const HEAVY_ENTITIES_MAX: usize = 4_096;

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
    /// Size and time of each record without a key at hand, in order.
    unkeyed: Vec<(u32, u64)>,
    /// Records of each tenant, by number.
    tenant_records: Vec<u64>,
    /// Records of tenants beyond those that have a number.
    has_unnumbered_tenants: bool,
    sketches: Option<Sketches>,
}

/// Stand in for what was forgotten.
#[derive(Debug)]
struct Sketches {
    entities: HeavySketch,
    tenants: HeavySketch,
}

impl Replay {
    pub(super) fn new(book: KeyBook) -> Self {
        Self {
            book,
            volume: Volume::default(),
            key_loads: Vec::new(),
            unkeyed: Vec::new(),
            tenant_records: Vec::new(),
            has_unnumbered_tenants: false,
            sketches: None,
        }
    }

    /// Counts a batch and lets the sequence lanes walk it.
    pub(super) fn take(
        &mut self,
        batch: &Batch,
        columns: &mut Columns,
        lanes: &mut Lanes,
    ) -> Result<(), SimulateError> {
        match batch {
            Batch::Profile(batch) => self.book.number_profile(batch, columns),
            Batch::Trace(batch) => self
                .book
                .number_trace(batch, columns)
                .map_err(|(tenant, error)| SimulateError::key(tenant, error))?,
        }
        if self.key_loads.len() < self.book.key_count() {
            self.key_loads.resize(self.book.key_count(), Load::default());
        }
        let mut batch_bytes = 0;
        for (at, (&key, &size_bytes)) in columns.keys.iter().zip(&columns.bytes).enumerate() {
            let bytes = u64::from(size_bytes);
            batch_bytes += bytes;
            if key == NO_KEY {
                self.unkeyed.push((size_bytes, columns.time_ms[at]));
            } else {
                self.key_loads[key as usize].add(Load { records: 1, bytes });
            }
        }
        self.volume.load.add(Load { records: columns.len() as u64, bytes: batch_bytes });
        for lane in &mut lanes.sequence {
            lane.walk(columns);
        }
        if self.book.is_full() || self.unkeyed.len() >= UNKEYED_MAX {
            let Some(by_key) = &mut lanes.by_key else {
                return Err(SimulateError::too_many_keys());
            };
            self.place(by_key)?;
            self.forget()?;
        }
        Ok(())
    }

    /// Places what is still at hand, in the lanes that were there from the start.
    pub(super) fn finish(&mut self, lanes: &mut Lanes) -> Result<(), SimulateError> {
        if let Some(by_key) = &mut lanes.by_key {
            self.place(by_key)?;
        }
        if self.sketches.is_some() {
            return self.forget();
        }
        self.count_tenants();
        Ok(())
    }

    /// Places every key at hand, and the records without one, in each lane.
    ///
    /// # Errors
    /// [`SimulateError`] when a key cannot be made.
    pub fn place(&self, lanes: &mut [Lane]) -> Result<(), SimulateError> {
        self.each_key(|key, tenant, load| {
            for lane in &mut *lanes {
                lane.place_key(key, tenant, load);
            }
        })?;
        for &(size_bytes, now_ms) in &self.unkeyed {
            for lane in &mut *lanes {
                lane.place_unkeyed(size_bytes, now_ms);
            }
        }
        Ok(())
    }

    fn each_key(&self, mut visit: impl FnMut(&[u8], TenantId, Load)) -> Result<(), SimulateError> {
        let mut key = Vec::new();
        for (number, &load) in (0u32..).zip(&self.key_loads) {
            if load.records > 0 {
                let tenant = self.book.tenant_of(number);
                let unmade = |error| SimulateError::key(self.book.tenant_name(tenant).to_vec(), error);
                self.book.write_key(number, &mut key).map_err(unmade)?;
                visit(&key, tenant, load);
            }
        }
        Ok(())
    }

    fn count_tenants(&mut self) {
        self.tenant_records.resize(self.book.tenant_count(), 0);
        for (number, load) in (0u32..).zip(&self.key_loads).filter(|(_, load)| load.records > 0) {
            match self.book.tenant_of(number) {
                NO_TENANT => self.has_unnumbered_tenants = true,
                tenant => self.tenant_records[tenant.as_usize()] += load.records,
            }
        }
    }

    /// Moves the counts at hand into the sketches.
    fn forget(&mut self) -> Result<(), SimulateError> {
        let mut sketches = match self.sketches.take() {
            Some(sketches) => sketches,
            None => Sketches { entities: HeavySketch::new()?, tenants: HeavySketch::new()? },
        };
        let format = self.book.format();
        self.each_key(|key, _, load| {
            sketches.entities.add(key, load.records);
            let tenant = format.decode(key).map(|key| key.tenant);
            sketches.tenants.add(tenant.as_deref().unwrap_or(key), load.records);
        })?;
        self.count_tenants();
        self.sketches = Some(sketches);
        self.book.forget_keys();
        self.key_loads.clear();
        self.unkeyed.clear();
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

    /// Number of distinct tenants, and its relative standard error.
    #[must_use]
    pub fn distinct_tenants(&self) -> (u64, f64) {
        match &self.sketches {
            Some(sketches) if self.has_unnumbered_tenants => rounded(sketches.tenants.distinct()),
            _ => (self.tenant_records.iter().filter(|&&records| records > 0).count() as u64, 0.0),
        }
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
        let exact = self.tenants_from(1).first().map(|&tenant| UnitSize {
            name: self.book.tenant_name(tenant).to_vec(),
            records: self.tenant_records[tenant.as_usize()],
            error_records: 0,
        });
        match &self.sketches {
            Some(sketches) if self.has_unnumbered_tenants => {
                let sketched = sketches.tenants.heaviest().into_iter().next().map(UnitSize::from);
                sketched.into_iter().chain(exact).max_by_key(|unit| unit.records)
            }
            _ => exact,
        }
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
    #[must_use]
    pub fn largest_unit_records(&self, lane: &Lane) -> (u64, u64) {
        let placed = lane.largest_unit_records();
        let Some(sketches) = &self.sketches else {
            return (placed, 0);
        };
        use partitioner::spread::OrderingScope::Entity;
        let is_entity = |item: &&HeavyItem| lane.scope_of(&item.name) == Some(Entity);
        let heaviest = sketches.entities.heaviest();
        let entity = heaviest.iter().take(HEAVY_ENTITIES_MAX).find(is_entity);
        match entity.filter(|entity| entity.records > placed) {
            Some(entity) => (entity.records, entity.error_records),
            None => (placed, 0),
        }
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
