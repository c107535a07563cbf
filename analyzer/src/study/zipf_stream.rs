//! Keys of a Zipf distribution, in order.

use crate::workload::profile::{NumberedBatch, Profile, ProfileError, ProfileTraffic};

/// The number of each record's key; key `k` from 0 has a share in proportion to `1 / (k + 1)^exponent`.
#[derive(Clone, Debug)]
pub struct ZipfStream {
    exponent: f64,
    key_count: u32,
    keys: Vec<u32>,
}

impl ZipfStream {
    /// `records` records of `key_count` keys, drawn by `seed`.
    ///
    /// # Errors
    /// [`ProfileError`] when a profile may not have such an exponent (0 to 10), so many keys (1 to 1,000,000) or so many
    /// records.
    pub fn new(exponent: f64, key_count: u32, records: u64, seed: u64) -> Result<Self, ProfileError> {
        let profile = Profile::from_toml(
            &format!(
                "name = \"keys\"\ndescription = \"keys\"\n[[tenants]]\nname = \"t\"\nweight = 1\nentities = {key_count}\n\
                 entity_distribution = {{ zipf = {exponent:?} }}\n"
            ),
            "a Zipf stream",
        )?;
        let mut traffic = ProfileTraffic::new(&profile, records, seed)?;
        let (mut batch, mut keys) = (NumberedBatch::default(), Vec::new());
        while traffic.read(&mut batch) {
            keys.extend_from_slice(&batch.entities);
        }
        Ok(Self { exponent, key_count, keys })
    }

    /// The number of each record's key.
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// How many keys there are, drawn or not.
    #[must_use]
    pub fn key_count(&self) -> u32 {
        self.key_count
    }

    /// The shares that keys are drawn with, heaviest first.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let weight = |rank: u32| 1.0 / libm::pow(f64::from(rank), self.exponent);
        let sum: f64 = (1..=self.key_count).map(weight).sum();
        (1..=self.key_count).map(|rank| weight(rank) / sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::cast_precision_loss)]
    fn keys_are_drawn_with_their_shares() {
        let stream = ZipfStream::new(1.2, 1_000, 200_000, 3).unwrap();
        let mut records = [0u32; 1_000];
        stream.keys().iter().for_each(|&key| records[key as usize] += 1);
        for (drawn, share) in records.iter().zip(stream.shares()) {
            let expected = share * 200_000.0;
            assert!(
                (f64::from(*drawn) - expected).abs() < 5.0 * expected.sqrt() + 1.0,
                "{drawn}, not {expected}"
            );
        }
    }

    #[test]
    fn what_no_profile_may_have_is_an_error() {
        assert!(ZipfStream::new(f64::NAN, 10, 10, 1).is_err());
        assert!(ZipfStream::new(1.0, 0, 10, 1).is_err());
    }
}
