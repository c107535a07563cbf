//! A table from region to partition, as pins of the contract: checked when it is read, shared by all producers.
//!
//! `cargo run -p examples --example region_map`
#![allow(clippy::print_stdout)] // what an example is for

use std::error::Error;

use partitioner::contract::Contract;
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Step};

const CONTRACT: &str = r#"
[topics.telemetry]
partitions = 6
pins = [
    { tenant = "eu", partition = 0 },
    { tenant = "us", partition = 1 },
    { tenant = "apac", partition = 2 },
    { key = "us:gateway-1", partition = 5 },    # one device as busy as a region
]
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let contract: Contract = CONTRACT.parse()?;
    let router = contract.topics["telemetry"].router(7)?;
    let six = PartitionCount::new(6).ok_or("a topic has partitions")?;
    let expected = [
        ("eu:sensor-1", Some(0)),
        ("eu:sensor-2", Some(0)),
        ("us:sensor-1", Some(1)),
        ("us:gateway-1", Some(5)),
        ("apac:sensor-1", Some(2)),
        ("africa:sensor-1", None),
    ];
    println!("{:<18}{:>9}   decided by", "key", "partition");
    for (key, pinned) in expected {
        let route = router.route(&Record::keyed(key.as_bytes()), six)?;
        println!("{key:<18}{:>9}   {}", route.partition, route.step);
        match pinned {
            Some(partition) => assert_eq!(route.partition.get(), partition),
            None => assert_eq!(route.step, Step::Standard, "a region that is not in the table is hashed"),
        }
    }

    // A partition that the topic does not have is found before the first record is sent.
    let error = CONTRACT.replace("partition = 2", "partition = 6").parse::<Contract>();
    let error = error.err().ok_or("a topic of 6 has no partition 6")?;
    println!("\n{error}");
    assert_eq!(error.path(), "topics.telemetry.pins[2].partition");
    Ok(())
}
