//! Counts of numbered things over time, in a bounded number of windows.

/// Most windows that are kept; when there would be more, each becomes twice as wide.
const WINDOWS_MAX: usize = 32;

/// Records of each cell in windows of equal width over a position: a time, or the number of the record.
///
/// Positions may come in any order, and windows in which nothing lies take no room. Width is a power of two and grows
/// with the traffic, so that at most 32 windows hold records: memory is 4 bytes a window and cell.
#[derive(Debug)]
pub(super) struct Windows {
    /// A window holds the positions that agree but for so many low bits.
    width_bits: u32,
    /// By the high bits of their positions, ascending.
    windows: Vec<Window>,
    /// Where the last record went.
    current: usize,
}

#[derive(Debug)]
struct Window {
    high_bits: u64,
    records: u64,
    by_cell: Vec<u32>,
}

impl Windows {
    /// No records; windows are at first `2^width_bits` positions wide.
    pub(super) fn new(width_bits: u32) -> Self {
        Self { width_bits, windows: Vec::new(), current: 0 }
    }

    /// Counts a record.
    #[inline]
    pub(super) fn add(&mut self, position: u64, cell: u32) {
        let high_bits = position >> self.width_bits;
        match self.windows.get(self.current) {
            Some(window) if window.high_bits == high_bits => {}
            _ => self.find(position),
        }
        let window = &mut self.windows[self.current];
        window.records += 1;
        let at = cell as usize;
        if at >= window.by_cell.len() {
            window.by_cell.resize(at + 1, 0);
        }
        window.by_cell[at] += 1;
    }

    /// Makes the window of a position the current one.
    fn find(&mut self, position: u64) {
        let high_bits = position >> self.width_bits;
        match self.windows.binary_search_by_key(&high_bits, |window| window.high_bits) {
            Ok(at) => self.current = at,
            Err(at) => {
                self.windows.insert(at, Window { high_bits, records: 0, by_cell: Vec::new() });
                self.current = at;
                if self.windows.len() > WINDOWS_MAX {
                    while self.windows.len() > WINDOWS_MAX {
                        self.widen();
                    }
                    self.find(position);
                }
            }
        }
    }

    /// Joins each two windows that differ in the lowest bit.
    fn widen(&mut self) {
        self.width_bits += 1;
        let mut joined: Vec<Window> = Vec::with_capacity(WINDOWS_MAX);
        for mut window in self.windows.drain(..) {
            window.high_bits >>= 1;
            match joined.last_mut() {
                Some(last) if last.high_bits == window.high_bits => last.add(&window),
                _ => joined.push(window),
            }
        }
        self.windows = joined;
    }

    /// Renumbers the cells; what several become one adds up.
    pub(super) fn renumber(&mut self, new_of_old: &[u32], cells: usize) {
        for window in &mut self.windows {
            let mut by_cell = vec![0; cells];
            for (&records, &new) in window.by_cell.iter().zip(new_of_old) {
                by_cell[new as usize] += records;
            }
            window.by_cell = by_cell;
        }
    }

    /// Records of the first `windows` windows.
    pub(super) fn records_of(&self, windows: usize) -> u64 {
        self.windows[..windows].iter().map(|window| window.records).sum()
    }

    /// All records.
    pub(super) fn records(&self) -> u64 {
        self.records_of(self.len())
    }

    /// The number of windows at the start that together come nearest to `records`, at least one and not all, where
    /// there are two.
    pub(super) fn cut(&self, windows: usize, records: u64) -> usize {
        let mut before = 0;
        let mut best = (u64::MAX, windows);
        for (at, window) in self.windows[..windows].iter().enumerate().take(windows.saturating_sub(1)) {
            before += window.records;
            best = best.min((before.abs_diff(records), at + 1));
        }
        best.1
    }

    /// The first `windows` windows in at most `spans_max` groups of about as many records each.
    pub(super) fn spans(&self, windows: usize, spans_max: usize) -> Vec<std::ops::Range<usize>> {
        let all = self.records_of(windows).max(1);
        let (mut spans, mut start, mut records) = (Vec::new(), 0, 0);
        for (at, window) in self.windows[..windows].iter().enumerate() {
            records += window.records;
            // The span that is open ends where the next part of the records is reached.
            let reached = records * spans_max as u64 / all;
            if reached > spans.len() as u64 {
                spans.push(start..at + 1);
                start = at + 1;
            }
        }
        spans
    }

    /// Number of windows.
    pub(super) fn len(&self) -> usize {
        self.windows.len()
    }

    /// The first position that lies in none of the first `windows` windows.
    pub(super) fn end(&self, windows: usize) -> Option<u64> {
        Some(self.windows.get(windows)?.high_bits << self.width_bits)
    }

    /// Records of each cell in a range of windows.
    pub(super) fn sum(&self, windows: std::ops::Range<usize>, cells: usize) -> Vec<u32> {
        let mut sum = vec![0; cells];
        for window in &self.windows[windows] {
            for (sum, records) in sum.iter_mut().zip(&window.by_cell) {
                *sum += records;
            }
        }
        sum
    }
}

impl Window {
    fn add(&mut self, other: &Window) {
        self.records += other.records;
        if self.by_cell.len() < other.by_cell.len() {
            self.by_cell.resize(other.by_cell.len(), 0);
        }
        for (sum, records) in self.by_cell.iter_mut().zip(&other.by_cell) {
            *sum += records;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_lone_early_record_does_not_make_all_others_one_window() {
        let mut windows = Windows::new(0);
        windows.add(0, 0);
        (0..10_000).for_each(|second| windows.add(1_700_000_000_000_000 + second * 1_000_000, 1));
        assert!(windows.len() > 16, "{}", windows.len());
        assert_eq!(windows.sum(0..1, 2), [1, 0]);
    }

    #[test]
    fn one_window_cannot_be_cut() {
        let mut windows = Windows::new(8);
        (0..100).for_each(|position| windows.add(position, 0));
        assert_eq!((windows.len(), windows.cut(1, 50)), (1, 1));
        windows.add(256, 0);
        assert_eq!((windows.cut(2, 100), windows.end(1), windows.end(2)), (1, Some(256), None));
    }

    #[test]
    fn spans_are_of_about_equal_size_and_leave_nothing_out() {
        let mut windows = Windows::new(2);
        (0..100).for_each(|position| windows.add(position, 0));
        let spans = windows.spans(windows.len(), 12);
        assert_eq!((spans.len(), spans[0].clone(), spans[11].clone()), (12, 0..3, 23..25));
        let mut one = Windows::new(8);
        one.add(3, 0);
        assert_eq!(one.spans(1, 12), vec![0..1]);
        assert!(one.spans(0, 12).is_empty());
    }

    proptest! {
        /// A cut is a cut by position: whatever lies before the end is in the sum, and nothing else.
        #[test]
        fn windows_agree_with_a_list_of_the_records(
            records in proptest::collection::vec((0u64..50_000, 0u32..20), 1..400),
            percent in 0usize..100,
        ) {
            let mut windows = Windows::new(0);
            records.iter().for_each(|&(position, cell)| windows.add(position, cell));
            prop_assert!(windows.len() <= WINDOWS_MAX);
            prop_assert_eq!(windows.records(), records.len() as u64);
            let cut = windows.cut(windows.len(), (records.len() * percent / 100) as u64);
            let end = windows.end(cut).unwrap_or(u64::MAX);
            let mut expected = vec![0; 20];
            for (_, cell) in records.iter().filter(|(position, _)| *position < end) {
                expected[*cell as usize] += 1;
            }
            prop_assert_eq!(windows.sum(0..cut, 20), expected);
        }
    }
}
