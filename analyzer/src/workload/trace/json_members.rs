//! Picks a few members out of a JSON object, and leaves the rest unread.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Most members picked at once.
pub(super) const ROLES_MAX: usize = 4;

/// JSON text of each picked member, in the order of the names.
type Members<'a> = [Option<&'a str>; ROLES_MAX];

/// A value that can be a key, a tenant, a size or a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    Null,
    /// The bytes of a string, the digits of a number as they are written, `true` or `false`.
    Text(Cow<'a, [u8]>),
}

/// Finds the members called `names` in the object `text`. A name with a dot that no member has is looked for in
/// the object before the dot.
///
/// # Errors
/// When `text` is not one JSON object, or has a wanted member twice.
///
/// # Panics
/// When more than [`ROLES_MAX`] names are given.
pub(super) fn find_members<'a>(text: &'a str, names: &[&str]) -> serde_json::Result<Members<'a>> {
    assert!(names.len() <= ROLES_MAX, "{} names", names.len());
    let mut json = serde_json::Deserializer::from_str(text);
    let Picked { mut whole, heads } = Pick { names }.deserialize(&mut json)?;
    json.end()?;
    for (i, name) in names.iter().enumerate() {
        let (None, Some(head), Some((_, rest))) = (whole[i], heads[i], name.split_once('.')) else {
            continue;
        };
        if head.starts_with('{') {
            whole[i] = find_members(head, &[rest])?[0];
        }
    }
    Ok(whole)
}

/// Names of all members of the object `text`, for a message; none when it is not an object.
pub(super) fn member_names(text: &str) -> Vec<String> {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text)
        .map(|object| object.into_iter().map(|(name, _)| name).collect())
        .unwrap_or_default()
}

/// Reads the JSON text of a member; when it is no scalar, says what it is.
pub(super) fn scalar(member: &str) -> Result<Scalar<'_>, String> {
    match member.as_bytes() {
        [b'n', ..] => Ok(Scalar::Null),
        [b'{', ..] => Err("an object".to_owned()),
        [b'[', ..] => Err("an array".to_owned()),
        [b'"', inner @ .., b'"'] if memchr::memchr(b'\\', inner).is_none() => {
            Ok(Scalar::Text(Cow::Borrowed(inner)))
        }
        [b'"', ..] => match serde_json::from_str::<String>(member) {
            Ok(text) => Ok(Scalar::Text(Cow::Owned(text.into_bytes()))),
            Err(_) => Err("a string with a lone surrogate".to_owned()),
        },
        digits_or_boolean => Ok(Scalar::Text(Cow::Borrowed(digits_or_boolean))),
    }
}

/// Members that are called one of the names, and members that are called what stands before its first dot.
#[derive(Default)]
struct Picked<'a> {
    whole: Members<'a>,
    heads: Members<'a>,
}

struct Pick<'n> {
    names: &'n [&'n str],
}

impl<'a> DeserializeSeed<'a> for Pick<'_> {
    type Value = Picked<'a>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Picked<'a>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Pick<'_> {
    type Value = Picked<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Picked<'a>, M::Error> {
        let mut picked = Picked::default();
        while let Some(matches) = map.next_key_seed(MatchName { names: self.names })? {
            if matches.is_empty() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<&RawValue>()?.get();
            for i in 0..self.names.len() {
                if matches.whole[i] && picked.whole[i].replace(value).is_some()
                    || matches.head[i] && picked.heads[i].replace(value).is_some()
                {
                    return Err(M::Error::custom("a wanted field appears twice"));
                }
            }
        }
        Ok(picked)
    }
}

/// Which of the names a member's name is, without keeping it.
#[derive(Default)]
struct Matches {
    whole: [bool; ROLES_MAX],
    head: [bool; ROLES_MAX],
}

impl Matches {
    fn is_empty(&self) -> bool {
        !self.whole.contains(&true) && !self.head.contains(&true)
    }
}

struct MatchName<'n> {
    names: &'n [&'n str],
}

impl<'a> DeserializeSeed<'a> for MatchName<'_> {
    type Value = Matches;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Matches, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for MatchName<'_> {
    type Value = Matches;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, member: &str) -> Result<Matches, E> {
        let mut matches = Matches::default();
        for (i, name) in self.names.iter().enumerate() {
            matches.whole[i] = *name == member;
            matches.head[i] = name.strip_prefix(member).is_some_and(|rest| rest.starts_with('.'));
        }
        Ok(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find<'a>(text: &'a str, name: &str) -> Option<&'a str> {
        find_members(text, &[name]).unwrap()[0]
    }

    #[test]
    fn members_by_name_and_by_path() {
        let text = r#"{ "a" : 1 , "b.c": "dotted", "b": {"c": "nested", "d": {"e": [1, 2]}}, "n": null }"#;
        assert_eq!(find(text, "a"), Some("1"));
        assert_eq!(find(text, "b.c"), Some("\"dotted\""), "a whole name goes before a path");
        assert_eq!(find(text, "b.d.e"), Some("[1, 2]"));
        assert_eq!(find(text, "n"), Some("null"));
        for missing in ["c", "b.x", "b.d.x", "a.x", "n.x", "", ".", "b.", ".b"] {
            assert_eq!(find(text, missing), None, "{missing}");
        }
        assert_eq!(find_members(text, &["n", "a", "a"]).unwrap(), [Some("null"), Some("1"), Some("1"), None]);
        assert_eq!(find(r#"{"\u0061":1}"#, "a"), Some("1"));
    }

    #[test]
    fn deep_nesting_is_no_stack_overflow() {
        let deep = format!("{{\"a\":{}1{},\"b\":2}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(find(&deep, "b"), Some("2"));
        let path = vec!["a"; 1_000].join(".");
        assert_eq!(find(&deep, &path), None);
        assert_eq!(member_names(&deep), Vec::<String>::new());
    }
}
