//! One strategy after the other on a real topic.

use std::process;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, ensure};
use partitioner::contract::Contract;
use partitioner::rdkafka::config::producer_config;
use partitioner::rdkafka::producer::{ThreadedRoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{
    BaseRecord, DefaultProducerContext, Partitioner, Producer, ProducerContext, ThreadedProducer,
};
use tokio::runtime::{Builder, Runtime};

use super::latency::Latencies;
use super::queue::{self, PATIENCE, Queue, Span};
use super::traffic::{Class, Traffic};
use super::{Args, GRACE, PARTITIONS, Strategy};

/// How long a Kafka may take to say that it is there.
const CONTACT: Duration = Duration::from_secs(10);

/// What one strategy led to.
pub(crate) struct Outcome {
    pub(crate) strategy: Strategy,
    /// By [`Class::ALL`].
    latencies: [Latencies; 3],
    /// Records that came for each partition, of those its consumer could have handled meanwhile: below 1 it keeps up.
    utilisations: Vec<f64>,
}

impl Outcome {
    pub(crate) fn latencies(&self, class: Class) -> &Latencies {
        &self.latencies[class as usize]
    }

    pub(crate) fn hottest_utilisation(&self) -> f64 {
        self.utilisations.iter().copied().fold(0.0, f64::max)
    }

    /// The mean of all partitions but the hottest.
    pub(crate) fn other_utilisation(&self) -> f64 {
        let sum: f64 = self.utilisations.iter().sum();
        (sum - self.hottest_utilisation()) / (self.utilisations.len() - 1) as f64
    }
}

/// What all strategies share.
pub(crate) struct Run<'a> {
    args: &'a Args,
    config: ClientConfig,
    contract: Contract,
    traffic: Traffic,
    admin: AdminClient<DefaultClientContext>,
    runtime: Runtime,
    /// Makes the names of topics ours.
    suffix: String,
}

impl<'a> Run<'a> {
    /// Makes contact with Kafka.
    pub(crate) fn new(
        bootstrap_servers: &'a str,
        args: &'a Args,
        contract: Contract,
        traffic: Traffic,
    ) -> Result<Self> {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", bootstrap_servers);
        let admin: AdminClient<DefaultClientContext> = config.create()?;
        admin.inner().fetch_metadata(None, CONTACT).with_context(|| {
            format!(
                "no Kafka answers at {bootstrap_servers:?} within {} s; expected host:port",
                CONTACT.as_secs()
            )
        })?;
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let suffix = format!("{now}-{}", process::id());
        Ok(Self { args, config, contract, traffic, admin, runtime, suffix })
    }

    /// The name of the tenant that makes most of the traffic.
    pub(crate) fn mega(&self) -> &str {
        &self.traffic.mega
    }

    /// Measures `strategy` on a topic of its own.
    pub(crate) fn measure(&self, strategy: Strategy) -> Result<Outcome> {
        let topic = format!("tenant-latency-{}-{}", strategy.name().replace(' ', "-"), self.suffix);
        let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
        // -1: as many replicas as the cluster makes by default.
        let new_topic = NewTopic::new(&topic, PARTITIONS, TopicReplication::Fixed(-1));
        let mut created = self
            .runtime
            .block_on(self.admin.create_topics([&new_topic], &options))
            .context("no topic can be created")?;
        let created = created.pop().context("an answer to the creation of a topic")?;
        created.map_err(|(topic, code)| anyhow!("topic {topic} cannot be created: {code}"))?;
        let outcome = self.measure_on(strategy, &topic);
        let deleted = self.runtime.block_on(self.admin.delete_topics(&[&topic], &options));
        let outcome = outcome.with_context(|| format!("topic {topic}"))?;
        deleted.with_context(|| format!("topic {topic} cannot be deleted"))?;
        Ok(outcome)
    }

    fn measure_on(&self, strategy: Strategy, topic: &str) -> Result<Outcome> {
        if strategy == Strategy::TenantAware {
            let producer: ThreadedRoutedProducer<_> =
                build(&self.config, &self.contract, self.args.seed, DefaultProducerContext)?;
            return self.measure_with(strategy, topic, &producer);
        }
        // The same properties, so that nothing but the partitioner differs.
        let mut config = producer_config(&self.config, &self.contract)?;
        config.set("partitioner", "murmur2_random");
        let producer: ThreadedProducer<DefaultProducerContext> = config.create()?;
        self.measure_with(strategy, topic, &producer)
    }

    fn measure_with<C, P>(
        &self,
        strategy: Strategy,
        topic: &str,
        producer: &ThreadedProducer<C, P>,
    ) -> Result<Outcome>
    where
        P: Partitioner + Send + Sync + 'static,
        C: ProducerContext<P, DeliveryOpaque = ()> + 'static,
    {
        let open = |partition| Queue::open(&self.config, topic, partition);
        let mut queues = (0..PARTITIONS).map(open).collect::<Result<Vec<_>>>()?;
        // A record on every partition, so that all connections are there before the clock starts.
        for partition in 0..PARTITIONS {
            let record = BaseRecord::<str, str>::to(topic).partition(partition).payload("");
            producer.send(record).map_err(|(error, _)| error)?;
        }
        queues.iter_mut().try_for_each(Queue::skip_one)?;

        let start = Instant::now() + Duration::from_millis(100);
        let duration = Duration::from_secs(self.args.duration_s.into());
        let span = Span { start, end: start + duration + GRACE };
        let service = Duration::from_secs(1) / self.args.capacity_per_s;
        thread::scope(|scope| {
            let serve = |queue| scope.spawn(move || Queue::serve(queue, span, service));
            let workers: Vec<_> = queues.iter_mut().map(serve).collect();
            let sent = self.send(strategy, topic, producer, start);
            let served = workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("a worker returns its errors"));
            sent.and(served)
        })?;

        let mut latencies = Class::ALL.map(|_| Latencies::new());
        let mut utilisations = Vec::new();
        let capacity = f64::from(self.args.capacity_per_s) * duration.as_secs_f64();
        for (partition, queue) in (0..).zip(&mut queues) {
            // Asked of the producer: a consumer's question waits behind its own fetch, half a second.
            let (_, end_offset) = producer.client().fetch_watermarks(topic, partition, PATIENCE)?;
            utilisations.push(queue.count_unhandled(span, end_offset)? as f64 / capacity);
            latencies.iter_mut().zip(&queue.latencies).for_each(|(sum, of_queue)| sum.add(of_queue));
        }
        let (seen, sent) =
            (latencies.iter().map(Latencies::count).sum::<u64>(), self.traffic.records.len() as u64);
        ensure!(sent == seen, "{sent} records were sent and {seen} arrived");
        Ok(Outcome { strategy, latencies, utilisations })
    }

    /// Sends every record when it is due, and waits until all are acknowledged.
    fn send<C, P>(
        &self,
        strategy: Strategy,
        topic: &str,
        producer: &ThreadedProducer<C, P>,
        start: Instant,
    ) -> Result<()>
    where
        P: Partitioner + Send + Sync + 'static,
        C: ProducerContext<P, DeliveryOpaque = ()> + 'static,
    {
        for record in &self.traffic.records {
            thread::sleep((start + record.due).saturating_duration_since(Instant::now()));
            let payload = queue::payload(record)?;
            let record = BaseRecord::to(topic).key(strategy.key(record)).payload(&payload);
            producer.send(record).map_err(|(error, _)| error).context("a record cannot be sent")?;
        }
        producer.flush(PATIENCE).context("not all records were acknowledged")
    }
}
