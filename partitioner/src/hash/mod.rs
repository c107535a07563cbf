//! The key hashes of Kafka's clients, bit for bit.
//!
//! A producer puts a keyed record on partition `hash(key) % n`; which hash, and what becomes of its sign, differs from
//! client to client. [`KeyHash`] names every rule that we know of. Two rules with different hashes agree on about one
//! key in `n`, by chance; a topic written by two such clients has no order per key.
//!
//! Which rule a client follows was read in its source, and then checked by asking the client itself: see
//! `testdata/vectors/README.md`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::explain::nearest;
use crate::ids::{PartitionCount, PartitionIndex};

pub mod crc32;
pub mod fnv1a;
pub mod kafkajs_legacy;
pub mod murmur2;
pub mod sign;
pub mod xxhash32;

/// A rule from key to number, after which the partition is that number modulo the partition count.
///
/// The rule is only about keyed records. What a client does with a null key, and whether it takes an empty key as one
/// (librdkafka's `consistent_random` does), is not part of it.
///
/// ```
/// use partitioner::hash::KeyHash;
/// use partitioner::ids::PartitionCount;
///
/// let count = PartitionCount::new(12).unwrap();
/// assert_eq!(KeyHash::Murmur2.partition(b"user-42", count).get(), 4); // Java
/// assert_eq!(KeyHash::Crc32.partition(b"user-42", count).get(), 7); // librdkafka
/// assert_eq!("fnv1a-abs".parse(), Ok(KeyHash::Fnv1aAbs));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum KeyHash {
    /// `murmur2`: `(murmur2(key) & 0x7fffffff) % n`.
    ///
    /// The Java client and its built-in partitioner; franz-go; kafka-python and aiokafka; KafkaJS 2 and up (default and
    /// `JavaCompatiblePartitioner`); confluent-kafka-javascript; librdkafka `murmur2` and `murmur2_random`; kafka-go
    /// `Murmur2Balancer`; Sarama `NewMurmur2Partitioner`; `@platformatic/kafka` `compatibilityPartitioner`; the Rust
    /// clients krafka, kacrab, partitionline and barnabas (`Murmur2`).
    #[default]
    Murmur2,
    /// `murmur2-unsigned`: `murmur2(key) % n`, unsigned.
    ///
    /// `@platformatic/kafka`, by default. Agrees with [`Murmur2`](Self::Murmur2) on about half of the keys, and on all
    /// of them when `n` is a power of two.
    Murmur2Unsigned,
    /// `murmur2-wrapping-abs`: `int32(murmur2(key)).wrapping_abs() as u64 % n`.
    ///
    /// The Rust client `kafka_client` 0.5.
    Murmur2WrappingAbs,
    /// `crc32`: `crc32(key) % n`, unsigned.
    ///
    /// librdkafka `consistent` and `consistent_random` (its default), and so rust-rdkafka, confluent-kafka for Go,
    /// Python and .NET, node-rdkafka; ruby-kafka; kafka-go `CRC32Balancer`; Sarama `NewConsistentCRCHashPartitioner`;
    /// franz-go `SaramaHasher` over CRC-32; barnabas.
    Crc32,
    /// `crc32-mask`: `(crc32(key) & 0x7fffffff) % n`.
    ///
    /// franz-go `KafkaHasher` over CRC-32.
    Crc32Mask,
    /// `crc32-abs`: `abs(int32(crc32(key))) % n`.
    ///
    /// Sarama `NewCustomHashPartitioner` and franz-go `SaramaCompatHasher`, both over CRC-32.
    Crc32Abs,
    /// `fnv1a-abs`: `abs(int32(fnv1a(key))) % n`.
    ///
    /// Sarama's default, `NewHashPartitioner`; kafka-go `Hash`; librdkafka `fnv1a` and `fnv1a_random`; franz-go
    /// `SaramaCompatHasher` over FNV-1a.
    Fnv1aAbs,
    /// `fnv1a-mask`: `(fnv1a(key) & 0x7fffffff) % n`.
    ///
    /// Sarama `NewReferenceHashPartitioner`; kafka-go `ReferenceHash`; franz-go `KafkaHasher` over FNV-1a.
    Fnv1aMask,
    /// `fnv1a-unsigned`: `fnv1a(key) % n`, unsigned.
    ///
    /// franz-go `SaramaHasher` over FNV-1a, on 64-bit machines; on 32-bit ones it places as
    /// [`Fnv1aAbs`](Self::Fnv1aAbs).
    Fnv1aUnsigned,
    /// `kafkajs-legacy`: `(legacy(key) & 0x7fffffff) % n`, murmur2 in doubles.
    ///
    /// KafkaJS before 2.0, and `LegacyPartitioner` since.
    KafkaJsLegacy,
    /// `xxhash32`: `xxhash32(key) % n`, seed 0, unsigned.
    ///
    /// The Rust clients `kafka` 0.10 and `rustfs-kafka`.
    XxHash32,
}

impl KeyHash {
    /// Every rule, in the order of declaration.
    pub const ALL: [Self; 11] = [
        Self::Murmur2,
        Self::Murmur2Unsigned,
        Self::Murmur2WrappingAbs,
        Self::Crc32,
        Self::Crc32Mask,
        Self::Crc32Abs,
        Self::Fnv1aAbs,
        Self::Fnv1aMask,
        Self::Fnv1aUnsigned,
        Self::KafkaJsLegacy,
        Self::XxHash32,
    ];

    /// The name in configuration files and on the command line; it never changes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Murmur2 => "murmur2",
            Self::Murmur2Unsigned => "murmur2-unsigned",
            Self::Murmur2WrappingAbs => "murmur2-wrapping-abs",
            Self::Crc32 => "crc32",
            Self::Crc32Mask => "crc32-mask",
            Self::Crc32Abs => "crc32-abs",
            Self::Fnv1aAbs => "fnv1a-abs",
            Self::Fnv1aMask => "fnv1a-mask",
            Self::Fnv1aUnsigned => "fnv1a-unsigned",
            Self::KafkaJsLegacy => "kafkajs-legacy",
            Self::XxHash32 => "xxhash32",
        }
    }

    /// The hash of `key` after its sign treatment, such that the partition is `value % n`.
    ///
    /// Below 2^32, but for [`Murmur2WrappingAbs`](Self::Murmur2WrappingAbs), whose minimum becomes 2^64 − 2^31.
    ///
    /// ```
    /// use partitioner::hash::KeyHash;
    ///
    /// assert_eq!(KeyHash::Murmur2.value(b"21"), 1_173_551_340);
    /// assert_eq!(KeyHash::Murmur2Unsigned.value(b"21"), 1_173_551_340 + (1 << 31));
    /// ```
    #[inline]
    #[must_use]
    pub fn value(self, key: &[u8]) -> u64 {
        // Nearly every contract hashes so; the rest is kept out of the way of the inlined loop.
        if self == Self::Murmur2 {
            u64::from(sign::mask(murmur2::murmur2(key)))
        } else {
            self.value_by_other(key)
        }
    }

    #[inline(never)]
    fn value_by_other(self, key: &[u8]) -> u64 {
        let hash = match self {
            Self::Murmur2 => sign::mask(murmur2::murmur2(key)),
            Self::Murmur2Unsigned => murmur2::murmur2(key),
            Self::Murmur2WrappingAbs => return sign::wrapping_abs(murmur2::murmur2(key)),
            Self::Crc32 => crc32::crc32(key),
            Self::Crc32Mask => sign::mask(crc32::crc32(key)),
            Self::Crc32Abs => sign::abs(crc32::crc32(key)),
            Self::Fnv1aAbs => fnv1a::librdkafka_abs(key),
            Self::Fnv1aMask => fnv1a::sarama_reference_mask(key),
            Self::Fnv1aUnsigned => fnv1a::fnv1a(key),
            Self::KafkaJsLegacy => sign::mask(kafkajs_legacy::kafkajs_legacy(key)),
            Self::XxHash32 => xxhash32::xxhash32(key),
        };
        u64::from(hash)
    }

    /// The partition on which a client of this rule puts `key` in a topic of `count` partitions.
    ///
    /// Total: any bytes, the empty key too, have a place.
    ///
    /// ```
    /// use partitioner::hash::KeyHash;
    /// use partitioner::ids::PartitionCount;
    ///
    /// let count = PartitionCount::new(15).unwrap();
    /// assert_eq!(KeyHash::Murmur2.partition(b"TT0124", count).get(), 10);
    /// ```
    #[inline]
    #[must_use]
    pub fn partition(self, key: &[u8], count: PartitionCount) -> PartitionIndex {
        count.wrap(self.value(key))
    }
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for KeyHash {
    type Err = UnknownKeyHash;

    /// The rule of that [`name`](Self::name), spelled exactly so.
    ///
    /// # Errors
    /// When no rule has the name; the message lists all names, and the nearest.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| UnknownKeyHash::new(name))
    }
}

impl Serialize for KeyHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for KeyHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl serde::de::Visitor<'_> for Name {
            type Value = KeyHash;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a key hash, such as \"murmur2\"")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<KeyHash, E> {
                name.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// No [`KeyHash`] has the name that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKeyHash {
    name: String,
    nearest: Option<&'static str>,
}

impl UnknownKeyHash {
    /// The longest part of a wrong name that is worth repeating, in characters; the longest right one has 20.
    const SHOWN_CHARS_MAX: usize = 40;
    fn new(name: &str) -> Self {
        let shown: String = name.chars().take(Self::SHOWN_CHARS_MAX).collect();
        let spelled = shown.to_ascii_lowercase().replace(['_', ' '], "-");
        let nearest = nearest(&spelled, KeyHash::ALL.map(KeyHash::name));
        Self { name: shown, nearest }
    }
}

impl fmt::Display for UnknownKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Debug of a string, because it escapes what would move the cursor of a terminal.
        write!(f, "unknown key hash {:?}: expected one of ", self.name)?;
        f.write_str(&KeyHash::ALL.map(KeyHash::name).join(", "))?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean \"{nearest}\"?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownKeyHash {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for rule in KeyHash::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
            let json = serde_json::to_string(&rule).unwrap();
            assert_eq!(json, format!("\"{rule}\""));
            assert_eq!(serde_json::from_str::<KeyHash>(&json).unwrap(), rule);
        }
    }

    #[test]
    fn all_holds_each_rule_once() {
        for (at, rule) in KeyHash::ALL.into_iter().enumerate() {
            assert!(!KeyHash::ALL[..at].contains(&rule), "{rule} is listed twice");
        }
        assert_eq!(KeyHash::ALL[0], KeyHash::default());
    }

    #[test]
    fn wrong_names_get_the_names_and_the_nearest() {
        let names = "murmur2, murmur2-unsigned, murmur2-wrapping-abs, crc32, crc32-mask, crc32-abs, fnv1a-abs, \
                     fnv1a-mask, fnv1a-unsigned, kafkajs-legacy, xxhash32";
        for (given, shown, hint) in [
            ("murmur3", "\"murmur3\"", "; did you mean \"murmur2\"?"),
            ("FNV1A_MASK", "\"FNV1A_MASK\"", "; did you mean \"fnv1a-mask\"?"),
            ("sha256", "\"sha256\"", ""),
            ("\u{1b}[2J", "\"\\u{1b}[2J\"", ""),
            ("", "\"\"", ""),
        ] {
            let expected = format!("unknown key hash {shown}: expected one of {names}{hint}");
            assert_eq!(given.parse::<KeyHash>().unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_huge_wrong_name_is_cut() {
        let message = "é".repeat(1_000_000).parse::<KeyHash>().unwrap_err().to_string();
        assert!(message.len() < 400, "{} bytes", message.len());
    }

    #[test]
    fn a_wrong_name_or_type_in_a_file_is_an_error_with_its_place() {
        #[derive(Debug, Deserialize)]
        struct Config {
            #[allow(dead_code)] // only the error is looked at
            hash: KeyHash,
        }
        let wrong_name = toml::from_str::<Config>("hash = 'crc23'").unwrap_err().to_string();
        assert!(wrong_name.contains("line 1, column 8") && wrong_name.contains("did you mean \"crc32\"?"));
        let wrong_type = toml::from_str::<Config>("hash = 32").unwrap_err().to_string();
        assert!(wrong_type.contains("invalid type: integer `32`, expected the name of a key hash"));
    }
}
