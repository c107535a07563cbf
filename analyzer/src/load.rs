//! Load per partition and tenant: the seam between what makes traffic and what measures it.

use partitioner::ids::{PartitionCount, PartitionIndex};

/// Records and bytes, of a partition or a tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Number of records.
    pub records: u64,
    /// Sum of their sizes, key and value together.
    pub bytes: u64,
}

impl Load {
    /// Adds `other` to this load.
    #[inline]
    pub fn add(&mut self, other: Load) {
        self.records += other.records;
        self.bytes += other.bytes;
    }
}

/// The number of a tenant within one workload, by first appearance (a trace) or by profile order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TenantId(pub u32);

impl TenantId {
    /// The number as a slice index.
    #[inline]
    #[must_use]
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }
}

/// Load per partition, and records per partition of some tenants: those that were named, or those whose number is below
/// a limit.
///
/// Memory is `partitions × (16 + 8 × tracked tenants)` bytes and does not depend on the traffic.
///
/// ```
/// use analyzer::load::{Load, LoadTable, TenantId};
/// use partitioner::ids::{PartitionCount, PartitionIndex};
///
/// let mut table = LoadTable::new(PartitionCount::new(3).unwrap(), 2);
/// table.add(PartitionIndex::new(1), TenantId(0), Load { records: 5, bytes: 500 });
/// table.add(PartitionIndex::new(1), TenantId(9), Load { records: 1, bytes: 80 });
/// assert_eq!(table.records(), [0, 6, 0]);
/// assert_eq!(table.tenant_records(TenantId(0)), Some(&[0, 5, 0][..]));
/// assert_eq!(table.tenant_records(TenantId(9)), None, "not tracked, which is not the same as zero");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadTable {
    partitions: Vec<Load>,
    tracked: Tracked,
    /// Row-major, rows of `partitions.len()` up to the last one that was written to.
    tenant_records: Vec<u64>,
}

/// Which tenants have a row.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tracked {
    /// Those numbered below this; the row is the number.
    Below(u32),
    /// Row of each tenant by number, or [`NO_ROW`]; tenants beyond its end have none.
    These(Vec<u32>),
}

const NO_ROW: u32 = u32::MAX;

impl LoadTable {
    /// An empty table; tenants numbered below `tracked_tenants` get a row of their own.
    #[must_use]
    pub fn new(count: PartitionCount, tracked_tenants: u32) -> Self {
        Self {
            partitions: vec![Load::default(); count.as_usize()],
            tracked: Tracked::Below(tracked_tenants),
            tenant_records: Vec::new(),
        }
    }

    /// An empty table in which `tenants` get a row each; takes 4 bytes more for each number up to the largest of them.
    ///
    /// ```
    /// use analyzer::load::{Load, LoadTable, TenantId};
    /// use partitioner::ids::{PartitionCount, PartitionIndex};
    ///
    /// let mut table = LoadTable::of_tenants(PartitionCount::new(2).unwrap(), &[TenantId(70_000)]);
    /// table.add(PartitionIndex::new(1), TenantId(70_000), Load { records: 5, bytes: 500 });
    /// assert_eq!(table.tenant_records(TenantId(70_000)), Some(&[0, 5][..]));
    /// assert_eq!(table.tenant_records(TenantId(0)), None);
    /// ```
    #[must_use]
    pub fn of_tenants(count: PartitionCount, tenants: &[TenantId]) -> Self {
        let numbers = tenants.iter().map(|tenant| tenant.as_usize() + 1).max().unwrap_or(0);
        let mut rows = vec![NO_ROW; numbers];
        for (row, tenant) in (0..).zip(tenants) {
            rows[tenant.as_usize()] = row;
        }
        Self { tracked: Tracked::These(rows), ..Self::new(count, 0) }
    }

    /// Adds `load` of `tenant` to a partition.
    ///
    /// # Panics
    /// When `partition` is not one of the table's partitions.
    #[inline]
    pub fn add(&mut self, partition: PartitionIndex, tenant: TenantId, load: Load) {
        self.partitions[partition.as_usize()].add(load);
        if let Some(row) = self.row_of(tenant) {
            let width = self.partitions.len();
            let cell = row * width + partition.as_usize();
            if cell >= self.tenant_records.len() {
                self.tenant_records.resize((row + 1) * width, 0);
            }
            self.tenant_records[cell] += load.records;
        }
    }

    #[inline]
    fn row_of(&self, tenant: TenantId) -> Option<usize> {
        match &self.tracked {
            Tracked::Below(limit) => (tenant.0 < *limit).then_some(tenant.as_usize()),
            Tracked::These(rows) => {
                rows.get(tenant.as_usize()).filter(|&&row| row != NO_ROW).map(|&row| row as usize)
            }
        }
    }

    /// Whether `tenant` has a row once it is met.
    #[must_use]
    pub fn is_tracked(&self, tenant: TenantId) -> bool {
        self.row_of(tenant).is_some()
    }

    /// Load of every partition, in order.
    #[must_use]
    pub fn partitions(&self) -> &[Load] {
        &self.partitions
    }

    /// Records of every partition, in order.
    #[must_use]
    pub fn records(&self) -> Vec<u64> {
        self.partitions.iter().map(|load| load.records).collect()
    }

    /// Bytes of every partition, in order.
    #[must_use]
    pub fn bytes(&self) -> Vec<u64> {
        self.partitions.iter().map(|load| load.bytes).collect()
    }

    /// Everything in the table.
    #[must_use]
    pub fn total(&self) -> Load {
        let mut total = Load::default();
        for load in &self.partitions {
            total.add(*load);
        }
        total
    }

    /// Records of `tenant` on each partition, or `None` when the tenant is not tracked or was never met.
    #[must_use]
    pub fn tenant_records(&self, tenant: TenantId) -> Option<&[u64]> {
        let (row, width) = (self.row_of(tenant)?, self.partitions.len());
        let records = self.tenant_records.get(row * width..(row + 1) * width)?;
        records.iter().any(|&records| records > 0).then_some(records)
    }
}
