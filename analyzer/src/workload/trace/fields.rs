//! Which fields of a trace are read: as the user names them, then as a selection that cannot be wrong.

use super::error::TraceError;

/// Names of the fields to read. Either `tenant` or `key` is named, not both; everything else may be absent.
///
/// In CSV and TSV a name is a column of the header, matched byte for byte. In JSON Lines it is a member of the
/// object; `a.b` is the member `a.b`, or else the member `b` of the object `a`. In Parquet it is a column; `a.b` is
/// the column `a.b`, or else the member `b` of the structure `a`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceFields {
    /// The tenant: every row has one.
    pub tenant: Option<String>,
    /// The entity inside the tenant (an order, a device); needs `tenant`.
    pub entity: Option<String>,
    /// The whole record key, as it would be sent to Kafka.
    pub key: Option<String>,
    /// Size of the record in bytes.
    pub bytes: Option<String>,
    /// Time of the record.
    pub time: Option<String>,
}

/// One thing that is read from each row, and the name it has in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The tenant, or the key when the trace has whole keys.
    First,
    Entity,
    Bytes,
    Time,
}

/// Checked [`TraceFields`].
#[derive(Clone, Debug)]
pub(super) struct Selection {
    first: String,
    first_is_key: bool,
    entity: Option<String>,
    bytes: Option<String>,
    time: Option<String>,
}

impl Selection {
    pub(super) fn new(fields: TraceFields) -> Result<Self, TraceError> {
        let TraceFields { tenant, entity, key, bytes, time } = fields;
        let (first, first_is_key) = match (tenant, key) {
            (Some(tenant), Some(key)) => return Err(TraceError::key_and_tenant_field(&key, &tenant)),
            (Some(tenant), None) => (tenant, false),
            (None, key) => {
                if let Some(entity) = entity {
                    return Err(TraceError::entity_without_tenant(&entity));
                }
                (key.ok_or_else(TraceError::no_key_field)?, true)
            }
        };
        Ok(Self { first, first_is_key, entity, bytes, time })
    }

    /// Whether [`Role::First`] is a whole key, not a tenant.
    pub(super) fn first_is_key(&self) -> bool {
        self.first_is_key
    }

    /// The name of what plays `role`, if anything does.
    pub(super) fn name(&self, role: Role) -> Option<&str> {
        match role {
            Role::First => Some(&self.first),
            Role::Entity => self.entity.as_deref(),
            Role::Bytes => self.bytes.as_deref(),
            Role::Time => self.time.as_deref(),
        }
    }

    /// Everything that is read, with its name; [`Role::First`] comes first.
    pub(super) fn roles(&self) -> impl Iterator<Item = (Role, &str)> {
        [Role::First, Role::Entity, Role::Bytes, Role::Time]
            .into_iter()
            .filter_map(|role| self.name(role).map(|name| (role, name)))
    }
}

/// A record size: decimal digits only, at most `u32::MAX`.
#[inline]
pub(super) fn parse_record_bytes(text: &[u8]) -> Option<u32> {
    /// As many nines fit into 64 bits, so that one check at the end is enough.
    const DIGITS_MAX: usize = 19;
    if text.is_empty() || text.len() > DIGITS_MAX {
        return None;
    }
    let mut bytes = 0u64;
    for &byte in text {
        if !byte.is_ascii_digit() {
            return None;
        }
        bytes = bytes * 10 + u64::from(byte - b'0');
    }
    u32::try_from(bytes).ok()
}

/// The one of `names` that `name` was perhaps meant to be.
pub(super) fn nearest<'n>(name: &str, names: &[&'n [u8]]) -> Option<&'n str> {
    partitioner::explain::nearest(name, names.iter().filter_map(|name| std::str::from_utf8(name).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tenant: &str, entity: &str, key: &str) -> TraceFields {
        let name = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        TraceFields { tenant: name(tenant), entity: name(entity), key: name(key), ..TraceFields::default() }
    }

    #[test]
    fn either_a_tenant_or_a_key_is_named() {
        assert!(!Selection::new(named("t", "", "")).unwrap().first_is_key());
        assert!(!Selection::new(named("t", "e", "")).unwrap().first_is_key());
        assert!(Selection::new(named("", "", "k")).unwrap().first_is_key());
        for (fields, expected) in [
            (named("", "", ""), "no field to place records by"),
            (named("t", "", "k"), "both a key field (`k`) and a tenant field (`t`)"),
            (named("", "e", ""), "an entity field (`e`) needs a tenant field"),
            (named("", "e", "k"), "an entity field (`e`) needs a tenant field"),
        ] {
            let message = Selection::new(fields).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn record_bytes_are_whole_numbers_of_32_bits() {
        assert_eq!(parse_record_bytes(b"0"), Some(0));
        assert_eq!(parse_record_bytes(b"007"), Some(7));
        assert_eq!(parse_record_bytes(b"4294967295"), Some(u32::MAX));
        for text in
            ["", "4294967296", "99999999999999999999", "-1", "+1", "1.0", "1e3", " 1", "1 ", "12k", "NaN"]
        {
            assert_eq!(parse_record_bytes(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn the_nearest_name_is_near() {
        let names: [&[u8]; 4] = [b"carrier", b"tailnum", b"\xff\xfe", b"time_hour"];
        assert_eq!(nearest("carier", &names), Some("carrier"));
        assert_eq!(nearest("TailNum ", &names), Some("tailnum"));
        assert_eq!(nearest("time-hour", &names), Some("time_hour"));
        assert_eq!(nearest("tenant", &names), None);
    }
}
