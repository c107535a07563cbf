//! The records of a batch with their keys.

use partitioner::route::Record;

use crate::load::TenantId;
use crate::workload::key_book::NO_TENANT;

/// Records in order, each with its key written out, so that nobody has to ask the book, which goes on meanwhile.
#[derive(Debug, Default)]
pub(super) struct RecordBlock {
    text: Vec<u8>,
    records: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Where the key ends, which starts where the one before ends; `None` without a key.
    key_end: Option<usize>,
    tenant: TenantId,
    size_bytes: u32,
    now_us: u64,
}

impl RecordBlock {
    pub(super) fn with_capacity(records: usize) -> Self {
        Self { text: Vec::new(), records: Vec::with_capacity(records) }
    }

    /// Adds a record without a key, and so without a tenant.
    pub(super) fn push_unkeyed(&mut self, size_bytes: u32, now_us: u64) {
        self.records.push(Entry { key_end: None, tenant: NO_TENANT, size_bytes, now_us });
    }

    /// Adds a record with a key.
    pub(super) fn push(&mut self, key: &[u8], tenant: TenantId, size_bytes: u32, now_us: u64) {
        self.text.extend_from_slice(key);
        self.records.push(Entry { key_end: Some(self.text.len()), tenant, size_bytes, now_us });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Record<'_>, TenantId)> {
        let mut start = 0;
        self.records.iter().map(move |entry| {
            let mut record = Record::unkeyed(entry.size_bytes, entry.now_us);
            if let Some(end) = entry.key_end {
                record.key = Some(&self.text[start..end]);
                start = end;
            }
            (record, entry.tenant)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_in_order_and_an_empty_key_is_not_none() {
        let mut block = RecordBlock::with_capacity(4);
        block.push(b"a:1", TenantId(3), 10, 100);
        block.push_unkeyed(20, 200);
        block.push(b"", TenantId(4), 30, 300);
        block.push(b"\xff:", TenantId(3), 40, 400);
        let back: Vec<_> =
            block.iter().map(|(of, tenant)| (of.key, tenant, of.size_bytes, of.now_us)).collect();
        let expected: [(Option<&[u8]>, _, _, _); 4] = [
            (Some(b"a:1"), TenantId(3), 10, 100),
            (None, NO_TENANT, 20, 200),
            (Some(b""), TenantId(4), 30, 300),
            (Some(b"\xff:"), TenantId(3), 40, 400),
        ];
        assert_eq!(back, expected);
    }
}
