//! What a producer's properties must be for a contract to be kept.

use std::error::Error;
use std::fmt;

use rdkafka::ClientConfig;

use super::security;
use crate::contract::{Contract, ContractError};
use crate::explain::{Place, printable};

/// librdkafka places records without a key by itself, at random among all partitions, unless this is 0.
const STICKY_LINGER: &str = "sticky.partitioning.linger.ms";

/// A property of the topic level. Without any, `rdkafka` writes the partitioner through a null pointer.
const ACKS: &str = "acks";

const IDEMPOTENCE: &str = "enable.idempotence";

const STATISTICS_INTERVAL: &str = "statistics.interval.ms";

/// How often an adaptive topic asks for the queues, unless the user says otherwise.
const STATISTICS_INTERVAL_MS: &str = "1000";

/// Properties that `enable.idempotence` does not allow every value of; who sets one has made a choice.
const CHOICES_AGAINST_IDEMPOTENCE: [&str; 4] = [
    "max.in.flight.requests.per.connection",
    "message.send.max.retries",
    "queuing.strategy",
    "transactional.id",
];

/// Other names of a producer's properties (librdkafka's CONFIGURATION.md), with the name that each stands for.
const ALIASES: [(&str, &str); 10] = [
    ("metadata.broker.list", "bootstrap.servers"),
    ("max.in.flight", "max.in.flight.requests.per.connection"),
    ("sasl.mechanisms", "sasl.mechanism"),
    ("linger.ms", "queue.buffering.max.ms"),
    ("retries", "message.send.max.retries"),
    ("compression.codec", "compression.type"),
    ("request.required.acks", ACKS),
    ("delivery.timeout.ms", "message.timeout.ms"),
    ("sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.id"),
    ("sasl.oauthbearer.client.credentials.client.secret", "sasl.oauthbearer.client.secret"),
];

/// A property that contradicts the contract, or that this build of librdkafka cannot keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    property: String,
    message: String,
    /// The file that the property stands in, and where.
    origin: Option<(String, Option<Place>)>,
}

impl ConfigError {
    pub(super) fn new(property: impl Into<String>, message: impl Into<String>) -> Self {
        Self { property: property.into(), message: message.into(), origin: None }
    }

    /// The property, or the key of the contract.
    #[must_use]
    pub fn property(&self) -> &str {
        &self.property
    }

    /// The error with the place of its property in the contract's file.
    pub(super) fn located(self, contract: &Contract, text: &str, origin: &str) -> Self {
        let name = contract.producer.iter().map(|(name, _)| name).find(|name| is_same(name, &self.property));
        let place = name.and_then(|name| Contract::place_of(text, &["producer", name]));
        Self { origin: Some((origin.to_owned(), place)), ..self }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((origin, place)) = &self.origin {
            write!(f, "{}:", printable(origin))?;
            if let Some(Place { line, column }) = place {
                write!(f, "{line}:{column}:")?;
            }
            f.write_str(" ")?;
        }
        write!(f, "{}: {}", printable(&self.property), printable(&self.message))
    }
}

impl Error for ConfigError {}

/// Of a property in the contract's file.
impl From<ContractError> for ConfigError {
    fn from(error: ContractError) -> Self {
        Self::new(error.key(), error.message())
    }
}

/// One name for all names of a property.
pub(super) fn canonical(property: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == property).map_or(property, |(_, name)| name)
}

fn is_same(a: &str, b: &str) -> bool {
    canonical(a) == canonical(b)
}

/// The value of a property, under whichever of its names it was set.
pub(super) fn value_of<'c>(config: &'c ClientConfig, property: &str) -> Option<&'c str> {
    config
        .config_map()
        .into_iter()
        .find(|(name, _)| is_same(name, property))
        .and_then(|(name, _)| config.get(name))
}

/// The properties of a client that is no producer, such as the consumer of a test: those of `config`, then those of the
/// contract's `[producer]` table, whose secrets are taken from the environment here. Nothing is added.
///
/// # Errors
/// [`ConfigError`] for a property that is set under two names or that this build of librdkafka cannot keep (TLS and SASL
/// without the feature `tls`), and for an environment variable that is not set.
pub fn client_config(config: &ClientConfig, contract: &Contract) -> Result<ClientConfig, ConfigError> {
    let config = merged(config, contract, |variable| std::env::var(variable).ok())?;
    security::check(&config, security::builtin_features().as_deref())?;
    Ok(config)
}

/// The properties of a producer that keeps a contract: the user's, with what must be set added.
///
/// `config` comes first, then the contract's `[producer]` table, whose secrets are taken from the environment here. Set
/// where both set nothing: `sticky.partitioning.linger.ms = 0`, so that records without a key reach the contract;
/// `acks = all`; `enable.idempotence = true` where no other property speaks against it, so that a retry neither doubles
/// nor reorders records; and for a contract with an adaptive topic `statistics.interval.ms = 1000`.
///
/// ```
/// use partitioner::rdkafka::config::producer_config;
/// use rdkafka::ClientConfig;
///
/// let contract = "[producer]\nlinger.ms = 5\n[topics.orders]".parse().unwrap();
/// let config = producer_config(&ClientConfig::new(), &contract).unwrap();
/// assert_eq!(config.get("linger.ms"), Some("5"));
/// assert_eq!(config.get("acks"), Some("all"));
/// assert_eq!(config.get("sticky.partitioning.linger.ms"), Some("0"));
/// ```
///
/// # Errors
/// [`ConfigError`] for a property that would make librdkafka place records by itself, that is set under two names, or that
/// this build of librdkafka cannot keep (TLS and SASL without the feature `tls`); for an environment variable that is not
/// set; and for a contract whose records without a key would never leave their sticky partition.
pub fn producer_config(config: &ClientConfig, contract: &Contract) -> Result<ClientConfig, ConfigError> {
    let mut config = client_config(config, contract)?;
    check(&config, contract)?;
    config.set(STICKY_LINGER, "0");
    let acks = value_of(&config, ACKS).map(str::to_owned);
    if acks.is_none() {
        config.set(ACKS, "all");
    }
    let waits_for_all = acks.is_none_or(|acks| matches!(acks.trim(), "all" | "-1"));
    let is_open = CHOICES_AGAINST_IDEMPOTENCE.iter().all(|name| value_of(&config, name).is_none());
    if waits_for_all && is_open && config.get(IDEMPOTENCE).is_none() {
        config.set(IDEMPOTENCE, "true");
    }
    if is_adaptive(contract) && config.get(STATISTICS_INTERVAL).is_none() {
        config.set(STATISTICS_INTERVAL, STATISTICS_INTERVAL_MS);
    }
    Ok(config)
}

/// Whether some topic goes by librdkafka's statistics.
pub(super) fn is_adaptive(contract: &Contract) -> bool {
    contract.topics.values().any(|section| section.unkeyed.adaptive)
}

/// Whether the user asked for statistics.
pub(super) fn asks_for_statistics(config: &ClientConfig, contract: &Contract) -> bool {
    config.get(STATISTICS_INTERVAL).is_some() || contract.producer.get(STATISTICS_INTERVAL).is_some()
}

/// The user's properties over those of the contract's file.
fn merged(
    config: &ClientConfig,
    contract: &Contract,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<ClientConfig, ConfigError> {
    let of_file = contract.producer.resolve(environment)?;
    // librdkafka would take the last of two names of one property, and rdkafka hands them over in random order.
    let of_user = config.config_map();
    one_name_each(of_user.keys().copied())?;
    one_name_each(of_file.iter().map(|(name, _)| name.as_str()))?;
    let mut merged = config.clone();
    for (name, value) in of_file {
        if value_of(config, &name).is_none() {
            merged.set(name, value);
        }
    }
    Ok(merged)
}

fn one_name_each<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), ConfigError> {
    let mut names: Vec<_> = names.map(|name| (canonical(name), name)).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let message = format!("is {} under another name, which is set too; keep one", pair[1].1);
            Err(ConfigError::new(pair[0].1, message))
        }
        None => Ok(()),
    }
}

fn check(config: &ClientConfig, contract: &Contract) -> Result<(), ConfigError> {
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
    if is_adaptive(contract) && config.get(STATISTICS_INTERVAL).is_some_and(|value| value.trim() == "0") {
        let message = "0 is never, but a topic of the contract says unkeyed.adaptive = true and goes by librdkafka's \
                       statistics; remove the property, or set an interval such as 1000";
        return Err(ConfigError::new(STATISTICS_INTERVAL, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(properties: &[(&str, &str)]) -> ClientConfig {
        properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn made(properties: &[(&str, &str)], contract: &str) -> Result<ClientConfig, ConfigError> {
        producer_config(&user(properties), &contract.parse().unwrap())
    }

    #[test]
    fn what_would_bypass_the_contract_is_refused_with_the_reason() {
        let refused = |properties, contract| made(properties, contract).unwrap_err().to_string();
        assert!(refused(&[("partitioner", "murmur2_random")], "[topics.t]").contains("remove the property"));
        assert!(refused(&[(STICKY_LINGER, "10")], "[topics.t]").contains("VIP pools included"));
        assert!(refused(&[], "[topics.t]\nunkeyed.sticky_ms = 0").contains("expected at least 1"));
        let adaptive = "[topics.t]\nunkeyed.adaptive = true";
        assert!(refused(&[(STATISTICS_INTERVAL, "0")], adaptive).contains("such as 1000"));
        assert!(made(&[(STATISTICS_INTERVAL, "0")], "[topics.t]").is_ok());
        assert!(made(&[(STICKY_LINGER, "0")], "[topics.t]").is_ok());
    }

    #[test]
    fn defaults_are_set_only_where_the_user_set_nothing() {
        let config = made(&[(ACKS, "1")], "[topics.t]").unwrap();
        assert_eq!((config.get(ACKS), config.get(IDEMPOTENCE)), (Some("1"), None));
        let config = made(&[("request.required.acks", "-1")], "[topics.t]").unwrap();
        assert_eq!((config.get(ACKS), config.get(IDEMPOTENCE)), (None, Some("true")));
        let config = made(&[(IDEMPOTENCE, "false")], "[topics.t]").unwrap();
        assert_eq!((config.get(ACKS), config.get(IDEMPOTENCE)), (Some("all"), Some("false")));
        assert_eq!(made(&[("retries", "0")], "[topics.t]").unwrap().get(IDEMPOTENCE), None);
        assert_eq!(made(&[], "[producer]\nretries = 0\n[topics.t]").unwrap().get(IDEMPOTENCE), None);
        let adaptive = "[topics.t]\nunkeyed.adaptive = true";
        assert_eq!(made(&[], adaptive).unwrap().get(STATISTICS_INTERVAL), Some("1000"));
        assert_eq!(
            made(&[(STATISTICS_INTERVAL, "5")], adaptive).unwrap().get(STATISTICS_INTERVAL),
            Some("5")
        );
        assert_eq!(made(&[], "[topics.t]").unwrap().get(STATISTICS_INTERVAL), None);
    }

    #[test]
    fn the_users_properties_come_before_the_files_under_every_name() {
        let file = "[producer]\nacks = 1\nlinger.ms = 5\nclient.id = \"file\"";
        let config = made(&[("queue.buffering.max.ms", "7"), ("acks", "all")], file).unwrap();
        assert_eq!(value_of(&config, "linger.ms"), Some("7"));
        assert_eq!(config.get("linger.ms"), None, "one name only");
        assert_eq!((config.get("acks"), config.get("client.id")), (Some("all"), Some("file")));
        let twice = made(&[("linger.ms", "1"), ("queue.buffering.max.ms", "2")], "").unwrap_err().to_string();
        assert_eq!(
            twice,
            "linger.ms: is queue.buffering.max.ms under another name, which is set too; keep one"
        );
        assert!(made(&[], "[producer]\nacks = 1\nrequest.required.acks = 1").is_err());
        assert!(made(&[], "[producer]\npartitioner = \"random\"").is_err());
    }

    #[test]
    fn secrets_come_from_the_environment() {
        let contract: Contract = "[producer]\nclient.id = { env = \"ID\" }".parse().unwrap();
        let id = |variable: &str| (variable == "ID").then(|| "x".to_owned());
        assert_eq!(merged(&user(&[]), &contract, id).unwrap().get("client.id"), Some("x"));
        let error = merged(&user(&[]), &contract, |_| None).unwrap_err();
        assert_eq!(error.property(), "client.id");
    }
}
