//! One of many by weight, in constant time and from one 64-bit draw.

use std::hint::select_unpredictable;

/// How a total is divided between numbered things.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// Equal parts.
    Uniform,
    /// The thing numbered `k` from 0 has the weight `1 / (k + 1)^exponent`.
    Zipf(f64),
}

impl Shape {
    /// The weight of number `rank`, before division by the sum.
    ///
    /// Exponent 1 is a plain division and the others use the `libm` crate's `pow`: both give the same bits on every
    /// machine, which the platform's own `pow` does not.
    pub(super) fn weight(self, rank: u32) -> f64 {
        let rank = f64::from(rank) + 1.0;
        match self {
            Shape::Uniform => 1.0,
            Shape::Zipf(exponent) if exponent.to_bits() == 1.0_f64.to_bits() => 1.0 / rank,
            Shape::Zipf(exponent) => 1.0 / libm::pow(rank, exponent),
        }
    }

    /// The sum of the first `count` weights.
    pub(super) fn weight_sum(self, count: u32) -> f64 {
        match self {
            Shape::Uniform => f64::from(count),
            Shape::Zipf(_) => (0..count).map(|rank| self.weight(rank)).sum(),
        }
    }
}

/// Draws a number below a count.
#[derive(Clone, Debug)]
pub(super) enum Pick {
    /// Every number below the count equally often; needs no table.
    Uniform(u32),
    /// By weight, through an alias table.
    Weighted(AliasTable),
}

impl Pick {
    /// Draws below `count`, divided as `shape` says.
    pub(super) fn new(shape: Shape, count: u32) -> Self {
        match shape {
            Shape::Uniform => Pick::Uniform(count),
            Shape::Zipf(_) => {
                let weights: Vec<f64> = (0..count).map(|rank| shape.weight(rank)).collect();
                Pick::Weighted(AliasTable::new(&weights))
            }
        }
    }

    /// The number that the 64 random bits of `draw` stand for.
    #[inline]
    pub(super) fn pick(&self, draw: u64) -> u32 {
        match self {
            Pick::Uniform(count) => scale(draw, *count).0,
            Pick::Weighted(table) => table.pick(draw),
        }
    }
}

/// Where `draw` falls among `count` equal cells, and how far into the cell, in units of 2⁻³² of a cell.
#[inline]
#[allow(clippy::cast_possible_truncation)] // the high half is below `count`; of the low half the top is wanted
fn scale(draw: u64, count: u32) -> (u32, u32) {
    let wide = u128::from(draw) * u128::from(count);
    ((wide >> 64) as u32, (wide >> 32) as u32)
}

/// Walker's alias table, built by Vose's method: every number owns a cell and lends what it does not need of it.
///
/// `rand_distr::weighted::WeightedAliasIndex` is the same table, but takes two draws through `Uniform<f64>`, and
/// how it does so may change between its versions; ours is a part of what a seed means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AliasTable {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    /// The owner keeps this much of the cell, in units of 2⁻³².
    keep: u32,
    /// Who gets the rest.
    alias: u32,
}

impl AliasTable {
    /// A table for `weights`, which are finite, not negative, do not sum to 0 and are at most `u32::MAX` many.
    pub(super) fn new(weights: &[f64]) -> Self {
        let cell_weight = weights.iter().sum::<f64>() / float(weights.len());
        let mut heights: Vec<f64> = weights.iter().map(|weight| weight / cell_weight).collect();
        let mut cells: Vec<Cell> =
            (0..count(weights.len())).map(|own| Cell { keep: u32::MAX, alias: own }).collect();
        let (mut low, mut high): (Vec<u32>, Vec<u32>) =
            (0..count(weights.len())).partition(|&own| heights[own as usize] < 1.0);
        while let (Some(&lender), Some(&taker)) = (low.last(), high.last()) {
            low.pop();
            let height = heights[lender as usize];
            cells[lender as usize] = Cell { keep: fraction(height), alias: taker };
            let left = heights[taker as usize] - (1.0 - height);
            heights[taker as usize] = left;
            if left < 1.0 {
                high.pop();
                low.push(taker);
            }
        }
        // What remains in either list misses a full cell by rounding only, and keeps its own cell.
        Self { cells }
    }

    #[inline]
    fn pick(&self, draw: u64) -> u32 {
        let (own, at) = scale(draw, count(self.cells.len()));
        let cell = self.cells[own as usize];
        // Whether the owner keeps the draw is a coin toss: a branch here would be mispredicted half of the time.
        select_unpredictable(at < cell.keep, own, cell.alias)
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation)] // the caller of AliasTable::new warrants it
fn count(len: usize) -> u32 {
    len as u32
}

fn float(len: usize) -> f64 {
    f64::from(count(len))
}

/// `share`, in 0 to 1, in units of 2⁻³².
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a float to integer cast saturates
fn fraction(share: f64) -> u32 {
    (share * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What each number gets of all draws, exactly, in cells.
    fn shares(table: &AliasTable) -> Vec<f64> {
        let mut shares = vec![0.0; table.cells.len()];
        for (own, cell) in table.cells.iter().enumerate() {
            let keep = f64::from(cell.keep) / 4_294_967_296.0;
            shares[own] += keep;
            shares[cell.alias as usize] += 1.0 - keep;
        }
        shares
    }

    proptest! {
        #[test]
        fn an_alias_table_gives_each_its_weight(weights in prop::collection::vec(0.0..1e3_f64, 1..200)) {
            let sum: f64 = weights.iter().sum();
            prop_assume!(sum > 0.0);
            let cells = float(weights.len());
            for (share, weight) in shares(&AliasTable::new(&weights)).iter().zip(&weights) {
                prop_assert!((share - weight / sum * cells).abs() < 1e-6 * cells, "{share} for {weight} of {sum}");
            }
        }

        #[test]
        fn a_pick_is_below_its_count(count in 1..10_000_u32, draw: u64, exponent in 0.0..3.0_f64) {
            prop_assert!(Pick::new(Shape::Uniform, count).pick(draw) < count);
            prop_assert!(Pick::new(Shape::Zipf(exponent), count).pick(draw) < count);
        }
    }

    #[test]
    fn a_weight_of_zero_is_never_picked() {
        let table = AliasTable::new(&[0.0, 1.0, 0.0, 3.0]);
        for step in 0..100_000_u64 {
            let picked = table.pick(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            assert!(picked == 1 || picked == 3, "{picked}");
        }
    }

    #[test]
    fn equal_draws_cover_equal_cells() {
        let pick = Pick::Uniform(3);
        assert_eq!([0, u64::MAX / 3, u64::MAX / 3 + 1, u64::MAX].map(|draw| pick.pick(draw)), [0, 0, 1, 2]);
        assert_eq!(Pick::Uniform(u32::MAX).pick(u64::MAX), u32::MAX - 1);
    }

    #[test]
    fn exponent_one_is_what_pow_gives() {
        for rank in [0, 1, 2, 9, 999] {
            assert!((Shape::Zipf(1.0).weight(rank) - Shape::Zipf(1.0 + 1e-12).weight(rank)).abs() < 1e-9);
        }
        assert!((Shape::Zipf(1.0).weight_sum(10_000) - 9.787_606).abs() < 1e-6);
    }
}
