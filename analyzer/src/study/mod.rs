//! Imbalance as papers on stream processing measure it: keys of a Zipf distribution, several producers that do not talk to
//! each other, and one draw of the hashes after the other.
//!
//! A [`ZipfStream`] is made once; [`imbalance`] sends it through a [`Rule`] under the hashes of a seed.

pub use self::imbalance::{Imbalance, Rule, imbalance};
pub use self::zipf_stream::ZipfStream;

mod imbalance;
mod zipf_stream;
