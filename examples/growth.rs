//! A topic grows from 6 to 12 partitions under a contract made for 6: hold, follow, reject.
//!
//! `cargo run -p examples --example growth`
#![allow(clippy::print_stdout)] // what an example is for

use std::error::Error;

use partitioner::contract::{Contract, ContractError};
use partitioner::ids::PartitionCount;
use partitioner::route::{Record, Router};

const KEYS: u32 = 10_000;

fn router(on_growth: &str) -> Result<Router, ContractError> {
    let text = format!(
        "[topics.orders]
        partitions = 6
        on_growth = \"{on_growth}\"
        vip_count = 2
        vip.tenants = [\"tenant-mega\"]"
    );
    text.parse::<Contract>()?.topics["orders"].router(7)
}

/// Of one key a number: those that stayed, moved, and were refused when the topic had grown.
fn outcomes(router: &Router, key_of: fn(u32) -> String) -> Result<[u32; 3], Box<dyn Error>> {
    let count = |count| PartitionCount::new(count).ok_or("a topic has partitions");
    let (six, twelve) = (count(6)?, count(12)?);
    let mut outcomes = [0; 3];
    for number in 0..KEYS {
        let key = key_of(number).into_bytes();
        let was = router.route(&Record::keyed(&key), six)?.partition;
        match router.route(&Record::keyed(&key), twelve) {
            Ok(route) => outcomes[usize::from(route.partition != was)] += 1,
            Err(_) => outcomes[2] += 1,
        }
    }
    Ok(outcomes)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:<11}{:<15}{:>8}{:>8}{:>9}", "on_growth", "keys", "stayed", "moved", "refused");
    for on_growth in ["hold", "follow", "reject"] {
        let router = router(on_growth)?;
        let vip = outcomes(&router, |order| format!("tenant-mega:order-{order}"))?;
        let standard = outcomes(&router, |tenant| format!("tenant-{tenant}:order-1"))?;
        for (keys, [stayed, moved, refused]) in [("of the VIP", vip), ("of all others", standard)] {
            println!("{on_growth:<11}{keys:<15}{stayed:>8}{moved:>8}{refused:>9}");
        }
        match on_growth {
            "hold" => assert_eq!([vip, standard], [[KEYS, 0, 0]; 2]),
            // The standard pool goes from 4 to 10 partitions: of 20 residues, 4 are the same by both.
            "follow" => assert!(vip[0] == KEYS && standard[1].abs_diff(KEYS * 16 / 20) < 200),
            _ => assert_eq!([vip, standard], [[0, 0, KEYS]; 2]),
        }
    }
    Ok(())
}
