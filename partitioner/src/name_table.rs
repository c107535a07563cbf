//! A frozen map from byte strings to small numbers, for look-ups on the way of every record.

use std::collections::HashSet;

use crate::splitmix::splitmix64;

/// Names up to this long are compared as two words, without a call.
const INLINE_BYTES: usize = 16;

/// Displacements tried for a bucket before another seed is.
const DISPLACEMENTS_MAX: u32 = 1 << 16;

/// Salts tried before the table is made larger. Names that collide under one do not under the next.
const ATTEMPTS_A_SIZE: u64 = 8;

/// Maps a fixed set of byte strings to `u32` values; built once, then read without allocation or lock.
///
/// A perfect hash by displacement (Pagh, "Hash and displace", 1999): a name's bucket says by how much its slot is
/// displaced so that no two names of the set share one. A look-up therefore is the same three loads for ten names as for
/// a million, with no probing, so neither the set nor the traffic can make it slow.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    salts: Salts,
    /// One per bucket; the length is a power of two, or 0.
    displacements: Box<[u32]>,
    slots: Box<[Entry]>,
    shape: Shape,
    /// Where each long name starts in `long_names`, by slot.
    starts: Box<[usize]>,
    /// Names longer than `INLINE_BYTES`.
    long_names: Box<[u8]>,
}

/// The lengths of a table's parts, in the form in which a look-up wants them.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    bucket_mask: u64,
    slot_mask: u64,
}

/// What varies the hash from attempt to attempt.
#[derive(Clone, Copy, Debug, Default)]
struct Salts {
    /// By the length of a name, that of a long one cut to 16.
    by_len: [u64; INLINE_BYTES + 1],
    last: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    words: [u64; 2],
    /// `VACANT` in a slot without a name.
    len_bytes: u32,
    value: u32,
}

/// Longer than any name that a look-up is made for: those are cut to one less.
const VACANT: u32 = u32::MAX;

/// A name boiled down: two words and a length that tell it when it is short, and a hash of all its bytes.
#[derive(Clone, Copy)]
struct Digest {
    words: [u64; 2],
    len_bytes: u32,
    hash: u64,
}

impl NameTable {
    /// A table of these names; of equal names the first counts.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = (&'n [u8], u32)>) -> Self {
        let mut known = HashSet::new();
        let names: Vec<_> = names.into_iter().filter(|(name, _)| known.insert(*name)).collect();
        if names.is_empty() {
            return Self::default();
        }
        let mut slot_count = (names.len() * 2).next_power_of_two();
        let (salts, shape, displacements) = 'found: loop {
            let shape = Shape::of(slot_count);
            for salts in (0..ATTEMPTS_A_SIZE).map(Salts::of) {
                let hashes: Vec<_> = names.iter().map(|(name, _)| Digest::of(name, &salts).hash).collect();
                if let Some(displacements) = displace(&hashes, shape) {
                    break 'found (salts, shape, displacements);
                }
            }
            slot_count *= 2;
        };
        let vacant = Entry { words: [0; 2], len_bytes: VACANT, value: 0 };
        let (mut slots, mut starts, mut long_names) =
            (vec![vacant; slot_count], vec![0; slot_count], Vec::new());
        for &(name, value) in &names {
            let Digest { words, len_bytes, hash } = Digest::of(name, &salts);
            let slot = slot_of(hash, displacements[bucket_of(hash, shape)], shape);
            (slots[slot], starts[slot]) = (Entry { words, len_bytes, value }, long_names.len());
            if name.len() > INLINE_BYTES {
                long_names.extend_from_slice(name);
            }
        }
        let (slots, starts, long_names) = (slots.into(), starts.into(), long_names.into());
        Self { salts, displacements, slots, shape, starts, long_names }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The value of `name`.
    #[inline]
    pub(crate) fn get(&self, name: &[u8]) -> Option<u32> {
        let digest = Digest::of(name, &self.salts);
        let (slot, entry) = self.find(&digest)?;
        let is_same = name.len() <= INLINE_BYTES || self.long_names[self.starts[slot]..].starts_with(name);
        is_same.then_some(entry.value)
    }

    /// The value of the first `len` bytes, at most 15, of `text`, which has 16 or more.
    #[inline]
    pub(crate) fn get_short(&self, text: &[u8], len: usize) -> Option<u32> {
        debug_assert!(len < INLINE_BYTES && text.len() >= INLINE_BYTES);
        let digest = Digest::new(words_within(text, len)?, len, &self.salts);
        self.find(&digest).map(|(_, entry)| entry.value)
    }

    /// The slot whose name has this digest; of a long name that is not yet proof.
    #[inline]
    fn find(&self, digest: &Digest) -> Option<(usize, &Entry)> {
        let displacement = *self.displacements.get(bucket_of(digest.hash, self.shape))?;
        let slot = slot_of(digest.hash, displacement, self.shape);
        let entry = self.slots.get(slot)?;
        (entry.words == digest.words && entry.len_bytes == digest.len_bytes).then_some((slot, entry))
    }
}

/// Displacements under which every hash has a slot of its own; `None` when some bucket has none.
fn displace(hashes: &[u64], shape: Shape) -> Option<Box<[u32]>> {
    let mut buckets = vec![Vec::new(); low_bits(shape.bucket_mask) + 1];
    for &hash in hashes {
        buckets[bucket_of(hash, shape)].push(hash);
    }
    let mut order: Vec<_> = (0..buckets.len()).collect();
    order.sort_by_key(|&bucket| std::cmp::Reverse(buckets[bucket].len()));
    let (mut displacements, mut taken) = (vec![0; buckets.len()], vec![false; low_bits(shape.slot_mask) + 1]);
    for bucket in order {
        let hashes = &buckets[bucket];
        let fits = |displacement: &u32| {
            let at = |hash| slot_of(hash, *displacement, shape);
            let is_apart =
                |(i, &hash)| !taken[at(hash)] && hashes[..i].iter().all(|&other| at(other) != at(hash));
            hashes.iter().enumerate().all(is_apart)
        };
        let displacement = (0..DISPLACEMENTS_MAX).find(fits)?;
        displacements[bucket] = displacement;
        for &hash in hashes {
            taken[slot_of(hash, displacement, shape)] = true;
        }
    }
    Some(displacements.into())
}

impl Shape {
    /// For a number of slots that is a power of two; a bucket for every four of them.
    fn of(slot_count: usize) -> Self {
        let slot_mask = slot_count as u64 - 1;
        Self { bucket_mask: slot_mask / 4, slot_mask }
    }
}

#[inline]
fn bucket_of(hash: u64, shape: Shape) -> usize {
    low_bits(hash & shape.bucket_mask)
}

#[inline]
fn slot_of(hash: u64, displacement: u32, shape: Shape) -> usize {
    low_bits((hash >> 32 ^ u64::from(displacement)) & shape.slot_mask)
}

/// A word that is known to be small.
#[inline]
#[allow(clippy::cast_possible_truncation)] // masked before
fn low_bits(word: u64) -> usize {
    word as usize
}

impl Salts {
    fn of(attempt: u64) -> Self {
        let salt = |index: usize| splitmix64(attempt, index as u64);
        Self { by_len: std::array::from_fn(salt), last: salt(INLINE_BYTES + 1) }
    }
}

impl Digest {
    fn of(name: &[u8], salts: &Salts) -> Self {
        let words = if name.len() <= INLINE_BYTES { short_words(name) } else { long_words(name, salts.last) };
        Self::new(words, name.len(), salts)
    }

    /// Both words meet in the product, whose lower half tells apart what the upper half does not, and the other way round.
    #[inline]
    fn new(words: [u64; 2], len: usize, salts: &Salts) -> Self {
        let by_len = salts.by_len[len.min(INLINE_BYTES)];
        let product = u128::from(words[0] ^ by_len) * u128::from(words[1] ^ salts.last);
        Self { words, len_bytes: cut(len), hash: fold(product) }
    }
}

/// A length below `VACANT`.
#[inline]
#[allow(clippy::cast_possible_truncation)] // cut before
fn cut(len: usize) -> u32 {
    len.min(VACANT as usize - 1) as u32
}

/// Both halves of a product in one word.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn fold(product: u128) -> u64 {
    product as u64 ^ (product >> 64) as u64
}

/// At most 16 bytes as two words: the first and the last eight, or all and zero.
#[inline]
fn short_words(name: &[u8]) -> [u64; 2] {
    if let (Some(first), Some(last)) = (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        return [u64::from_le_bytes(*first), u64::from_le_bytes(*last)];
    }
    let mut bytes = [0; 8];
    bytes[..name.len()].copy_from_slice(name);
    [u64::from_le_bytes(bytes), 0]
}

/// As `short_words` of the first `len` bytes of a longer text, without touching them one by one.
#[inline]
fn words_within(text: &[u8], len: usize) -> Option<[u64; 2]> {
    let first = u64::from_le_bytes(*text.first_chunk()?);
    match len.checked_sub(8) {
        Some(at) => Some([first, u64::from_le_bytes(*text.get(at..)?.first_chunk()?)]),
        None => Some([first & !(u64::MAX << (len * 8)), 0]),
    }
}

/// All bytes of a longer name, sixteen at a time; the last sixteen may overlap those before.
#[inline(never)]
fn long_words(name: &[u8], salt: u64) -> [u64; 2] {
    let mut words = [salt, name.len() as u64];
    let mut absorb = |block: &[u8]| {
        let [first, second] = short_words(block);
        words[0] = fold(u128::from(words[0] ^ first) * u128::from(second ^ 0x082e_fa98_ec4e_6c89));
        words[1] = words[1].rotate_left(23) ^ first.wrapping_mul(0x4528_21e6_38d0_1377) ^ second;
    };
    name.chunks_exact(INLINE_BYTES).for_each(&mut absorb);
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
        assert_eq!(table.slots.len(), 8_192, "the first size does");
        assert!(names.iter().zip(0..).all(|(name, value)| table.get(name) == Some(value)));
    }

    proptest! {
        #[test]
        fn a_name_within_sixteen_bytes_is_found_as_if_it_stood_alone(start: [u8; 16], len in 0usize..16, other: u8) {
            let table = NameTable::new([(&start[..len], 7), (&[other][..], 9)]);
            prop_assert_eq!(table.get_short(&start, len), table.get(&start[..len]));
        }
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
