//! Finds the tenant at the start of a key, without a branch on its length.

use std::num::NonZero;

use wide::bytemuck::cast;
use wide::{i32x4, u8x16, u32x4, u64x2};

use crate::key::KeyFormat;

/// How much of a key is looked at: tenants of up to 15 bytes, and the separator after them.
pub(crate) const START_BYTES: usize = 16;

/// A key format made ready to find short tenants.
///
/// All methods but [`format`](Self::format) are about keys of the format `tenant-entity`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Splitter {
    format: KeyFormat,
    /// The separator in every place.
    separators: u8x16,
    escapes: u8x16,
}

/// What stands before the first separator of a key, escaped or not: two keys have the same block just if they have the
/// same bytes there.
///
/// These are the bytes combined with the separator by exclusive or, which leaves none of them 0, and zeros after them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TenantBlock(u8x16);

impl Splitter {
    pub(crate) fn new(format: KeyFormat) -> Self {
        let (separator, escape) = match format {
            KeyFormat::TenantEntity { separator, escape } => (separator, escape),
            _ => (0, 0),
        };
        Self { format, separators: u8x16::splat(separator), escapes: u8x16::splat(escape) }
    }

    pub(crate) fn format(&self) -> &KeyFormat {
        &self.format
    }

    /// The first bytes of a key of 4 to 15, followed by zeros, where that is not the separator.
    pub(crate) fn padded(&self, key: &[u8]) -> Option<[u8; START_BYTES]> {
        if key.len() >= START_BYTES || self.separators.as_array()[0] == 0 {
            return None;
        }
        // Two overlapping words each, as copying an unknown number of bytes is a call.
        let padded = if let (Some(first), Some(last)) = (key.first_chunk(), key.last_chunk()) {
            let last = u128::from(u64::from_le_bytes(*last));
            u128::from(u64::from_le_bytes(*first)) | last << ((key.len() - 8) * 8)
        } else {
            let last = u128::from(u32::from_le_bytes(*key.last_chunk()?));
            u128::from(u32::from_le_bytes(*key.first_chunk()?)) | last << ((key.len() - 4) * 8)
        };
        Some(padded.to_le_bytes())
    }

    /// The bytes before the first separator, escaped or not, or all.
    ///
    /// They are the tenant if they hold no escape, or if they are known to be some tenant as it stands in a key: in such a
    /// name escapes only ever stand before escapes, in pairs, so what follows is a separator and no part of the tenant.
    #[inline]
    pub(crate) fn tenant_block(&self, start: &[u8; START_BYTES]) -> TenantBlock {
        TenantBlock::of(u8x16::new(*start) ^ self.separators)
    }

    /// The block of the keys of a tenant, given as it stands there; `None` when keys of others could have the same.
    pub(crate) fn block_of(&self, raw_tenant: &[u8]) -> Option<TenantBlock> {
        let separator = self.separators.as_array()[0];
        let mut start = [separator; START_BYTES];
        let is_short = matches!(self.format, KeyFormat::TenantEntity { .. })
            && raw_tenant.len() < START_BYTES
            && !raw_tenant.contains(&separator);
        start.get_mut(..raw_tenant.len()).filter(|_| is_short)?.copy_from_slice(raw_tenant);
        Some(self.tenant_block(&start))
    }

    /// Whether an escape is among the bytes before the first separator.
    #[inline]
    pub(crate) fn is_escaped(&self, block: TenantBlock) -> bool {
        block.0.simd_eq(self.escapes ^ self.separators).any()
    }

    /// How many bytes stand before the first separator, escaped or not, if there is one.
    #[inline]
    pub(crate) fn bytes_to_separator(&self, start: &[u8; START_BYTES]) -> Option<usize> {
        let separators = NonZero::new(u8x16::new(*start).simd_eq(self.separators).to_bitmask())?;
        Some(separators.trailing_zeros() as usize % START_BYTES)
    }
}

impl TenantBlock {
    /// The bytes up to the first that is 0, and zeros after them.
    #[inline]
    fn of(bytes: u8x16) -> Self {
        let words: u64x2 = cast(bytes);
        let zeros: u64x2 = cast(bytes.simd_eq(u8x16::ZERO));
        // In each word, the bits below the lowest one set; all bits when none is.
        let before: u64x2 = !zeros & (zeros - u64x2::ONE);
        // The top bit of the first word says that no byte of it is 0, and that so the second word counts.
        let tops: u32x4 = cast(cast::<_, i32x4>(before) >> 31);
        let counts: u64x2 = cast::<_, u64x2>(tops.unpack_lo(tops)) | u64x2::new([u64::MAX, 0]);
        let kept: u64x2 = words & before & counts;
        Self(cast(kept))
    }

    #[inline]
    pub(crate) fn bytes(self) -> u8x16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![1 => Just(b':'), 1 => Just(b'\\'), 1 => Just(0), 20 => any::<u8>()];
        proptest::collection::vec(byte, 0..40)
    }

    proptest! {
        #[test]
        fn a_short_tenant_without_escapes_is_the_one_that_split_finds(key in keys(), separator in prop_oneof![Just(b':'), Just(0)]) {
            let splitter = Splitter::new(KeyFormat::TenantEntity { separator, escape: b'\\' });
            let split = splitter.format().split(&key).ok().map(|split| split.raw_tenant);
            let Some(start) = key.first_chunk().copied().or_else(|| splitter.padded(&key)) else {
                return Ok(());
            };
            let block = splitter.tenant_block(&start);
            let short = splitter.bytes_to_separator(&start).filter(|_| !splitter.is_escaped(block));
            let expected = split.filter(|tenant| tenant.len() < 16 && !tenant.contains(&b'\\'));
            prop_assert_eq!(short.map(|len| &key[..len]), expected);
            if let Some(tenant) = expected {
                prop_assert_eq!(Some(block), splitter.block_of(tenant));
            }
        }

        #[test]
        fn two_tenants_have_two_blocks(one in keys(), other in keys()) {
            let splitter = Splitter::new(KeyFormat::default());
            if let (Some(a), Some(b)) = (splitter.block_of(&one), splitter.block_of(&other)) {
                prop_assert_eq!(a == b, one == other);
            }
        }
    }

    #[test]
    fn only_tenants_that_a_block_can_hold_have_one() {
        let splitter = Splitter::new(KeyFormat::default());
        assert!(splitter.block_of(b"fifteen-letters").is_some() && splitter.block_of(b"").is_some());
        assert!(splitter.block_of(b"sixteen--letters").is_none());
        assert!(splitter.block_of(br"acme\:eu").is_none(), "its keys start as those of acme\\ would");
        assert!(Splitter::new(KeyFormat::Whole).block_of(b"acme").is_none());
    }
}
