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
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    state: RandomState,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        span(&self.text, &self.ends, number)
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<u32> {
        let hash = self.state.hash_one(name);
        self.numbers.find(hash, |&number| self.get(number) == name).copied()
    }

    /// Bytes of all names together.
    pub(super) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// The number of `name`: the one it has, or else a new one while there are fewer than `names_max` names, and no
    /// more than `text_bytes_max` bytes with this one.
    pub(super) fn number(&mut self, name: &[u8], names_max: usize, text_bytes_max: usize) -> Option<u32> {
        let hash = self.state.hash_one(name);
        if let Some(&number) = self.numbers.find(hash, |&number| span(&self.text, &self.ends, number) == name)
        {
            return Some(number);
        }
        if self.ends.len() >= names_max || name.len() > text_bytes_max.saturating_sub(self.text.len()) {
            return None;
        }
        let number = u32::try_from(self.ends.len()).ok()?;
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        let (text, ends, state) = (&self.text, &self.ends, &self.state);
        self.numbers.insert_unique(hash, number, |&number| state.hash_one(span(text, ends, number)));
        Some(number)
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.numbers.clear();
    }
}

fn span<'t>(text: &'t [u8], ends: &[usize], number: u32) -> &'t [u8] {
    let at = number as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &text[start..ends[at]]
}
