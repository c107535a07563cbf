//! The hashes place every key where the real clients placed it.
//!
//! These placements are frozen. Users have topics in which the records of a key lie on the partition that these
//! numbers name, and other producers in other languages that go on writing there; one key placed elsewhere is a key
//! whose order is lost, for good. A test here that fails is never repaired by changing the data.
#![allow(clippy::unwrap_used)] // test data that does not parse fails the test

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use partitioner::baseline::KeyedHash;
use partitioner::hash::{KeyHash, fnv1a, kafkajs_legacy, murmur2};
use partitioner::ids::PartitionCount;
use partitioner::route::{KeyFault, Record, Step};
use partitioner::strategy::Strategy;
use serde::Deserialize;
use serde::de::DeserializeOwned;

fn read(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn vectors<T: DeserializeOwned>(file: &str) -> T {
    serde_json::from_str(&read(&format!("vectors/{file}.json"))).unwrap()
}

/// The 602 keys that every file of `vectors/` is about.
fn keys() -> Vec<Vec<u8>> {
    let keys: Vec<String> = vectors("keys");
    assert_eq!(keys.len(), 602);
    keys.iter().map(|hex| bytes_of(hex)).collect()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn place(hash: KeyHash, key: &[u8], count: u32) -> u32 {
    hash.partition(key, PartitionCount::new(count).unwrap()).get()
}

#[derive(Deserialize)]
struct Rule {
    n: Vec<u32>,
    placements: Vec<Vec<u32>>,
}

/// The file of `vectors/` that a rule was taken into; none for the one rule whose vectors are in `clients.toml`.
fn file_of(hash: KeyHash) -> Option<&'static str> {
    match hash {
        KeyHash::Murmur2 => Some("murmur2-mask"),
        KeyHash::Crc32 => Some("crc32-unsigned"),
        KeyHash::XxHash32 => None,
        KeyHash::Murmur2Unsigned
        | KeyHash::Murmur2WrappingAbs
        | KeyHash::Crc32Mask
        | KeyHash::Crc32Abs
        | KeyHash::Fnv1aAbs
        | KeyHash::Fnv1aMask
        | KeyHash::Fnv1aUnsigned
        | KeyHash::KafkaJsLegacy => Some(hash.name()),
    }
}

#[test]
fn every_rule_places_every_key_as_its_clients_do() {
    let keys = keys();
    let mut checked = 0;
    for hash in KeyHash::ALL {
        let Some(file) = file_of(hash) else { continue };
        let rule: Rule = vectors(file);
        assert_eq!(rule.n, [1, 2, 3, 5, 6, 12, 16, 50, 64, 100, 1000]);
        assert_eq!(rule.placements.len(), keys.len());
        for (key, row) in keys.iter().zip(&rule.placements) {
            let ours: Vec<u32> = rule.n.iter().map(|count| place(hash, key, *count)).collect();
            assert_eq!(&ours, row, "{hash} of key {}", key.escape_ascii());
            checked += row.len();
        }
    }
    assert_eq!(checked, 10 * 602 * 11);
}

/// librdkafka's default: CRC-32, but an empty key is taken for none, which the vectors write as −1.
#[test]
fn librdkafkas_default_is_crc32_and_sticks_the_empty_key() {
    #[derive(Deserialize)]
    struct WithRandom {
        n: Vec<u32>,
        placements: Vec<Vec<i32>>,
    }
    let WithRandom { n, placements } = vectors("crc32-unsigned-empty-random");
    let librdkafka = KeyedHash::librdkafka(1);
    for (key, row) in keys().iter().zip(&placements) {
        for (count, expected) in n.iter().zip(row) {
            let count = PartitionCount::new(*count).unwrap();
            let route = librdkafka.route(&Record::keyed(key), count).unwrap();
            let shown = key.escape_ascii();
            match *expected {
                -1 => assert_eq!(
                    (route.step, route.fault),
                    (Step::Sticky, Some(KeyFault::Empty)),
                    "key {shown}"
                ),
                expected => {
                    assert_eq!((route.partition.as_i32(), route.step), (expected, Step::Hash), "key {shown}");
                }
            }
        }
    }
    assert_eq!(placements.len(), 602);
}

/// Java and Sarama hash the empty key as any other.
#[test]
fn the_defaults_of_java_and_sarama_hash_every_key() {
    let clients = [("murmur2-mask", KeyedHash::java(1)), ("fnv1a-abs", KeyedHash::sarama(1))];
    for (file, client) in clients {
        let rule: Rule = vectors(file);
        for (key, row) in keys().iter().zip(&rule.placements) {
            for (count, expected) in rule.n.iter().zip(row) {
                let count = PartitionCount::new(*count).unwrap();
                let route = client.route(&Record::keyed(key), count).unwrap();
                let found = (route.partition.get(), route.step, route.fault);
                assert_eq!(found, (*expected, Step::Hash, None), "{file} of key {}", key.escape_ascii());
            }
        }
    }
}

#[test]
fn raw_hashes_equal_those_of_java_and_kafkajs() {
    let keys = keys();
    let raw: BTreeMap<String, Vec<i32>> = vectors("raw");
    let of = |name: &str| raw.iter().find(|(title, _)| title.starts_with(name)).unwrap().1;
    let java = of("murmur2 signed, kafka-clients");
    let kafkajs = of("kafkajs 2.2.4 legacy");
    assert_eq!((java.len(), kafkajs.len()), (keys.len(), keys.len()));
    for (at, key) in keys.iter().enumerate() {
        let shown = key.escape_ascii();
        assert_eq!(murmur2::murmur2(key).cast_signed(), java[at], "murmur2 of {shown}");
        assert_eq!(kafkajs_legacy::kafkajs_legacy(key).cast_signed(), kafkajs[at], "legacy hash of {shown}");
    }
}

/// `clients.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clients {
    murmur2_java: BTreeMap<String, i32>,
    murmur2_librdkafka: BTreeMap<String, u32>,
    fnv1a_librdkafka: BTreeMap<String, u32>,
    kafkajs_legacy: BTreeMap<String, i32>,
    twelve_partitions: TwelvePartitions,
    bug_report: Vec<BugReport>,
    article: Article,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TwelvePartitions {
    hashes: Vec<KeyHash>,
    placements: BTreeMap<String, Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BugReport {
    key: String,
    count: u32,
    murmur2: u32,
    crc32: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Article {
    masked_hash: BTreeMap<String, u64>,
    placement: Vec<ArticlePlacement>,
    mega: Mega,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArticlePlacement {
    count: u32,
    keys: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mega {
    tenant: String,
    tenant_records: u32,
    others: u32,
    records: Vec<u32>,
}

fn clients() -> Clients {
    toml::from_str(&read("clients.toml")).unwrap()
}

#[test]
fn hashes_equal_the_clients_own_tests() {
    let clients = clients();
    for (key, hash) in &clients.murmur2_java {
        assert_eq!(murmur2::murmur2(key.as_bytes()).cast_signed(), *hash, "Java's murmur2 of {key:?}");
    }
    for (key, hash) in &clients.murmur2_librdkafka {
        assert_eq!(murmur2::murmur2(key.as_bytes()), *hash, "librdkafka's murmur2 of {key:?}");
    }
    for (key, hash) in &clients.fnv1a_librdkafka {
        assert_eq!(fnv1a::librdkafka_abs(key.as_bytes()), *hash, "librdkafka's FNV-1a of {key:?}");
    }
    for (key, hash) in &clients.kafkajs_legacy {
        let ours = kafkajs_legacy::kafkajs_legacy(key.as_bytes()).cast_signed();
        assert_eq!(ours, *hash, "KafkaJS' legacy hash of {key:?}");
    }
}

#[test]
fn seven_clients_place_a_key_on_one_of_twelve_partitions() {
    let TwelvePartitions { hashes, placements } = clients().twelve_partitions;
    assert_eq!(hashes.len(), 7);
    for (key, row) in &placements {
        let ours: Vec<u32> = hashes.iter().map(|hash| place(*hash, key.as_bytes(), 12)).collect();
        assert_eq!(&ours, row, "key {key:?} under {hashes:?}");
    }
}

#[test]
fn bug_reports_are_explained_by_the_two_hashes() {
    for BugReport { key, count, murmur2, crc32 } in clients().bug_report {
        assert_eq!(
            place(KeyHash::Murmur2, key.as_bytes(), count),
            murmur2,
            "murmur2 of {key:?}, n = {count}"
        );
        assert_eq!(place(KeyHash::Crc32, key.as_bytes(), count), crc32, "crc32 of {key:?}, n = {count}");
    }
}

#[test]
fn articles_are_right_or_corrected() {
    let Article { masked_hash, placement, mega } = clients().article;
    for (key, hash) in &masked_hash {
        assert_eq!(KeyHash::Murmur2.value(key.as_bytes()), *hash, "masked murmur2 of {key:?}");
    }
    for ArticlePlacement { count, keys } in &placement {
        for (key, partition) in keys {
            assert_eq!(place(KeyHash::Murmur2, key.as_bytes(), *count), *partition, "{key:?}, n = {count}");
        }
    }
    let count = u32::try_from(mega.records.len()).unwrap();
    let mut records = vec![0; mega.records.len()];
    let mut add = |tenant: &str, more: u32| {
        records[place(KeyHash::Murmur2, tenant.as_bytes(), count) as usize] += more;
    };
    add(&mega.tenant, mega.tenant_records);
    (0..mega.others).for_each(|number| add(&format!("tenant-{number}"), 1));
    assert_eq!(records, mega.records);
}
