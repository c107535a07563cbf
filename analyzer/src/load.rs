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

/// Load per partition, and records per partition of the tenants whose number is below a limit.
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
    tracked_tenants: u32,
    /// Row-major, one row of `partitions.len()` per tenant met so far, at most `tracked_tenants` rows.
    tenant_records: Vec<u64>,
}

impl LoadTable {
    /// An empty table; tenants numbered below `tracked_tenants` get a row of their own.
    #[must_use]
    pub fn new(count: PartitionCount, tracked_tenants: u32) -> Self {
        Self {
            partitions: vec![Load::default(); count.as_usize()],
            tracked_tenants,
            tenant_records: Vec::new(),
        }
    }

    /// Adds `load` of `tenant` to a partition.
    ///
    /// # Panics
    /// When `partition` is not one of the table's partitions.
    #[inline]
    pub fn add(&mut self, partition: PartitionIndex, tenant: TenantId, load: Load) {
        self.partitions[partition.as_usize()].add(load);
        if tenant.0 < self.tracked_tenants {
            let width = self.partitions.len();
            let cell = tenant.as_usize() * width + partition.as_usize();
            if cell >= self.tenant_records.len() {
                self.tenant_records.resize((tenant.as_usize() + 1) * width, 0);
            }
            self.tenant_records[cell] += load.records;
        }
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
        let width = self.partitions.len();
        self.tenant_records.get(tenant.as_usize() * width..(tenant.as_usize() + 1) * width)
    }
}
