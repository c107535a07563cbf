//! How late records are handled: a queue for each partition, with one consumer that takes its records in order.
//!
//! A record waits until those before it on its partition are handled, and is then handled itself; both together are its
//! latency. There is no broker, network, batch or poll in between, so what is computed here is what no deployment with
//! consumers of that rate can be better than.
//!
//! Times are microseconds as `f64`, from the first arrival on. Everything is a function of its arguments and a seed, down
//! to the bit and on every machine: logarithms are those of the `libm` crate.

pub use self::arrivals::{PoissonArrivals, TracedArrivals};
pub use self::latencies::Latencies;
pub use self::queue::Queue;
pub use self::service::{Service, ServiceRate, ServiceTimes};
pub use self::topic::{Class, TopicQueues};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

mod arrivals;
pub mod closed_form;
mod hgrm;
mod latencies;
mod queue;
mod service;
#[cfg(test)]
mod tests;
mod topic;

/// Microseconds in a second.
pub const US_PER_S: f64 = 1e6;

/// A draw from the exponential distribution of mean 1, by inversion.
#[allow(clippy::cast_precision_loss)] // 53 bits fit
fn exponential(random: &mut Xoshiro256PlusPlus) -> f64 {
    // 2^-53 to 1: the logarithm is finite.
    let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -libm::log(uniform)
}
