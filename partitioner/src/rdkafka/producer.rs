//! Producers that keep a contract, built in one call.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, ProducerContext, ThreadedProducer};

use super::config::{ConfigError, asks_for_statistics, producer_config, value_of};
use super::context::RoutedContext;
use super::hook::Hook;
use crate::contract::{Contract, ContractError};
use crate::explain::printable;

/// rdkafka's `BaseProducer` under a contract: the caller polls it.
pub type RoutedProducer<C> = BaseProducer<RoutedContext<C>, Hook>;

/// rdkafka's `ThreadedProducer` under a contract: a thread of its own polls it.
pub type ThreadedRoutedProducer<C> = ThreadedProducer<RoutedContext<C>, Hook>;

/// A producer that could not be built.
///
/// Neither what it displays nor its debug form holds the value of a property that could be a secret.
#[derive(Debug)]
pub struct BuildError(Kind);

#[derive(Debug)]
enum Kind {
    File(PathBuf, io::Error),
    Contract(ContractError),
    Config(ConfigError),
    Kafka(KafkaError),
}

impl From<ContractError> for BuildError {
    fn from(error: ContractError) -> Self {
        Self(Kind::Contract(error))
    }
}

impl From<ConfigError> for BuildError {
    fn from(error: ConfigError) -> Self {
        Self(Kind::Config(error))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::File(path, error) => {
                write!(f, "{}: the contract cannot be read: {error}", printable(&path.display().to_string()))
            }
            Kind::Contract(error) => write!(f, "the contract cannot be used: {error}"),
            Kind::Config(error) => write!(f, "the producer's properties cannot be used: {error}"),
            Kind::Kafka(error) => write!(f, "librdkafka refused the producer: {error}"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Kind::File(_, error) => Some(error),
            Kind::Contract(error) => Some(error),
            Kind::Config(error) => Some(error),
            Kind::Kafka(error) => Some(error),
        }
    }
}

/// Builds a producer whose records go where the contract says: a [`RoutedProducer`] or a [`ThreadedRoutedProducer`].
///
/// Properties are those of `config`, then those of the contract's `[producer]` table, with what a contract needs; see
/// [`producer_config`]. The callbacks of `context` are called as without a contract; the hook's counts are read from
/// `producer.context().hook()`. `seed` starts the sticky choices; producers should not share one.
///
/// # Errors
/// [`BuildError`] when the contract breaks a rule, a property contradicts it, no broker is named, or librdkafka refuses a
/// property.
pub fn build<C, P>(config: &ClientConfig, contract: &Contract, seed: u64, context: C) -> Result<P, BuildError>
where
    C: ProducerContext,
    P: FromClientConfigAndContext<RoutedContext<C>>,
{
    let properties = producer_config(config, contract)?;
    let names_broker = ["bootstrap.servers", "test.mock.num.brokers"];
    if names_broker.iter().all(|name| value_of(&properties, name).is_none_or(|value| value.trim().is_empty()))
    {
        let message =
            "is not set, so no broker could ever be reached; expected addresses, such as \"localhost:9092\"";
        return Err(ConfigError::new(names_broker[0], message).into());
    }
    let context = RoutedContext::new(context, Hook::new(contract, seed)?);
    let context = if asks_for_statistics(config, contract) { context } else { context.keeping_statistics() };
    properties.create_with_context(context).map_err(|error| refused(error, contract))
}

/// Builds a producer from one file, which holds the contract and in its `[producer]` table all properties.
///
/// ```no_run
/// use partitioner::rdkafka::producer::{ThreadedRoutedProducer, from_file};
/// use rdkafka::producer::{BaseRecord, DefaultProducerContext};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let producer: ThreadedRoutedProducer<_> = from_file("partitioner.toml", 42, DefaultProducerContext)?;
/// producer.send(BaseRecord::to("orders").key("tenant-mega:order-1").payload("…")).map_err(|(error, _)| error)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`BuildError`] when the file cannot be read, and as [`build`], with the line and column of what was wrong in it.
pub fn from_file<C, P>(path: impl AsRef<Path>, seed: u64, context: C) -> Result<P, BuildError>
where
    C: ProducerContext,
    P: FromClientConfigAndContext<RoutedContext<C>>,
{
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|error| BuildError(Kind::File(path.to_owned(), error)))?;
    let origin = path.display().to_string();
    let contract = Contract::from_toml(&text, &origin)?;
    build(&ClientConfig::new(), &contract, seed, context).map_err(|error| match error.0 {
        Kind::Config(error) => error.located(&contract, &text, &origin).into(),
        other => BuildError(other),
    })
}

/// What librdkafka said of a property, without the value where that could be a secret: rdkafka's error holds it.
fn refused(error: KafkaError, contract: &Contract) -> BuildError {
    let KafkaError::ClientConfig(_, said, property, value) = error else {
        return BuildError(Kind::Kafka(error));
    };
    let said = if contract.producer.is_secret(&property) && !value.is_empty() {
        said.replace(&value, "…")
    } else {
        said
    };
    ConfigError::new(property, said).into()
}

#[cfg(test)]
mod tests {
    use rdkafka::producer::DefaultProducerContext;

    use super::*;

    fn error(properties: &[(&str, &str)], contract: &str) -> BuildError {
        let pairs = properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let contract = contract.parse().unwrap();
        let built: Result<RoutedProducer<_>, _> =
            build(&pairs.collect(), &contract, 1, DefaultProducerContext);
        built.err().expect("this cannot be built")
    }

    #[test]
    fn a_producer_without_a_broker_is_not_built() {
        assert!(error(&[], "[topics.t]").to_string().contains("bootstrap.servers: is not set"));
        assert!(
            error(&[("metadata.broker.list", " ")], "").to_string().contains("bootstrap.servers: is not set")
        );
    }

    #[test]
    fn what_librdkafka_says_comes_without_secrets() {
        let server = ("bootstrap.servers", "localhost:1");
        let said = error(&[server, ("linger.msec", "5")], "[topics.t]").to_string();
        assert!(said.ends_with("linger.msec: No such configuration property: \"linger.msec\""), "{said}");
        // Any value may have come from the environment, and librdkafka quotes what is not one of its own words.
        let file = "[producer]\nbootstrap.servers = \"localhost:1\"\ncompression.type = { env = \"PATH\" }";
        let error = error(&[], file);
        let path = std::env::var("PATH").unwrap();
        for shown in [error.to_string(), format!("{error:?}"), format!("{:?}", error.source())] {
            assert!(shown.contains("compression.type") && !shown.contains(&path), "{shown}");
        }
    }

    #[test]
    fn errors_of_a_file_have_its_place() {
        let folder = std::env::temp_dir().join(format!("partitioner-from-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("p.toml");
        let said = |text: &str| {
            fs::write(&path, text).unwrap();
            let built: Result<RoutedProducer<_>, _> = from_file(&path, 1, DefaultProducerContext);
            built.err().expect("this cannot be built").to_string()
        };
        let at = |place: &str| format!("{}:{place}: ", path.display());
        let wrong = said("[producer]\nbootstrap.servers = \"localhost:1\"\n\npartitioner = \"random\"");
        assert!(wrong.contains(&at("4:15")), "{wrong}");
        let wrong = said("[producer]\nbootstrap.servers = \"localhost:1\"\nlinger.msec = 5");
        assert!(wrong.contains(&at("3:15")) && wrong.contains("No such configuration property"), "{wrong}");
        let wrong =
            said("[producer]\nbootstrap.servers = \"localhost:1\"\nclient.id.env = \"NO_SUCH_VARIABLE\"");
        assert!(wrong.contains(&at("3:8")) && wrong.contains("NO_SUCH_VARIABLE is not set"), "{wrong}");
        assert!(said("[topics.t]\nvip_cuont = 1").contains(&at("2:1")));
        fs::remove_dir_all(&folder).unwrap();
        let built: Result<RoutedProducer<_>, _> = from_file(&path, 1, DefaultProducerContext);
        assert!(built.err().unwrap().to_string().contains("p.toml: the contract cannot be read"));
    }
}
