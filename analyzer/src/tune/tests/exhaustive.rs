//! The search against trying everything.

use partitioner::spread::Spread;

use super::super::outcome::Outcome;
use super::super::search::{Candidate, Scope, search};
use super::*;

/// The lowest max/mean of every number of VIP tenants, every size of their pool and both spreads, one after the other.
fn best_of_all(units: &Units, scope: &Scope) -> f64 {
    let mut best = f64::INFINITY;
    let heavy = scope.eligible.len();
    for standard_spread in [Spread::Tenant, Spread::Entity] {
        for vips in 0..=heavy {
            if vips == 0 && heavy > 0 && standard_spread == Spread::Entity {
                continue;
            }
            let vip_counts = if vips == 0 { 0..1 } else { 1..scope.count.get() };
            for vip_count in vip_counts {
                let candidate = Candidate { vips, vip_count, standard_spread, bound: 1.0 };
                let layout = scope.layout(units, &candidate).unwrap();
                best = best.min(Outcome::of(&layout, units, &units.tuned).unwrap().max_mean);
            }
        }
    }
    best
}

/// Within 2 % of the best of all without slots; with slots never worse than without.
fn holds(name: &str, units: &Units) {
    for partitions in [6, 12, 24, 48] {
        let off = Scope { slots_per_partition: None, ..Scope::new(units, count(partitions)) };
        let found = search(units, &units.tuned, &off).unwrap();
        let best = best_of_all(units, &off);
        assert!(found.max_mean <= best * 1.02 + 1e-12, "{name}, {partitions}: {} and {best}", found.max_mean);
        let on = super::super::tune(units, &Scope::new(units, count(partitions))).unwrap();
        let on = Outcome::of(&on.layout, units, &units.tuned).unwrap().max_mean;
        assert!(on <= found.max_mean, "{name}, {partitions}: {on} with slots, {} without", found.max_mean);
    }
}

#[test]
fn every_profile_is_within_two_percent_of_trying_everything() {
    for (name, _) in Profile::embedded_names() {
        let records = Profile::load(name).unwrap().records().min(100_000);
        let (units, _) = profile_units(name, records, 7);
        holds(name, &units);
    }
}

/// 336,776 flights from New York in 2013.
fn flights(tenant: &str, entity: &str) -> Units {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data/flights.csv.gz");
    let fields = TraceFields {
        tenant: Some(tenant.to_owned()),
        entity: Some(entity.to_owned()),
        ..TraceFields::default()
    };
    let reader = TraceReader::open(&path, TraceOptions { fields, ..TraceOptions::default() }).unwrap();
    let mut book = KeyBook::of_trace(KeyFormat::default(), &[], Limits::default());
    let mut tally = Tally::new(KeyHash::Murmur2, Position::Order, Holdout::Share(0.25), None);
    let traffic = Traffic::Trace(Box::new(reader));
    pass(traffic, &mut book, &|_| {}, &mut |book, columns| tally.take(book, columns)).unwrap();
    Units::new(&tally, &book, KeyHash::Murmur2)
}

#[test]
fn real_flights_are_within_two_percent_of_trying_everything() {
    holds("flights by carrier and aircraft", &flights("carrier", "tailnum"));
    holds("flights by hour and aircraft", &flights("time_hour", "tailnum"));
    holds("flights by aircraft and hour", &flights("tailnum", "time_hour"));
}
