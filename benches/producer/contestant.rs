//! A producer that takes turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use benches::interleave::in_rounds;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{BaseProducer, BaseRecord, DeliveryResult, Partitioner, Producer, ProducerContext};
use rdkafka::statistics::Statistics;

use crate::broker::{Broker, PARTITIONS};
use crate::{SEED, say};

/// The value of every record.
const VALUE: [u8; 100] = [b'v'; 100];

/// Delivery reports are taken after so many records.
const RECORDS_A_POLL: usize = 100;

/// What is sent in a turn.
pub(crate) struct Load<'a> {
    /// A record each.
    pub(crate) keys: Vec<Option<&'a [u8]>>,
    /// From the beginning of one record to that of the next; as fast as can be when 0.
    pub(crate) interval: Duration,
}

/// What a turn came to.
pub(crate) struct Turn {
    /// From the first record until all were acknowledged.
    pub(crate) records_per_s: f64,
    pub(crate) records_per_request: f64,
}

/// Takes turns; whatever its producer's type.
pub(crate) trait Contestant {
    /// Sends everything and waits until it is acknowledged.
    fn turn(&mut self, load: &Load<'_>) -> anyhow::Result<Turn>;

    /// Records that were acknowledged, by partition, in all turns.
    fn delivered(&self) -> Vec<u64>;
}

/// The context of a contestant's producer: counts.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    delivered: [AtomicU64; PARTITIONS as usize],
    failed: AtomicU64,
    produce_requests: AtomicU64,
    statistics: AtomicU64,
}

impl ClientContext for Observer {
    fn stats(&self, statistics: Statistics) {
        let requests = statistics.brokers.values().filter_map(|broker| broker.req.get("Produce"));
        let requests: u64 = requests.filter_map(|&requests| u64::try_from(requests).ok()).sum();
        self.counts.produce_requests.store(requests, Relaxed);
        self.counts.statistics.fetch_add(1, Relaxed);
    }
}

impl ProducerContext for Observer {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        let partition = result.as_ref().ok().and_then(|message| usize::try_from(message.partition()).ok());
        let count = partition.and_then(|partition| self.counts.delivered.get(partition));
        count.unwrap_or(&self.counts.failed).fetch_add(1, Relaxed);
    }
}

/// A contestant with a `BaseProducer`: whoever sends also takes the delivery reports, on one thread.
pub(crate) struct Sender<C: ProducerContext<Part>, Part: Partitioner> {
    producer: BaseProducer<C, Part>,
    /// That of `producer`.
    observer: Observer,
    topic: &'static str,
    /// Of each record of a load, for who does not leave it to a partitioner.
    partitions: Option<Vec<i32>>,
    /// Produce requests of the turns before.
    requests: u64,
}

/// Whose partitioner is the contract's hook.
pub(crate) fn under_contract(
    broker: &Broker,
    topic: &'static str,
    contract: &str,
) -> anyhow::Result<Box<dyn Contestant>> {
    let observer = Observer::default();
    let producer: RoutedProducer<_> =
        build(&broker.producer_config(), &contract.parse()?, SEED, observer.clone())?;
    Ok(Box::new(Sender { producer, observer, topic, partitions: None, requests: 0 }))
}

/// Whose partitioner is librdkafka's, or nobody's where `partitions` tells that of each record of a load.
pub(crate) fn with_config(
    config: &ClientConfig,
    topic: &'static str,
    partitions: Option<Vec<i32>>,
) -> anyhow::Result<Box<dyn Contestant>> {
    let observer = Observer::default();
    let producer: BaseProducer<_> = config.create_with_context(observer.clone())?;
    Ok(Box::new(Sender { producer, observer, topic, partitions, requests: 0 }))
}

/// The turns of each contestant, round by round, after one round that does not count: it opens connections, and lets a
/// broker in Java compile what it runs.
pub(crate) fn rounds(
    measured: &str,
    contestants: &mut [Box<dyn Contestant>],
    load: &Load<'_>,
    rounds: usize,
) -> anyhow::Result<Vec<Vec<Turn>>> {
    let mut played = 0;
    let count = contestants.len();
    let turns = in_rounds(count, rounds + 1, |at| {
        if played % count == 0 {
            say(&format!("{measured}: round {} of {rounds}", played / count));
        }
        played += 1;
        contestants[at].turn(load)
    });
    let counting = |turns: Vec<anyhow::Result<Turn>>| turns.into_iter().skip(1).collect();
    let turns: anyhow::Result<Vec<Vec<Turn>>> = turns.into_iter().map(counting).collect();
    turns
}

/// One figure of each turn.
pub(crate) fn figures(turns: &[Turn], figure: impl Fn(&Turn) -> f64) -> Vec<f64> {
    turns.iter().map(figure).collect()
}

impl<C, Part> Contestant for Sender<C, Part>
where
    C: ProducerContext<Part, DeliveryOpaque = ()>,
    Part: Partitioner,
{
    fn turn(&mut self, load: &Load<'_>) -> anyhow::Result<Turn> {
        let delivered_before = self.delivered().iter().sum::<u64>();
        let start = Instant::now();
        let mut due = start;
        for (at, &key) in load.keys.iter().enumerate() {
            if !load.interval.is_zero() {
                self.wait_until(due);
                due += load.interval;
            }
            if at % RECORDS_A_POLL == 0 {
                self.producer.poll(Duration::ZERO);
            }
            self.send(key, self.partitions.as_ref().map(|partitions| partitions[at]))?;
        }
        self.flush()?;
        let took = start.elapsed();
        let delivered = self.delivered().iter().sum::<u64>() - delivered_before;
        let failed = self.observer.counts.failed.load(Relaxed);
        ensure!(failed == 0 && delivered == load.keys.len() as u64, "{failed} records were not delivered");
        let requests = self.produce_requests() - self.requests;
        self.requests += requests;
        let records = load.keys.len() as f64;
        Ok(Turn {
            records_per_s: records / took.as_secs_f64(),
            records_per_request: records / requests as f64,
        })
    }

    fn delivered(&self) -> Vec<u64> {
        self.observer.counts.delivered.iter().map(|count| count.load(Relaxed)).collect()
    }
}

impl<C, Part> Sender<C, Part>
where
    C: ProducerContext<Part, DeliveryOpaque = ()>,
    Part: Partitioner,
{
    fn send(&self, key: Option<&[u8]>, partition: Option<i32>) -> anyhow::Result<()> {
        loop {
            let mut record = BaseRecord::to(self.topic).payload(&VALUE);
            (record.key, record.partition) = (key, partition);
            match self.producer.send(record) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), _)) => {
                    self.producer.poll(Duration::from_millis(1));
                }
                Err((error, _)) => bail!("a record was not taken: {error}"),
            }
        }
    }

    fn wait_until(&self, due: Instant) {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.producer.poll(Duration::ZERO);
            thread::sleep(left);
        }
    }

    /// Waits until all is acknowledged, to a millisecond: `flush` with a longer time looks only every 100 ms.
    fn flush(&self) -> anyhow::Result<()> {
        loop {
            match self.producer.flush(Duration::ZERO) {
                Ok(()) => return Ok(()),
                Err(KafkaError::Flush(RDKafkaErrorCode::OperationTimedOut)) => {
                    self.producer.poll(Duration::from_millis(1));
                }
                Err(error) => return Err(error).context("flush"),
            }
        }
    }

    /// All produce requests so far, once librdkafka has counted them. The statistics on their way may be older than this
    /// call, those after them are not.
    fn produce_requests(&self) -> u64 {
        let counts = &self.observer.counts;
        let seen = counts.statistics.load(Relaxed);
        while counts.statistics.load(Relaxed) < seen + 2 {
            self.producer.poll(Duration::from_millis(10));
        }
        counts.produce_requests.load(Relaxed)
    }
}
