//! Decides which partition a Kafka record goes to.
//!
//! Heavy (VIP) tenants get a pool of partitions of their own, in which their records are spread by entity, so that each
//! order stays in order while no partition carries the tenant. All other tenants stay in the standard pool. What every
//! producer of a topic must agree on stands in one file, the routing [contract]; made ready, it is a [`Router`](route::Router),
//! which gives for every record the partition and the step that decided.
//!
//! ```text
//! key bytes ─key→ tenant + entity ─tenant→ class ─pool→ range ─spread─slot→ partition
//! ```
//!
//! The crate is pure, but for the room [`rdkafka`]: no I/O, no clock, no global randomness. Times, sizes and seeds are
//! arguments. `default-features = false` leaves that room out, and with it librdkafka.
//!
//! Kafka orders records within one partition only, so every strategy states the [ordering scope](spread::OrderingScope) that
//! it keeps.
#![forbid(unsafe_code)]

pub mod baseline;
mod block_table;
pub mod cached;
pub mod contract;
mod counters;
pub mod explain;
pub mod hash;
pub mod ids;
pub mod key;
mod modulus;
mod name_table;
pub mod observe;
mod placing;
pub mod pool;
#[cfg(feature = "rdkafka")]
pub mod rdkafka;
pub mod reject;
pub mod route;
pub mod slot;
pub mod splitmix;
mod splitter;
pub mod spread;
pub mod sticky;
pub mod strategy;
mod tenant;
pub mod topics;
