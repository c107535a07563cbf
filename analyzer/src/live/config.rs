//! The one place where properties become the configuration of librdkafka's clients.

use std::time::Duration;

use partitioner::contract::Contract;
use partitioner::rdkafka::config::producer_config;
use rdkafka::ClientConfig;

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
/// later one wins, and for what the user did not set a delivery timeout of `timeout`.
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
        if ACKS.contains(&name.as_str()) && value.trim() == "0" {
            return Err(LiveError::new(format!(
                "-X {name}: without acknowledgements nobody knows what arrived; use 1 or all"
            )));
        }
        config.set(name, value);
    }
    config.set("bootstrap.servers", brokers);
    if DELIVERY_TIMEOUT.iter().all(|name| config.get(name).is_none()) {
        config.set(DELIVERY_TIMEOUT[0], timeout.as_millis().to_string());
    }
    // Before the broker is asked for anything: what the plug-in would refuse, and what librdkafka does not know.
    producer_config(&config, contract).map_err(|error| LiveError::new(format!("-X {error}")))?;
    config.create_native_config().map_err(|error| LiveError::new(format!("-X: {}", told(&error))))?;
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
pub(super) fn secrets(properties: &[(String, String)]) -> Vec<String> {
    let is_secret = |name: &str| {
        ["password", "secret", "pem", "token", "sasl.oauthbearer.config"]
            .iter()
            .any(|part| name.contains(part))
    };
    let secret = properties.iter().filter(|(name, value)| is_secret(name) && !value.is_empty());
    secret.map(|(_, value)| value.clone()).collect()
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
    fn secrets_are_told_by_their_names() {
        let names = [
            "sasl.password",
            "ssl.key.password",
            "ssl.key.pem",
            "sasl.oauthbearer.client.secret",
            "linger.ms",
        ];
        let properties: Vec<_> =
            names.iter().map(|name| ((*name).to_owned(), format!("value of {name}"))).collect();
        assert_eq!(secrets(&properties).len(), 4);
        assert!(secrets(&[("sasl.password".to_owned(), String::new())]).is_empty());
    }
}
