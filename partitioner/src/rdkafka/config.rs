//! What a producer's properties must be for a contract to be kept.

use std::error::Error;
use std::fmt;

use rdkafka::ClientConfig;

use crate::contract::Contract;

/// librdkafka places records without a key by itself, at random among all partitions, unless this is 0.
const STICKY_LINGER: &str = "sticky.partitioning.linger.ms";

/// A property of the topic level. Without any, `rdkafka` writes the partitioner through a null pointer.
const ACKS: [&str; 2] = ["acks", "request.required.acks"];

const IDEMPOTENCE: &str = "enable.idempotence";

/// Properties that `enable.idempotence` does not allow every value of; who sets one has made a choice.
const CHOICES_AGAINST_IDEMPOTENCE: [&str; 6] = [
    "max.in.flight.requests.per.connection",
    "max.in.flight",
    "message.send.max.retries",
    "retries",
    "queuing.strategy",
    "transactional.id",
];

/// A property that contradicts the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    property: &'static str,
    message: String,
}

impl ConfigError {
    fn new(property: &'static str, message: impl Into<String>) -> Self {
        Self { property, message: message.into() }
    }

    /// The property, or the key of the contract.
    #[must_use]
    pub fn property(&self) -> &'static str {
        self.property
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property, self.message)
    }
}

impl Error for ConfigError {}

/// The properties of a producer that keeps a contract: the user's, with what must be set added.
///
/// Set where the user set nothing: `sticky.partitioning.linger.ms = 0`, so that records without a key reach the contract;
/// `acks = all`; and `enable.idempotence = true` where no other property speaks against it, so that a retry neither
/// doubles nor reorders records.
///
/// ```
/// use partitioner::rdkafka::config::producer_config;
/// use rdkafka::ClientConfig;
///
/// let contract = "[topics.orders]".parse().unwrap();
/// let config = producer_config(&ClientConfig::new(), &contract).unwrap();
/// assert_eq!(config.get("acks"), Some("all"));
/// assert_eq!(config.get("sticky.partitioning.linger.ms"), Some("0"));
/// ```
///
/// # Errors
/// [`ConfigError`] for a property that would make librdkafka place records by itself, and for a contract whose records
/// without a key would never leave their sticky partition.
pub fn producer_config(config: &ClientConfig, contract: &Contract) -> Result<ClientConfig, ConfigError> {
    if let Some(value) = config.get("partitioner") {
        let message = format!(
            "{value:?} names a partitioner of librdkafka, and the contract is one; remove the property"
        );
        return Err(ConfigError::new("partitioner", message));
    }
    if let Some(value) = config.get(STICKY_LINGER).filter(|value| value.trim() != "0") {
        let message = format!(
            "{value:?} lets librdkafka place records without a key by itself, among all partitions, VIP pools included; \
             remove the property, or set it to 0 and sticky_ms in the contract"
        );
        return Err(ConfigError::new(STICKY_LINGER, message));
    }
    if let Some((topic, _)) = contract.topics.iter().find(|(_, section)| section.unkeyed.sticky_ms == 0) {
        let message = format!(
            "topics.{topic:?} says 0, never; librdkafka does not show a partitioner the size of a record, so records without \
             a key would stay on one partition for good; expected at least 1"
        );
        return Err(ConfigError::new("unkeyed.sticky_ms", message));
    }
    let mut config = config.clone();
    config.set(STICKY_LINGER, "0");
    let acks = ACKS.iter().find_map(|name| config.get(name)).map(str::to_owned);
    if acks.is_none() {
        config.set(ACKS[0], "all");
    }
    let waits_for_all = acks.is_none_or(|acks| matches!(acks.trim(), "all" | "-1"));
    let is_open = CHOICES_AGAINST_IDEMPOTENCE.iter().all(|name| config.get(name).is_none());
    if waits_for_all && is_open && config.get(IDEMPOTENCE).is_none() {
        config.set(IDEMPOTENCE, "true");
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(properties: &[(&str, &str)], contract: &str) -> Result<ClientConfig, ConfigError> {
        let mut config = ClientConfig::new();
        for (name, value) in properties {
            config.set(*name, *value);
        }
        producer_config(&config, &contract.parse().unwrap())
    }

    #[test]
    fn what_would_bypass_the_contract_is_refused_with_the_reason() {
        let refused = |properties, contract| made(properties, contract).unwrap_err().to_string();
        assert!(refused(&[("partitioner", "murmur2_random")], "[topics.t]").contains("remove the property"));
        assert!(refused(&[(STICKY_LINGER, "10")], "[topics.t]").contains("VIP pools included"));
        assert!(refused(&[], "[topics.t]\nunkeyed.sticky_ms = 0").contains("expected at least 1"));
        assert!(made(&[(STICKY_LINGER, "0")], "[topics.t]").is_ok());
    }

    #[test]
    fn defaults_are_set_only_where_the_user_set_nothing() {
        let config = made(&[("acks", "1")], "[topics.t]").unwrap();
        assert_eq!((config.get("acks"), config.get(IDEMPOTENCE)), (Some("1"), None));
        let config = made(&[("request.required.acks", "-1")], "[topics.t]").unwrap();
        assert_eq!((config.get("acks"), config.get(IDEMPOTENCE)), (None, Some("true")));
        let config = made(&[(IDEMPOTENCE, "false")], "[topics.t]").unwrap();
        assert_eq!((config.get("acks"), config.get(IDEMPOTENCE)), (Some("all"), Some("false")));
        assert_eq!(made(&[("retries", "0")], "[topics.t]").unwrap().get(IDEMPOTENCE), None);
    }
}
