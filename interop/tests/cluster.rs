//! Clusters that are started, killed and restarted, as Kafka's own tools see them.
#![allow(clippy::unwrap_used)] // clippy knows #[test] functions only, not those they call

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use interop::kafka::{Cluster, ClusterOptions, Nodes, Security, shared};

const TOPICS: &str = "org.apache.kafka.tools.TopicCommand";

/// Two clusters at once only slow each other down.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn create_topic(cluster: &Cluster, name: &str) {
    cluster.tool(TOPICS, &["--create", "--topic", name, "--partitions", "6"]).unwrap();
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_killed_node_comes_back_with_its_topics() {
    let _turn = one_at_a_time();
    let mut cluster = Cluster::start(&ClusterOptions::default()).unwrap();
    create_topic(&cluster, "kept");
    TcpStream::connect(cluster.bootstrap_servers()).unwrap();
    cluster.kill(1).unwrap();
    assert!(TcpStream::connect(cluster.bootstrap_servers()).is_err(), "a killed node listens");
    cluster.restart(1).unwrap();
    assert_eq!(cluster.tool(TOPICS, &["--list"]).unwrap().trim(), "kept");

    let error = cluster.kill(2).unwrap_err().to_string();
    assert_eq!(error, "node 2: the nodes are 1 to 1");
    let error = cluster.tool(TOPICS, &["--describe", "--topic", "other"]).unwrap_err().to_string();
    assert!(error.contains("'other' does not exist"), "{error}");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn three_nodes_serve_without_one_and_take_it_back() {
    let _turn = one_at_a_time();
    let options = ClusterOptions { nodes: Nodes::Three, ..Default::default() };
    let mut cluster = Cluster::start(&options).unwrap();
    create_topic(&cluster, "replicated");
    cluster.kill(1).unwrap();
    create_topic(&cluster, "without-one");
    cluster.restart(1).unwrap();
    // Replicas catch up in their own time.
    let in_sync = |described: &str| {
        let partitions = described.lines().filter(|line| line.contains("Partition: "));
        let full = partitions.filter(|line| {
            let isr = line.split("Isr: ").nth(1).and_then(|rest| rest.split_whitespace().next());
            isr.is_some_and(|ids| ids.split(',').count() == 3)
        });
        full.count()
    };
    let mut described = String::new();
    for _ in 0..30 {
        described = cluster.tool(TOPICS, &["--describe", "--topic", "replicated"]).unwrap();
        if in_sync(&described) == 6 {
            return;
        }
    }
    panic!("node 1 is not in sync again:\n{described}");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_secure_cluster_lets_in_only_with_tls_and_password() {
    let _turn = one_at_a_time();
    let options = ClusterOptions { security: Security::SaslSsl, ..Default::default() };
    let cluster = Cluster::start(&options).unwrap();
    // Java's client checks the certificate's address and signs in.
    create_topic(&cluster, "secret");
    assert_eq!(cluster.tool(TOPICS, &["--list"]).unwrap().trim(), "secret");

    let credentials = cluster.credentials().unwrap();
    let shown = format!("{cluster:?}");
    assert!(!shown.contains(credentials.password()), "{shown}");

    // ApiVersions, version 0, in clear.
    let mut plain = TcpStream::connect(cluster.bootstrap_servers()).unwrap();
    plain.write_all(b"\x00\x00\x00\x0a\x00\x12\x00\x00\x00\x00\x00\x01\xff\xff").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    // Nothing, or an alert of TLS, which begins with 21; an answer of Kafka begins with its length.
    assert!(answer.first().is_none_or(|first| *first == 21), "{answer:?}");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_property_that_kafka_refuses_ends_in_an_error_with_its_log() {
    let _turn = one_at_a_time();
    let properties = vec![("num.io.threads".to_owned(), "none".to_owned())];
    let error = Cluster::start(&ClusterOptions { properties, ..Default::default() }).unwrap_err();
    assert!(error.to_string().contains("num.io.threads"), "{error}");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn a_process_has_one_shared_cluster() {
    let _turn = one_at_a_time();
    let (first, second) = (shared().unwrap(), shared().unwrap());
    assert!(std::ptr::eq(first, second));
    let address = first.bootstrap_servers().split(',').next().unwrap();
    TcpStream::connect(address).unwrap();
}
