//! A frozen map from blocks of 16 bytes to small numbers, for look-ups on the way of every record.

use wide::bytemuck::cast;
use wide::{u8x16, u64x2};

use crate::splitmix::splitmix64;

/// Salts tried before the table is made larger. Blocks that collide under one do not under the next.
const ATTEMPTS_A_SIZE: u32 = 8;

/// Times that a table is made twice as large before only the salts vary: blocks made to collide cost time, not memory.
const GROWTHS_MAX: u32 = 3;

/// Maps a fixed set of blocks to `u32` values; built once, then read without allocation or lock.
///
/// A perfect hash by displacement (Pagh, "Hash and displace", 1999): a block's bucket says by how much its slot is
/// displaced so that no two blocks of the set share one. A look-up therefore is the same two loads for ten blocks as for
/// a million, with no probing, so neither the set nor the traffic can make it slow.
///
/// A record's look-up runs beside its murmur2, which keeps the integer half of the processor busy: nearly every integer
/// instruction here would wait in a queue that murmur2 needs, so the hash is made of vectors, which have a queue of
/// their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockTable {
    salts: [u64x2; 2],
    /// Of a bucket's number and a slot's, each one less than a power of two.
    masks: u64x2,
    /// One per bucket.
    displacements: Box<[u32]>,
    /// A slot that is nobody's has the block of another, which is looked for elsewhere.
    blocks: Box<[u8x16]>,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    /// All blocks have this value.
    Same(u32),
    /// The value of each slot.
    BySlot(Box<[u32]>),
}

impl Default for Values {
    fn default() -> Self {
        Self::BySlot(Box::default())
    }
}

/// The numbers that a block's hash gives: its bucket's, and its slot's before it is displaced.
#[derive(Clone, Copy)]
struct Place {
    bucket: usize,
    slot: u32,
}

impl BlockTable {
    /// A table of these blocks, all different.
    pub(crate) fn new(entries: &[(u8x16, u32)]) -> Self {
        let Some(&(some_block, some_value)) = entries.first() else {
            return Self::default();
        };
        let (mut table, places) = Self::without_values(entries);
        table.blocks = vec![some_block; table.displacements.len() * 2].into();
        let mut values = vec![some_value; table.blocks.len()];
        for (&(block, value), place) in entries.iter().zip(places) {
            let slot = (place.slot ^ table.displacements[place.bucket]) as usize;
            (table.blocks[slot], values[slot]) = (block, value);
        }
        let is_same = entries.iter().all(|&(_, value)| value == some_value);
        table.values = if is_same { Values::Same(some_value) } else { Values::BySlot(values.into()) };
        table
    }

    /// The hash for these blocks, and the place of each.
    fn without_values(entries: &[(u8x16, u32)]) -> (Self, Vec<Place>) {
        let slot_count_min = entries.len().next_power_of_two().max(2);
        let mut attempt = 0;
        loop {
            let slot_count = slot_count_min << (attempt / ATTEMPTS_A_SIZE).min(GROWTHS_MAX);
            let bucket_count = slot_count / 2;
            let salt = |index| splitmix64(u64::from(attempt), index);
            let mut table = Self {
                salts: [u64x2::new([salt(0), salt(1)]), u64x2::new([salt(2), salt(3)])],
                masks: u64x2::new([bucket_count as u64 - 1, slot_count as u64 - 1]),
                ..Self::default()
            };
            let places: Vec<_> = entries.iter().map(|&(block, _)| table.place(block)).collect();
            if let Some(displacements) = displace(&places, bucket_count, slot_count) {
                table.displacements = displacements;
                return (table, places);
            }
            attempt += 1;
        }
    }

    /// The value of `block`.
    #[inline]
    pub(crate) fn get(&self, block: u8x16) -> Option<u32> {
        let place = self.place(block);
        let slot = (place.slot ^ self.displacements.get(place.bucket)?) as usize;
        if !self.blocks.get(slot)?.simd_eq(block).all() {
            return None;
        }
        match &self.values {
            Values::Same(value) => Some(*value),
            Values::BySlot(values) => values.get(slot).copied(),
        }
    }

    /// Two hashes of a block.
    ///
    /// Each is the sum of two products of salted words, in which two different blocks agree with a chance of 2⁻³² (NH:
    /// Black, Halevi, Krawczyk, Krovetz, Rogaway, "UMAC", 1999). The halves of the sum are then laid over each other, as
    /// the lower tells apart what the upper does not, and the other way round.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // masked before
    fn place(&self, block: u8x16) -> Place {
        let [first, second] = self.salts.map(|salt| products(cast::<_, u64x2>(block) + salt));
        let sums: u64x2 = first.unpack_lo(second) + first.unpack_hi(second);
        let masked: u64x2 = (sums ^ (sums >> 32_u32)) & self.masks;
        let [bucket, slot] = masked.to_array();
        Place { bucket: bucket as usize, slot: slot as u32 }
    }
}

/// The products of the halves of each word.
///
/// Written in a form that LLVM takes for one vector multiplication, and does not take apart into two scalar ones.
#[inline]
fn products(words: u64x2) -> u64x2 {
    let upper: u64x2 = words >> 32_u32;
    let high = u64x2::ZERO.add_mul_hi::<32>(words, upper);
    u64x2::ZERO.add_mul_lo::<32>(words, upper) | high.unbounded_shl_scalar(32)
}

/// Displacements, by bucket, under which every place has a slot of its own; `None` when some bucket has none.
fn displace(places: &[Place], bucket_count: usize, slot_count: usize) -> Option<Box<[u32]>> {
    let mut buckets = vec![Vec::new(); bucket_count];
    for place in places {
        buckets[place.bucket].push(place.slot);
    }
    let mut order: Vec<_> = (0..bucket_count).filter(|&bucket| !buckets[bucket].is_empty()).collect();
    order.sort_by_key(|&bucket| std::cmp::Reverse(buckets[bucket].len()));
    let (mut displacements, mut is_taken) = (vec![0; bucket_count], vec![false; slot_count]);
    for bucket in order {
        let slots = &mut buckets[bucket];
        slots.sort_unstable();
        if slots.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let is_free = |displacement: &u32| slots.iter().all(|slot| !is_taken[(slot ^ displacement) as usize]);
        let displacement = (0..u32::try_from(slot_count).ok()?).find(is_free)?;
        displacements[bucket] = displacement;
        slots.iter().for_each(|slot| is_taken[(slot ^ displacement) as usize] = true);
    }
    Some(displacements.into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Blocks that differ in few bits, anywhere, beside blocks at random.
    fn blocks() -> impl Strategy<Value = [u8; 16]> {
        prop_oneof![
            any::<[u8; 16]>(),
            (0usize..16, any::<u8>()).prop_map(|(at, byte)| std::array::from_fn(|i| if i == at {
                byte
            } else {
                0
            })),
            proptest::array::uniform16(prop_oneof![15 => Just(b'a'), 1 => any::<u8>()]),
        ]
    }

    proptest! {
        #[test]
        fn it_answers_as_an_ordered_map_does(
            entries in proptest::collection::btree_map(blocks(), 0u32..3, 0..300),
            strangers in proptest::collection::vec(blocks(), 100),
        ) {
            let table = BlockTable::new(
                &entries.iter().map(|(&block, &value)| (u8x16::new(block), value)).collect::<Vec<_>>(),
            );
            for block in entries.keys().chain(&strangers) {
                prop_assert_eq!(table.get(u8x16::new(*block)), entries.get(block).copied(), "{:?}", block);
            }
        }
    }

    #[test]
    fn whichever_two_bytes_vary_the_table_stays_small() {
        for first in 0..16 {
            for second in 0..first {
                let blocks: BTreeMap<_, _> = (0..4_000u16)
                    .map(|i| {
                        let mut block = [b'x'; 16];
                        (block[first], block[second]) = (i.to_le_bytes()[0], i.to_le_bytes()[1]);
                        (block, u32::from(i))
                    })
                    .collect();
                let entries: Vec<_> =
                    blocks.iter().map(|(&block, &value)| (u8x16::new(block), value)).collect();
                let table = BlockTable::new(&entries);
                assert!(
                    table.blocks.len() <= 8_192,
                    "bytes {first} and {second}: {} slots",
                    table.blocks.len()
                );
                assert!(entries.iter().all(|&(block, value)| table.get(block) == Some(value)));
            }
        }
    }
}
