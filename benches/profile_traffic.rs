//! Records a second that a profile's traffic is generated with, beside as many draws from `rand_distr`'s alias table.

use std::hint::black_box;

use analyzer::workload::profile::{NumberedBatch, Profile, ProfileTraffic};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

const RECORDS: u64 = 10 * NumberedBatch::RECORDS as u64;

fn profiles(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("profile_traffic");
    group.throughput(Throughput::Elements(RECORDS));
    for (name, _) in Profile::embedded_names() {
        let profile = Profile::load(name).expect("an embedded profile is valid");
        if profile.has_exact_counts() {
            continue; // too small to say anything
        }
        let mut traffic = ProfileTraffic::new(&profile, RECORDS, 42).expect("the record count is in range");
        let mut batch = NumberedBatch::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                traffic.seek(0);
                while traffic.read(&mut batch) {
                    black_box(&mut batch);
                }
            });
        });
    }
    group.finish();
}

/// What the tables of `mega-zipf` would cost as `WeightedAliasIndex`: tenant and entity, without size and time.
fn peer(criterion: &mut Criterion) {
    let zipf = |count: u32| (1..=count).map(|rank| 1.0 / f64::from(rank)).collect::<Vec<f64>>();
    let tenants = WeightedAliasIndex::new(zipf(1_001)).expect("the weights are positive");
    let entities = WeightedAliasIndex::new(zipf(10_000)).expect("the weights are positive");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(42);
    let mut drawn = vec![(0, 0); NumberedBatch::RECORDS];
    let mut group = criterion.benchmark_group("profile_traffic");
    group.throughput(Throughput::Elements(NumberedBatch::RECORDS as u64));
    group.bench_function("peer: two WeightedAliasIndex draws", |bencher| {
        bencher.iter(|| {
            for slot in &mut drawn {
                *slot = (tenants.sample(&mut rng), entities.sample(&mut rng));
            }
            black_box(&mut drawn);
        });
    });
    group.finish();
}

criterion_group!(benches, profiles, peer);
criterion_main!(benches);
