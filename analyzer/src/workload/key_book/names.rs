//! Byte strings, numbered.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Byte strings numbered in order of appearance.
///
/// The hash state differs from run to run, so that no trace can be made to collide; numbers do not depend on it.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: Vec<u8>,
    ends: Vec<u32>,
    /// Knows where a name lies, so that finding it looks nowhere else but there.
    slots: HashTable<Slot>,
    state: RandomState,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    number: u32,
    start: u32,
    end: u32,
}

impl Slot {
    #[inline]
    fn name(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..self.end as usize]
    }
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start as usize..self.ends[at] as usize]
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<u32> {
        let hash = self.state.hash_one(name);
        self.slots.find(hash, |slot| slot.name(&self.text) == name).map(|slot| slot.number)
    }

    /// Bytes of all names together.
    pub(super) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// The number of `name`: the one it has, or else a new one while there are fewer than `names_max` names, and no
    /// more than `text_bytes_max` bytes with this one, nor 4 GiB.
    pub(super) fn number(&mut self, name: &[u8], names_max: usize, text_bytes_max: usize) -> Option<u32> {
        let hash = self.state.hash_one(name);
        if let Some(slot) = self.slots.find(hash, |slot| slot.name(&self.text) == name) {
            return Some(slot.number);
        }
        if self.ends.len() >= names_max || name.len() > text_bytes_max.saturating_sub(self.text.len()) {
            return None;
        }
        let number = u32::try_from(self.ends.len()).ok()?;
        let start = u32::try_from(self.text.len()).ok()?;
        let end = u32::try_from(self.text.len() + name.len()).ok()?;
        self.text.extend_from_slice(name);
        self.ends.push(end);
        let (text, state) = (&self.text, &self.state);
        self.slots.insert_unique(hash, Slot { number, start, end }, |slot| state.hash_one(slot.name(text)));
        Some(number)
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.slots.clear();
    }
}
