//! A user's producer context with the contract's hook beside it.

use std::error::Error;

use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::producer::{DeliveryResult, ProducerContext};
use rdkafka::statistics::Statistics;

use super::hook::Hook;

/// Passes every callback on to the context inside, and offers the hook to the producer.
#[derive(Clone, Debug)]
pub struct RoutedContext<C> {
    inner: C,
    hook: Hook,
}

impl<C> RoutedContext<C> {
    /// `inner` with `hook`.
    #[must_use]
    pub fn new(inner: C, hook: Hook) -> Self {
        Self { inner, hook }
    }

    /// The user's context.
    #[must_use]
    pub fn inner(&self) -> &C {
        &self.inner
    }

    /// The hook, for its counts.
    #[must_use]
    pub fn hook(&self) -> &Hook {
        &self.hook
    }
}

impl<C: ClientContext> ClientContext for RoutedContext<C> {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = C::ENABLE_REFRESH_OAUTH_TOKEN;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.inner.log(level, facility, message);
    }

    fn stats(&self, statistics: Statistics) {
        self.inner.stats(statistics);
    }

    fn stats_raw(&self, statistics: &[u8]) {
        self.inner.stats_raw(statistics);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.inner.error(error, reason);
    }

    fn generate_oauth_token(&self, config: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        self.inner.generate_oauth_token(config)
    }
}

impl<C: ProducerContext> ProducerContext<Hook> for RoutedContext<C> {
    type DeliveryOpaque = C::DeliveryOpaque;

    fn delivery(&self, result: &DeliveryResult<'_>, opaque: Self::DeliveryOpaque) {
        self.inner.delivery(result, opaque);
    }

    fn get_custom_partitioner(&self) -> Option<&Hook> {
        Some(&self.hook)
    }
}
