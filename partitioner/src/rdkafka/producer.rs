//! Producers that keep a contract, built in one call.

use std::error::Error;
use std::fmt;

use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseProducer, ProducerContext, ThreadedProducer};

use super::config::{ConfigError, producer_config};
use super::context::RoutedContext;
use super::hook::Hook;
use crate::contract::{Contract, ContractError};

/// rdkafka's `BaseProducer` under a contract: the caller polls it.
pub type RoutedProducer<C> = BaseProducer<RoutedContext<C>, Hook>;

/// rdkafka's `ThreadedProducer` under a contract: a thread of its own polls it.
pub type ThreadedRoutedProducer<C> = ThreadedProducer<RoutedContext<C>, Hook>;

/// A producer that could not be built.
#[derive(Debug)]
pub struct BuildError(Kind);

#[derive(Debug)]
enum Kind {
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

impl From<KafkaError> for BuildError {
    fn from(error: KafkaError) -> Self {
        Self(Kind::Kafka(error))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Contract(error) => write!(f, "the contract cannot be used: {error}"),
            Kind::Config(error) => write!(f, "the producer's properties contradict the contract: {error}"),
            Kind::Kafka(error) => write!(f, "librdkafka refused the producer: {error}"),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Kind::Contract(error) => Some(error),
            Kind::Config(error) => Some(error),
            Kind::Kafka(error) => Some(error),
        }
    }
}

/// Builds a producer whose records go where the contract says: a [`RoutedProducer`] or a [`ThreadedRoutedProducer`].
///
/// Properties are the user's with what a contract needs; see [`producer_config`]. The callbacks of `context` are called
/// as without a contract; the hook's counts are read from `producer.context().hook()`. `seed` starts the sticky choices;
/// producers should not share one.
///
/// # Errors
/// [`BuildError`] when the contract breaks a rule, a property contradicts it, or librdkafka refuses a property.
pub fn build<C, P>(config: &ClientConfig, contract: &Contract, seed: u64, context: C) -> Result<P, BuildError>
where
    C: ProducerContext,
    P: FromClientConfigAndContext<RoutedContext<C>>,
{
    let config = producer_config(config, contract)?;
    let hook = Hook::new(contract, seed)?;
    Ok(config.create_with_context(RoutedContext::new(context, hook))?)
}
