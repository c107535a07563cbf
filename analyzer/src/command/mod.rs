//! What each command does, short of reading arguments and writing to the terminal.

pub mod assemble;
pub mod error;
mod lag;
mod lanes;
mod largest_tenants;
pub mod plan;
pub mod profiles;
pub mod simulate;
pub mod tune;
#[cfg(feature = "rdkafka")]
pub mod verify;
#[cfg(not(feature = "rdkafka"))]
#[path = "verify_without_rdkafka.rs"]
pub mod verify;
