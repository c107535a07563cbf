//! Which class, and so which pool, a tenant belongs to.

use std::collections::BTreeSet;

use crate::block_table::BlockTable;
use crate::ids::PoolIndex;
use crate::name_table::NameTable;
use crate::splitter::{Splitter, TenantBlock};

/// Tenants by exact name and by prefix; all others are standard.
///
/// An exact name beats every prefix, and of two prefixes the longer one counts. A look-up costs the same for ten exact
/// names as for a million, plus one look-up per distinct prefix length.
#[derive(Clone, Debug, Default)]
pub(crate) struct TenantClasses {
    exact: NameTable,
    /// Those of the exact names that have a block.
    exact_short: BlockTable,
    prefixes: NameTable,
    /// Lengths that some prefix has, longest first.
    prefix_lens_bytes: Box<[usize]>,
}

impl TenantClasses {
    /// Names, all different, and prefixes as they stand in a key, each with its pool.
    pub(crate) fn new<'n>(
        exact: impl IntoIterator<Item = (&'n [u8], PoolIndex)>,
        prefixes: impl IntoIterator<Item = (&'n [u8], PoolIndex)>,
        splitter: &Splitter,
    ) -> Self {
        let exact: Vec<_> = exact.into_iter().map(|(name, pool)| (name, pool.get())).collect();
        let with_block = |&(name, pool): &(&[u8], u32)| Some((splitter.block_of(name)?.bytes(), pool));
        let exact_short: Vec<_> = exact.iter().filter_map(with_block).collect();
        let prefixes: Vec<_> = prefixes.into_iter().collect();
        let lens: BTreeSet<_> = prefixes.iter().map(|(prefix, _)| prefix.len()).collect();
        Self {
            exact: NameTable::new(exact),
            exact_short: BlockTable::new(&exact_short),
            prefixes: NameTable::new(prefixes.into_iter().map(|(prefix, pool)| (prefix, pool.get()))),
            prefix_lens_bytes: lens.into_iter().rev().collect(),
        }
    }

    /// The pool of a tenant, given as it stands in the key.
    #[inline]
    pub(crate) fn pool_of(&self, raw_tenant: &[u8]) -> PoolIndex {
        if let Some(pool) = self.exact.get(raw_tenant) {
            return PoolIndex::new(pool);
        }
        if self.prefixes.is_empty() { PoolIndex::STANDARD } else { self.pool_by_prefix(raw_tenant) }
    }

    /// The pool of the tenant with this block, if it is named and short.
    #[inline]
    pub(crate) fn pool_of_block(&self, block: TenantBlock) -> Option<PoolIndex> {
        self.exact_short.get(block.bytes()).map(PoolIndex::new)
    }

    /// Whether tenants are matched by prefix too.
    #[inline]
    pub(crate) fn has_prefixes(&self) -> bool {
        !self.prefixes.is_empty()
    }

    fn pool_by_prefix(&self, raw_tenant: &[u8]) -> PoolIndex {
        for &len in &self.prefix_lens_bytes {
            if let Some(pool) = raw_tenant.get(..len).and_then(|start| self.prefixes.get(start)) {
                return PoolIndex::new(pool);
            }
        }
        PoolIndex::STANDARD
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::key::KeyFormat;

    fn classes(exact: &[(&str, u32)], prefixes: &[(&str, u32)]) -> TenantClasses {
        let numbered = |names: &[(&'static str, u32)]| -> Vec<_> {
            names.iter().map(|&(name, pool)| (name.as_bytes(), PoolIndex::new(pool))).collect()
        };
        let leak = |names: &[(&str, u32)]| -> Vec<(&'static str, u32)> {
            names.iter().map(|&(name, pool)| (&*String::from(name).leak(), pool)).collect()
        };
        let splitter = Splitter::new(KeyFormat::default());
        TenantClasses::new(numbered(&leak(exact)), numbered(&leak(prefixes)), &splitter)
    }

    #[test]
    fn exact_beats_prefix_and_longer_beats_shorter() {
        let classes = classes(&[("acme-eu", 3)], &[("acme-", 1), ("acme-us-", 2)]);
        let pool = |name: &str| classes.pool_of(name.as_bytes()).get();
        assert_eq!(pool("acme-eu"), 3);
        assert_eq!(pool("acme-eu2"), 1);
        assert_eq!(pool("acme-us-1"), 2);
        assert_eq!(pool("acme-"), 1);
        assert_eq!(pool("acme"), 0);
        assert_eq!(pool(""), 0);
    }

    #[test]
    fn the_empty_prefix_takes_every_tenant() {
        let classes = classes(&[], &[("", 1)]);
        assert_eq!(classes.pool_of(b"anyone").get(), 1);
        assert_eq!(classes.pool_of(b"").get(), 1);
    }

    proptest! {
        #[test]
        fn the_longest_matching_rule_wins(
            prefixes in proptest::collection::btree_map("[ab]{0,4}", 1u32..9, 0..10),
            tenant in "[abc]{0,6}",
        ) {
            let rules: Vec<_> = prefixes.iter().map(|(name, pool)| (name.as_str(), *pool)).collect();
            let expected = rules
                .iter()
                .filter(|(prefix, _)| tenant.starts_with(prefix))
                .max_by_key(|(prefix, _)| prefix.len())
                .map_or(0, |(_, pool)| *pool);
            prop_assert_eq!(classes(&[], &rules).pool_of(tenant.as_bytes()).get(), expected);
        }
    }
}
