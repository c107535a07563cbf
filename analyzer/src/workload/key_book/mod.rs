//! Numbers for the distinct keys and tenants of a workload.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use partitioner::key::{EncodeError, KeyFormat};
use std::hash::BuildHasher;

use super::profile::{NumberedBatch, Profile};
use super::trace::{RowKey, TraceBatch};
use crate::load::TenantId;
use names::Names;

mod names;
#[cfg(test)]
mod tests;

/// Most distinct keys that are held at once; with their counts they take some 60 MiB.
pub const KEYS_MAX: usize = 1 << 20;

/// Size of a record where a trace names none: only how long sticky choices stay depends on it.
pub const ASSUMED_RECORD_BYTES: u32 = 1_024;

/// The tenant of records that have none, or whose tenant has no number of its own.
pub const NO_TENANT: TenantId = TenantId(u32::MAX);

/// The key of a record without one.
pub const NO_KEY: u32 = u32::MAX;

/// How much is held at once. What is measured of a workload above them is in part estimated, so they are the same in
/// every run; only tests lower them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Distinct keys at which a book is full.
    pub keys_max: usize,
    /// Bytes of a trace's distinct keys at which a book is full.
    pub key_bytes_max: usize,
    /// Distinct tenants of a trace that get a number.
    pub tenants_max: usize,
    /// Bytes of the names of those tenants.
    pub tenant_bytes_max: usize,
    /// Records held that are placed one by one, in order, because of what their keys are.
    pub loose_max: usize,
}

impl Default for Limits {
    /// Some 130 MiB when all are reached.
    fn default() -> Self {
        Self {
            keys_max: KEYS_MAX,
            key_bytes_max: 32 << 20,
            tenants_max: 1 << 18,
            tenant_bytes_max: 16 << 20,
            loose_max: 1 << 20,
        }
    }
}

/// The records of a batch, by number, in columns of equal length.
#[derive(Debug, Default)]
pub struct Columns {
    /// Number of each record's key in the book, or [`NO_KEY`].
    pub keys: Vec<u32>,
    /// Number of each record's tenant, or [`NO_TENANT`].
    pub tenants: Vec<TenantId>,
    /// Size of each record in bytes; [`ASSUMED_RECORD_BYTES`] where sizes are not known.
    pub bytes: Vec<u32>,
    /// Time of each record in microseconds.
    pub time_us: Vec<u64>,
}

impl Columns {
    fn clear(&mut self) {
        self.keys.clear();
        self.tenants.clear();
        self.bytes.clear();
        self.time_us.clear();
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Numbers distinct keys from 0 until it is [full](Self::is_full), and tenants for good.
#[derive(Debug)]
pub struct KeyBook {
    format: KeyFormat,
    limits: Limits,
    keys: Keys,
    tenants: Names,
    /// Tenant of each key, by number.
    tenant_of_key: Vec<TenantId>,
    /// Whether malformed keys are loose, as empty ones are.
    are_malformed_loose: bool,
    /// Numbers of the loose keys, ascending.
    loose_keys: Vec<u32>,
    has_unnumbered_tenants: bool,
    key_buffer: Vec<u8>,
}

#[derive(Debug)]
enum Keys {
    /// Few keys, all known beforehand: the number is the tenant's first plus the entity.
    Dense { profile: Box<Profile>, first_keys: Vec<u32> },
    /// Keys of a profile too large for that.
    Sparse { profile: Box<Profile>, pairs: Vec<(u32, u32)>, numbers: HashTable<u32>, state: RandomState },
    /// Keys of a trace.
    Bytes(Names),
}

impl KeyBook {
    /// A book for the records of a profile.
    #[must_use]
    pub fn of_profile(profile: &Profile, format: KeyFormat, limits: Limits) -> Self {
        let mut first_keys = Vec::new();
        let (mut total, keys_max) = (0u64, limits.keys_max as u64);
        let mut tenant_of_key = Vec::new();
        for tenant in (0..profile.tenant_count()).map(TenantId) {
            first_keys.push(u32::try_from(total).unwrap_or(u32::MAX));
            total += u64::from(profile.entity_count(tenant));
            if total <= keys_max {
                tenant_of_key.resize(usize::try_from(total).unwrap_or(usize::MAX), tenant);
            }
        }
        let profile = Box::new(profile.clone());
        let keys = if total <= keys_max {
            Keys::Dense { profile, first_keys }
        } else {
            tenant_of_key.clear();
            let (numbers, state) = (HashTable::new(), RandomState::default());
            Keys::Sparse { profile, pairs: Vec::new(), numbers, state }
        };
        Self { tenant_of_key, ..Self::of(keys, format, limits) }
    }

    /// A book for the records of a trace; `first_tenants` get the first numbers.
    #[must_use]
    pub fn of_trace(format: KeyFormat, first_tenants: &[Vec<u8>], limits: Limits) -> Self {
        let mut book = Self::of(Keys::Bytes(Names::default()), format, limits);
        for tenant in first_tenants {
            book.tenants.number(tenant, limits.tenants_max, limits.tenant_bytes_max);
        }
        book
    }

    fn of(keys: Keys, format: KeyFormat, limits: Limits) -> Self {
        Self {
            format,
            limits,
            keys,
            tenants: Names::default(),
            tenant_of_key: Vec::new(),
            are_malformed_loose: false,
            loose_keys: Vec::new(),
            has_unnumbered_tenants: false,
            key_buffer: Vec::new(),
        }
    }

    /// Makes malformed keys [loose](Self::is_loose) too, for a contract that sends them to the sticky partition.
    #[must_use]
    pub fn with_malformed_loose(self) -> Self {
        Self { are_malformed_loose: true, ..self }
    }

    /// Numbers the records of a profile's batch.
    ///
    /// # Panics
    /// When the book is not a profile's.
    pub fn number_profile(&mut self, batch: &NumberedBatch, columns: &mut Columns) {
        columns.clear();
        columns.bytes.extend_from_slice(&batch.bytes);
        columns.time_us.extend_from_slice(&batch.time_us);
        columns.tenants.extend(batch.tenants.iter().copied().map(TenantId));
        let pairs = batch.tenants.iter().zip(&batch.entities);
        match &mut self.keys {
            Keys::Dense { first_keys, .. } => {
                columns.keys.extend(pairs.map(|(&tenant, &entity)| first_keys[tenant as usize] + entity));
            }
            Keys::Sparse { pairs: known, numbers, state, .. } => {
                for pair in pairs.map(|(&tenant, &entity)| (tenant, entity)) {
                    let hash = state.hash_one(pair);
                    let same = |&number: &u32| known[number as usize] == pair;
                    let number = match numbers.find(hash, same) {
                        Some(&number) => number,
                        None => {
                            let number = next_number(known.len());
                            numbers.insert_unique(hash, number, |&n| state.hash_one(known[n as usize]));
                            known.push(pair);
                            self.tenant_of_key.push(TenantId(pair.0));
                            number
                        }
                    };
                    columns.keys.push(number);
                }
            }
            Keys::Bytes(_) => panic!("a trace's book numbers a trace's batches"),
        }
    }

    /// Numbers the records of a trace's batch.
    ///
    /// # Errors
    /// [`EncodeError`] with the tenant when the key format cannot hold a row's tenant and entity.
    ///
    /// # Panics
    /// When the book is not a trace's.
    pub fn number_trace(
        &mut self,
        batch: &TraceBatch,
        columns: &mut Columns,
    ) -> Result<(), (Vec<u8>, EncodeError)> {
        columns.clear();
        let Keys::Bytes(keys) = &mut self.keys else {
            panic!("a profile's book numbers a profile's batches");
        };
        for row in batch.iter() {
            columns.bytes.push(row.bytes.unwrap_or(ASSUMED_RECORD_BYTES));
            // Before 1970 there is no load to speak of; only differences are used.
            columns.time_us.push(row.time_us.and_then(|time_us| u64::try_from(time_us).ok()).unwrap_or(0));
            let key = match row.key {
                RowKey::Null => {
                    columns.keys.push(NO_KEY);
                    columns.tenants.push(NO_TENANT);
                    continue;
                }
                RowKey::Key(key) => key,
                RowKey::Parts { tenant, entity } => {
                    self.key_buffer.clear();
                    self.format
                        .encode_into(tenant, entity.unwrap_or_default(), &mut self.key_buffer)
                        .map_err(|error| (tenant.to_vec(), error))?;
                    &self.key_buffer
                }
            };
            let number = keys.number(key, usize::MAX, usize::MAX);
            let number = number.expect("a book is emptied long before it holds 4 GiB");
            if number as usize == self.tenant_of_key.len() {
                let tenant = self.format.decode(key).map(|key| key.tenant);
                if key.is_empty() || (self.are_malformed_loose && tenant.is_err()) {
                    self.loose_keys.push(number);
                }
                let Limits { tenants_max, tenant_bytes_max, .. } = self.limits;
                let name = tenant.as_deref().unwrap_or(key);
                let tenant = self.tenants.number(name, tenants_max, tenant_bytes_max);
                self.has_unnumbered_tenants |= tenant.is_none();
                self.tenant_of_key.push(tenant.map_or(NO_TENANT, TenantId));
            }
            columns.keys.push(number);
            columns.tenants.push(self.tenant_of_key[number as usize]);
        }
        Ok(())
    }

    /// Whether the keys should be forgotten before more are numbered.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match &self.keys {
            Keys::Dense { .. } => false,
            Keys::Sparse { pairs, .. } => pairs.len() >= self.limits.keys_max,
            Keys::Bytes(names) => {
                names.len() >= self.limits.keys_max || names.text_bytes() >= self.limits.key_bytes_max
            }
        }
    }

    /// Forgets the keys, whose numbers start at 0 again; tenants keep theirs.
    pub fn forget_keys(&mut self) {
        match &mut self.keys {
            Keys::Dense { .. } => return,
            Keys::Sparse { pairs, numbers, .. } => {
                pairs.clear();
                numbers.clear();
            }
            Keys::Bytes(names) => names.clear(),
        }
        self.tenant_of_key.clear();
        self.loose_keys.clear();
    }

    /// Whether records of a key must be placed one by one, in order: to some strategies it is as good as none, and
    /// what they do then depends on the records before.
    #[inline]
    #[must_use]
    pub fn is_loose(&self, key: u32) -> bool {
        !self.loose_keys.is_empty() && self.loose_keys.binary_search(&key).is_ok()
    }

    /// The numbers of loose keys.
    #[must_use]
    pub fn loose_keys(&self) -> &[u32] {
        &self.loose_keys
    }

    /// Whether a key was met whose tenant has no number, for there are too many.
    #[must_use]
    pub fn has_unnumbered_tenants(&self) -> bool {
        self.has_unnumbered_tenants
    }

    /// How much is held at once.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Keys that have a number.
    #[must_use]
    pub fn key_count(&self) -> usize {
        self.tenant_of_key.len()
    }

    /// The tenant of the key numbered `key`.
    #[must_use]
    pub fn tenant_of(&self, key: u32) -> TenantId {
        self.tenant_of_key[key as usize]
    }

    /// Replaces `out` by the bytes of the key numbered `key`.
    ///
    /// # Errors
    /// [`EncodeError`] when the key format cannot hold a profile's tenant and entity.
    pub fn write_key(&self, key: u32, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        out.clear();
        let (profile, tenant, entity) = match &self.keys {
            Keys::Bytes(names) => {
                out.extend_from_slice(names.get(key));
                return Ok(());
            }
            Keys::Dense { profile, first_keys } => {
                let tenant = self.tenant_of_key[key as usize];
                (profile, tenant, key - first_keys[tenant.as_usize()])
            }
            Keys::Sparse { profile, pairs, .. } => {
                let (tenant, entity) = pairs[key as usize];
                (profile, TenantId(tenant), entity)
            }
        };
        // The entity goes behind the tenant's key; formats only ever append it as it is.
        self.format.encode_into(profile.tenant_name(tenant).as_bytes(), &[], out)?;
        if self.format.has_entity() {
            profile.write_entity_name(tenant, entity, out);
        }
        Ok(())
    }

    /// The format of the keys.
    #[must_use]
    pub fn format(&self) -> KeyFormat {
        self.format
    }

    /// Tenants that have a number, `0..`.
    #[must_use]
    pub fn tenant_count(&self) -> usize {
        match &self.keys {
            Keys::Dense { profile, .. } | Keys::Sparse { profile, .. } => profile.tenant_count() as usize,
            Keys::Bytes(_) => self.tenants.len(),
        }
    }

    /// The name of a tenant.
    #[must_use]
    pub fn tenant_name(&self, tenant: TenantId) -> &[u8] {
        match &self.keys {
            Keys::Dense { profile, .. } | Keys::Sparse { profile, .. } => {
                profile.tenant_name(tenant).as_bytes()
            }
            Keys::Bytes(_) => self.tenants.get(tenant.0),
        }
    }

    /// The number of the tenant of that name.
    #[must_use]
    pub fn tenant_id(&self, name: &[u8]) -> Option<TenantId> {
        match &self.keys {
            Keys::Dense { profile, .. } | Keys::Sparse { profile, .. } => {
                std::str::from_utf8(name).ok().and_then(|name| profile.tenant_id(name))
            }
            Keys::Bytes(_) => self.tenants.find(name).map(TenantId),
        }
    }
}

/// Books are emptied long before a `u32` runs out.
fn next_number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(NO_KEY)
}
