//! The key hashes of Kafka's clients, bit for bit.
