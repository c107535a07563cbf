//! Distinct keys, some at a time.

use crate::load::{Load, TenantId};

/// Bytes of keys at which a block is full: with the tables of one lane it stays in a core's cache, however many lanes
/// take their turn with it.
const BYTES_MAX: usize = 16 << 10;

/// Distinct keys with their tenants and loads.
#[derive(Debug, Default)]
pub(super) struct KeyBlock {
    bytes: Vec<u8>,
    keys: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    end: usize,
    tenant: TenantId,
    load: Load,
}

impl KeyBlock {
    pub(super) fn push(&mut self, key: &[u8], tenant: TenantId, load: Load) {
        self.bytes.extend_from_slice(key);
        self.keys.push(Entry { end: self.bytes.len(), tenant, load });
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= BYTES_MAX
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.keys.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], TenantId, Load)> {
        let mut start = 0;
        self.keys.iter().map(move |entry| {
            let key = &self.bytes[start..entry.end];
            start = entry.end;
            (key, entry.tenant, entry.load)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_as_they_were_pushed_the_empty_one_too() {
        let load = |records| Load { records, bytes: 7 * records };
        let keys = [(&b"a:1"[..], 0, 3), (b"", 1, 1), (b"\xff:", 2, 9)];
        let mut block = KeyBlock::default();
        for _ in 0..2 {
            block.clear();
            keys.iter().for_each(|&(key, tenant, records)| block.push(key, TenantId(tenant), load(records)));
            let back: Vec<_> = block.iter().collect();
            assert_eq!(back, keys.map(|(key, tenant, records)| (key, TenantId(tenant), load(records))));
        }
    }

    #[test]
    fn a_block_is_full_by_bytes() {
        let mut block = KeyBlock::default();
        block.push(&[b'x'; BYTES_MAX - 1], TenantId(0), Load::default());
        assert!(!block.is_full());
        block.push(b"y", TenantId(0), Load::default());
        assert!(block.is_full());
    }
}
