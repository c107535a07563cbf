//! How well a choice does on traffic it was not made for.

use partitioner::slot::Isolation;

use super::super::outcome::Outcome;
use super::super::search::Scope;
use super::super::tally::Holdout;
use super::*;

/// max/mean on the later part, and the floor there.
fn judged(units: &Units, partitions: u32, isolation: Isolation) -> (f64, f64) {
    let scope = Scope { isolation, ..Scope::new(units, count(partitions)) };
    let tuned = super::super::tune(units, &scope).unwrap();
    let outcome = Outcome::of(&tuned.layout, units, &units.later).unwrap();
    (outcome.max_mean, (f64::from(partitions) * outcome.largest_unit_share).max(1.0))
}

/// A profile's records under eight seeds, each judged on another.
fn draws(profile: &str) -> Vec<Units> {
    (0..8).map(|draw| profile_units(profile, 1_000_000, 100 + 10 * draw).0).collect()
}

fn mean(draws: &[Units], figure: impl Fn(&Units) -> f64) -> f64 {
    draws.iter().map(figure).sum::<f64>() / draws.len() as f64
}

#[test]
fn hot_orders_stay_within_two_percent_of_the_floor_on_later_traffic() {
    let draws = draws("mega-zipf");
    for partitions in [12, 24, 48] {
        let regret = mean(&draws, |units| {
            let (max_mean, floor) = judged(units, partitions, Isolation::Strict);
            max_mean / floor
        });
        assert!(regret <= 1.02, "{partitions}: {regret}");
    }
}

#[test]
fn equal_orders_stay_as_even_as_the_pools_allow_on_later_traffic() {
    let draws = draws("multitenant");
    for (partitions, strict, shared) in [(12, 1.10, 1.02), (24, 1.05, 1.02), (48, 1.04, 1.035)] {
        for (isolation, limit) in [(Isolation::Strict, strict), (Isolation::Shared, shared)] {
            let max_mean = mean(&draws, |units| judged(units, partitions, isolation).0);
            assert!(max_mean <= limit, "{partitions}, {isolation:?}: {max_mean}");
        }
    }
}

#[test]
fn entities_that_live_for_minutes_are_told_from_those_that_stay() {
    let of = |key: &dyn Fn(u32) -> u32| -> Keys {
        (0..20_000).map(|at| Some(format!("t{}:{}", at % 3, key(at)))).collect()
    };
    let (short, _) = units(&of(&|at| at / 10), Holdout::Share(0.25));
    let (long, _) = units(&of(&|at| at % 500), Holdout::Share(0.25));
    assert!(short.known_share().unwrap() < 0.02, "{:?}", short.known_share());
    assert_eq!(long.known_share(), Some(1.0));
    assert!(short.persistence.iter().all(|&carried| carried < 0.05), "{:?}", short.persistence);
}

#[test]
fn too_many_keys_are_spread_evenly_but_for_the_heavy_ones() {
    // One key in four is hot; the others come once, so that only they are too many.
    let keys: Keys = (0..40_000)
        .map(|at| {
            Some(if at % 4 == 0 {
                "a:hot".to_owned()
            } else {
                format!("{}:{at}", if at % 2 == 0 { "a" } else { "b" })
            })
        })
        .collect();
    let tally =
        Tally::new(KeyHash::Murmur2, Position::Order, Holdout::Share(0.25), None).with_cells_max(2_000);
    let (tally, book) = counted_by(tally, &keys, Limits { keys_max: 3_000, ..Limits::default() });
    assert!(tally.is_approximate());
    let joined = Units::new(&tally, &book, KeyHash::Murmur2);
    assert!(joined.keys < 10_000, "{} cells", joined.keys);
    let (whole, _) = units(&keys, Holdout::Share(0.25));
    let total = |units: &Units| units.tuned.total + units.later.total;
    assert_eq!(total(&joined), total(&whole), "no record is lost");
    let plain = |units: &Units| {
        let layout =
            super::super::layout::Layout::plain(units, count(6), partitioner::spread::Spread::Entity);
        layout.place(units, &units.tuned)
    };
    let share = 0.25 * whole.tuned.total;
    for (joined, whole) in plain(&joined).iter().zip(plain(&whole)) {
        assert!((joined - whole).abs() < 0.03 * share + 0.02 * whole, "{joined} and {whole}");
    }
}
