//! Producers under a contract behind TLS and SCRAM.
#![allow(clippy::unwrap_used)] // a test may panic, and so may what all tests share

use std::sync::Mutex;
use std::time::{Duration, Instant};

use interop::kafka::{Cluster, ClusterOptions, Security};
use partitioner::contract::{Contract, PropertyValue};
use partitioner::ids::PartitionCount;
use partitioner::rdkafka::future::RoutedFutureProducer;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use partitioner::route::Record;
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::{ClientContext, DefaultClientContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{DeliveryResult, FutureRecord, Producer, ProducerContext};

const TOPIC: &str = "secret-orders";
const PATIENCE: Duration = Duration::from_secs(60);

/// A contract whose `[producer]` table lets clients of `cluster` in with `password`.
fn contract(cluster: &Cluster, password: &str) -> Contract {
    let mut contract: Contract =
        format!("[topics.{TOPIC}]\npartitions = 6\nvip_count = 3\nvip.tenants = [\"mega\"]").parse().unwrap();
    for (name, value) in cluster.client_properties() {
        let value = if name == "sasl.password" { password.to_owned() } else { value };
        contract.producer.set(name, PropertyValue::Text(value));
    }
    contract
}

async fn create_topic(cluster: &Cluster) {
    let config: ClientConfig =
        cluster.client_properties().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let admin: AdminClient<DefaultClientContext> = config.create().unwrap();
    let topic = NewTopic::new(TOPIC, 6, TopicReplication::Fixed(1));
    let options = AdminOptions::new().operation_timeout(Some(PATIENCE));
    admin.create_topics([&topic], &options).await.unwrap().remove(0).unwrap();
}

/// Keeps what librdkafka says of errors.
#[derive(Default)]
struct Errors(Mutex<Vec<(Option<RDKafkaErrorCode>, String)>>);

impl ClientContext for Errors {
    fn error(&self, error: KafkaError, reason: &str) {
        self.0.lock().unwrap().push((error.rdkafka_error_code(), reason.to_owned()));
    }
}

impl ProducerContext for Errors {
    type DeliveryOpaque = ();

    fn delivery(&self, _: &DeliveryResult<'_>, (): ()) {}
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn a_producer_signs_in_with_the_properties_of_the_contracts_file() {
    let cluster =
        Cluster::start(&ClusterOptions { security: Security::SaslSsl, ..Default::default() }).unwrap();
    create_topic(&cluster).await;
    let password = cluster.credentials().unwrap().password();
    let contract = contract(&cluster, password);
    assert!(!format!("{contract:?}").contains(password));
    let producer: RoutedFutureProducer<_> =
        RoutedFutureProducer::new(&ClientConfig::new(), &contract, 1, DefaultClientContext).unwrap();
    let router = contract.topic(TOPIC).unwrap().router(1).unwrap();
    for i in 0..200 {
        let key = format!("{}:{i}", if i % 2 == 0 { "mega" } else { "small" });
        let delivery = producer.send(FutureRecord::to(TOPIC).key(&key).payload("x"), PATIENCE).await.unwrap();
        let expected = router.route(&Record::keyed(key.as_bytes()), PartitionCount::new(6).unwrap()).unwrap();
        assert_eq!(delivery.partition, expected.partition.as_i32(), "{key}");
    }

    wrong_password_is_told_without_it(&cluster);
}

fn wrong_password_is_told_without_it(cluster: &Cluster) {
    let wrong = "correct-horse-battery";
    let producer: RoutedProducer<Errors> =
        build(&ClientConfig::new(), &contract(cluster, wrong), 1, Errors::default()).unwrap();
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "the broker lets everybody in");
        producer.poll(Duration::from_millis(100));
        let errors = producer.context().inner().0.lock().unwrap();
        assert!(errors.iter().all(|(_, reason)| !reason.contains(wrong)), "{errors:?}");
        if errors.iter().any(|(code, _)| *code == Some(RDKafkaErrorCode::Authentication)) {
            break;
        }
    }
}
