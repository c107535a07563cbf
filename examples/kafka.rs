//! The examples that need a real Kafka, run against one.
#![allow(clippy::unwrap_used)] // clippy knows #[test] functions only, not those they call

#[path = "program.rs"]
mod program;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use interop::kafka::{BOOTSTRAP_SERVERS_VARIABLE, shared};
use program::{compare_with_readme, run};
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;

/// What an example printed, when it succeeded. One runs at a time: two would measure each other.
fn output(name: &str, arguments: &[&str]) -> String {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let environment = [(BOOTSTRAP_SERVERS_VARIABLE, shared().unwrap().bootstrap_servers())];
    let done = run(name, arguments, &environment);
    let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{name} {arguments:?}: {}\n{stdout}{stderr}", done.status);
    stdout.into_owned()
}

/// The numbers of the row `name` under the line `title`: by tenant, by order, tenant-aware.
fn row(table: &str, title: &str, name: &str) -> [f64; 3] {
    let lines = table.lines().skip_while(|line| *line != title);
    let found = lines.map(str::trim_start).find_map(|line| line.strip_prefix(name));
    let cells = found.unwrap_or_else(|| panic!("no {name:?} under {title:?} in\n{table}"));
    let numbers = cells.split_whitespace().filter_map(|cell| cell.parse().ok());
    numbers.collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("not three numbers: {cells:?}"))
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn tenant_latency_shows_that_a_contract_takes_small_tenants_out_of_the_queue() {
    let table = output("tenant_latency", &["--duration-s", "4", "--seed", "7"]);
    let neighbours = "small tenants that share tenant-mega's partition when keyed by tenant";

    // One partition with 90 % of the records against consumers that keep up with twice the mean.
    let [by_tenant, by_order, tenant_aware] = row(&table, "", "hottest partition, %");
    assert!(by_tenant > 500.0 && by_order < 100.0 && tenant_aware < 100.0, "{table}");

    let [by_tenant, _, tenant_aware] = row(&table, neighbours, "records");
    assert!(by_tenant > 50.0 && by_tenant == tenant_aware, "the same records under each strategy:\n{table}");

    // Who is in an overloaded queue waits ever longer; who is not, waits no longer than the machine makes it.
    let [by_tenant, _, tenant_aware] = row(&table, neighbours, "not handled");
    assert!(by_tenant > 10.0 * tenant_aware && by_tenant > 0.0, "{table}");
    let [by_tenant, _, tenant_aware] = row(&table, neighbours, "p50, ms");
    assert!(by_tenant > 10.0 * tenant_aware, "{table}");
    let [by_tenant, _, tenant_aware] = row(&table, neighbours, "p99, ms");
    assert!(by_tenant > tenant_aware, "{table}");
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn tenant_latency_with_a_burst_keeps_the_others_out_of_it() {
    let table = output("tenant_latency", &["--duration-s", "5", "--burst-factor", "8"]);
    let [_, by_order, tenant_aware] = row(&table, "all other small tenants", "p99, ms");
    assert!(by_order > tenant_aware, "{table}");
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn producer_needs_one_file_and_one_line() {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", shared().unwrap().bootstrap_servers());
    let admin: AdminClient<DefaultClientContext> = config.create().unwrap();
    let topic = NewTopic::new("example-orders", 12, TopicReplication::Fixed(-1));
    let options = AdminOptions::new().operation_timeout(Some(Duration::from_secs(60)));
    admin.create_topics([&topic], &options).await.unwrap().remove(0).unwrap();
    compare_with_readme("producer", &output("producer", &[]));
    admin.delete_topics(&["example-orders"], &options).await.unwrap().remove(0).unwrap();
}
