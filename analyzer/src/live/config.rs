//! The one place where properties become the configuration of librdkafka's clients.

use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::rdkafka::config::{ConfigError, client_config as with_file, producer_config};
use rdkafka::ClientConfig;
use rdkafka::error::KafkaError;

use super::LiveError;
use super::error::told;

/// Properties that the run itself decides, and what to do instead.
const REFUSED: [(&str, &str); 4] = [
    ("bootstrap.servers", "name the brokers with --brokers"),
    ("metadata.broker.list", "name the brokers with --brokers"),
    ("test.mock.num.brokers", "use --mock"),
    ("transactional.id", "leave it out; the records of a verification are in no transaction"),
];

const ACKS: [&str; 2] = ["acks", "request.required.acks"];

const DELIVERY_TIMEOUT: [&str; 2] = ["message.timeout.ms", "delivery.timeout.ms"];

/// The configuration that producer, consumer and admin client of a run share: properties as `(name, value)`, of which a
/// later one wins, then those of the contract's `[producer]` table, and for what neither set a delivery timeout of `timeout`.
///
/// # Errors
/// [`LiveError`] with the property, but not its value, when it contradicts the contract or the run, or librdkafka does not
/// take it.
pub(super) fn client_config(
    brokers: &str,
    properties: &[(String, String)],
    contract: &Contract,
    timeout: Duration,
) -> Result<ClientConfig, LiveError> {
    let mut config = ClientConfig::new();
    for (name, value) in properties {
        if let Some((_, instead)) = REFUSED.iter().find(|(refused, _)| refused == name) {
            return Err(LiveError::new(format!("-X {name}: verify decides this itself; {instead}")));
        }
        config.set(name, value);
    }
    config.set("bootstrap.servers", brokers);
    let source = |property: &str| {
        let is_given = properties.iter().any(|(name, _)| name == property);
        if is_given { "-X " } else { "[producer] in the contract's file: " }
    };
    let refused = |error: ConfigError| LiveError::new(format!("{}{error}", source(error.property())));
    let mut config = with_file(&config, contract).map_err(refused)?;
    if let Some(name) = ACKS.iter().find(|name| config.get(name).is_some_and(|value| value.trim() == "0")) {
        return Err(LiveError::new(format!(
            "{}{name}: without acknowledgements nobody knows what arrived; use 1 or all",
            source(name)
        )));
    }
    config.remove("transactional.id");
    if DELIVERY_TIMEOUT.iter().all(|name| config.get(name).is_none()) {
        config.set(DELIVERY_TIMEOUT[0], timeout.as_millis().to_string());
    }
    // Before the broker is asked for anything: what the plug-in would refuse, and what librdkafka does not know.
    producer_config(&config, contract).map_err(refused)?;
    config.create_native_config().map_err(|error| {
        let property = if let KafkaError::ClientConfig(_, _, name, _) = &error { name.as_str() } else { "" };
        LiveError::new(format!("{}{}", source(property), told(&error)))
    })?;
    Ok(config)
}

/// The configuration of the consumer, which decides by itself from where it reads and commits nothing.
pub(super) fn consumer_config(config: &ClientConfig, group: &str) -> ClientConfig {
    let mut config = config.clone();
    let defaults = [
        ("group.id", group),
        ("isolation.level", "read_uncommitted"),
        // A request that waits for records delays the answer to the next.
        ("fetch.wait.max.ms", "50"),
    ];
    for (name, value) in defaults {
        if config.get(name).is_none() {
            config.set(name, value);
        }
    }
    config
        .set("enable.auto.commit", "false")
        .set("enable.partition.eof", "true")
        .set("auto.offset.reset", "error")
        .set("allow.auto.create.topics", "false");
    config
}

/// Values that must not be shown, whoever speaks of them.
pub(super) fn secrets(config: &ClientConfig, contract: &Contract) -> Vec<String> {
    let names = config.config_map().into_keys().filter(|name| contract.producer.is_secret(name));
    let values = names.filter_map(|name| config.get(name)).filter(|value| !value.is_empty());
    values.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(properties: &[(&str, &str)]) -> Result<ClientConfig, String> {
        let owned: Vec<_> =
            properties.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let contract = "[topics.t]".parse().unwrap();
        client_config("b:1", &owned, &contract, Duration::from_secs(30)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_users_properties_win_but_for_those_that_the_run_decides() {
        let config = made(&[("linger.ms", "7"), ("linger.ms", "9")]).unwrap();
        assert_eq!((config.get("linger.ms"), config.get("bootstrap.servers")), (Some("9"), Some("b:1")));
        assert_eq!(config.get("message.timeout.ms"), Some("30000"));
        let config = made(&[("delivery.timeout.ms", "5000"), ("isolation.level", "read_committed")]).unwrap();
        assert_eq!(config.get("message.timeout.ms"), None);
        let consumer = consumer_config(&config, "g");
        assert_eq!(consumer.get("isolation.level"), Some("read_committed"));
        assert_eq!(
            (consumer.get("group.id"), consumer.get("enable.auto.commit")),
            (Some("g"), Some("false"))
        );
    }

    #[test]
    fn what_is_refused_is_named_and_its_value_is_not() {
        let cases = [
            ("bootstrap.servers", "hunter2", "--brokers"),
            ("transactional.id", "hunter2", "transaction"),
            ("acks", "0", "use 1 or all"),
            ("sticky.partitioning.linger.ms", "10", "VIP pools included"),
            ("no.such.property", "hunter2", "no property \"no.such.property\""),
            ("linger.ms", "hunter2", "linger.ms"),
            ("compression.type", "hunter2", "compression.type"),
        ];
        for (name, value, part) in cases {
            let error = made(&[(name, value)]).unwrap_err();
            assert!(error.contains(part) && !error.contains("hunter2"), "{name}: {error}");
        }
    }

    #[test]
    fn the_contracts_file_gives_what_the_user_did_not() {
        let contract: Contract =
            "[producer]\nbootstrap.servers = \"file:1\"\nlinger.ms = 3\nclient.id = \"f\"\ntransactional.id = \"t\"\n[topics.t]"
                .parse()
                .unwrap();
        let given = [("linger.ms".to_owned(), "9".to_owned())];
        let config = client_config("b:1", &given, &contract, Duration::from_secs(30)).unwrap();
        let of = |name| config.get(name);
        assert_eq!(
            (of("bootstrap.servers"), of("linger.ms"), of("client.id")),
            (Some("b:1"), Some("9"), Some("f"))
        );
        assert_eq!(of("transactional.id"), None, "the records of a verification are in no transaction");
        let contract: Contract = "[producer]\nacks = 0\n[topics.t]".parse().unwrap();
        let error = client_config("b:1", &[], &contract, Duration::from_secs(30)).unwrap_err().to_string();
        assert!(error.starts_with("[producer] in the contract's file: acks: "), "{error}");
    }

    #[test]
    fn secrets_are_told_by_their_names_and_by_their_source() {
        let mut config = ClientConfig::new();
        for name in ["sasl.password", "ssl.key.password", "ssl.key.pem", "client.id", "linger.ms"] {
            config.set(name, format!("value of {name}"));
        }
        config.set("sasl.oauthbearer.client.secret", "");
        let contract = "[producer]\nclient.id = { env = \"ID\" }".parse().unwrap();
        assert_eq!(secrets(&config, &contract).len(), 4);
    }
}
