//! A topic that grows from 6 to 12 partitions while records are sent to it.

use std::collections::BTreeMap;
use std::time::Duration;

use partitioner::rdkafka::producer::{RoutedProducer, build};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, Producer};
use tokio::sync::oneshot;

use crate::reports::{Outcome, Reports};
use crate::topic::{PATIENCE, RETRY_PAUSE, config, contract, create, grow, queue, read, routed, router};

const BEFORE: u32 = 6;
const AFTER: u32 = 12;

/// Of which every other belongs to the VIP.
const KEYS: usize = 400;
const ROUNDS_BEFORE: usize = 50;
/// Rounds after the client has learnt of the new partitions: ten times as long as it takes to look again.
const ROUNDS_AFTER: usize = 200;
const ROUND_PAUSE: Duration = Duration::from_millis(5);
const REFRESH_MS: &str = "100";

fn contract_text(section: &str) -> String {
    format!("[topics.\"grown-*\"]\nvip_count = 2\nvip.tenants = [\"mega\"]\n{section}")
}

fn key(number: usize) -> String {
    let (entity, is_vip) = (number % KEYS, number.is_multiple_of(2));
    if is_vip { format!("mega:order-{entity}") } else { format!("small-{entity}:order-1") }
}

fn is_vip(number: usize) -> bool {
    number.is_multiple_of(2)
}

/// What became of every record, in the order in which they were sent; the number of a record is its place.
struct Course {
    outcomes: Vec<Outcome>,
    /// Records that were sent when the client's statistics first showed twelve partitions.
    sent_when_known: usize,
    /// Of them `send` itself refused.
    refused_at_once: usize,
    /// Counted by the hook.
    refused_for_growth: u64,
}

/// Sends rounds of all keys to a topic that meanwhile grows, until long after the client knows.
async fn course(topic: &str, contract_text: &str) -> Course {
    create(&config(), topic, 6, 1).await;
    let mut config = config();
    config.set("topic.metadata.refresh.interval.ms", REFRESH_MS).set("statistics.interval.ms", "50");
    let producer: RoutedProducer<Reports> =
        build(&config, &contract(contract_text), 5, Reports::default()).unwrap();
    let (half, begin) = oneshot::channel();
    let sending = send_rounds(&producer, topic, half);
    let growing = async {
        begin.await.unwrap();
        grow(&config, topic, 12).await;
    };
    let ((refused, sent_when_known), ()) = tokio::join!(sending, growing);
    producer.flush(PATIENCE).unwrap();

    let refused_at_once = refused.len();
    let mut outcomes = producer.context().inner().outcomes();
    for (number, error) in refused {
        let earlier = outcomes.insert(number, Err(error.rdkafka_error_code().unwrap()));
        assert_eq!(earlier, None, "record {number} was refused and yet reported");
    }
    let numbers: Vec<usize> = outcomes.keys().copied().collect();
    assert_eq!(numbers, (0..outcomes.len()).collect::<Vec<_>>(), "what was sent was refused or reported");
    let rejects = &producer.context().hook().snapshot().topics[0].1.rejects;
    let refused_for_growth = rejects.get("topic-grew").copied().unwrap_or_default();
    let course = Course {
        outcomes: outcomes.into_values().collect(),
        sent_when_known,
        refused_at_once,
        refused_for_growth,
    };
    course.check_topic(topic);
    course
}

/// Returns what `send` refused, and how many records were sent when the client knew of the new partitions.
async fn send_rounds(
    producer: &RoutedProducer<Reports>,
    topic: &str,
    half: oneshot::Sender<()>,
) -> (Vec<(usize, KafkaError)>, usize) {
    let (mut half, mut refused, mut known) = (Some(half), Vec::new(), None);
    for round in 0.. {
        for number in round * KEYS..(round + 1) * KEYS {
            let (key, payload) = (key(number), number.to_string());
            let record = || BaseRecord::with_opaque_to(topic, number).key(&key).payload(&payload);
            let send = || producer.send(record()).map_err(|(error, _)| error);
            if let Err(error) = queue(send, || producer.poll(RETRY_PAUSE)) {
                refused.push((number, error));
            }
        }
        producer.poll(Duration::ZERO);
        if round == ROUNDS_BEFORE {
            half.take().unwrap().send(()).unwrap();
        }
        if known.is_none() && producer.context().inner().partitions_known() == 12 {
            known = Some(round + 1);
        }
        match known {
            Some(known) if round >= known + ROUNDS_AFTER => return (refused, known * KEYS),
            None if round > 50_000 => panic!("the client does not learn of the new partitions"),
            _ => tokio::time::sleep(ROUND_PAUSE).await,
        }
    }
    unreachable!("the rounds have no end of their own")
}

impl Course {
    /// What lies in the topic is what was acknowledged, where it was, and in the order in which it was sent.
    fn check_topic(&self, topic: &str) {
        let acknowledged = self.outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let (mut seen, mut last) = (0, BTreeMap::new());
        read(&config(), topic, 12, acknowledged, |message| {
            let number: usize = str::from_utf8(message.payload().unwrap()).unwrap().parse().unwrap();
            assert_eq!(message.key().unwrap(), key(number).as_bytes());
            assert_eq!(self.outcomes[number], Ok(message.partition()), "record {number}");
            let earlier = last.insert(message.partition(), number);
            assert!(earlier.is_none_or(|earlier| earlier < number), "{number} after {earlier:?}");
            seen += 1;
        });
        assert_eq!(seen, acknowledged, "none lost, none doubled");
    }

    /// The first record that is not where the contract puts it in a topic of six partitions.
    fn switch(&self, contract_text: &str) -> usize {
        let router = router(contract_text, "grown-x");
        let is_elsewhere =
            |&number: &usize| self.outcomes[number] != Ok(routed(&router, key(number).as_bytes(), BEFORE));
        (0..self.outcomes.len()).find(is_elsewhere).unwrap_or(self.outcomes.len())
    }

    fn assert_moved_once(&self, contract_text: &str) {
        let (router, switch) = (router(contract_text, "grown-x"), self.switch(contract_text));
        assert!(switch > ROUNDS_BEFORE * KEYS && switch <= self.sent_when_known + KEYS, "{switch}");
        let mut moved = 0;
        for (number, outcome) in self.outcomes.iter().enumerate().skip(switch) {
            let key = key(number);
            let (before, after) =
                (routed(&router, key.as_bytes(), BEFORE), routed(&router, key.as_bytes(), AFTER));
            assert_eq!(*outcome, Ok(after), "record {number} after the switch at {switch}");
            assert!(!is_vip(number) || before == after, "the VIP key {key} moved");
            moved += usize::from(before != after);
        }
        assert!(moved > 0, "no standard key moved");
    }
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_contract_that_holds_moves_no_key_when_the_topic_grows() {
    let text = contract_text("partitions = 6\non_growth = \"hold\"");
    let course = course("grown-hold", &text).await;
    assert_eq!(course.switch(&text), course.outcomes.len(), "every record is where it was before");
    assert!(course.outcomes.iter().all(|outcome| outcome.is_ok_and(|partition| partition < 6)));
    assert!(course.outcomes.len() > course.sent_when_known + ROUNDS_AFTER * KEYS / 2);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_contract_that_follows_moves_standard_keys_only_and_all_at_once() {
    let text = contract_text("partitions = 6\non_growth = \"follow\"");
    course("grown-follow", &text).await.assert_moved_once(&text);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_contract_without_a_count_follows_too() {
    let text = contract_text("");
    course("grown-any", &text).await.assert_moved_once(&text);
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_contract_that_rejects_growth_tells_the_caller_of_every_record() {
    let text = contract_text("partitions = 6\non_growth = \"reject\"");
    let course = course("grown-reject", &text).await;
    let switch = course.switch(&text);
    assert!(switch > ROUNDS_BEFORE * KEYS && switch <= course.sent_when_known + KEYS, "{switch}");
    let (delivered, refused) = course.outcomes.split_at(switch);
    assert!(delivered.iter().all(|outcome| outcome.is_ok_and(|partition| partition < 6)));
    let unknown = Err(RDKafkaErrorCode::UnknownPartition);
    assert!(refused.iter().all(|outcome| *outcome == unknown), "from {switch} on all are refused");
    assert_eq!(course.refused_at_once, refused.len(), "the topic was known, so `send` refuses");
    assert_eq!(course.refused_for_growth, u64::try_from(refused.len()).unwrap());
}
