//! A user's producer context with the contract's hook beside it.

use std::error::Error;

use futures_channel::oneshot;
use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use rdkafka::producer::future_producer::{Delivery, OwnedDeliveryResult};
use rdkafka::producer::{DeliveryResult, ProducerContext};
use rdkafka::statistics::Statistics;

use super::hook::Hook;

/// Passes every callback on to the context inside, and offers the hook to the producer.
#[derive(Clone, Debug)]
pub struct RoutedContext<C> {
    inner: C,
    hook: Hook,
    /// Whether the user asked for statistics, or only an adaptive topic.
    passes_statistics: bool,
}

impl<C> RoutedContext<C> {
    /// `inner` with `hook`.
    #[must_use]
    pub fn new(inner: C, hook: Hook) -> Self {
        Self { inner, hook, passes_statistics: true }
    }

    /// The same, but statistics are for adaptive topics only: nobody else has asked for any.
    pub(super) fn keeping_statistics(self) -> Self {
        Self { passes_statistics: false, ..self }
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

/// Passes the callbacks of a client on to the field `inner`; statistics if the second argument, called with them, says so.
macro_rules! pass_client_callbacks_on {
    ($outer:ident, $takes_statistics:expr) => {
        impl<C: ClientContext> ClientContext for $outer<C> {
            const ENABLE_REFRESH_OAUTH_TOKEN: bool = C::ENABLE_REFRESH_OAUTH_TOKEN;

            fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
                self.inner.log(level, facility, message);
            }

            fn stats(&self, statistics: Statistics) {
                self.inner.stats(statistics);
            }

            fn stats_raw(&self, statistics: &[u8]) {
                if $takes_statistics(self, statistics) {
                    self.inner.stats_raw(statistics);
                }
            }

            fn error(&self, error: KafkaError, reason: &str) {
                self.inner.error(error, reason);
            }

            fn generate_oauth_token(&self, config: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
                self.inner.generate_oauth_token(config)
            }
        }
    };
}

pass_client_callbacks_on!(RoutedContext, |context: &Self, statistics: &[u8]| {
    context.hook.take_statistics(statistics);
    context.passes_statistics
});
pass_client_callbacks_on!(FutureContext, |_: &Self, _: &[u8]| true);

impl<C: ProducerContext> ProducerContext<Hook> for RoutedContext<C> {
    type DeliveryOpaque = C::DeliveryOpaque;

    fn delivery(&self, result: &DeliveryResult<'_>, opaque: Self::DeliveryOpaque) {
        self.inner.delivery(result, opaque);
    }

    fn get_custom_partitioner(&self) -> Option<&Hook> {
        Some(&self.hook)
    }
}

/// A user's client context in a producer whose delivery reports complete futures.
#[derive(Clone, Debug)]
pub struct FutureContext<C> {
    inner: C,
}

impl<C> FutureContext<C> {
    pub(super) fn new(inner: C) -> Self {
        Self { inner }
    }

    /// The user's context.
    #[must_use]
    pub fn inner(&self) -> &C {
        &self.inner
    }
}

impl<C: ClientContext> ProducerContext for FutureContext<C> {
    type DeliveryOpaque = Box<oneshot::Sender<OwnedDeliveryResult>>;

    fn delivery(&self, result: &DeliveryResult<'_>, waiting: Self::DeliveryOpaque) {
        let result = match result {
            Ok(message) => Ok(Delivery {
                partition: message.partition(),
                offset: message.offset(),
                timestamp: message.timestamp(),
            }),
            Err((error, message)) => Err((error.clone(), message.detach())),
        };
        // Whoever dropped the future does not want to know.
        let _ = waiting.send(result);
    }
}
