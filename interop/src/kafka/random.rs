//! Random words from the operating system.

use super::ClusterError;

/// Letters and digits without meaning, each with 5 random bits; in the alphabet of Kafka's ids, and no shell, file or
/// JAAS syntax minds one.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// `length` random characters of [`ALPHABET`].
pub(crate) fn random_word(length: usize) -> Result<String, ClusterError> {
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes)
        .map_err(|error| ClusterError::new(format!("the system gives no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect())
}

/// A random cluster id as `kafka-storage random-uuid` prints it: 16 bytes in URL-safe base64 without padding.
pub(crate) fn random_cluster_id() -> Result<String, ClusterError> {
    // 22 characters are 132 bits; the last four must be zero, as they are in `A`.
    Ok(random_word(21)? + "A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_long_and_differ() {
        let (a, b) = (random_word(24).unwrap(), random_word(24).unwrap());
        assert_eq!((a.len(), b.len()), (24, 24));
        assert_ne!(a, b);
        assert_eq!(random_cluster_id().unwrap().len(), 22);
    }
}
