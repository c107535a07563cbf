//! Counts in ascending order, each raised by one in constant time.

/// Counts of the items `0..len`, all 0 at first, kept sorted.
///
/// Equal counts form a run of neighbours, so an item that is raised by one changes places with the last of its run and
/// joins the next: the order that Metwally's stream summary keeps in linked lists, in arrays that never grow.
#[derive(Clone, Debug)]
pub(super) struct RankedCounts {
    /// Items by count, smallest first.
    items: Vec<u32>,
    /// Where each item stands in `items`.
    ranks: Vec<u32>,
    /// The run that each item belongs to.
    run_of: Vec<u32>,
    runs: Vec<Run>,
    /// Runs that no item belongs to.
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    count: u64,
    /// Ranks of its first and its last item.
    first: u32,
    last: u32,
}

impl RankedCounts {
    /// `len` items with a count of 0.
    ///
    /// # Panics
    /// When `len` is 0.
    pub(super) fn new(len: u32) -> Self {
        assert!(len > 0, "something to count");
        let mut runs = Vec::with_capacity(len as usize);
        runs.push(Run { count: 0, first: 0, last: len - 1 });
        Self {
            items: (0..len).collect(),
            ranks: (0..len).collect(),
            run_of: vec![0; len as usize],
            runs,
            free: Vec::with_capacity(len as usize),
        }
    }

    /// The count of `item`.
    #[inline]
    pub(super) fn count(&self, item: u32) -> u64 {
        self.runs[self.run_of[item as usize] as usize].count
    }

    /// An item of the smallest count.
    #[inline]
    pub(super) fn least(&self) -> u32 {
        self.items[0]
    }

    /// Adds one to the count of `item`.
    #[inline]
    pub(super) fn raise(&mut self, item: u32) {
        let number = self.run_of[item as usize];
        let run = self.runs[number as usize];
        self.swap_to(item, run.last);
        let next = self.items.get(run.last as usize + 1).map(|&next| self.run_of[next as usize]);
        let next = next.filter(|&next| self.runs[next as usize].count == run.count + 1);
        let is_alone = run.first == run.last;
        match next {
            Some(next) => {
                self.runs[next as usize].first = run.last;
                self.run_of[item as usize] = next;
                if is_alone {
                    self.free.push(number);
                }
            }
            None if is_alone => self.runs[number as usize].count += 1,
            None => {
                let new = Run { count: run.count + 1, first: run.last, last: run.last };
                self.run_of[item as usize] = self.add_run(new);
            }
        }
        if !is_alone {
            self.runs[number as usize].last -= 1;
        }
    }

    #[inline]
    fn swap_to(&mut self, item: u32, rank: u32) {
        let (from, other) = (self.ranks[item as usize], self.items[rank as usize]);
        (self.items[from as usize], self.items[rank as usize]) = (other, item);
        (self.ranks[other as usize], self.ranks[item as usize]) = (from, rank);
    }

    fn add_run(&mut self, run: Run) -> u32 {
        if let Some(number) = self.free.pop() {
            self.runs[number as usize] = run;
            return number;
        }
        self.runs.push(run);
        u32::try_from(self.runs.len() - 1).expect("there are no more runs than items")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::RankedCounts;

    proptest! {
        #[test]
        fn counts_are_those_of_an_array_and_stay_sorted(
            (len, raised) in (1..9u32).prop_flat_map(|len| (Just(len), prop::collection::vec(0..len, 0..200))),
        ) {
            let (mut ranked, mut plain) = (RankedCounts::new(len), vec![0u64; len as usize]);
            for item in raised {
                ranked.raise(item);
                plain[item as usize] += 1;
                prop_assert_eq!(plain[ranked.least() as usize], *plain.iter().min().unwrap());
            }
            prop_assert!((0..len).all(|item| ranked.count(item) == plain[item as usize]));
            prop_assert!(ranked.items.is_sorted_by_key(|&item| plain[item as usize]));
            prop_assert!(ranked.runs.len() <= len as usize, "memory does not grow");
        }
    }
}
