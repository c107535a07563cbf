//! A producer for a real Kafka, plugged in by one file and one line.
//!
//! `KAFKA_BOOTSTRAP_SERVERS=localhost:9092 cargo run -p examples --example producer`, or with a file of one's own behind `--`.
#![allow(clippy::print_stdout, clippy::print_stderr)] // what an example is for

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{env, thread};

use partitioner::rdkafka::producer::{BuildError, ThreadedRoutedProducer, from_file};
use rdkafka::client::ClientContext;
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/producer.toml");
const TOPIC: &str = "example-orders";
const RECORDS: u64 = 1_000;
const PATIENCE: Duration = Duration::from_secs(10);

/// How many records each partition took, and how many none did.
#[derive(Debug, Default)]
struct Deliveries {
    by_partition: [AtomicU64; 12],
    failed: AtomicU64,
}

impl ClientContext for Deliveries {}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        let partition = result.as_ref().ok().and_then(|message| usize::try_from(message.partition()).ok());
        partition
            .and_then(|partition| self.by_partition.get(partition))
            .unwrap_or(&self.failed)
            .fetch_add(1, Relaxed);
    }
}

/// Waits until the topic is there, which a broker that creates topics by itself does after it was asked.
fn await_topic(producer: &ThreadedRoutedProducer<Deliveries>) -> Result<(), Box<dyn Error>> {
    let begin = Instant::now();
    loop {
        let metadata = producer.client().fetch_metadata(Some(TOPIC), PATIENCE);
        let metadata = metadata.map_err(|error| format!("no broker answers within {PATIENCE:?}: {error}"))?;
        match metadata
            .topics()
            .iter()
            .find(|topic| topic.name() == TOPIC)
            .map(|topic| topic.partitions().len())
        {
            Some(12) => return Ok(()),
            None | Some(0) if begin.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(100)),
            None | Some(0) => return Err(format!("no topic {TOPIC}; create it with 12 partitions").into()),
            Some(count) => return Err(format!("topic {TOPIC} has {count} partitions; expected 12").into()),
        }
    }
}

fn produce(producer: &ThreadedRoutedProducer<Deliveries>) -> Result<(), Box<dyn Error>> {
    await_topic(producer)?;
    for i in 0..RECORDS {
        let tenant = if i % 10 == 0 { format!("tenant-{}", i % 70) } else { "tenant-mega".to_owned() };
        let key = format!("{tenant}:order-{i}");
        producer.send(BaseRecord::to(TOPIC).key(&key).payload("created")).map_err(|(error, _)| error)?;
    }
    producer.flush(PATIENCE)?;

    let deliveries = producer.context().inner();
    let taken: Vec<u64> = deliveries.by_partition.iter().map(|count| count.load(Relaxed)).collect();
    for (partition, count) in taken.iter().enumerate() {
        println!("partition {partition:>2}: {count:>3} records delivered");
    }
    assert_eq!(deliveries.failed.load(Relaxed), 0, "records that no partition took");
    assert_eq!(
        (taken[..10].iter().sum(), taken[10..].iter().sum()),
        (900, 100),
        "a pool is for its own tenants"
    );
    Ok(())
}

fn main() -> ExitCode {
    let file = env::args().nth(1).unwrap_or_else(|| FILE.to_owned());
    let built: Result<_, BuildError> = from_file(&file, 7, Deliveries::default());
    let producer = match built {
        Ok(producer) => producer,
        Err(error) => {
            eprintln!("producer: {error}");
            return ExitCode::from(2);
        }
    };
    match produce(&producer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("producer: {error}");
            ExitCode::FAILURE
        }
    }
}
