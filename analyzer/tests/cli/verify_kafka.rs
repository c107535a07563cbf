//! `verify` on Apache Kafka itself.

use std::process::{Child, Command};
use std::time::Duration;

use interop::kafka::shared;
use rdkafka::admin::{AdminClient, AdminOptions, NewPartitions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use serde_json::Value;

use crate::harness::{Report, TestDir};
use crate::verify::{assert_passed, column};

const PATIENCE: Duration = Duration::from_secs(60);

/// Enough for a test to do something meanwhile.
const MANY: &str = "--profile multitenant --records 1000000 --format json";

fn config() -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", shared().unwrap().bootstrap_servers());
    config
}

fn verify(flags: &str) -> String {
    format!("verify --brokers {} {flags}", shared().unwrap().bootstrap_servers())
}

fn admin<T>(ask: impl AsyncFnOnce(&AdminClient<DefaultClientContext>, &AdminOptions) -> T) -> T {
    let client: AdminClient<DefaultClientContext> = config().create().unwrap();
    let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(ask(&client, &options))
}

/// A topic's name that no other run of the tests has: their cluster may be one that stays.
fn own(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

fn create_topic(name: &str, partitions: i32) {
    let topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
    let created = admin(async |client, options| client.create_topics([&topic], options).await);
    created.unwrap().remove(0).unwrap();
}

/// Partitions of a topic, 0 when there is none.
fn partitions(topic: &str) -> usize {
    let consumer: BaseConsumer = config().create().unwrap();
    let metadata = consumer.fetch_metadata(None, PATIENCE).unwrap();
    metadata.topics().iter().find(|known| known.name() == topic).map_or(0, |known| known.partitions().len())
}

/// Waits for the first record on a topic that a running `verify` writes to; its partition, key, value and headers.
fn first_record(topic: &str, child: &mut Child) -> rdkafka::message::OwnedMessage {
    while partitions(topic) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "ended before the topic was there");
    }
    let consumer: BaseConsumer = config().set("group.id", format!("watch-{topic}")).create().unwrap();
    let mut all = TopicPartitionList::new();
    let count = i32::try_from(partitions(topic)).unwrap();
    (0..count).for_each(|partition| all.add_partition_offset(topic, partition, Offset::Beginning).unwrap());
    consumer.assign(&all).unwrap();
    loop {
        assert!(child.try_wait().unwrap().is_none(), "ended before its first record was seen");
        if let Some(Ok(message)) = consumer.poll(Duration::from_millis(100)) {
            return message.detach();
        }
    }
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_topic_of_its_own_is_created_and_deleted_or_stays() {
    let dir = TestDir::new();
    let words =
        verify("--profile ticker --format json -o r.json --replication-factor 1 --timeout 20 --seed 3");
    let flags = "-X compression.type=zstd -X linger.ms=1";
    for (cleanup, said, left) in [("--cleanup", "is deleted", 0), ("", "stays; --cleanup deletes it", 6)] {
        let done = dir.run(&format!("{words} {flags} --partitions 6 {cleanup}")).code(0);
        let report = Report(serde_json::from_str(&dir.read("r.json")).unwrap());
        assert_passed(&report);
        assert_eq!(report.0["keyed"]["read"], 10_000);
        let topic = report.0["topic"]["name"].as_str().unwrap();
        done.check(done.stderr == format!("the topic {topic} {said}\n"), "what becomes of the topic");
        assert_eq!(partitions(topic), left, "{topic}");
    }
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_topic_that_holds_records_is_left_alone_unless_it_may_be_written_to() {
    let dir = TestDir::new();
    let topic = own("verify-held");
    let words = verify(&format!("--profile article --topic {topic} --format json"));
    let done = dir.run(&words).code(0);
    done.check(done.stderr.contains(&format!("the topic {topic} stays")), "that the topic stays");
    let refused = dir.run(&words).code(2);
    refused.check(refused.stderr.contains(&topic) && refused.stderr.contains("--allow-existing"), "why");
    // Of another run's records none is taken for one's own, and the topic is not deleted.
    let again = dir.run(&format!("{words} --allow-existing --cleanup")).code(0);
    again.check(again.stderr.contains("was there before and is not deleted"), "that the topic stays");
    let report = Report(serde_json::from_str(&again.stdout).unwrap());
    assert_passed(&report);
    assert_eq!(
        (&report.0["topic"]["is_created"], &report.0["keyed"]["read"]),
        (&false.into(), &1_000.into())
    );
    assert_eq!(partitions(&topic), 3);
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn the_partition_count_of_a_topic_must_go_with_what_was_asked_for() {
    let topic = own("verify-count");
    create_topic(&topic, 8);
    let contract = |partitions: u32, rest: &str| {
        format!(
            "[topics.\"verify-*\"]\npartitions = {partitions}\nvip_count = 2\nvip.tenants = [\"tenant-mega\"]\n{rest}"
        )
    };
    let dir = TestDir::with("c.toml", contract(6, ""));
    let words = verify(&format!(
        "--profile multitenant --records 2000 --topic {topic} --allow-existing --format json"
    ));
    let refused = |flags: &str, part: &str| {
        let done = dir.run(&format!("{words} {flags}")).code(2);
        done.check(done.stderr.contains(part) && done.stderr.contains("8 partitions"), part);
    };
    refused("--partitions 6", "--partitions 6");
    refused("--vip-count 8", "--vip-count 8");
    let held =
        Report(serde_json::from_str(&dir.run(&format!("{words} --config c.toml")).code(0).stdout).unwrap());
    assert_passed(&held);
    assert_eq!(
        (held.0["partitions"][7]["pool"].clone(), column(&held, "found")[6..].to_vec()),
        (Value::Null, vec![0, 0])
    );
    dir.write("c.toml", contract(6, "on_growth = \"reject\"\n"));
    refused("--config c.toml", "on_growth");
    dir.write("c.toml", contract(12, ""));
    refused("--config c.toml", "12 partitions");
    dir.write("c.toml", contract(6, "on_growth = \"follow\"\n"));
    let followed =
        Report(serde_json::from_str(&dir.run(&format!("{words} --config c.toml")).code(0).stdout).unwrap());
    assert_passed(&followed);
    assert!(column(&followed, "found")[6..].iter().sum::<u64>() > 0);
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_record_that_lies_elsewhere_too_is_found() {
    let topic = own("verify-copied");
    let dir = TestDir::new();
    let mut child = dir.analyzer(&verify(&format!("{MANY} --topic {topic} --cleanup"))).spawn();
    let record = first_record(&topic, &mut child);
    // What a replicator does that was told to mirror a topic into itself.
    let producer: BaseProducer = config().create().unwrap();
    let copied = BaseRecord::to(&topic).partition((record.partition() + 1) % 12);
    let copied = copied.key(record.key().unwrap()).payload(record.payload().unwrap());
    producer.send(copied.headers(record.headers().unwrap().clone())).map_err(|(error, _)| error).unwrap();
    let foreign = BaseRecord::to(&topic).partition(0).key("tenant-mega:o-1").payload("of somebody else");
    producer.send(foreign).map_err(|(error, _)| error).unwrap();
    producer.flush(PATIENCE).unwrap();
    assert!(child.try_wait().unwrap().is_none(), "the run ended before the copy was written");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["passed"], &report["foreign_records"]), (&false.into(), &1.into()));
    assert_eq!((&report["keyed"]["doubled"], &report["keyed"]["misplaced"]), (&1.into(), &1.into()));
    assert_eq!((&report["keyed"]["missing"], &report["unkeyed"]["missing"]), (&0.into(), &0.into()));
    assert_eq!(report["mismatches"].as_array().unwrap().len(), 2, "{report:#}");
    let checks = report["checks"].as_array().unwrap().iter();
    let failed: Vec<_> =
        checks.filter(|check| check["passed"] == false).map(|check| &check["name"]).collect();
    assert_eq!(failed, ["placement", "delivery"]);
    assert_eq!(partitions(&topic), 0, "deleted after a mismatch too");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_topic_that_grows_meanwhile_is_not_verified() {
    let contract = "[topics.\"*\"]\npartitions = 12\nvip_count = 9\nvip.tenants = [\"tenant-mega\"]\non_growth = \"follow\"\n";
    let dir = TestDir::with("c.toml", contract);
    let topic = own("verify-grown");
    let flags =
        format!("--topic {topic} --config c.toml -X topic.metadata.refresh.interval.ms=200 --cleanup");
    let mut child = dir.analyzer(&verify(&format!("{MANY} {flags}"))).spawn();
    first_record(&topic, &mut child);
    let grown = NewPartitions::new(&topic, 18);
    admin(async |client, options| client.create_partitions([&grown], options).await)
        .unwrap()
        .remove(0)
        .unwrap();
    assert!(child.try_wait().unwrap().is_none(), "the run ended before the topic grew");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&report["topic"]["partitions"], &report["topic"]["partitions_at_end"]),
        (&12.into(), &18.into())
    );
    assert!(report["keyed"]["misplaced"].as_u64().unwrap() > 0, "standard keys moved: {report:#}");
    assert_eq!((&report["keyed"]["missing"], &report["keyed"]["doubled"]), (&0.into(), &0.into()));
    let checks = report["checks"].to_string();
    assert!(checks.contains("the topic had 12 partitions when the run began and has 18 now"), "{checks}");
}

#[cfg(unix)]
#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn ctrl_c_deletes_what_the_run_created_and_nothing_else() {
    use std::os::unix::process::ExitStatusExt as _;

    let [interrupted, kept] = ["verify-interrupted", "verify-kept"].map(own);
    create_topic(&kept, 12);
    for (topic, left) in [(interrupted, 0), (kept, 12)] {
        let dir = TestDir::new();
        let mut child = dir.analyzer(&verify(&format!("{MANY} --topic {topic} --cleanup"))).spawn();
        first_record(&topic, &mut child);
        assert!(Command::new("kill").arg("-2").arg(child.id().to_string()).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.signal(), output.stdout.len()), (Some(2), 0), "{said}");
        let expected = if left == 0 { "is deleted" } else { "is not deleted" };
        assert!(said.contains(expected), "{said}");
        assert_eq!(partitions(&topic), left);
    }
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn what_the_broker_refuses_is_told_in_its_words() {
    let (dir, topic) = (TestDir::new(), own("verify-replicated"));
    let words = format!("--profile article --replication-factor 3 --topic {topic}");
    let done = dir.run(&verify(&words)).code(2);
    done.check(done.stderr.contains(&topic) && done.stderr.contains("InvalidReplicationFactor"), "why");
    assert_eq!(partitions(&topic), 0);
    // Larger than the broker takes: the topic that was created is deleted after the error.
    let key = "k".repeat(1_100_000);
    dir.write("t.csv", format!("key\n{key}\n"));
    let topic = own("verify-too-large");
    let words =
        format!("--trace t.csv --key-field key --topic {topic} --cleanup -X message.max.bytes=2000000");
    let done = dir.run(&verify(&words)).code(2);
    done.check(done.stderr.contains("could not be delivered") && done.stderr.contains("is deleted"), "why");
    assert_eq!(partitions(&topic), 0);
}
