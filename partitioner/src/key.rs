//! The two parts of a record key, and how they lie in its bytes.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::num::NonZeroU16;

use memchr::{memchr, memchr2};

/// How a tenant and an entity are written as one key, and read back.
///
/// Keys are bytes: nothing here asks for UTF-8. For every format `decode` undoes `encode`, and `encode` gives back the
/// bytes of every key that `decode` accepts, so two different (tenant, entity) pairs never share a key.
///
/// Kafka itself has no such notion: to it a key is opaque.
///
/// ```
/// use partitioner::key::KeyFormat;
///
/// let format = KeyFormat::default();
/// assert_eq!(format.encode(b"acme", b"order-7").unwrap(), b"acme:order-7");
/// assert_eq!(format.encode(b"acme:eu", b"a:b").unwrap(), br"acme\:eu:a:b");
///
/// let key = format.decode(br"acme\:eu:a:b").unwrap();
/// assert_eq!((&*key.tenant, key.entity), (&b"acme:eu"[..], &b"a:b"[..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFormat {
    /// `tenant separator entity`, with the escape byte before each separator or escape byte inside the tenant.
    ///
    /// The first separator that is not escaped ends the tenant, so the entity stands as it is and may hold any byte.
    TenantEntity {
        /// Ends the tenant; differs from `escape`.
        separator: u8,
        /// Makes the next byte, a separator or an escape, part of the tenant.
        escape: u8,
    },
    /// The tenant is everything before the first separator; the rest is opaque. A tenant cannot hold the separator.
    TenantPrefix {
        /// Ends the tenant.
        separator: u8,
    },
    /// The tenant is the first bytes of the key, always as many.
    FixedWidth {
        /// Length of a tenant in bytes, 1 to 65,535.
        tenant_width_bytes: NonZeroU16,
    },
    /// The whole key is the tenant; there is no entity.
    Whole,
}

impl Default for KeyFormat {
    /// `tenant:entity` with `\` as the escape.
    fn default() -> Self {
        Self::TenantEntity { separator: b':', escape: b'\\' }
    }
}

/// A key taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key<'k> {
    /// The tenant; borrowed from the key unless an escape had to be removed.
    pub tenant: Cow<'k, [u8]>,
    /// The entity; empty when the format has none.
    pub entity: &'k [u8],
}

/// Where a key's tenant ends, with the tenant's bytes as they stand in the key, escapes included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split<'k> {
    pub(crate) raw_tenant: &'k [u8],
    pub(crate) entity: &'k [u8],
}

impl KeyFormat {
    /// The key of `entity` of `tenant`.
    ///
    /// # Errors
    /// [`EncodeError`] when the format cannot hold the pair: a separator in the tenant of a `tenant-prefix` key, a tenant of
    /// another length than a `fixed-width` key has, an entity in a `whole` key.
    pub fn encode(&self, tenant: &[u8], entity: &[u8]) -> Result<Vec<u8>, EncodeError> {
        let mut key = Vec::with_capacity(tenant.len() + 1 + entity.len());
        self.encode_into(tenant, entity, &mut key)?;
        Ok(key)
    }

    /// Appends the key of `entity` of `tenant` to `key`; see [`encode`](Self::encode).
    ///
    /// # Errors
    /// As `encode`; `key` is left as it was.
    pub fn encode_into(&self, tenant: &[u8], entity: &[u8], key: &mut Vec<u8>) -> Result<(), EncodeError> {
        match *self {
            Self::TenantEntity { separator, .. } => {
                self.escape_tenant_into(tenant, key);
                key.push(separator);
            }
            Self::TenantPrefix { separator } => {
                if memchr(separator, tenant).is_some() {
                    return Err(EncodeError(EncodeErrorKind::SeparatorInTenant { separator }));
                }
                key.extend_from_slice(tenant);
                key.push(separator);
            }
            Self::FixedWidth { tenant_width_bytes } => {
                if tenant.len() != usize::from(tenant_width_bytes.get()) {
                    let (expected, got) = (tenant_width_bytes.get(), tenant.len());
                    return Err(EncodeError(EncodeErrorKind::TenantWidth { expected, got }));
                }
                key.extend_from_slice(tenant);
            }
            Self::Whole => {
                if !entity.is_empty() {
                    return Err(EncodeError(EncodeErrorKind::EntityInWholeKey));
                }
                key.extend_from_slice(tenant);
            }
        }
        key.extend_from_slice(entity);
        Ok(())
    }

    /// Takes a key apart, without a copy unless the tenant holds an escape.
    ///
    /// # Errors
    /// [`MalformedKey`] when no [`encode`](Self::encode) could have made these bytes.
    pub fn decode<'k>(&self, key: &'k [u8]) -> Result<Key<'k>, MalformedKey> {
        let Split { raw_tenant, entity } = self.split(key)?;
        let tenant = match *self {
            Self::TenantEntity { escape, .. } if memchr(escape, raw_tenant).is_some() => {
                Cow::Owned(unescape(raw_tenant, escape))
            }
            _ => Cow::Borrowed(raw_tenant),
        };
        Ok(Key { tenant, entity })
    }

    /// The tenant as it stands in a key, escapes and all: what `spread = "tenant"` hashes.
    ///
    /// ```
    /// use partitioner::key::KeyFormat;
    ///
    /// let format = KeyFormat::default();
    /// assert_eq!(format.raw_tenant(br"acme\:eu:order-7").unwrap(), br"acme\:eu");
    /// assert!(format.raw_tenant(b"no-separator").is_err());
    /// ```
    ///
    /// # Errors
    /// [`MalformedKey`] when no [`encode`](Self::encode) could have made these bytes.
    pub fn raw_tenant<'k>(&self, key: &'k [u8]) -> Result<&'k [u8], MalformedKey> {
        self.split(key).map(|split| split.raw_tenant)
    }

    /// Whether keys of this format carry an entity beside the tenant.
    #[must_use]
    pub const fn has_entity(&self) -> bool {
        !matches!(self, Self::Whole)
    }

    /// Appends `tenant`, or the start of one, as it stands in a key.
    ///
    /// Escaping goes byte by byte, so the raw form of a prefix is a prefix of the raw form.
    pub(crate) fn escape_tenant_into(&self, tenant: &[u8], out: &mut Vec<u8>) {
        let Self::TenantEntity { separator, escape } = *self else {
            out.extend_from_slice(tenant);
            return;
        };
        for &byte in tenant {
            if byte == separator || byte == escape {
                out.push(escape);
            }
            out.push(byte);
        }
    }

    /// Finds where the tenant ends. Never allocates.
    pub(crate) fn split<'k>(&self, key: &'k [u8]) -> Result<Split<'k>, MalformedKey> {
        match *self {
            Self::TenantEntity { separator, escape } => match memchr2(separator, escape, key) {
                Some(at) if key[at] == separator => Ok(split_at_separator(key, at)),
                Some(at) => split_escaped(key, at, separator, escape),
                None => Err(MalformedKey(Malformation::NoSeparator { separator })),
            },
            Self::TenantPrefix { separator } => match memchr(separator, key) {
                Some(at) => Ok(split_at_separator(key, at)),
                None => Err(MalformedKey(Malformation::NoSeparator { separator })),
            },
            Self::FixedWidth { tenant_width_bytes } => {
                match key.split_at_checked(usize::from(tenant_width_bytes.get())) {
                    Some((raw_tenant, entity)) => Ok(Split { raw_tenant, entity }),
                    None => Err(MalformedKey(Malformation::TooShort { expected: tenant_width_bytes.get() })),
                }
            }
            Self::Whole => Ok(Split { raw_tenant: key, entity: &[] }),
        }
    }
}

#[inline]
fn split_at_separator(key: &[u8], at: usize) -> Split<'_> {
    Split { raw_tenant: &key[..at], entity: &key[at + 1..] }
}

/// As `split`, for a key whose first escape, at `at`, comes before any separator.
#[cold]
fn split_escaped(key: &[u8], mut at: usize, separator: u8, escape: u8) -> Result<Split<'_>, MalformedKey> {
    loop {
        if key[at] == separator {
            return Ok(split_at_separator(key, at));
        }
        match key.get(at + 1) {
            Some(&next) if next == separator || next == escape => at += 2,
            _ => return Err(MalformedKey(Malformation::BadEscape { escape, at })),
        }
        match memchr2(separator, escape, &key[at..]) {
            Some(distance) => at += distance,
            None => return Err(MalformedKey(Malformation::NoSeparator { separator })),
        }
    }
}

/// Removes the escapes of a tenant that `split` accepted.
fn unescape(raw: &[u8], escape: u8) -> Vec<u8> {
    let mut tenant = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            byte if byte == escape => tenant.extend(bytes.next()),
            byte => tenant.push(byte),
        }
    }
    tenant
}

/// A key that the format could not have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedKey(Malformation);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Malformation {
    NoSeparator { separator: u8 },
    BadEscape { escape: u8, at: usize },
    TooShort { expected: u16 },
}

impl fmt::Display for MalformedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Malformation::NoSeparator { separator } => {
                write!(f, "no separator '{}' after a tenant", separator.escape_ascii())
            }
            Malformation::BadEscape { escape, at } => write!(
                f,
                "the escape '{}' at byte {at} is followed by neither a separator nor an escape",
                escape.escape_ascii()
            ),
            Malformation::TooShort { expected } => write!(f, "shorter than a tenant of {expected} bytes"),
        }
    }
}

impl Error for MalformedKey {}

/// A (tenant, entity) pair that the format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError(EncodeErrorKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EncodeErrorKind {
    SeparatorInTenant { separator: u8 },
    TenantWidth { expected: u16, got: usize },
    EntityInWholeKey,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            EncodeErrorKind::SeparatorInTenant { separator } => write!(
                f,
                "the tenant holds the separator '{}', which a tenant-prefix key cannot; use the format tenant-entity",
                separator.escape_ascii()
            ),
            EncodeErrorKind::TenantWidth { expected, got } => {
                write!(f, "the tenant has {got} bytes where a fixed-width key has {expected}")
            }
            EncodeErrorKind::EntityInWholeKey => f.write_str(
                "an entity was given where the whole key is the tenant; use the format tenant-entity",
            ),
        }
    }
}

impl Error for EncodeError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fixed(width: u16) -> KeyFormat {
        KeyFormat::FixedWidth { tenant_width_bytes: NonZeroU16::new(width).unwrap() }
    }

    /// Any format, with separators and escapes that collide with the bytes of small alphabets.
    fn formats() -> impl Strategy<Value = KeyFormat> {
        prop_oneof![
            Just(KeyFormat::default()),
            (any::<u8>(), any::<u8>())
                .prop_filter("two different bytes", |(separator, escape)| separator != escape)
                .prop_map(|(separator, escape)| KeyFormat::TenantEntity { separator, escape }),
            any::<u8>().prop_map(|separator| KeyFormat::TenantPrefix { separator }),
            (1u16..6).prop_map(fixed),
            Just(KeyFormat::Whole),
        ]
    }

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            proptest::collection::vec(prop_oneof![Just(b':'), Just(b'\\'), Just(b'a')], 0..12),
            proptest::collection::vec(any::<u8>(), 0..40),
        ]
    }

    proptest! {
        #[test]
        fn decode_undoes_encode(format in formats(), tenant in texts(), entity in texts()) {
            if let Ok(key) = format.encode(&tenant, &entity) {
                let decoded = format.decode(&key).unwrap();
                prop_assert_eq!((&*decoded.tenant, decoded.entity), (&tenant[..], &entity[..]));
            }
        }

        #[test]
        fn the_default_format_holds_every_pair(tenant in texts(), entity in texts()) {
            prop_assert!(KeyFormat::default().encode(&tenant, &entity).is_ok());
        }

        #[test]
        fn encode_gives_back_every_key_that_decodes(format in formats(), key in texts()) {
            if let Ok(decoded) = format.decode(&key) {
                prop_assert_eq!(format.encode(&decoded.tenant, decoded.entity).unwrap(), key);
            }
        }

        #[test]
        fn a_raw_tenant_starts_with_the_raw_form_of_its_prefixes(tenant in texts(), cut in 0usize..40) {
            let format = KeyFormat::default();
            let prefix = &tenant[..cut.min(tenant.len())];
            let (mut raw_tenant, mut raw_prefix) = (Vec::new(), Vec::new());
            format.escape_tenant_into(&tenant, &mut raw_tenant);
            format.escape_tenant_into(prefix, &mut raw_prefix);
            prop_assert!(raw_tenant.starts_with(&raw_prefix));
        }
    }

    #[test]
    fn nothing_is_copied_unless_an_escape_is_removed() {
        let format = KeyFormat::default();
        assert!(matches!(format.decode(b"acme:order-7").unwrap().tenant, Cow::Borrowed(b"acme")));
        assert!(matches!(format.decode(br"acme:a\b").unwrap().tenant, Cow::Borrowed(_)));
        assert!(matches!(format.decode(br"ac\:me:7").unwrap().tenant, Cow::Owned(_)));
    }

    #[test]
    fn each_malformed_key_says_what_is_wrong_with_it() {
        let cases: [(KeyFormat, &[u8], &str); 7] = [
            (KeyFormat::default(), b"acme", "no separator ':' after a tenant"),
            (KeyFormat::default(), b"", "no separator ':' after a tenant"),
            (KeyFormat::default(), br"acme\:7", "no separator ':' after a tenant"),
            (KeyFormat::default(), br"a\cme:7", r"the escape '\\' at byte 1 is followed by neither"),
            (KeyFormat::default(), br"acme\", r"the escape '\\' at byte 4 is followed by neither"),
            (KeyFormat::TenantPrefix { separator: 0 }, b"acme", r"no separator '\x00' after a tenant"),
            (fixed(4), b"acm", "shorter than a tenant of 4 bytes"),
        ];
        for (format, key, expected) in cases {
            let message = format.decode(key).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{format:?} {key:?}: {message}");
        }
    }

    #[test]
    fn what_a_format_cannot_hold_is_refused_and_leaves_the_buffer_alone() {
        let mut key = b"before".to_vec();
        let prefix = KeyFormat::TenantPrefix { separator: b':' };
        assert!(
            prefix.encode_into(b"a:b", b"7", &mut key).unwrap_err().to_string().contains("tenant-entity")
        );
        assert!(fixed(4).encode_into(b"acm", b"7", &mut key).unwrap_err().to_string().contains("3 bytes"));
        assert!(KeyFormat::Whole.encode_into(b"acme", b"7", &mut key).is_err());
        assert_eq!(key, b"before");
    }

    #[test]
    fn the_tenant_may_be_empty_and_the_entity_too() {
        let key = KeyFormat::default().decode(b":").unwrap();
        assert_eq!((&*key.tenant, key.entity), (&b""[..], &b""[..]));
    }
}
