//! Rows of a trace, many at a time in one buffer that is used again and again.

/// Bytes after which a batch counts as full, so that long keys do not make it grow with `ROWS`.
const ARENA_BYTES_SOFT_MAX: usize = 1 << 20;

/// What the key of a row is made of. All of it is bytes: nothing is decoded, trimmed or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKey<'b> {
    /// The trace names tenant and entity apart.
    Parts {
        /// The tenant; may be empty.
        tenant: &'b [u8],
        /// The entity, when the trace has such a field; may be empty.
        entity: Option<&'b [u8]>,
    },
    /// The trace has whole keys, and this row has one. An empty key is a key.
    Key(&'b [u8]),
    /// The trace has whole keys, and this row has none: null or missing in JSON Lines, never in CSV or TSV.
    Null,
}

/// One row of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRow<'b> {
    /// What to place the record by.
    pub key: RowKey<'b>,
    /// Size of the record in bytes; `None` when no such field was named.
    pub bytes: Option<u32>,
    /// Microseconds since 1970-01-01T00:00:00Z; `None` when no such field was named.
    pub time_us: Option<i64>,
}

/// Up to [`TraceBatch::ROWS`] rows; make one and hand it to [`TraceReader::read`](super::TraceReader::read)
/// over and over.
#[derive(Clone, Debug, Default)]
pub struct TraceBatch {
    /// The key bytes of all rows, end to end.
    arena: Vec<u8>,
    rows: Vec<RowHeader>,
}

/// A row whose key bytes lie in the arena, from the end of the row before.
#[derive(Clone, Copy, Debug)]
struct RowHeader {
    shape: Shape,
    /// End of the tenant or key, where the entity begins.
    first_end: usize,
    end: usize,
    bytes: Option<u32>,
    time_us: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Tenant,
    TenantEntity,
    Key,
    Null,
}

impl TraceBatch {
    /// Most rows in a batch.
    pub const ROWS: usize = 4096;

    /// An empty batch. It allocates when it is first filled, and keeps what it has allocated.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, in the order of the trace.
    pub fn iter(&self) -> impl Iterator<Item = TraceRow<'_>> {
        let mut start = 0;
        self.rows.iter().map(move |header| {
            let first = &self.arena[start..header.first_end];
            let second = &self.arena[header.first_end..header.end];
            start = header.end;
            let key = match header.shape {
                Shape::Tenant => RowKey::Parts { tenant: first, entity: None },
                Shape::TenantEntity => RowKey::Parts { tenant: first, entity: Some(second) },
                Shape::Key => RowKey::Key(first),
                Shape::Null => RowKey::Null,
            };
            TraceRow { key, bytes: header.bytes, time_us: header.time_us }
        })
    }

    /// Leaves out the rows beyond the first `rows`; says whether there were any.
    pub(crate) fn truncate(&mut self, rows: usize) -> bool {
        let is_cut = rows < self.rows.len();
        self.rows.truncate(rows);
        is_cut
    }

    pub(super) fn clear(&mut self) {
        self.arena.clear();
        self.rows.clear();
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= Self::ROWS || self.arena.len() >= ARENA_BYTES_SOFT_MAX
    }

    // Inlined into the loop over CSV rows, the shape of the key is known outside it.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: &TraceRow<'_>) {
        let (shape, first, second): (Shape, &[u8], &[u8]) = match row.key {
            RowKey::Parts { tenant, entity: None } => (Shape::Tenant, tenant, &[]),
            RowKey::Parts { tenant, entity: Some(entity) } => (Shape::TenantEntity, tenant, entity),
            RowKey::Key(key) => (Shape::Key, key, &[]),
            RowKey::Null => (Shape::Null, &[], &[]),
        };
        self.arena.extend_from_slice(first);
        let first_end = self.arena.len();
        self.arena.extend_from_slice(second);
        let end = self.arena.len();
        self.rows.push(RowHeader { shape, first_end, end, bytes: row.bytes, time_us: row.time_us });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_pushed() {
        let keys = [
            RowKey::Parts { tenant: b"acme", entity: Some(b"7") },
            RowKey::Parts { tenant: b"", entity: Some(b"") },
            RowKey::Parts { tenant: b"acme", entity: None },
            RowKey::Null,
            RowKey::Key(b""),
            RowKey::Key(b"\xff\0"),
        ];
        let rows = keys.map(|key| TraceRow { key, bytes: Some(3), time_us: Some(-1) });
        let mut batch = TraceBatch::new();
        for _ in 0..2 {
            batch.clear();
            assert!(batch.is_empty());
            rows.iter().for_each(|row| batch.push(row));
            assert_eq!(batch.len(), rows.len());
            assert_eq!(batch.iter().collect::<Vec<_>>(), rows);
        }
    }

    #[test]
    fn a_batch_is_full_by_rows_or_by_bytes() {
        let row = |key| TraceRow { key, bytes: None, time_us: None };
        let mut batch = TraceBatch::new();
        for _ in 0..TraceBatch::ROWS {
            assert!(!batch.is_full());
            batch.push(&row(RowKey::Null));
        }
        assert!(batch.is_full());
        batch.clear();
        batch.push(&row(RowKey::Key(&vec![b'x'; ARENA_BYTES_SOFT_MAX])));
        assert!(batch.is_full());
    }
}
