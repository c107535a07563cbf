//! The keys of a profile's traffic.

use analyzer::load::TenantId;
use analyzer::workload::profile::{NumberedBatch, Profile, ProfileTraffic};
use partitioner::key::KeyFormat;

/// The keys of a run, end to end: one allocation, so that reading them in order costs nothing but the reading.
pub struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    /// The keys of `records` records of the profile `multitenant`, `tenant:entity`; 90 % are of `tenant-mega`.
    ///
    /// # Panics
    /// When `records` is 0 or above 10¹².
    #[must_use]
    pub fn of_multitenant(records: u64, seed: u64) -> Self {
        let profile = Profile::load("multitenant").expect("an embedded profile is valid");
        let mut traffic = ProfileTraffic::new(&profile, records, seed).expect("the record count is in range");
        let (mut keys, mut batch) = (Self { bytes: Vec::new(), ends: Vec::new() }, NumberedBatch::default());
        while traffic.read(&mut batch) {
            for (&tenant, &entity) in batch.tenants.iter().zip(&batch.entities) {
                let name = profile.tenant_name(TenantId(tenant)).as_bytes();
                let format = KeyFormat::default();
                format.encode_into(name, &[], &mut keys.bytes).expect("the format holds any tenant");
                profile.write_entity_name(TenantId(tenant), entity, &mut keys.bytes);
                keys.ends.push(keys.bytes.len());
            }
        }
        keys
    }

    /// Every key, in the order of the records.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }
}
