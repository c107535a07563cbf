//! The records that profiles make.

use std::ops::Range;

use analyzer::load::TenantId;
use analyzer::workload::profile::{NumberedBatch, Profile, ProfileTraffic};

fn batches(profile: &Profile, records: u64, seed: u64) -> Vec<NumberedBatch> {
    let mut traffic = ProfileTraffic::new(profile, records, seed).unwrap();
    let mut batches = Vec::new();
    let mut batch = NumberedBatch::default();
    while traffic.read(&mut batch) {
        batches.push(batch.clone());
    }
    assert!(batch.is_empty());
    assert_eq!(batches.len() as u64, traffic.batch_count());
    batches
}

/// Records of each tenant in the part `range` of the run.
fn tenant_counts(profile: &Profile, batches: &[NumberedBatch], range: Range<usize>) -> Vec<u64> {
    let mut counts = vec![0; profile.tenant_count() as usize];
    let tenants = batches.iter().flat_map(|batch| &batch.tenants);
    for tenant in tenants.skip(range.start).take(range.len()) {
        counts[*tenant as usize] += 1;
    }
    counts
}

/// FNV-1a over the columns, little-endian.
fn checksum(batch: &NumberedBatch) -> u64 {
    let words = [&batch.tenants, &batch.entities, &batch.bytes].into_iter().flatten();
    let bytes =
        words.flat_map(|word| word.to_le_bytes()).chain(batch.time_us.iter().flat_map(|us| us.to_le_bytes()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Frozen: whoever wrote a seed beside a figure must be able to make the same traffic again, on any machine and with
/// any later version. When a change is meant, the CHANGELOG says that old seeds now mean other traffic.
#[test]
fn seed_42_makes_the_same_first_batch_for_ever() {
    let frozen = [
        ("article", 0xb06c_a99a_3dbf_d7c7),
        ("many-whales", 0xdd05_7141_9899_7ac1),
        ("mega-zipf", 0x10a5_345f_6f2e_1b8f),
        ("multitenant", 0xfd18_9a23_5f4e_8d80),
        ("noisy-neighbour", 0xed50_5918_77b6_8d4f),
        ("ticker", 0xb34a_1fcc_d4a1_866f),
        ("uniform", 0x7c33_fa9e_95c5_4221),
        ("zipf", 0xbe24_f309_9b05_74dd),
    ];
    let made = frozen.map(|(name, _)| {
        let profile = Profile::load(name).unwrap();
        (name, checksum(&batches(&profile, profile.records(), 42)[0]))
    });
    assert_eq!(made, frozen, "in hexadecimal: {made:#x?}");
}

#[test]
fn seeds_differ_and_batches_do_not_depend_on_who_reads_them() {
    let profile = Profile::load("many-whales").unwrap();
    let records = 3 * NumberedBatch::RECORDS as u64 + 17;
    let all = batches(&profile, records, 1);
    assert_eq!(all.iter().map(NumberedBatch::len).sum::<usize>() as u64, records);
    assert_eq!(all[3].len(), 17);
    assert_ne!(all[0].tenants, batches(&profile, records, 2)[0].tenants);
    assert_ne!(all[0].tenants, all[1].tenants);

    let traffic = ProfileTraffic::new(&profile, records, 1).unwrap();
    for (number, expected) in all.iter().enumerate().rev() {
        let mut reader = traffic.clone();
        let mut batch = NumberedBatch::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                reader.seek(number as u64);
                assert!(reader.read(&mut batch));
            });
        });
        assert_eq!(&batch, expected, "batch {number}");
    }
}

/// Every tenant's count lies within five standard deviations of its expected share, and chi-square as a whole within
/// five of its own.
#[test]
fn tenants_get_their_shares() {
    for (name, _) in Profile::embedded_names() {
        let profile = Profile::load(name).unwrap();
        if profile.has_exact_counts() {
            continue; // has its own test
        }
        let records = 1_000_000;
        let counts = tenant_counts(&profile, &batches(&profile, records, 42), 0..usize::MAX);
        let (mut chi_square, mut sum) = (0.0, 0.0);
        for (id, count) in (0..).map(TenantId).zip(&counts) {
            let share = profile.expected_share(id);
            let expected = share * records as f64;
            let off = *count as f64 - expected;
            assert!(off.abs() < 5.0 * expected.sqrt() + 1.0, "{name} {id:?}: {count}, expected {expected}");
            chi_square += off * off / expected;
            sum += share;
        }
        assert!((sum - 1.0).abs() < 1e-9, "{name}: the shares sum to {sum}");
        let freedom = counts.len() as f64 - 1.0;
        let limit = 5.0 * (2.0 * freedom).sqrt();
        assert!((chi_square - freedom).abs() < limit, "{name}: chi-square {chi_square} of {freedom}");
    }
}

#[test]
fn entities_and_sizes_follow_their_distributions_and_are_independent() {
    let profile = Profile::load("mega-zipf").unwrap();
    let (mut mega, mut hottest, mut hottest_small, mut small) = (0.0, 0.0, 0.0, 0.0_f64);
    let mut entities_max = 0;
    for batch in batches(&profile, 1_000_000, 42) {
        for ((&tenant, &entity), &bytes) in batch.tenants.iter().zip(&batch.entities).zip(&batch.bytes) {
            assert!(entity < profile.entity_count(TenantId(tenant)));
            assert!((64..=65_536).contains(&bytes));
            if tenant == 0 {
                entities_max = entities_max.max(entity);
                mega += 1.0;
                small += f64::from(u8::from(bytes < 400));
                hottest += f64::from(u8::from(entity == 0));
                hottest_small += f64::from(u8::from(entity == 0 && bytes < 400));
            }
        }
    }
    assert!((hottest / mega - 1.0 / 9.787_606_f64).abs() < 0.002, "{}", hottest / mega);
    assert!((small / mega - 0.5_f64).abs() < 0.03, "{}", small / mega);
    let (with, without) = (hottest_small / hottest, small / mega);
    assert!((with - without).abs() < 0.008, "{with} of the hottest entity, {without} of all");
    assert!(entities_max > 9_900);
}

#[test]
fn exact_counts_are_exact_for_any_seed() {
    let profile = Profile::load("article").unwrap();
    assert_eq!(profile.records(), 1_000);
    let mut expected = vec![1; 101];
    expected[0] = 900;
    let mut orders = Vec::new();
    for seed in [0, 1, 42, u64::MAX] {
        let batches = batches(&profile, 1_000, seed);
        assert_eq!(tenant_counts(&profile, &batches, 0..1_000), expected, "seed {seed}");
        orders.push(batches[0].tenants.clone());
    }
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 4, "the seed decides the order");
    assert!((profile.expected_share(TenantId(0)) - 0.9).abs() < 1e-12);
}

#[test]
fn exact_counts_reach_beyond_a_batch() {
    let text = "name = 'x'\ndescription = 'd'\n[[tenants]]\nname = 't{}'\ncount = 3\nrecords = 50_000\n";
    let profile = Profile::from_toml(text, "x").unwrap();
    let batches = batches(&profile, 150_000, 5);
    assert_eq!(tenant_counts(&profile, &batches, 0..150_000), [50_000; 3]);
    let early = tenant_counts(&profile, &batches, 0..15_000);
    assert!(early.iter().all(|&count| (4_700..5_300).contains(&count)), "not interleaved: {early:?}");
}

/// Kafka's murmur2, byte by byte as the Java client writes it.
fn murmur2(data: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let length = u32::try_from(data.len()).unwrap();
    let mut hash = 0x9747_b28c ^ length;
    let mut chunks = data.chunks_exact(4);
    for chunk in &mut chunks {
        let word = u32::from_le_bytes(chunk.try_into().unwrap()).wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ (word ^ (word >> 24)).wrapping_mul(M);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let tail = rest.iter().rev().fold(0, |tail, byte| tail << 8 | u32::from(*byte));
        hash = (hash ^ tail).wrapping_mul(M);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(M);
    hash ^ (hash >> 15)
}

fn max_mean_by_tenant(name: &str, partitions: u32) -> f64 {
    let profile = Profile::load(name).unwrap();
    let loads = loads_by_tenant(&profile, partitions);
    let max = loads.iter().max().copied().unwrap();
    max as f64 * f64::from(partitions) / loads.iter().sum::<u64>() as f64
}

fn loads_by_tenant(profile: &Profile, partitions: u32) -> Vec<u64> {
    let mut loads = vec![0; partitions as usize];
    let counts = tenant_counts(profile, &batches(profile, profile.records(), 42), 0..usize::MAX);
    for (id, count) in (0..).map(TenantId).zip(counts) {
        let hash = murmur2(profile.tenant_name(id).as_bytes()) & 0x7fff_ffff;
        loads[(hash % partitions) as usize] += count;
    }
    loads
}

#[test]
fn the_article_loads_its_partitions_as_published() {
    assert_eq!(loads_by_tenant(&Profile::load("article").unwrap(), 3), [945, 24, 31]);
}

#[test]
fn multitenant_by_tenant_is_as_uneven_as_measured_elsewhere() {
    for (partitions, expected) in [(12, 10.92), (24, 21.74), (48, 43.33)] {
        let found = max_mean_by_tenant("multitenant", partitions);
        assert!(
            (found / expected - 1.0_f64).abs() < 0.02,
            "{partitions} partitions: {found}, expected {expected}"
        );
    }
}

#[test]
fn a_burst_is_in_its_window_only() {
    let profile = Profile::load("noisy-neighbour").unwrap();
    let batches = batches(&profile, 1_000_000, 42);
    for (range, expected) in [
        (0..399_000, 0.05),
        (401_000..599_000, 100.0 / 195.0),
        (601_000..1_000_000, 0.05),
        // Close to the edges, too: weights change every thousandth of the run, not with the batch.
        (395_000..399_000, 0.05),
        (401_000..405_000, 100.0 / 195.0),
    ] {
        let share = tenant_counts(&profile, &batches, range.clone())[0] as f64 / range.len() as f64;
        assert!((share - expected).abs() < 0.03, "{range:?}: {share}, expected {expected}");
    }
}

#[test]
fn growth_is_linear_over_the_run_whatever_its_length() {
    for records in [30_000, 1_000_000] {
        let profile = Profile::load("many-whales").unwrap();
        let rising = profile.tenant_id("whale-rising").unwrap();
        let batches = batches(&profile, records, 42);
        let tenth = usize::try_from(records / 10).unwrap();
        for part in 0..10 {
            let range = part * tenth..(part + 1) * tenth;
            let count = tenant_counts(&profile, &batches, range)[rising.as_usize()];
            let weight = 4.0 * (1.0 + 3.0 * (part as f64 + 0.5) / 10.0);
            let (found, expected) = (count as f64 / tenth as f64, weight / (96.0 + weight));
            assert!(
                (found - expected).abs() < 0.025,
                "{records}, tenth {part}: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn profiles_say_what_their_files_say() {
    let ticker = Profile::load("ticker").unwrap();
    let map: Vec<(&str, u32)> =
        ticker.explicit_map().iter().map(|(id, to)| (ticker.tenant_name(*id), to.get())).collect();
    assert_eq!(
        map,
        [
            ("BBCA", 0),
            ("BBRI", 1),
            ("BMRI", 2),
            ("BBNI", 5),
            ("ANTM", 5),
            ("ASII", 3),
            ("GOTO", 4),
            ("ICBP", 4),
            ("UNVR", 4),
            ("TLKM", 3)
        ]
    );
    assert_eq!((ticker.partitions().get(), ticker.tenant_count()), (6, 10));
    let whales = Profile::load("many-whales").unwrap();
    let vips: Vec<&str> = whales.vips().iter().map(|id| whales.tenant_name(*id)).collect();
    assert_eq!(vips, ["whale-0", "whale-1", "whale-2", "whale-3", "whale-4", "whale-rising"]);
    assert_eq!(whales.tenant_id("tenant-499"), Some(TenantId(505)));
    assert_eq!(whales.tenant_id("tenant-500"), None);
}

#[test]
fn time_runs_at_the_rate_of_the_profile() {
    let profile = Profile::load("ticker").unwrap();
    let batches = batches(&profile, 100_000, 42);
    assert_eq!(batches[0].time_us[..3], [0, 200, 400]);
    assert_eq!(batches[1].time_us[0], 65_536 * 200);
}
