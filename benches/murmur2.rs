//! Our murmur2 beside the crate `murmur2` and librdkafka's C.
//!
//! The lengths are those of Kafka's own `Murmur2Benchmark`, and the two of a `tenant:order` key. Every set has 4,096
//! keys, each an allocation of its own, as records have; a key's hash does not wait for the one before. Mask and modulo
//! are included, as in a producer. `cargo bench -p benches --features librdkafka --bench murmur2` runs criterion, then prints a table taken in
//! interleaved rounds, which is the one to compare by.

use std::env;
use std::hint::black_box;

use benches::interleave::{Contestant, first_deciles};
use criterion::{BenchmarkId, Criterion, Throughput};
use partitioner::hash::murmur2::murmur2;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rdkafka_sys as _; // links librdkafka.a

const KEYS: u16 = 4096;
const SEED: u64 = 7;
const KAFKA_SEED: u32 = 0x9747_b28c;
const NAMES: [&str; 3] = ["ours", "crate murmur2", "librdkafka"];

type Keys = Vec<Box<[u8]>>;

/// Keys of one class of lengths.
struct Set {
    name: &'static str,
    keys: Keys,
    /// Indices of `keys`, too many for a branch predictor to learn by heart.
    order: Vec<u16>,
}

fn sets() -> [Set; 6] {
    [("1-4", 1, 4), ("1-16", 1, 16), ("1-64", 1, 64), ("1-256", 1, 256), ("23", 23, 23), ("24", 24, 24)].map(
        |(name, len_min, len_max)| {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
            let mut keys = Keys::new();
            for _ in 0..KEYS {
                let len = len_min + below(&mut random, len_max - len_min + 1);
                let mut key = vec![0; usize::from(len)].into_boxed_slice();
                random.fill_bytes(&mut key);
                keys.push(key);
            }
            let order = (0..1 << 20).map(|_| below(&mut random, KEYS)).collect();
            Set { name, keys, order }
        },
    )
}

fn below(random: &mut impl Rng, bound: u16) -> u16 {
    let drawn = random.next_u64() % u64::from(bound);
    drawn.try_into().unwrap_or(u16::MAX) // is below a u16
}

/// librdkafka's own function, the code that its `murmur2` and `murmur2_random` partitioners call.
#[allow(unsafe_code)] // C
fn librdkafka(key: &[u8]) -> u32 {
    unsafe extern "C" {
        fn rd_murmur2(key: *const u8, len: usize) -> u32;
    }
    // SAFETY: `rd_murmur2(const void *key, size_t len)` of librdkafka's src/rdmurmur2.c reads `len` bytes from `key`,
    // which is what a slice is, and keeps no pointer. It is in every librdkafka.a, though in no public header.
    unsafe { rd_murmur2(key.as_ptr(), key.len()) }
}

fn crate_murmur2(key: &[u8]) -> u32 {
    ::murmur2::murmur2(key, KAFKA_SEED)
}

fn partition(hash: u32) -> u64 {
    u64::from((hash & 0x7fff_ffff) % 12)
}

/// One pass over all keys, in order; the sum of the partitions.
#[inline(never)]
fn pass(keys: &Keys, hash: impl Fn(&[u8]) -> u32) -> u64 {
    keys.iter().map(|key| partition(hash(key))).sum()
}

/// As many keys, in the order given.
#[inline(never)]
fn pass_in_order(keys: &Keys, order: &[u16], hash: impl Fn(&[u8]) -> u32) -> u64 {
    order.iter().map(|at| partition(hash(&keys[usize::from(*at)]))).sum()
}

fn assert_all_agree(keys: &Keys) {
    for key in keys {
        let hashes = [murmur2(key), crate_murmur2(key), librdkafka(key)];
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{NAMES:?} give {hashes:x?} for {key:x?}");
    }
}

fn criterion(sets: &[Set]) {
    let mut criterion = Criterion::default().configure_from_args();
    for Set { name, keys, .. } in sets {
        let mut group = criterion.benchmark_group("murmur2");
        group.throughput(Throughput::Elements(u64::from(KEYS))).sample_size(50);
        group.measurement_time(std::time::Duration::from_secs(2));
        group.bench_with_input(BenchmarkId::new(NAMES[0], name), keys, |b, keys| {
            b.iter(|| pass(keys, murmur2))
        });
        group.bench_with_input(BenchmarkId::new(NAMES[1], name), keys, |b, keys| {
            b.iter(|| pass(keys, crate_murmur2));
        });
        group.bench_with_input(BenchmarkId::new(NAMES[2], name), keys, |b, keys| {
            b.iter(|| pass(keys, librdkafka));
        });
        group.finish();
    }
    criterion.final_summary();
}

/// A turn is this many passes: some tenths of a millisecond.
const PASSES: usize = 16;
const ROUNDS: usize = 500;

fn learnt_order<'a>(
    name: &'static str,
    set: &'a Set,
    hash: impl Fn(&[u8]) -> u32 + Copy + 'a,
) -> Contestant<'a> {
    let turn = move || {
        for _ in 0..PASSES {
            black_box(pass(black_box(&set.keys), hash));
        }
    };
    Contestant { name, turn: Box::new(turn) }
}

fn fresh_order<'a>(
    name: &'static str,
    set: &'a Set,
    hash: impl Fn(&[u8]) -> u32 + Copy + 'a,
) -> Contestant<'a> {
    let mut windows = set.order.chunks_exact(usize::from(KEYS) * PASSES).cycle();
    let turn = move || {
        let order = windows.next().unwrap_or_default();
        black_box(pass_in_order(black_box(&set.keys), order, hash));
    };
    Contestant { name, turn: Box::new(turn) }
}

#[allow(clippy::print_stdout)] // the result
fn print_row(set: &Set, order: &str, contestants: &mut [Contestant<'_>]) {
    let keys = f64::from(KEYS) * f64::from(u8::try_from(PASSES).unwrap_or(u8::MAX));
    let times = first_deciles(contestants, ROUNDS);
    let cells: String =
        times.iter().map(|time| format!(" {:.2} |", time.as_secs_f64() * 1e9 / keys)).collect();
    println!("| {} | {order} |{cells}", set.name);
}

#[allow(clippy::print_stdout)] // the result
fn interleaved(sets: &[Set]) {
    println!("ns per key, first decile of {ROUNDS} interleaved rounds, seed {SEED}");
    println!("| key bytes | order | {} |\n|---|---|---|---|---|", NAMES.join(" | "));
    for set in sets {
        let mut same = [
            learnt_order(NAMES[0], set, murmur2),
            learnt_order(NAMES[1], set, crate_murmur2),
            learnt_order(NAMES[2], set, librdkafka),
        ];
        print_row(set, "same each pass", &mut same);
        let mut fresh = [
            fresh_order(NAMES[0], set, murmur2),
            fresh_order(NAMES[1], set, crate_murmur2),
            fresh_order(NAMES[2], set, librdkafka),
        ];
        print_row(set, "new each pass", &mut fresh);
    }
}

fn main() {
    let sets = sets();
    sets.iter().for_each(|set| assert_all_agree(&set.keys));
    criterion(&sets);
    // `cargo test --benches` runs this file too, to see that it works: without this argument.
    if env::args().any(|argument| argument == "--bench") {
        interleaved(&sets);
    }
}
