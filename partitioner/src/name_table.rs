//! A frozen map from byte strings to small numbers, for look-ups on the way of every record.

/// Names up to this long are compared as two words, without a call.
const INLINE_BYTES: usize = 16;

/// Maps a fixed set of byte strings to `u32` values; built once, then read without allocation or lock.
///
/// Open addressing with linear probing at a load of at most 1/2. A byte of the hash per slot stands in an array of its
/// own, so that a name that is not in the table, the usual case, is told by one byte from the first cache level.
/// The set is the operator's, so traffic can neither grow the table nor lengthen a probe.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    /// 0 is empty; else a byte of the hash with its top bit set. The length is a power of two, or 0.
    tags: Box<[u8]>,
    entries: Box<[Entry]>,
    /// Names longer than `INLINE_BYTES`.
    long_names: Box<[u8]>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    words: [u64; 2],
    len_bytes: u32,
    value: u32,
    /// Where the name starts in `long_names`, when it is long.
    start: usize,
}

/// A name boiled down: two words that hold it whole when it is short, and a hash of all its bytes.
#[derive(Clone, Copy)]
struct Digest {
    words: [u64; 2],
    /// Saturated: no name in a table is that long.
    len_bytes: u32,
    hash: u64,
}

impl NameTable {
    /// A table of these names; of equal names the first counts.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = (&'n [u8], u32)>) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        if names.is_empty() {
            return Self::default();
        }
        let slots = (names.len() * 2).next_power_of_two();
        let (mut tags, mut entries) = (vec![0u8; slots], vec![Entry::default(); slots]);
        let mut long_names = Vec::new();
        for (name, value) in names {
            let digest = Digest::of(name);
            let mut slot = digest.home(slots);
            while tags[slot] != 0 && !entries[slot].is(name, &digest, &long_names) {
                slot = (slot + 1) & (slots - 1);
            }
            if tags[slot] != 0 {
                continue;
            }
            tags[slot] = digest.tag();
            let start = long_names.len();
            if name.len() > INLINE_BYTES {
                long_names.extend_from_slice(name);
            }
            entries[slot] = Entry { words: digest.words, len_bytes: digest.len_bytes, value, start };
        }
        Self { tags: tags.into(), entries: entries.into(), long_names: long_names.into() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The value of `name`.
    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> Option<u32> {
        if self.tags.is_empty() {
            return None;
        }
        let digest = Digest::of(name);
        let mut slot = digest.home(self.tags.len());
        let tag = digest.tag();
        loop {
            let found = self.tags[slot];
            if found == 0 {
                return None;
            }
            if found == tag && self.entries[slot].is(name, &digest, &self.long_names) {
                return Some(self.entries[slot].value);
            }
            slot = (slot + 1) & (self.tags.len() - 1);
        }
    }
}

impl Entry {
    #[inline]
    fn is(&self, name: &[u8], digest: &Digest, long_names: &[u8]) -> bool {
        self.words == digest.words
            && self.len_bytes == digest.len_bytes
            && (name.len() <= INLINE_BYTES || long_names[self.start..].starts_with(name))
    }
}

impl Digest {
    #[inline]
    fn of(name: &[u8]) -> Self {
        let words = if name.len() <= INLINE_BYTES { short_words(name) } else { long_words(name) };
        // Two odd constants from the digits of π (as in wyhash and foldhash); the 128-bit product folds both words.
        let product = u128::from(words[0] ^ 0x243f_6a88_85a3_08d3 ^ (name.len() as u64))
            * u128::from(words[1] ^ 0x1319_8a2e_0370_7345);
        Self { words, len_bytes: u32::try_from(name.len()).unwrap_or(u32::MAX), hash: fold(product) }
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the low bits are what is wanted
    fn home(&self, slots: usize) -> usize {
        self.hash as usize & (slots - 1)
    }

    #[inline]
    fn tag(&self) -> u8 {
        (self.hash >> 56) as u8 | 0x80
    }
}

/// Both halves of a product in one word.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn fold(product: u128) -> u64 {
    product as u64 ^ (product >> 64) as u64
}

/// At most 16 bytes as two words, which together with the length tell the name.
#[inline]
fn short_words(name: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
    } else if let (Some(first), Some(last)) = (name.first_chunk::<4>(), name.last_chunk::<4>()) {
        [u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))]
    } else {
        let byte = |at: usize| u64::from(name.get(at).copied().unwrap_or(0));
        [byte(0) | byte(1) << 8, byte(2)]
    }
}

/// All bytes of a longer name, sixteen at a time; the last sixteen may overlap those before.
fn long_words(name: &[u8]) -> [u64; 2] {
    let mut words = [0u64; 2];
    let mut absorb = |block: &[u8]| {
        let [first, second] = short_words(block);
        words[0] = fold(
            u128::from(words[0] ^ first ^ 0xa409_3822_299f_31d1) * u128::from(second ^ 0x082e_fa98_ec4e_6c89),
        );
        words[1] = words[1].rotate_left(23) ^ first.wrapping_mul(0x4528_21e6_38d0_1377) ^ second;
    };
    let whole_bytes = name.len() / INLINE_BYTES * INLINE_BYTES;
    for block in name[..whole_bytes].chunks_exact(INLINE_BYTES) {
        absorb(block);
    }
    absorb(&name[name.len() - INLINE_BYTES..]);
    words
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
        let longest_run = table.tags.split(|&tag| tag == 0).map(<[u8]>::len).max().unwrap();
        assert!(longest_run < 64, "a run of {longest_run} full slots among {}", table.tags.len());
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
