//! Keys and tenants in a contract: text where it is text, hexadecimal where it is not.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The bytes of a key or a tenant: `"acme"`, or `{ hex = "61ff" }` for bytes that are not UTF-8.
///
/// ```
/// use partitioner::contract::ByteName;
///
/// assert_eq!(ByteName::from("acme").as_bytes(), b"acme");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteName(Vec<u8>);

impl ByteName {
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for ByteName {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<Vec<u8>> for ByteName {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for ByteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// Tenants: one by name, or all that start with something.
///
/// In TOML `"acme"`, `"acme-*"`, or `{ hex = "61ff", prefix = true }` for bytes that are not UTF-8 and for names that end
/// in an asterisk.
///
/// ```
/// use partitioner::contract::TenantPattern;
///
/// let pattern = TenantPattern::from("acme-*");
/// assert!(pattern.is_prefix() && pattern.as_bytes() == b"acme-");
/// assert!(!TenantPattern::exact(b"acme-*".to_vec()).is_prefix());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantPattern {
    name: ByteName,
    is_prefix: bool,
}

impl TenantPattern {
    /// The tenant with exactly these bytes.
    #[must_use]
    pub fn exact(name: Vec<u8>) -> Self {
        Self { name: ByteName(name), is_prefix: false }
    }

    /// Every tenant that starts with these bytes.
    #[must_use]
    pub fn prefix(start: Vec<u8>) -> Self {
        Self { name: ByteName(start), is_prefix: true }
    }

    /// The name, or the start of one.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.name.0
    }

    /// Whether longer names match too.
    #[must_use]
    pub fn is_prefix(&self) -> bool {
        self.is_prefix
    }
}

impl From<&str> for TenantPattern {
    fn from(text: &str) -> Self {
        match text.strip_suffix('*') {
            Some(start) => Self::prefix(start.as_bytes().to_vec()),
            None => Self::exact(text.as_bytes().to_vec()),
        }
    }
}

impl fmt::Display for TenantPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.is_prefix { "*" } else { "" };
        write!(f, "\"{}{star}\"", self.as_bytes().escape_ascii())
    }
}

/// How both stand in a file.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a string or a table { hex = \"61ff\" }")]
enum Written {
    Text(String),
    Hex(Hex),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hex {
    hex: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    prefix: bool,
}

impl Hex {
    fn of(bytes: &[u8], prefix: bool) -> Self {
        Self { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), prefix }
    }

    fn bytes<E: de::Error>(&self) -> Result<Vec<u8>, E> {
        let digits: Option<Vec<u32>> = self.hex.chars().map(|digit| digit.to_digit(16)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => Ok(digits
                .chunks_exact(2)
                .filter_map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok())
                .collect()),
            _ => Err(E::custom(format!("hex = {:?} is not an even number of hexadecimal digits", self.hex))),
        }
    }
}

impl Serialize for ByteName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Hex::of(&self.0, false).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ByteName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self(text.into_bytes())),
            Written::Hex(hex) if hex.prefix => Err(de::Error::custom("prefix = true has no meaning here")),
            Written::Hex(hex) => hex.bytes().map(Self),
        }
    }
}

impl Serialize for TenantPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(self.as_bytes()) {
            Ok(text) if self.is_prefix => serializer.serialize_str(&format!("{text}*")),
            Ok(text) if !text.ends_with('*') => serializer.serialize_str(text),
            _ => Hex::of(self.as_bytes(), self.is_prefix).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for TenantPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self::from(text.as_str())),
            Written::Hex(hex) => Ok(Self { name: ByteName(hex.bytes()?), is_prefix: hex.prefix }),
        }
    }
}
