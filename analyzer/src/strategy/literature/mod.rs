//! Strategies of papers and of other systems, to compare with.
//!
//! Papers about stream processing balance better than any hash because a key may go to several workers, which add up what
//! each of them counted. A topic in which a key must stay in order has no such liberty: every strategy here that is better
//! than a hash [breaks entity order](partitioner::spread::OrderingScope::None), and says so wherever its name is printed.
//!
//! The hashes of a strategy are [drawn](HashDraw) by a seed. One with a memory is one producer's: a [`Source`].

pub use self::bounded_loads::BoundedLoads;
pub use self::consistent::Consistent;
pub use self::d_choices::{DChoices, TOLERANCE, fewest_choices};
pub use self::distinct_d_choices::DistinctDChoices;
pub use self::hash_draw::{HashDraw, HashedKey};
pub use self::heads::COUNTERS;
pub use self::jump::jump;
pub use self::key_dropping::KeyDropping;
pub use self::partial_key_grouping::PartialKeyGrouping;
pub use self::rate_sharding::RateSharding;
pub use self::rendezvous::rendezvous;
pub use self::shuffle_sharding::shuffle_shard;
pub use self::source::{Choose, Source};
pub use self::space_saving::{Counter, SpaceSaving};
pub use self::two_choices::TwoChoices;
pub use self::w_choices::WChoices;

use crate::strategy::{Boxed, Build, Entry, Group, Ingredients};

mod bounded_loads;
mod consistent;
mod d_choices;
mod distinct_d_choices;
mod fluid_balance;
mod hash_draw;
mod heads;
mod jump;
mod key_dropping;
mod partial_key_grouping;
mod ranked_counts;
mod rate_sharding;
mod rendezvous;
mod shuffle_sharding;
mod source;
mod space_saving;
#[cfg(test)]
mod tests;
mod two_choices;
mod w_choices;

/// The strategies of this room, in the order of a report.
pub(super) const ENTRIES: [Entry; 11] = [
    entry("pkg", "the less loaded of a key's two partitions (Partial Key Grouping)", |from| {
        Box::new(PartialKeyGrouping::strategy(from.seed))
    }),
    entry("d-choices", "heavy keys to the least loaded of d partitions, others of 2 (D-Choices)", |from| {
        Box::new(DChoices::strategy(from.seed))
    }),
    entry("d-choices-distinct", "D-Choices with distinct partitions, d checked on those drawn", |from| {
        Box::new(DistinctDChoices::strategy(from.seed))
    }),
    entry("w-choices", "heavy keys to the least loaded of all partitions, others of 2 (W-Choices)", |from| {
        Box::new(WChoices::strategy(from.seed))
    }),
    entry("bounded-loads", "consistent hashing, no partition above 1.25 times the mean", |from| {
        Box::new(BoundedLoads::strategy(from.seed))
    }),
    entry("jump", "jump consistent hashing of the whole key", |from| Box::new(jump(from.seed))),
    entry("rendezvous", "rendezvous hashing of the whole key", |from| Box::new(rendezvous(from.seed))),
    entry("shuffle-shard", "entities hashed over 4 partitions drawn for their tenant", |from| {
        Box::new(shuffle_shard(from.seed, from.format))
    }),
    entry(
        "shuffle-shard-rate",
        "as many partitions for a tenant as its measured rate fills (Grafana Loki)",
        |from| Box::new(RateSharding::strategy(from.seed, from.format)),
    ),
    entry("two-choices", "the less loaded of two random partitions, keys ignored", |from| {
        Box::new(TwoChoices::strategy(from.seed))
    }),
    entry("key-dropping", "hashed, but anywhere once a key is over its budget (Sentry)", |from| {
        Box::new(KeyDropping::strategy(from.seed))
    }),
];

const fn entry(name: &'static str, description: &'static str, build: fn(&Ingredients<'_>) -> Boxed) -> Entry {
    Entry { name, description, group: Group::Literature, build: Build::Always(build) }
}
