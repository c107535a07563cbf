//! Live topics: records produced to a cluster and read back.
//!
//! [`Connection`] is a cluster and what is known of a topic there, [`LiveTopic`] a topic that a run may write to,
//! [`RoundTrip`] the run itself, and [`Ledger`] what became of each of its records. Everything here touches the world
//! outside, but for the ledger and the mark that each record carries.

mod config;
mod connection;
mod context;
mod error;
mod interruption;
mod ledger;
mod mark;
mod round_trip;
mod topic;

#[cfg(test)]
mod tests;

pub use self::connection::{Address, Connection};
pub use self::context::Say;
pub use self::error::LiveError;
pub use self::interruption::Interruption;
pub use self::ledger::{Expected, Ledger, Mismatch, MismatchKind, Sighting, Tally};
pub use self::mark::{HEADER, Phase, RunId};
pub use self::round_trip::{AtEnd, LiveProgress, RoundTrip};
pub use self::topic::{LiveTopic, NewTopicOptions, TopicState};
