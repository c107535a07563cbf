//! `config/partitioner.toml` shows every key of a contract, and each at its default; `config/README.md` describes each.
//!
//! The struct literals below name every field on purpose: a new key does not compile here until it stands in them, and
//! then fails here until both files have it.
#![allow(clippy::unwrap_used)] // a file that does not parse fails the test

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use partitioner::contract::{
    Contract, KeyContract, KeyFormatName, PinContract, PoolContract, ProducerProperties, PropertyValue,
    STANDARD_POOL, TopicContract, UnkeyedContract, VERSION,
};
use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;
use partitioner::route::{KeyPolicy, OnGrowth, Record, Router, Step};
use partitioner::slot::{Isolation, SLOTS_PER_PARTITION_DEFAULT};
use partitioner::spread::{OrderingScope, Spread};
use partitioner::strategy::Strategy;

/// The file's one section.
const SECTION: &str = "*";

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The file in tables: a header, given without brackets, and the lines under it.
fn tables(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut tables = vec![(String::new(), Vec::new())];
    for line in text.lines() {
        let uncommented = line.strip_prefix('#').unwrap_or(line);
        if uncommented.starts_with('[') {
            let name =
                uncommented.trim_matches(['[', ']']).replace(&format!("topics.\"{SECTION}\""), "topics");
            tables.push((name, Vec::new()));
        }
        let (_, lines) = tables.last_mut().unwrap();
        lines.push(line);
    }
    tables
}

/// The file with the examples of the keys that `is_used` names by table and key taken into use.
fn with_examples(text: &str, is_used: impl Fn(&str, &str) -> bool) -> String {
    let mut used = String::new();
    for (table, lines) in tables(text) {
        for line in lines {
            let example = line
                .strip_prefix('#')
                .filter(|rest| rest.starts_with(|c: char| c == '[' || c.is_alphabetic()));
            let key = example.unwrap_or_default().split(' ').next().unwrap_or_default();
            used += example.filter(|_| is_used(&table, key)).unwrap_or(line);
            used.push('\n');
        }
    }
    used
}

fn parse(text: &str) -> TopicContract {
    let contract =
        Contract::from_toml(text, "partitioner.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(contract.topics.len(), 1);
    contract.topics[SECTION].clone()
}

/// The file with a VIP pool, and with pools of its own: together they use every example.
fn variants(text: &str) -> [String; 2] {
    let with_vip_pool =
        with_examples(text, |table, key| table != "topics.pools" && key != "tenant_width_bytes");
    let with_pools = with_examples(text, |table, key| table != "topics.vip" && key != "vip_count")
        .replace("format = \"tenant-entity\"", "format = \"fixed-width\"");
    [with_vip_pool, with_pools]
}

/// Dotted paths of all keys in a value, without the names of sections and the places in lists.
fn paths(value: &toml::Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let path = match at {
                    "" => key.clone(),
                    "topics" if key == SECTION => at.to_owned(),
                    // A tenant or a key in hexadecimal, or a property of librdkafka's: not a key of the contract.
                    _ if key == "hex" || at == "producer" => continue,
                    _ => format!("{at}.{key}"),
                };
                found.insert(path.clone());
                paths(value, &path, found);
            }
        }
        toml::Value::Array(elements) => elements.iter().for_each(|element| paths(element, at, found)),
        _ => {}
    }
}

fn keys_of(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    paths(&text.parse::<toml::Table>().unwrap().into(), "", &mut found);
    found
}

fn pool(name: Option<&str>) -> PoolContract {
    PoolContract {
        name: name.map(str::to_owned),
        range: name.map(|_| "0..4".to_owned()),
        tenants: vec!["tenant-mega".into()],
        spread: Some(Spread::Entity),
        slots_per_partition: Some(8),
        isolation: Isolation::Shared,
        moved: vec![(1, 0)],
    }
}

/// Paths of all keys that serde knows.
fn all_keys() -> BTreeSet<String> {
    let topic = TopicContract {
        partitions: Some(12),
        on_growth: OnGrowth::Hold,
        hash: KeyHash::Murmur2,
        vip_count: Some(4),
        key: KeyContract {
            format: KeyFormatName::FixedWidth,
            separator: ":".to_owned(),
            escape: "\\".to_owned(),
            tenant_width_bytes: Some(8),
            null_key: KeyPolicy::Unkeyed,
            empty_key: KeyPolicy::Standard,
            malformed_key: KeyPolicy::Standard,
        },
        vip: pool(None),
        standard: PoolContract { tenants: Vec::new(), ..pool(None) },
        pools: vec![pool(Some("mega"))],
        unkeyed: UnkeyedContract {
            pool: STANDARD_POOL.to_owned(),
            sticky_bytes: 1,
            sticky_ms: 1,
            weights: vec![1],
            adaptive: true,
        },
        pins: vec![
            PinContract { key: Some("a:1".into()), tenant: None, partition: 0, outside_pool: false },
            PinContract { key: None, tenant: Some("a".into()), partition: 0, outside_pool: false },
        ],
    };
    // Not a valid contract, since some keys exclude one another; serde does not mind.
    let mut producer = ProducerProperties::default();
    producer.set("bootstrap.servers", PropertyValue::Text("localhost:9092".to_owned()));
    let topics = BTreeMap::from([(SECTION.to_owned(), topic)]);
    let contract = Contract { version: VERSION, producer, topics };
    keys_of(&toml::to_string(&contract).unwrap())
}

fn place(router: &Router, key: &[u8], topic: u32) -> (u32, Step) {
    let route = router.route(&Record::keyed(key), PartitionCount::new(topic).unwrap()).unwrap();
    (route.partition.get(), route.step)
}

#[test]
fn every_value_is_the_default() {
    let shown = parse(&read("partitioner.toml"));
    let router = TopicContract::default().router(1).unwrap();
    // These two have a default that depends on the pool, which an empty contract leaves open.
    assert_eq!(shown.standard.slots_per_partition, Some(SLOTS_PER_PARTITION_DEFAULT));
    assert_eq!(
        shown.standard.spread.map(Spread::ordering_scope),
        Some(router.ordering_scope(Step::Standard))
    );
    let open = PoolContract { spread: None, slots_per_partition: None, ..shown.standard.clone() };
    assert_eq!(TopicContract { standard: open, ..shown.clone() }, TopicContract::default());

    let shown = shown.router(1).unwrap();
    for number in 0..2_000 {
        let key = format!("tenant-{}:order-{number}", number % 300);
        for topic in [1, 6, 12, 100] {
            assert_eq!(place(&shown, key.as_bytes(), topic), place(&router, key.as_bytes(), topic), "{key}");
        }
    }
}

#[test]
fn every_key_with_a_default_is_in_use() {
    let in_use = keys_of(&read("partitioner.toml"));
    let default = Contract {
        topics: BTreeMap::from([(SECTION.to_owned(), TopicContract::default())]),
        ..Contract::default()
    };
    let missing: Vec<_> = keys_of(&toml::to_string(&default).unwrap()).difference(&in_use).cloned().collect();
    assert!(missing.is_empty(), "config/partitioner.toml does not show the default of {missing:?}");
}

#[test]
fn every_key_is_shown() {
    let shown: BTreeSet<_> =
        variants(&read("partitioner.toml")).iter().flat_map(|text| keys_of(text)).collect();
    assert_eq!(shown, all_keys());
}

#[test]
fn the_examples_make_valid_contracts() {
    let [with_vip_pool, with_pools] = variants(&read("partitioner.toml")).map(|text| parse(&text));
    assert_eq!((with_vip_pool.partitions, with_vip_pool.vip_count), (Some(12), Some(10)));
    assert_eq!((with_vip_pool.pins.len(), with_pools.pins.len()), (2, 2));
    assert_eq!(with_pools.key.tenant_width_bytes, Some(8));

    let router = with_vip_pool.router(1).unwrap();
    assert!(matches!(place(&router, b"tenant-mega:order-1", 12).1, Step::Vip(_)));
    assert!(matches!(place(&router, b"a\xff:order-1", 12).1, Step::Vip(_)));
    assert_eq!(place(&router, b"acme:order-7", 12), (11, Step::PinnedKey));
    assert_eq!(place(&router, b"region-eu:order-7", 12), (0, Step::PinnedTenant));
    assert_eq!(with_pools.router(1).unwrap().pools().pool_count(), 2);
    // The example of `spread` shows the default of a dedicated pool.
    let left_out = PoolContract { spread: None, ..with_vip_pool.vip.clone() };
    let defaulted = TopicContract { vip: left_out, ..with_vip_pool.clone() }.router(1).unwrap();
    let scope = |router: &Router| {
        let (_, step) = place(router, b"tenant-mega:order-1", 12);
        router.ordering_scope(step)
    };
    assert_eq!((scope(&router), scope(&defaulted)), (OrderingScope::Entity, OrderingScope::Entity));
    assert_eq!(with_vip_pool.vip.slots_per_partition, Some(SLOTS_PER_PARTITION_DEFAULT));
}

#[test]
fn the_readme_has_a_block_for_every_key() {
    let readme = read("README.md");
    for key in all_keys() {
        // The three kinds of pool have one block together.
        let block = match key.split('.').collect::<Vec<_>>()[..] {
            ["topics", "vip" | "standard", key] => format!("topics.pools.{key}"),
            _ => key,
        };
        let heading = format!("\n#### `{block}`\n");
        assert_eq!(readme.matches(&heading).count(), 1, "config/README.md has not one block {heading}");
    }
}

#[test]
fn the_readme_has_no_block_for_a_key_that_is_gone() {
    let (readme, keys) = (read("README.md"), all_keys());
    let blocks = readme.lines().filter_map(|line| line.strip_prefix("#### `topics")?.strip_suffix('`'));
    let gone: Vec<_> = blocks.filter(|block| !keys.contains(&format!("topics{block}"))).collect();
    assert!(gone.is_empty(), "config/README.md describes {gone:?}");
}

#[test]
fn the_contracts_of_the_readme_and_of_the_folder_are_valid() {
    let readme = read("README.md");
    let examples = readme.split("```toml contract\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let (examples, files) = (examples.collect::<Vec<_>>(), ["orders.toml", "producer.toml"].map(read));
    assert_eq!(examples.len(), 4);
    for example in examples.into_iter().chain(files.iter().map(String::as_str)) {
        Contract::from_toml(example, "config").unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}

#[test]
fn the_readme_shows_errors_as_they_are() {
    let readme = read("README.md");
    let error = |text: &str| Contract::from_toml(text, "partitioner.toml").unwrap_err().to_string();
    let too_many = error("[topics.orders]\npartitions = 12\nvip_count = 12\nvip.tenants = [\"a\"]");
    assert!(readme.contains(&format!("\n{too_many}\n")), "{too_many}");
    // The list of all keys is left out of the page.
    let unknown = error("[topics.orders]\npartitions = 12\nvip_cuont = 10");
    let (start, _) = unknown.split_once("Valid keys: ").unwrap();
    let shown = format!("\n{start}Valid keys: …\n");
    assert!(readme.contains(&shown), "{shown}");
}

/// Links inside the page, since the name of an anchor is made from its heading.
#[test]
fn the_links_inside_the_readme_lead_somewhere() {
    let readme = read("README.md");
    let anchor = |heading: &str| -> String {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    let anchors: BTreeSet<_> = readme
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect();
    for link in readme.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(anchors.contains(link), "nothing is at #{link}; there is {anchors:#?}");
    }
}
