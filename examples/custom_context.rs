//! A producer context of one's own under a contract: its callbacks arrive as they would without.
//!
//! `cargo run -p examples --example custom_context`
#![allow(clippy::print_stdout)] // what an example is for

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use partitioner::contract::Contract;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use rdkafka::ClientConfig;
use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext};
use rdkafka::statistics::Statistics;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

const ORDERS: usize = 1_000;
const PATIENCE: Duration = Duration::from_secs(30);

/// What an application might count.
#[derive(Debug, Default)]
struct Accounts {
    delivered: AtomicU64,
    /// The sum of the numbers of orders that were delivered.
    delivered_sum: AtomicU64,
    unauthorized: AtomicU64,
    statistics: AtomicU64,
    transport_errors: AtomicU64,
}

impl ClientContext for Accounts {
    fn stats(&self, statistics: Statistics) {
        // The partitions that librdkafka has a queue for; -1 is for records that wait for metadata.
        let known = statistics.topics.get("orders").is_some_and(|topic| topic.partitions.len() >= 12);
        self.statistics.fetch_add(u64::from(known), Relaxed);
    }

    fn error(&self, error: KafkaError, _reason: &str) {
        let is_transport = error.rdkafka_error_code() == Some(RDKafkaErrorCode::BrokerTransportFailure);
        let is_down = error.rdkafka_error_code() == Some(RDKafkaErrorCode::AllBrokersDown);
        self.transport_errors.fetch_add(u64::from(is_transport || is_down), Relaxed);
    }
}

impl ProducerContext for Accounts {
    /// The number of the order goes along with its record and comes back with the report.
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, order: usize) {
        match result {
            Ok(_) => {
                self.delivered.fetch_add(1, Relaxed);
                self.delivered_sum.fetch_add(order as u64, Relaxed);
            }
            Err((error, _)) => {
                let code = error.rdkafka_error_code();
                let is_unauthorized = code == Some(RDKafkaErrorCode::TopicAuthorizationFailed);
                self.unauthorized.fetch_add(u64::from(is_unauthorized), Relaxed);
            }
        }
    }
}

/// Lets librdkafka call back until `count` is not 0.
fn await_callback(
    producer: &RoutedProducer<Accounts>,
    count: fn(&Accounts) -> &AtomicU64,
) -> Result<(), Box<dyn Error>> {
    let begin = Instant::now();
    while count(producer.context().inner()).load(Relaxed) == 0 {
        if begin.elapsed() > PATIENCE {
            return Err(format!("no callback: {:?}", producer.context().inner()).into());
        }
        producer.poll(Duration::from_millis(10));
    }
    Ok(())
}

fn send(producer: &RoutedProducer<Accounts>, order: usize) -> Result<(), KafkaError> {
    let key = format!("tenant-{}:order-{order}", order % 70);
    let record = BaseRecord::with_opaque_to("orders", order).key(&key).payload("created");
    producer.send(record).map_err(|(error, _)| error)
}

fn main() -> Result<(), Box<dyn Error>> {
    let contract: Contract = "[topics.orders]\npartitions = 12\nkey.null_key = \"reject\"".parse()?;
    let cluster = MockCluster::new(1)?;
    cluster.create_topic("orders", 12, 1)?;
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", cluster.bootstrap_servers());
    config.set("statistics.interval.ms", "50");
    let producer: RoutedProducer<Accounts> = build(&config, &contract, 7, Accounts::default())?;

    (0..ORDERS).try_for_each(|order| send(&producer, order))?;
    producer.flush(PATIENCE)?;
    await_callback(&producer, |accounts| &accounts.statistics)?;

    // A record that the contract refuses is an error of `send`, not a delivery report.
    let unkeyed = BaseRecord::<str, str, usize>::with_opaque_to("orders", ORDERS).payload("created");
    let refused = producer.send(unkeyed).err().map(|(error, _)| error.rdkafka_error_code());
    assert_eq!(refused, Some(Some(RDKafkaErrorCode::UnknownPartition)));

    // One that the contract accepts and the broker refuses is a delivery report with an error.
    let refuses = RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    cluster.request_errors(RDKafkaApiKey::Produce, &[refuses]);
    send(&producer, ORDERS + 1)?;
    await_callback(&producer, |accounts| &accounts.unauthorized)?;
    cluster.broker_down(1)?;
    await_callback(&producer, |accounts| &accounts.transport_errors)?;

    let (accounts, snapshot) = (producer.context().inner(), producer.context().hook().snapshot());
    let count = |counter: &AtomicU64| counter.load(Relaxed);
    println!(
        "the context's own: {} delivered, {} unauthorized",
        count(&accounts.delivered),
        count(&accounts.unauthorized)
    );
    println!("                   statistics and errors of the brokers arrived");
    let decisions = &snapshot.topics[0].1;
    println!("the hook's:        {:?} decided, {:?} refused", decisions.steps, decisions.rejects);

    let numbers = (0..ORDERS as u64).sum::<u64>();
    assert_eq!((count(&accounts.delivered), count(&accounts.delivered_sum)), (ORDERS as u64, numbers));
    assert_eq!(count(&accounts.unauthorized), 1);
    assert_eq!(decisions.rejects["null-key"], 1);
    assert_eq!(
        decisions.steps["standard"],
        ORDERS as u64 + 1,
        "the broker refused one that had its partition"
    );
    Ok(())
}
