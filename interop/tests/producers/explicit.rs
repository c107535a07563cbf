//! rdkafka's own `FutureProducer`, whose records get their partition before they are sent.

use std::time::Duration;

use partitioner::ids::PartitionCount;
use partitioner::rdkafka::explicit::ExplicitRouter;
use rdkafka::message::Message;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use tokio::sync::oneshot;

use crate::topic::{PATIENCE, config, contract, create, grow, read, routed, router};

const CONTRACT: &str = r#"
    [topics."explicit-*"]
    partitions = 6
    vip_count = 2
    vip.tenants = ["mega"]
    on_growth = "follow"
"#;

const TOPIC: &str = "explicit-grown";
const ROUNDS_BEFORE: usize = 50;
const ROUNDS_AFTER: usize = 100;
const ROUND_PAUSE: Duration = Duration::from_millis(5);

fn keys() -> Vec<Option<String>> {
    let vip = (0..50).map(|number| Some(format!("mega:order-{number}")));
    let standard = (0..50).map(|number| Some(format!("small-{number}:order-1")));
    vip.chain(standard).chain([Some("malformed".to_owned()), Some(String::new()), None]).collect()
}

#[tokio::test]
#[ignore = "needs Kafka: Java 17 and Maven"]
async fn records_placed_beforehand_arrive_there_also_while_the_topic_grows() {
    create(&config(), TOPIC, 6, 1).await;
    let producer: FutureProducer = config().create().unwrap();
    let explicit = ExplicitRouter::new(&contract(CONTRACT), 5).unwrap();
    explicit.refresh(producer.client(), TOPIC, PATIENCE).unwrap();
    let _refresher = explicit.refresh_every(producer.clone(), Duration::from_millis(100));

    let (keys, (half, begin)) = (keys(), oneshot::channel());
    let (mut half, mut deliveries, mut rounds_left) = (Some(half), Vec::new(), ROUNDS_AFTER);
    let sending = async {
        for round in 0.. {
            // A refresh may come between any two records.
            for key in &keys {
                let mut record = FutureRecord::<str, str>::to(TOPIC).payload("x");
                record.key = key.as_deref();
                let placed = explicit.place(record).map_err(|(error, _)| error).unwrap();
                let partition = placed.partition.unwrap();
                let delivery = producer.send_result(placed).map_err(|(error, _)| error).unwrap();
                deliveries.push((key, partition, delivery));
            }
            if round == ROUNDS_BEFORE {
                half.take().unwrap().send(()).unwrap();
            }
            let is_known = explicit.router().partition_count(TOPIC) == PartitionCount::new(12);
            rounds_left -= usize::from(is_known);
            match rounds_left {
                0 => break,
                _ if round > 50_000 => panic!("the router does not learn of the new partitions"),
                _ => tokio::time::sleep(ROUND_PAUSE).await,
            }
        }
    };
    let growing = async {
        begin.await.unwrap();
        grow(&config(), TOPIC, 12).await;
    };
    tokio::join!(sending, growing);

    let mut placed = Vec::new();
    for (key, partition, delivery) in deliveries {
        let delivery = delivery.await.unwrap().map_err(|(error, _)| error).unwrap();
        assert_eq!(delivery.partition, partition, "{key:?}");
        placed.push((partition, key.clone()));
    }
    assert_moved_once(&placed);
    let mut found = Vec::new();
    read(&config(), TOPIC, 12, placed.len(), |message| {
        let key = message.key().map(|key| String::from_utf8(key.to_vec()).unwrap());
        found.push((message.partition(), key));
    });
    placed.sort();
    found.sort();
    assert!(found == placed, "none lost, none doubled: {} of {}", found.len(), placed.len());
}

/// Partitions in the order of sending: first those of six partitions, then, for every key at once, those of twelve.
fn assert_moved_once(placed: &[(i32, Option<String>)]) {
    let (router, mut has_grown, mut moved) = (router(CONTRACT, TOPIC), false, 0);
    for (partition, key) in placed {
        let Some(key) = key else {
            assert!(*partition >= 2, "without a key, in the VIP pool");
            continue;
        };
        let [before, after] = [6, 12].map(|count| routed(&router, key.as_bytes(), count));
        has_grown |= *partition != before;
        assert_eq!(*partition, if has_grown { after } else { before }, "{key}");
        moved += usize::from(*partition != before);
    }
    assert!(moved > 0, "no key moved");
}
