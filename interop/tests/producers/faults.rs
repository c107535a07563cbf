//! Brokers that die under load: nothing is lost, doubled or out of order.
#![allow(clippy::print_stdout)] // the figures of a run are its result, for those who ask with --nocapture

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use interop::kafka::{Cluster, ClusterError, ClusterOptions, Nodes};
use partitioner::rdkafka::future::{DeliveryFuture, RoutedFutureProducer};
use partitioner::rdkafka::producer::{ThreadedRoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::client::DefaultClientContext;
use rdkafka::message::Message;
use rdkafka::producer::{BaseRecord, FutureRecord, Producer};

use crate::reports::Reports;
use crate::topic::{
    PATIENCE, RETRY_PAUSE, config_of, contract, create, is_queue_full, queue, read, routed, router,
};

const PARTITIONS: i32 = 12;
const THREADS: u32 = 4;
const KILLS_MIN: u32 = 3;

/// Between the return of one node and the death of the next, and between a death and the restart.
const FAULT_PAUSE: Duration = Duration::from_secs(2);

const THREADED: Load = Load { topic: "faults-threaded", entities: 10_000, records_each: 100 };
const FUTURE: Load = Load { topic: "faults-future", entities: 1_000, records_each: 100 };

const CONTRACT: &str = r#"
    [topics."faults-*"]
    partitions = 12
    vip_count = 8
    vip.tenants = ["mega"]
"#;

/// Records that are sent to a topic: of each entity a sequence, 1 and up.
struct Load {
    topic: &'static str,
    entities: u32,
    records_each: u32,
}

impl Load {
    fn records(&self) -> usize {
        usize::try_from(self.entities * self.records_each).unwrap()
    }

    /// The key of an entity: nine of ten belong to the VIP.
    fn key(entity: u32) -> String {
        match entity % 10 {
            0 => format!("small-{}:entity-{entity}", entity % 97),
            _ => format!("mega:entity-{entity}"),
        }
    }

    /// Reads all that arrived and returns what is wrong with it.
    fn broken(&self, config: &ClientConfig) -> Vec<String> {
        let router = router(CONTRACT, self.topic);
        let expected: Vec<i32> =
            (0..self.entities).map(|entity| routed(&router, Self::key(entity).as_bytes(), 12)).collect();
        let (mut last, mut broken) = (vec![0; expected.len()], Vec::new());
        read(config, self.topic, PARTITIONS, self.records(), |message| {
            let key = str::from_utf8(message.key().unwrap()).unwrap();
            let entity: usize = key.rsplit('-').next().unwrap().parse().unwrap();
            let sequence = u32::from_be_bytes(message.payload().unwrap().try_into().unwrap());
            let (partition, offset) = (message.partition(), message.offset());
            if partition != expected[entity] {
                broken.push(format!("{key} is on partition {partition} and not {}", expected[entity]));
            }
            if sequence != last[entity] + 1 {
                broken.push(format!(
                    "{key}: {sequence} after {}, partition {partition}, offset {offset}",
                    last[entity]
                ));
            }
            last[entity] = sequence;
        });
        let short = (0..).zip(&last).filter(|(_, last)| **last != self.records_each);
        broken.extend(short.map(|(entity, last)| format!("{} ends with {last}", Self::key(entity))));
        broken
    }
}

/// What the threads that produce and the one that kills tell each other.
#[derive(Default)]
struct Course {
    kills: AtomicU32,
    /// No more nodes shall be, or can be, killed.
    has_ended: AtomicBool,
}

impl Course {
    /// Before the round `round` of `rounds`: a short pause, so that production outlasts several faults, and before the
    /// last round the faults that must have been.
    fn pace(&self, round: u32, rounds: u32) {
        thread::sleep(Duration::from_millis(400));
        let is_early = || self.kills.load(SeqCst) < KILLS_MIN && !self.has_ended.load(SeqCst);
        while round + 1 == rounds && is_early() {
            thread::sleep(RETRY_PAUSE);
        }
    }

    /// Kills and restarts one node after the other until production has ended; then all are up.
    fn kill_and_restart(&self, cluster: &mut Cluster) -> Result<(), ClusterError> {
        let mut result = Ok(());
        let mut ids = [1, 2, 3].into_iter().cycle();
        while result.is_ok() {
            thread::sleep(FAULT_PAUSE);
            if self.has_ended.load(SeqCst) {
                return Ok(());
            }
            let id = ids.next().unwrap();
            result = cluster.kill(id);
            self.kills.fetch_add(1, SeqCst);
            thread::sleep(FAULT_PAUSE);
            result = result.and_then(|()| cluster.restart(id));
        }
        // Nobody may wait for more.
        self.has_ended.store(true, SeqCst);
        result
    }
}

/// The entities of one of four threads, each with its sequence in order.
fn produce(producer: &ThreadedRoutedProducer<Reports>, thread: u32, course: &Course) {
    for sequence in 1..=THREADED.records_each {
        course.pace(sequence - 1, THREADED.records_each);
        for entity in (thread..THREADED.entities).step_by(4) {
            let (key, payload) = (Load::key(entity), sequence.to_be_bytes());
            let number = usize::try_from(entity * THREADED.records_each + sequence - 1).unwrap();
            let record =
                || BaseRecord::with_opaque_to(THREADED.topic, number).key(&key).payload(payload.as_slice());
            queue(|| producer.send(record()).map_err(|(error, _)| error), || thread::sleep(RETRY_PAUSE))
                .unwrap();
        }
    }
}

/// Returns how many records were acknowledged on the partition that they lie on by the router.
async fn produce_with_futures(config: &ClientConfig, course: &Course) -> usize {
    let producer: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(config, &contract(CONTRACT), 6, DefaultClientContext).unwrap();
    let router = router(CONTRACT, FUTURE.topic);
    let mut deliveries: Vec<(i32, DeliveryFuture)> = Vec::with_capacity(FUTURE.records());
    for sequence in 1..=FUTURE.records_each {
        course.pace(sequence - 1, FUTURE.records_each);
        for entity in 0..FUTURE.entities {
            let (key, payload) = (Load::key(entity), sequence.to_be_bytes());
            let expected = routed(&router, key.as_bytes(), 12);
            loop {
                let record = FutureRecord::to(FUTURE.topic).key(&key).payload(payload.as_slice());
                match producer.send_result(record) {
                    Ok(delivery) => break deliveries.push((expected, delivery)),
                    Err((error, _)) => assert!(is_queue_full(&error), "not queued: {error}"),
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }
    let mut acknowledged = 0;
    for (expected, delivery) in deliveries {
        let delivery = delivery.await.unwrap().map_err(|(error, _)| error).unwrap();
        assert_eq!(delivery.partition, expected);
        acknowledged += 1;
    }
    acknowledged
}

/// How many records went to a broker more than once, by the first statistics that know of all.
fn sent_again(reports: &Reports, acknowledged: usize) -> String {
    let acknowledged = u64::try_from(acknowledged).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while reports.transmitted() < acknowledged && Instant::now() < deadline {
        thread::sleep(RETRY_PAUSE);
    }
    match reports.transmitted().checked_sub(acknowledged) {
        Some(again) => format!("of the first {again} were sent again"),
        None => "librdkafka's statistics do not tell how many were sent again".to_owned(),
    }
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn brokers_killed_under_a_million_records_lose_double_and_reorder_none() {
    let options = ClusterOptions { nodes: Nodes::Three, ..Default::default() };
    let mut cluster = Cluster::start(&options).unwrap();
    let mut config = config_of(&cluster);
    for load in [&THREADED, &FUTURE] {
        create(&config, load.topic, PARTITIONS, 3).await;
    }
    let reading = config.clone();
    config.set("message.timeout.ms", "900000").set("statistics.interval.ms", "1000");
    let producer: ThreadedRoutedProducer<Reports> =
        build(&config, &contract(CONTRACT), 5, Reports::default()).unwrap();
    let (course, started) = (Course::default(), Instant::now());
    let acknowledged_by_futures = thread::scope(|scope| {
        let killing = scope.spawn(|| course.kill_and_restart(&mut cluster));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (config, course, producer) = (&config, &course, &producer);
        let futures = scope.spawn(move || runtime.block_on(produce_with_futures(config, course)));
        let threads: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || produce(producer, thread, course))).collect();
        let produced: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
        let flushed = producer.flush(Duration::from_secs(900));
        let acknowledged = futures.join();
        course.has_ended.store(true, SeqCst);
        killing.join().unwrap().unwrap();
        produced.into_iter().for_each(|thread| thread.unwrap());
        flushed.unwrap();
        acknowledged.unwrap()
    });
    let (seconds, kills) = (started.elapsed().as_secs_f64(), course.kills.load(SeqCst));
    let reports = producer.context().inner();
    let outcomes = reports.outcomes();
    println!(
        "faults: {kills} kills in {seconds:.1} s; {} + {acknowledged_by_futures} records acknowledged; {}",
        outcomes.len(),
        sent_again(reports, outcomes.len())
    );
    assert!(kills >= KILLS_MIN, "{kills}");
    assert_eq!(reports.fatal_errors(), [""; 0]);
    let failed: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome.is_err()).take(10).collect();
    assert!(failed.is_empty(), "not acknowledged: {failed:?}");
    assert_eq!((outcomes.len(), acknowledged_by_futures), (THREADED.records(), FUTURE.records()));
    for load in [&THREADED, &FUTURE] {
        let broken = load.broken(&reading);
        assert!(
            broken.is_empty(),
            "{} of {}: {:#?}",
            broken.len(),
            load.topic,
            &broken[..broken.len().min(20)]
        );
    }
}
