//! Where one key goes under each rule that a Kafka client follows: why two clients must not share a topic unawares.
//!
//! `cargo run -p examples --example clients`
#![allow(clippy::print_stdout)] // what an example is for

use std::collections::BTreeSet;
use std::error::Error;

use partitioner::hash::KeyHash;
use partitioner::ids::PartitionCount;

const KEY: &[u8] = b"order-1981";

/// A client that places so; `KeyHash` lists all.
fn client(rule: KeyHash) -> &'static str {
    match rule {
        KeyHash::Murmur2 => "Java, franz-go, kafka-python, KafkaJS 2",
        KeyHash::Murmur2Unsigned => "@platformatic/kafka",
        KeyHash::Murmur2WrappingAbs => "kafka_client (Rust)",
        KeyHash::Crc32 => "librdkafka and all clients over it",
        KeyHash::Crc32Mask => "franz-go KafkaHasher with CRC-32",
        KeyHash::Crc32Abs => "Sarama custom hash with CRC-32",
        KeyHash::Fnv1aAbs => "Sarama",
        KeyHash::Fnv1aMask => "Sarama and kafka-go ReferenceHash",
        KeyHash::Fnv1aUnsigned => "franz-go SaramaHasher",
        KeyHash::KafkaJsLegacy => "KafkaJS 1",
        KeyHash::XxHash32 => "kafka (Rust)",
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let twelve = PartitionCount::new(12).ok_or("a topic has partitions")?;
    println!("{} of 12 partitions\n", KEY.escape_ascii());
    println!("{:<22}{:>9}   for example", "rule", "partition");
    let mut partitions = BTreeSet::new();
    for rule in KeyHash::ALL {
        let partition = rule.partition(KEY, twelve);
        println!("{rule:<22}{partition:>9}   {}", client(rule));
        partitions.insert(partition);
    }
    println!("\n{} rules, {} partitions", KeyHash::ALL.len(), partitions.len());

    let place = |rule: KeyHash| rule.partition(KEY, twelve).get();
    assert_eq!([place(KeyHash::Murmur2), place(KeyHash::Crc32), place(KeyHash::Fnv1aAbs)], [8, 10, 9]);
    assert_eq!(partitions.len(), KeyHash::ALL.len(), "this key was searched for: no two agree on it");
    Ok(())
}
