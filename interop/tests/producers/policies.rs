//! Null, empty and malformed keys under each policy, also when they are sent before the topic is known.

use std::collections::BTreeMap;

use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::observe::Snapshot;
use partitioner::rdkafka::future::RoutedFutureProducer;
use partitioner::rdkafka::hook::HookSnapshot;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use partitioner::route::{Record, Router};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, FutureRecord, Producer};

use crate::reports::{Outcome, Reports};
use crate::topic::{PATIENCE, config, config_of_early_sender, contract, create, read};

const POLICIES: [&str; 4] = ["unkeyed", "standard", "hash", "reject"];

/// Null, empty, twice malformed, one of them of the same bytes as a VIP's name.
const FAULTY_KEYS: [Option<&[u8]>; 4] = [None, Some(b""), Some(b"mega"), Some(b"\xff\x00")];
const VIP_KEY: Option<&[u8]> = Some(b"mega:order-1");

/// Records of each key in each topic.
const EACH: u64 = 50;

/// The slots of the standard pool are moved, so that `standard` and `hash` differ.
fn contract_of(prefix: &str) -> Contract {
    let section = |policy: &str| {
        format!(
            r#"
            [topics.{prefix}-{policy}]
            partitions = 12
            vip_count = 8
            vip.tenants = ["mega"]
            standard = {{ slots_per_partition = 1, moved = [[0, 11], [1, 10], [2, 9], [3, 8]] }}
            unkeyed.sticky_ms = 1
            key = {{ null_key = "{policy}", empty_key = "{policy}", malformed_key = "{policy}" }}"#
        )
    };
    contract(&POLICIES.map(section).concat())
}

/// When the topics are created: before the first record, or when all records were sent and wait for them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topics {
    Before,
    After,
}

impl Topics {
    async fn create(self, when: Self, prefix: &str) {
        for policy in POLICIES.iter().filter(|_| self == when) {
            create(&config(), &format!("{prefix}-{policy}"), 12, 1).await;
        }
    }
}

struct Sent {
    policy: &'static str,
    key: Option<&'static [u8]>,
    was_refused_at_once: bool,
    outcome: Outcome,
}

/// What is sent: a VIP's record to each topic, which makes the topics known, then all kinds in turn.
fn records() -> Vec<(&'static str, Option<&'static [u8]>)> {
    let first = POLICIES.map(|policy| (policy, VIP_KEY));
    let round = || POLICIES.iter().flat_map(|policy| FAULTY_KEYS.map(|key| (*policy, key)));
    first.into_iter().chain((0..EACH).flat_map(|_| round())).collect()
}

async fn send_from_base(prefix: &str, topics: Topics) -> (Vec<Sent>, HookSnapshot) {
    topics.create(Topics::Before, prefix).await;
    let producer: RoutedProducer<Reports> =
        build(&config_of_early_sender(), &contract_of(prefix), 5, Reports::default()).unwrap();
    let mut refused = BTreeMap::new();
    for (number, (policy, key)) in records().into_iter().enumerate() {
        if topics == Topics::Before && number == POLICIES.len() {
            producer.flush(PATIENCE).unwrap();
        }
        let topic = format!("{prefix}-{policy}");
        let mut record = BaseRecord::<[u8], str, usize>::with_opaque_to(&topic, number).payload("x");
        record.key = key;
        if let Err((error, _)) = producer.send(record) {
            refused.insert(number, Err(error.rdkafka_error_code().unwrap()));
        }
    }
    topics.create(Topics::After, prefix).await;
    producer.flush(PATIENCE).unwrap();
    let reported = producer.context().inner().outcomes();
    assert_eq!(reported.len() + refused.len(), records().len(), "each was refused or reported");
    let sent = records().into_iter().enumerate().map(|(number, (policy, key))| {
        let refused = refused.get(&number);
        let outcome = refused.copied().unwrap_or_else(|| reported[&number]);
        Sent { policy, key, was_refused_at_once: refused.is_some(), outcome }
    });
    (sent.collect(), producer.context().hook().snapshot())
}

async fn send_from_future(prefix: &str, topics: Topics) -> (Vec<Sent>, HookSnapshot) {
    topics.create(Topics::Before, prefix).await;
    let producer: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&config_of_early_sender(), &contract_of(prefix), 5, DefaultClientContext)
            .unwrap();
    let mut waiting = Vec::new();
    for (number, (policy, key)) in records().into_iter().enumerate() {
        if topics == Topics::Before && number == POLICIES.len() {
            producer.flush(PATIENCE).unwrap();
        }
        let topic = format!("{prefix}-{policy}");
        let mut record = FutureRecord::<[u8], str>::to(&topic).payload("x");
        record.key = key;
        waiting.push((policy, key, producer.send_result(record).map_err(|(error, _)| error)));
    }
    topics.create(Topics::After, prefix).await;
    let mut sent = Vec::new();
    for (policy, key, delivery) in waiting {
        let was_refused_at_once = delivery.is_err();
        let outcome = match delivery {
            Ok(delivery) => {
                delivery.await.unwrap().map(|delivery| delivery.partition).map_err(|(error, _)| error)
            }
            Err(error) => Err(error),
        };
        let outcome = outcome.map_err(|error| error.rdkafka_error_code().unwrap());
        sent.push(Sent { policy, key, was_refused_at_once, outcome });
    }
    (sent, producer.context().hook().snapshot())
}

fn check(prefix: &str, topics: Topics, sent: &[Sent], counts: &HookSnapshot) {
    let contract = contract_of(prefix);
    for policy in POLICIES {
        let topic = format!("{prefix}-{policy}");
        let router = contract.topic(&topic).unwrap().router(5).unwrap();
        let sent: Vec<_> = sent.iter().filter(|sent| sent.policy == policy).collect();
        for sent in &sent {
            check_outcome(sent, topics, &router);
        }
        check_counts(policy, &counts.topics.iter().find(|(name, _)| *name == topic).unwrap().1);

        let mut expected: Vec<_> =
            sent.iter().filter_map(|sent| Some((sent.outcome.ok()?, sent.key.map(<[u8]>::to_vec)))).collect();
        let mut found = Vec::new();
        read(&config(), &topic, 12, expected.len(), |message| {
            found.push((message.partition(), message.key().map(<[u8]>::to_vec)));
        });
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{topic} holds what was acknowledged");
    }
    assert_eq!(counts.panics, 0);
}

fn check_outcome(sent: &Sent, topics: Topics, router: &Router) {
    let Sent { policy, key, was_refused_at_once, outcome } = sent;
    let what = format!("{policy}: {:?}", key.map(<[u8]>::escape_ascii).map(|key| key.to_string()));
    let routed = router.route(&Record { key: *key, ..Record::default() }, PartitionCount::new(12).unwrap());
    let (is_refused, pool) = match (*policy, *key) {
        (_, VIP_KEY) => (false, 0..8),
        ("reject", _) => (true, 0..0),
        _ => (false, 8..12),
    };
    assert_eq!(*was_refused_at_once, is_refused && topics == Topics::Before, "{what}");
    if is_refused {
        assert_eq!(*outcome, Err(RDKafkaErrorCode::UnknownPartition), "{what}");
        return;
    }
    let partition = outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(pool.contains(&partition), "{what}: partition {partition}");
    // Where a sticky record goes is a matter of the moment; any other has one place.
    if (*policy, *key) == ("unkeyed", VIP_KEY) || *policy != "unkeyed" {
        assert_eq!(partition, routed.unwrap().partition.as_i32(), "{what}");
    }
}

fn check_counts(policy: &str, counts: &Snapshot) {
    let faulty = BTreeMap::from([("null-key", EACH), ("empty-key", EACH), ("malformed-key", 2 * EACH)]);
    let (rejects, faults) = match policy {
        "reject" => (faulty, BTreeMap::new()),
        _ => (BTreeMap::new(), faulty),
    };
    assert_eq!((&counts.rejects, &counts.faults), (&rejects, &faults), "{policy}");
}

#[test]
fn the_policies_that_place_by_hash_differ_here() {
    let contract = contract_of("t");
    let place = |policy: &str, key| {
        let router = contract.topic(&format!("t-{policy}")).unwrap().router(5).unwrap();
        let record = Record { key, ..Record::default() };
        router.route(&record, PartitionCount::new(12).unwrap()).unwrap().partition
    };
    for key in FAULTY_KEYS {
        assert_ne!(place("standard", key), place("hash", key), "{key:?}");
    }
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn faulty_keys_follow_their_policy_and_refusals_come_at_once() {
    let (sent, counts) = send_from_base("policy-base", Topics::Before).await;
    check("policy-base", Topics::Before, &sent, &counts);
    let (sent, counts) = send_from_future("policy-future", Topics::Before).await;
    check("policy-future", Topics::Before, &sent, &counts);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn records_sent_before_the_topic_is_known_are_placed_alike_and_refused_in_their_report() {
    let (sent, counts) = send_from_base("parked-base", Topics::After).await;
    check("parked-base", Topics::After, &sent, &counts);
    let (sent, counts) = send_from_future("parked-future", Topics::After).await;
    check("parked-future", Topics::After, &sent, &counts);
}
