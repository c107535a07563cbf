//! Strategies with a memory, against what their papers say about each record.

use std::collections::BTreeMap;

use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::route::{KeyFault, Record, Step};
use partitioner::splitmix::splitmix64;
use partitioner::strategy::Strategy as _;
use proptest::prelude::*;

use super::hash_draw::{DistinctDraw, candidate};
use super::*;

fn count(count: u32) -> PartitionCount {
    PartitionCount::new(count).unwrap()
}

/// Keys of which a few are heavy, as hashes.
fn keys() -> impl Strategy<Value = Vec<HashedKey>> {
    let number = prop_oneof![3 => 0..3u64, 2 => 3..40u64, 1 => 40..5_000u64];
    let key = number.prop_map(|number| {
        let entity = splitmix64(77, number);
        HashedKey { entity, tenant: entity }
    });
    prop::collection::vec(key, 1..600)
}

/// What a rule may choose from is what it chooses the least loaded of.
#[track_caller]
fn assert_least(chosen: PartitionIndex, of: impl IntoIterator<Item = u32>, loads: &mut [u64]) {
    let least = of.into_iter().map(|partition| loads[partition as usize]).min().unwrap();
    assert_eq!(loads[chosen.as_usize()], least, "{chosen} of {loads:?}");
    loads[chosen.as_usize()] += 1;
}

/// Exact counts of keys, beside which a head is one with 1/(5n) of the records; with few keys the sketch is exact too.
#[derive(Default)]
struct Seen(BTreeMap<u64, u64>);

impl Seen {
    fn is_head(&mut self, key: HashedKey, n: u32) -> bool {
        *self.0.entry(key.entity).or_default() += 1;
        self.0[&key.entity] * 5 * u64::from(n) >= self.0.values().sum()
    }
}

proptest! {
    #[test]
    fn pkg_takes_the_less_loaded_of_two(keys in keys(), n in 1..20u32) {
        let (mut rule, mut loads) = (PartialKeyGrouping::new(count(n)), vec![0; n as usize]);
        for key in keys {
            let two = [0, 1].map(|index| candidate(key.entity, index, count(n)).get());
            let chosen = rule.choose(key);
            prop_assert!(two.contains(&chosen.get()));
            assert_least(chosen, two, &mut loads);
        }
    }

    #[test]
    fn w_choices_takes_the_least_loaded_of_all_for_a_heavy_key(keys in keys(), n in 1..20u32) {
        let few: Vec<_> = keys.into_iter().take(COUNTERS as usize).collect();
        let (mut rule, mut loads, mut seen) = (WChoices::new(count(n)), vec![0; n as usize], Seen::default());
        for key in few {
            let two = [0, 1].map(|index| candidate(key.entity, index, count(n)).get());
            let chosen = rule.choose(key);
            if seen.is_head(key, n) {
                assert_least(chosen, 0..n, &mut loads);
            } else {
                prop_assert!(two.contains(&chosen.get()));
                assert_least(chosen, two, &mut loads);
            }
        }
    }

    #[test]
    fn d_choices_takes_the_least_loaded_of_d(keys in keys(), n in 1..20u32) {
        let few: Vec<_> = keys.into_iter().take(COUNTERS as usize).collect();
        let (mut rule, mut loads, mut seen) = (DChoices::new(count(n)), vec![0; n as usize], Seen::default());
        for key in few {
            let chosen = rule.choose(key);
            let is_head = seen.is_head(key, n);
            if is_head && rule.choices() >= n {
                assert_least(chosen, 0..n, &mut loads);
            } else {
                let d = if is_head { rule.choices() } else { 2 };
                let of = (0..d).map(|index| candidate(key.entity, index, count(n)).get());
                prop_assert!(of.clone().any(|partition| partition == chosen.get()));
                assert_least(chosen, of, &mut loads);
            }
        }
    }

    #[test]
    fn distinct_d_choices_stay_within_the_distinct_partitions_of_the_key(keys in keys(), n in 1..20u32) {
        let (mut rule, mut draw) = (DistinctDChoices::new(count(n)), DistinctDraw::new(count(n)));
        let mut loads = vec![0u64; n as usize];
        for key in keys {
            let chosen = rule.choose(key).get();
            let mut of = Vec::new();
            draw.draw(key.entity, rule.choices().max(2), &mut of);
            // A light key has the first two; a heavy one may have to wait for its others until the head is looked at again.
            let is_least = |of: &[u32]| {
                let least = of.iter().map(|&partition| loads[partition as usize]).min();
                of.contains(&chosen) && least == Some(loads[chosen as usize])
            };
            prop_assert!(is_least(&of) || is_least(&of[..2.min(of.len())]), "{chosen} of {of:?}: {loads:?}");
            loads[chosen as usize] += 1;
        }
    }

    /// The inequality as the paper prints it.
    #[test]
    fn fewest_choices_is_the_first_d_that_fulfils_the_inequality(
        weights in prop::collection::vec(1..1_000u32, 1..12), rest in 0..3_000u32, n in 3..60u32,
    ) {
        let all = f64::from(weights.iter().sum::<u32>() + rest);
        let mut head: Vec<f64> = weights.iter().map(|&weight| f64::from(weight) / all).collect();
        head.sort_by(|a, b| b.total_cmp(a));
        let holds = |d: u32| {
            let n = f64::from(n);
            (1..=head.len()).all(|h| {
                let b = n - n * ((n - 1.0) / n).powi(i32::try_from(h).unwrap() * i32::try_from(d).unwrap());
                let (first, others): (f64, f64) = (head[..h].iter().sum(), head[h..].iter().sum());
                let tail = 1.0 - head.iter().sum::<f64>();
                first + (b / n).powf(f64::from(d)) * others + (b / n).powi(2) * tail <= b / n + TOLERANCE
            })
        };
        let expected = (2..n).find(|&d| holds(d)).unwrap_or(n);
        prop_assert_eq!(fewest_choices(count(n), &head, TOLERANCE), expected);
    }
}

#[test]
fn two_choices_ignore_the_key_and_are_even() {
    let strategy = TwoChoices::strategy(7);
    assert!(strategy.ignores_keys() && !strategy.is_consistent());
    let mut loads = [0u64; 12];
    let records = [Record::keyed(b"a:1"), Record::unkeyed(1, 1)];
    for turn in 0..12_000 {
        let route = strategy.route(&records[turn % 2], count(12)).unwrap();
        assert_eq!((route.step, route.fault), (Step::Turn, None));
        loads[route.partition.as_usize()] += 1;
    }
    assert!(loads.iter().all(|load| load.abs_diff(1_000) <= 4), "{loads:?}");
}

#[test]
fn records_without_a_key_and_with_a_partition_count_towards_the_loads() {
    let strategy = PartialKeyGrouping::strategy(7);
    let two = [0, 1].map(|index| candidate(HashDraw::new(7).hash(b"a:2"), index, count(12)));
    assert_ne!(two[0], two[1], "a key with two partitions");
    let place = |record: &Record<'_>| strategy.route(record, count(12)).unwrap();
    let named = Record { partition: Some(two[0]), ..Record::keyed(b"x") };
    for _ in 0..5 {
        assert_eq!((place(&named).partition, place(&named).step), (two[0], Step::Explicit));
    }
    for _ in 0..10 {
        assert_eq!(place(&Record::keyed(b"a:2")).partition, two[1], "the other one has ten");
    }
    let unkeyed = place(&Record::unkeyed(1, 1));
    assert_eq!((unkeyed.step, unkeyed.fault), (Step::Sticky, Some(KeyFault::Null)));
    let beyond = Record { partition: Some(PartitionIndex::new(12)), ..Record::default() };
    assert_eq!(strategy.route(&beyond, count(12)).unwrap_err().reason(), "explicit-out-of-range");
}

#[test]
fn a_topic_of_another_size_starts_anew() {
    let from =
        Ingredients { seed: 7, format: partitioner::key::KeyFormat::default(), contract: None, map: &[] };
    for entry in &ENTRIES {
        let (strategy, fresh) = (entry.build(&from).unwrap().unwrap(), entry.build(&from).unwrap().unwrap());
        let keys: Vec<String> = (0..500).map(|at| format!("t{}:{}", at % 7, at % 31)).collect();
        let place = |strategy: &dyn partitioner::strategy::Strategy, n: u32| -> Vec<_> {
            let route = |key: &String| strategy.route(&Record::keyed(key.as_bytes()), count(n)).unwrap();
            keys.iter().map(route).collect()
        };
        assert!(place(&*strategy, 12).iter().all(|route| count(12).contains(route.partition)));
        assert_eq!(place(&*strategy, 5), place(&*fresh, 5), "{}", entry.name);
        assert!(place(&*strategy, 1).iter().all(|route| route.partition.get() == 0), "{}", entry.name);
    }
}
