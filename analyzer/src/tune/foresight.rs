//! What the traffic so far lets expect of later traffic.

use std::ops::Range;

use super::units::{Loads, Units};

/// Records of each cell, in the order of [`Units`], over the part to tune on: some spans of about equal size, the oldest
/// first.
#[derive(Debug)]
pub(super) struct History {
    pub(super) spans: Vec<Vec<u32>>,
}

/// Most spans of a history.
pub(super) const SPANS_MAX: usize = 12;

/// With fewer nothing can be learnt from them, and counts are taken as they are.
const SPANS_MIN: usize = 3;

/// Cells of a tenant from which its persistence can be told; with fewer it is taken to be whole.
const CELLS_MIN: usize = 8;

/// Spans after which what was counted has lost half of its weight.
const HALF_LIVES_SPANS: [f64; 3] = [4.0, 2.0, 1.0];

/// By how much a half-life must raise the correlation with later traffic to be believed.
const GAIN_MIN: f64 = 0.01;

impl History {
    /// The loads to expect, of the size of the part to tune on, and the persistence of each tenant, 0 to 1.
    ///
    /// A cell that was hot may have been so by chance, or for a while only. How much of it carries over is measured on the
    /// part to tune on alone: its last third is foretold from what came before. Where weighing recent records more
    /// foretells it better, they are weighed so; then each cell is drawn towards its tenant's mean by the slope of the
    /// regression of later on earlier counts, 0 where heat was chance and near 1 where some entities stay hot (linear
    /// empirical Bayes; Efron and Morris, "Data Analysis Using Stein's Estimator", JASA 1975). Tenants' sums stay as they
    /// are.
    pub(super) fn foresee(&self, units: &Units) -> (Loads, Vec<f64>) {
        let mut foreseen = units.tuned.clone();
        let groups = || {
            let tenants = units.tenants.iter().map(|tenant| tenant.cells.clone());
            tenants.chain(std::iter::once(units.foreign.clone()))
        };
        let known = self.spans.len() - self.spans.len() / 3;
        if self.spans.len() < SPANS_MIN {
            return (foreseen, vec![1.0; units.tenants.len()]);
        }
        let (past, future) = self.spans.split_at(known);
        let future = weighted(future, None);
        let mut best: Option<(f64, Option<f64>, Vec<f64>)> = None;
        for half_life in std::iter::once(None).chain(HALF_LIVES_SPANS.map(Some)) {
            let past = weighted(past, half_life);
            let (correlation, slopes) = regress(&past, &future, groups());
            if best.as_ref().is_none_or(|best| correlation > best.0 + GAIN_MIN) {
                best = Some((correlation, half_life, slopes));
            }
        }
        let (_, half_life, mut slopes) = best.unwrap_or_default();
        let weighted = weighted(&self.spans, half_life);
        for (cells, &slope) in groups().zip(&slopes) {
            draw_to_mean(&weighted[cells.clone()], slope, &mut foreseen.cells[cells]);
        }
        slopes.pop();
        (foreseen, slopes)
    }
}

/// The sum of the spans, each older one weighing less.
fn weighted(spans: &[Vec<u32>], half_life_spans: Option<f64>) -> Vec<f64> {
    let mut sum = vec![0.0; spans.first().map_or(0, Vec::len)];
    for (age, span) in spans.iter().rev().enumerate() {
        #[allow(clippy::cast_precision_loss)] // spans
        let weight = half_life_spans.map_or(1.0, |half_life| libm::exp2(-(age as f64) / half_life));
        sum.iter_mut().zip(span).for_each(|(sum, &records)| *sum += weight * f64::from(records));
    }
    sum
}

/// The correlation of past and future inside the groups, over all of them, and the slope of each group's regression.
fn regress(past: &[f64], future: &[f64], groups: impl Iterator<Item = Range<usize>>) -> (f64, Vec<f64>) {
    let (mut all, mut slopes) = (Moments::default(), Vec::new());
    for cells in groups {
        match Moments::of(&past[cells.clone()], &future[cells]) {
            Some(moments) => {
                slopes.push(moments.slope());
                all.add(&moments);
            }
            None => slopes.push(1.0),
        }
    }
    (all.correlation(), slopes)
}

/// Second moments of pairs, both sides in units of their means.
#[derive(Debug, Default)]
struct Moments {
    var_past: f64,
    var_future: f64,
    covariance: f64,
}

impl Moments {
    /// Of the cells that have records on either side; `None` when nothing can be told from them.
    #[allow(clippy::cast_precision_loss)] // cells
    fn of(past: &[f64], future: &[f64]) -> Option<Self> {
        let pairs = || past.iter().zip(future).filter(|(past, future)| **past + **future > 0.0);
        let (mut cells, mut sum_past, mut sum_future) = (0usize, 0.0, 0.0);
        for (past, future) in pairs() {
            (cells, sum_past, sum_future) = (cells + 1, sum_past + past, sum_future + future);
        }
        if cells < CELLS_MIN || sum_past <= 0.0 || sum_future <= 0.0 {
            return None;
        }
        let (of_past, of_future) = (cells as f64 / sum_past, cells as f64 / sum_future);
        let mut moments = Self::default();
        for (past, future) in pairs() {
            let (past, future) = (past * of_past - 1.0, future * of_future - 1.0);
            moments.add(&Self {
                var_past: past * past,
                var_future: future * future,
                covariance: past * future,
            });
        }
        Some(moments)
    }

    fn add(&mut self, other: &Self) {
        self.var_past += other.var_past;
        self.var_future += other.var_future;
        self.covariance += other.covariance;
    }

    fn slope(&self) -> f64 {
        if self.var_past > 0.0 { (self.covariance / self.var_past).clamp(0.0, 1.0) } else { 1.0 }
    }

    fn correlation(&self) -> f64 {
        let scale = (self.var_past * self.var_future).sqrt();
        if scale > 0.0 { self.covariance / scale } else { 0.0 }
    }
}

/// Replaces the loads of the cells by what is foreseen of them; their sum stays.
#[allow(clippy::cast_precision_loss)] // cells
fn draw_to_mean(weighted: &[f64], slope: f64, loads: &mut [f64]) {
    let sum: f64 = loads.iter().sum();
    let weighted_sum: f64 = weighted.iter().sum();
    let known = loads.iter().filter(|load| **load > 0.0).count();
    if known == 0 || weighted_sum <= 0.0 {
        return;
    }
    let (mean, scale) = (sum / known as f64, sum / weighted_sum);
    let pairs = loads.iter_mut().zip(weighted).filter(|(load, _)| **load > 0.0);
    pairs.for_each(|(load, weighted)| *load = mean + slope * (weighted * scale - mean));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(past: &[f64], future: &[f64]) -> f64 {
        regress(past, future, std::iter::once(0..past.len())).1[0]
    }

    #[test]
    fn what_stays_hot_is_relied_on_and_chance_is_not() {
        let hot: Vec<f64> = (1..=100).map(|rank| 10_000.0 / f64::from(rank)).collect();
        assert!(slope(&hot, &hot) > 0.999_999);
        let chance = |salt: u64| -> Vec<f64> {
            let mut state = salt;
            let mut draw = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                1.0 + (state >> 60) as f64
            };
            (0..10_000).map(|_| draw()).collect()
        };
        assert!(slope(&chance(1), &chance(2)) < 0.05);
    }

    #[test]
    fn where_nothing_can_be_told_the_counts_stand() {
        assert_eq!(slope(&[5.0, 1.0], &[1.0, 5.0]), 1.0, "two cells");
        assert_eq!(slope(&[3.0; 20], &[0.0; 20]), 1.0, "nothing later");
    }

    #[test]
    fn entities_that_change_places_are_not_relied_on() {
        let past: Vec<f64> = (0..100).map(|cell| if cell < 50 { 20.0 } else { 0.0 }).collect();
        let future: Vec<f64> = past.iter().rev().copied().collect();
        assert_eq!(slope(&past, &future), 0.0);
    }

    #[test]
    fn drawing_to_the_mean_keeps_the_sum_and_leaves_unknown_cells_alone() {
        let mut loads = [8.0, 2.0, 0.0, 2.0];
        draw_to_mean(&[4.0, 1.0, 0.0, 1.0], 0.5, &mut loads);
        assert_eq!(loads, [6.0, 3.0, 0.0, 3.0]);
    }

    #[test]
    fn older_spans_weigh_less() {
        let spans = [vec![8, 0], vec![4, 4], vec![1, 2]];
        assert_eq!(weighted(&spans, None), [13.0, 6.0]);
        assert_eq!(weighted(&spans, Some(1.0)), [1.0 + 2.0 + 2.0, 2.0 + 2.0]);
    }
}
