//! A frozen map from byte strings to small numbers.

use std::collections::HashSet;

use wide::bytemuck::cast;
use wide::u8x16;

use crate::block_table::BlockTable;
use crate::splitmix::splitmix64;

/// Names below this length are compared by their block alone.
const BLOCK_BYTES: usize = 16;

/// Maps a fixed set of byte strings to `u32` values; built once, then read without allocation or lock.
///
/// A look-up costs the same for ten names as for a million: see [`BlockTable`].
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    salt: u64,
    /// The number of the name with a block.
    numbers: BlockTable,
    names: Box<[Name]>,
    /// Names of 16 bytes or more.
    long_names: Box<[u8]>,
}

#[derive(Clone, Copy, Debug)]
struct Name {
    value: u32,
    /// Where a long name starts in `long_names`.
    start: usize,
}

impl NameTable {
    /// A table of these names; of equal names the first counts.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = (&'n [u8], u32)>) -> Self {
        let mut known = HashSet::new();
        let names: Vec<_> = names.into_iter().filter(|(name, _)| known.insert(*name)).collect();
        let mut attempt = 0;
        let (salt, blocks) = loop {
            let salt = splitmix64(0, attempt);
            let blocks: Vec<_> = names.iter().map(|(name, _)| block(name, salt)).collect();
            let mut known = HashSet::new();
            if blocks.iter().all(|block| known.insert(block.to_array())) {
                break (salt, blocks);
            }
            attempt += 1;
        };
        let mut long_names = Vec::new();
        let numbered = |(name, value): &(&[u8], u32)| {
            let start = long_names.len();
            if name.len() >= BLOCK_BYTES {
                long_names.extend_from_slice(name);
            }
            Name { value: *value, start }
        };
        let names = names.iter().map(numbered).collect();
        let numbers = BlockTable::new(&blocks.into_iter().zip(0..).collect::<Vec<_>>());
        Self { salt, numbers, names, long_names: long_names.into() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The value of `name`.
    pub(crate) fn get(&self, name: &[u8]) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let number = self.numbers.get(block(name, self.salt))?;
        let Name { value, start } = self.names[number as usize];
        let is_same = name.len() < BLOCK_BYTES || self.long_names[start..].starts_with(name);
        is_same.then_some(value)
    }
}

/// A name of up to 15 bytes with zeros after it and its length at the end; of a longer one, a hash that ends with 16.
#[allow(clippy::cast_possible_truncation)] // at most 16
fn block(name: &[u8], salt: u64) -> u8x16 {
    let mut block = [0; BLOCK_BYTES];
    if name.len() < BLOCK_BYTES {
        block[..name.len()].copy_from_slice(name);
    } else {
        block = cast(long_words(name, salt));
    }
    block[BLOCK_BYTES - 1] = name.len().min(BLOCK_BYTES) as u8;
    u8x16::new(block)
}

/// All bytes of a longer name, sixteen at a time; the last sixteen may overlap those before.
fn long_words(name: &[u8], salt: u64) -> [u64; 2] {
    let mut words = [salt, name.len() as u64];
    let mut absorb = |block: &[u8; BLOCK_BYTES]| {
        let [first, second]: [u64; 2] = cast(*block);
        words[0] = fold(u128::from(words[0] ^ first) * u128::from(second ^ 0x082e_fa98_ec4e_6c89));
        words[1] = words[1].rotate_left(23) ^ first.wrapping_mul(0x4528_21e6_38d0_1377) ^ second;
    };
    name.as_chunks().0.iter().for_each(&mut absorb);
    if let Some(last) = name.last_chunk() {
        absorb(last);
    }
    words
}

/// Both halves of a product in one word.
#[allow(clippy::cast_possible_truncation)]
fn fold(product: u128) -> u64 {
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::NameTable;

    fn names() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let short = proptest::collection::vec(prop_oneof![Just(0u8), Just(b'a'), any::<u8>()], 0..20);
        let long = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b')], 15..50);
        proptest::collection::vec(prop_oneof![short, long], 0..200)
    }

    proptest! {
        #[test]
        fn it_answers_as_a_hash_map_does(names in names(), strangers in names()) {
            let numbered = || names.iter().zip(0u32..).map(|(name, value)| (&name[..], value));
            let table = NameTable::new(numbered());
            let mut model = HashMap::new();
            for (name, value) in numbered() {
                model.entry(name).or_insert(value);
            }
            for name in names.iter().chain(&strangers) {
                prop_assert_eq!(table.get(name), model.get(&name[..]).copied(), "{:?}", name);
            }
        }
    }

    #[test]
    fn names_that_differ_only_in_the_middle_do_not_pile_up() {
        let names: Vec<_> =
            (0..4_000).map(|i| format!("customer-{i:08}-production-eu").into_bytes()).collect();
        let table = NameTable::new(names.iter().zip(0..).map(|(name, value)| (&name[..], value)));
        assert!(names.iter().zip(0..).all(|(name, value)| table.get(name) == Some(value)));
    }

    #[test]
    fn zero_bytes_and_lengths_are_told_apart() {
        let table = NameTable::new([(&b"\0"[..], 1), (b"\0\0", 2), (b"\0\0\0\0", 4), (b"", 9)]);
        assert_eq!(table.get(b""), Some(9));
        assert_eq!(table.get(b"\0"), Some(1));
        assert_eq!(table.get(b"\0\0"), Some(2));
        assert_eq!(table.get(b"\0\0\0"), None);
        assert_eq!(table.get(b"\0\0\0\0"), Some(4));
    }
}
