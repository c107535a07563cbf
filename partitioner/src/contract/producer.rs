//! The `[producer]` table: properties of the client that keeps the contract.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ContractError;

/// Words in the names of properties whose values no log may show.
const SECRET_WORDS: [&str; 9] = [
    "password",
    "secret",
    "token",
    "username",
    "private",
    "pem",
    "key.location",
    "oauthbearer.config",
    "jaas",
];

/// Whether the value of a property, such as `sasl.password`, must not be shown.
///
/// Errs on the side of silence: librdkafka's own list is shorter.
///
/// ```
/// use partitioner::contract::is_secret;
///
/// assert!(is_secret("ssl.key.password") && !is_secret("bootstrap.servers"));
/// ```
#[must_use]
pub fn is_secret(property: &str) -> bool {
    SECRET_WORDS.iter().any(|word| property.contains(word))
}

/// Properties of a producer, by librdkafka's names.
///
/// They play no part in placement, and two producers of one topic need not share them: they stand in the contract's file
/// so that one file is all that a producer needs. Names may be written in quotes or, as TOML has it, in parts; a value is a
/// text, a number or a boolean, or the name of an environment variable that holds it.
///
/// ```
/// use partitioner::contract::Contract;
///
/// let contract: Contract = r#"
///     [producer]
///     bootstrap.servers = "localhost:9092"
///     "linger.ms" = 5
///     sasl.password = { env = "KAFKA_PASSWORD" }
/// "#.parse().unwrap();
/// let environment = |name: &str| (name == "KAFKA_PASSWORD").then(|| "hunter2".to_owned());
/// let properties = contract.producer.resolve(environment).unwrap();
/// assert_eq!(properties[1], ("linger.ms".to_owned(), "5".to_owned()));
/// assert_eq!(properties[2].1, "hunter2");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProducerProperties(BTreeMap<String, PropertyValue>);

/// The value of a property.
#[derive(Clone, PartialEq, Eq)]
pub enum PropertyValue {
    /// As it stands in the file.
    Text(String),
    /// In the environment variable of this name.
    FromEnv(String),
}

impl ProducerProperties {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All properties by name, unresolved.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PropertyValue)> {
        self.0.iter().map(|(property, value)| (property.as_str(), value))
    }

    /// The value of a property, unresolved.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&PropertyValue> {
        self.0.get(property)
    }

    /// Sets a property.
    pub fn set(&mut self, property: impl Into<String>, value: PropertyValue) {
        self.0.insert(property.into(), value);
    }

    /// All properties by name, with the values that `environment` gives for those that it holds.
    ///
    /// # Errors
    /// [`ContractError`] with the path of a property whose variable `environment` does not have, or has empty.
    pub fn resolve(
        &self,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<(String, String)>, ContractError> {
        let resolved = self.0.iter().map(|(property, value)| {
            let value = match value {
                PropertyValue::Text(text) => text.clone(),
                PropertyValue::FromEnv(variable) => {
                    environment(variable).filter(|value| !value.is_empty()).ok_or_else(|| {
                        let message = format!(
                            "the environment variable {variable} is not set, is empty or is not UTF-8; \
                             set it to the property's value"
                        );
                        ContractError::rule(message).at(property).within("producer")
                    })?
                }
            };
            Ok((property.clone(), value))
        });
        resolved.collect()
    }

    /// Whether the value of a property must not be shown: by its name, or because it is not in the file on purpose.
    #[must_use]
    pub fn is_secret(&self, property: &str) -> bool {
        is_secret(property) || matches!(self.get(property), Some(PropertyValue::FromEnv(_)))
    }

    pub(super) fn check(&self) -> Result<(), ContractError> {
        for (property, value) in &self.0 {
            let broken = |message| Err(ContractError::rule(message).at(property).within("producer"));
            let is_known_char = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
            if property.is_empty() || !property.bytes().all(is_known_char) {
                return broken(
                    "not the name of a property; expected letters, digits and dots, such as linger.ms"
                        .to_owned(),
                );
            }
            match value {
                PropertyValue::Text(text) if text.contains('\0') => {
                    return broken(
                        "the value has a NUL character, which librdkafka would not see the end of".to_owned(),
                    );
                }
                PropertyValue::FromEnv(name) if name.is_empty() || name.contains(['=', '\0']) => {
                    return broken(format!("{name:?} cannot be the name of an environment variable"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Shows no value that could be a secret.
impl fmt::Debug for ProducerProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (property, value) in &self.0 {
            match value {
                PropertyValue::Text(_) if is_secret(property) => map.entry(property, &format_args!("…")),
                value => map.entry(property, value),
            };
        }
        map.finish()
    }
}

/// Shows the name of a variable, but no text: what it belongs to is not known here.
impl fmt::Debug for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(…)"),
            Self::FromEnv(variable) => write!(f, "FromEnv({variable:?})"),
        }
    }
}

impl Serialize for ProducerProperties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (property, value) in &self.0 {
            match value {
                PropertyValue::Text(text) => map.serialize_entry(property, text)?,
                PropertyValue::FromEnv(variable) => {
                    map.serialize_entry(property, &BTreeMap::from([(ENV, variable)]))?;
                }
            }
        }
        map.end()
    }
}

/// The key of a value that stands in the environment.
const ENV: &str = "env";

/// A value, or names that go on.
enum Node {
    Value(PropertyValue),
    Table(Vec<(String, Node)>),
}

impl<'de> Deserialize<'de> for ProducerProperties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut properties = BTreeMap::new();
        match Node::deserialize(deserializer)? {
            Node::Table(entries) => flatten("", entries, &mut properties).map_err(de::Error::custom)?,
            Node::Value(_) => return Err(de::Error::custom("expected a table of properties")),
        }
        Ok(Self(properties))
    }
}

fn flatten(
    prefix: &str,
    entries: Vec<(String, Node)>,
    properties: &mut BTreeMap<String, PropertyValue>,
) -> Result<(), String> {
    for (name, node) in entries {
        let property = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        match node {
            Node::Table(entries) => flatten(&property, entries, properties)?,
            Node::Value(value) => {
                if properties.contains_key(&property) {
                    return Err(format!("the property {property} stands twice; keep one"));
                }
                properties.insert(property, value);
            }
        }
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, true or false, or { env = \"VARIABLE\" }")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Value(PropertyValue::Text(value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Value(PropertyValue::Text(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Value(PropertyValue::Text(value.to_string())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Value(PropertyValue::Text(value.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry::<String, Node>()? {
            entries.push(entry);
        }
        Ok(match entries.as_slice() {
            [(name, Node::Value(PropertyValue::Text(variable)))] if name == ENV => {
                Node::Value(PropertyValue::FromEnv(variable.clone()))
            }
            _ => Node::Table(entries),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Contract;
    use super::*;

    fn read(text: &str) -> Result<Contract, ContractError> {
        Contract::from_toml(&format!("[producer]\n{text}"), "p.toml")
    }

    fn error(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn names_in_parts_and_in_quotes_are_the_same() {
        let parts = read("linger.ms = 5\nenable.idempotence = true\nsasl.password.env = \"P\"").unwrap();
        let quoted =
            "\"linger.ms\" = \"5\"\n\"enable.idempotence\" = \"true\"\n\"sasl.password\" = { env = \"P\" }";
        assert_eq!(parts, read(quoted).unwrap());
        let again: Contract = parts.to_toml().unwrap().parse().unwrap();
        assert_eq!(again, parts);
        assert!(error("linger.ms = 5\n\"linger.ms\" = 6").contains("linger.ms stands twice"));
    }

    #[test]
    fn what_is_not_a_property_is_refused_with_its_place() {
        assert!(error("linger.ms = [5]").starts_with("p.toml:2:13: "), "{}", error("linger.ms = [5]"));
        assert!(
            error("linger.ms = 2026-11-30").starts_with("p.toml:2:"),
            "{}",
            error("linger.ms = 2026-11-30")
        );
        assert_eq!(
            error("\"linger ms\" = 5"),
            "p.toml:2:15: producer.\"linger ms\": not the name of a property; expected letters, digits and dots, such as \
             linger.ms"
        );
        assert!(
            error("sasl.password = { env = \"A=B\" }")
                .starts_with("p.toml:2:17: producer.\"sasl.password\": \"A=B\"")
        );
        assert!(error("client.id = \"a\\u0000\"").contains("NUL"));
    }

    #[test]
    fn a_variable_that_is_missing_or_empty_is_an_error_that_names_it() {
        let contract = read("sasl.password = { env = \"KAFKA_PASSWORD\" }").unwrap();
        for environment in [None, Some(String::new())] {
            let error = contract.producer.resolve(|_| environment.clone()).unwrap_err();
            assert_eq!(error.path(), "producer.\"sasl.password\"");
            assert!(error.to_string().contains("variable KAFKA_PASSWORD is not set"), "{error}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let contract = read("sasl.password = \"hunter2\"\nclient.id = \"c\"").unwrap();
        let shown = format!("{contract:?} {:?}", contract.producer.get("sasl.password"));
        assert!(!shown.contains("hunter2") && shown.contains("sasl.password"), "{shown}");
        // librdkafka's own list.
        for name in [
            "ssl.key.location",
            "ssl.key.password",
            "ssl.key.pem",
            "ssl.ca.pem",
            "ssl.keystore.password",
            "sasl.username",
            "sasl.password",
            "sasl.oauthbearer.config",
            "sasl.oauthbearer.client.secret",
            "sasl.oauthbearer.assertion.private.key.file",
            "sasl.oauthbearer.assertion.private.key.passphrase",
            "sasl.oauthbearer.assertion.private.key.pem",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }
}
