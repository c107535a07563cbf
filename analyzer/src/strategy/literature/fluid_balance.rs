//! The most even way to divide keys among the partitions that each of them may go to.

/// Most rounds of levelling; few are needed, as each key starts where the one before left the loads.
const ROUNDS_MAX: usize = 32;

/// Change of a load, as a share of all records, below which a round has changed nothing.
const SETTLED: f64 = 1e-6;

/// Keys that may each be divided among some partitions.
#[derive(Clone, Debug, Default)]
pub(super) struct FluidBalance {
    keys: Vec<Key>,
    /// The partitions of all keys end to end, with what flows to each.
    flows: Vec<Flow>,
    loads: Vec<f64>,
    /// Partitions of one key by what others put on them.
    levels: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Key {
    share: f64,
    flows: std::ops::Range<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    partition: u32,
    share: f64,
}

impl FluidBalance {
    /// Forgets all keys, for `partitions` partitions.
    pub(super) fn clear(&mut self, partitions: usize) {
        self.keys.clear();
        self.flows.clear();
        self.loads.clear();
        self.loads.resize(partitions, 0.0);
    }

    /// Adds a key with a share of all records that may go to some partitions, at least one.
    pub(super) fn add(&mut self, share: f64, partitions: &[u32]) {
        let start = self.flows.len();
        self.flows.extend(partitions.iter().map(|&partition| Flow { partition, share: 0.0 }));
        self.keys.push(Key { share, flows: start..self.flows.len() });
    }

    /// The loads of all partitions, highest first, when the keys are divided so that these are as even as they can be.
    ///
    /// Of the most even division no partition's set of the highest loads can give anything away: the keys there have no
    /// partition elsewhere. It is the minimum of Σ load², a convex function, and is found by dividing one key after the
    /// other as evenly as the others allow, again and again.
    pub(super) fn descending_loads(&mut self) -> &[f64] {
        for _ in 0..ROUNDS_MAX {
            let mut change: f64 = 0.0;
            for at in 0..self.keys.len() {
                change = change.max(self.level(at));
            }
            if change < SETTLED {
                break;
            }
        }
        self.loads.sort_unstable_by(|a, b| b.total_cmp(a));
        &self.loads
    }

    /// Divides one key as evenly as the others allow; returns the largest change of a load.
    fn level(&mut self, at: usize) -> f64 {
        let key = self.keys[at].clone();
        let flows = &mut self.flows[key.flows];
        self.levels.clear();
        for flow in flows.iter() {
            self.levels.push(self.loads[flow.partition as usize] - flow.share);
        }
        let full = water_level(&mut self.levels, key.share);
        let mut change: f64 = 0.0;
        for flow in flows {
            let load = &mut self.loads[flow.partition as usize];
            let share = (full - (*load - flow.share)).max(0.0);
            change = change.max((share - flow.share).abs());
            *load += share - flow.share;
            flow.share = share;
        }
        change
    }
}

/// The level to which `volume` fills vessels of equal width whose bottoms are at `levels`, of which there is at least one.
#[allow(clippy::cast_precision_loss)] // a number of partitions
fn water_level(levels: &mut [f64], volume: f64) -> f64 {
    levels.sort_unstable_by(f64::total_cmp);
    let mut below = 0.0;
    for (at, level) in levels.iter().enumerate() {
        below += level;
        let full = (volume + below) / (at + 1) as f64;
        if levels.get(at + 1).is_none_or(|next| full <= *next) {
            return full;
        }
    }
    volume
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The highest load by the theorem of Hall: the densest set of partitions, over all sets.
    fn highest_of_all_sets(keys: &[(f64, Vec<u32>)], partitions: u32) -> f64 {
        let sets = 1..1u32 << partitions;
        let density = |set: u32| {
            let inside = keys.iter().filter(|(_, of)| of.iter().all(|at| set & (1 << at) != 0));
            inside.map(|(share, _)| share).sum::<f64>() / f64::from(set.count_ones())
        };
        sets.map(density).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn the_highest_load_is_that_of_the_densest_set_of_partitions(
            keys in prop::collection::vec((1..100u32, prop::collection::btree_set(0..6u32, 1..4)), 1..8),
        ) {
            let all: u32 = keys.iter().map(|(share, _)| share).sum();
            let share = |share| f64::from(share) / f64::from(all);
            let keys: Vec<(f64, Vec<u32>)> =
                keys.into_iter().map(|(weight, of)| (share(weight), of.into_iter().collect())).collect();
            let mut fluid = FluidBalance::default();
            fluid.clear(6);
            keys.iter().for_each(|(share, of)| fluid.add(*share, of));
            let loads = fluid.descending_loads();
            prop_assert!((loads.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let highest = highest_of_all_sets(&keys, 6);
            prop_assert!(loads[0] >= highest - 1e-9, "{loads:?}, {highest}");
            prop_assert!(loads[0] <= highest + 1e-3, "{loads:?}, {highest}");
        }
    }

    #[test]
    fn water_finds_its_level() {
        assert_eq!(water_level(&mut [3.0, 1.0, 9.0], 1.0), 2.0);
        assert_eq!(water_level(&mut [3.0, 1.0, 9.0], 4.0), 4.0);
        assert_eq!(water_level(&mut [0.0, 0.0], 1.0), 0.5);
    }
}
