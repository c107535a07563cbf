//! The asynchronous producer.

use std::marker::PhantomData;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use rdkafka::ClientConfig;
use rdkafka::Timestamp;
use rdkafka::TopicPartitionList;
use rdkafka::client::{Client, ClientContext};
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::message::{OwnedMessage, ToBytes};
use rdkafka::producer::future_producer::OwnedDeliveryResult;
use rdkafka::producer::{BaseRecord, FutureRecord, Producer, PurgeConfig};
use rdkafka::util::{AsyncRuntime, DefaultRuntime, Timeout};

use super::context::{FutureContext, RoutedContext};
use super::hook::Hook;
use super::producer::{BuildError, ThreadedRoutedProducer, build, from_file};
use crate::contract::Contract;

/// How long to wait for room in librdkafka's queue before asking again, as `FutureProducer` does.
const QUEUE_RETRY: Duration = Duration::from_millis(100);

type Waiting = Box<oneshot::Sender<OwnedDeliveryResult>>;

/// rdkafka's `FutureProducer` under a contract: the same calls, but records go where the contract says.
///
/// Clones share one producer, which a thread of its own polls. What `FutureProducer` has beside sending (purge,
/// transactions, the client) is here as there, by the trait [`Producer`]. Its calls with a time limit block the thread until
/// the brokers have answered; in an async task they belong into `spawn_blocking`.
///
/// In a transaction a record that the contract refuses is not part of it when `send` refuses it, and the transaction can be
/// committed. When it is refused in its delivery report, since the topic was not known yet, `commit_transaction` fails and
/// the transaction must be aborted, as after any record that could not be delivered.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use partitioner::rdkafka::future::RoutedFutureProducer;
/// use rdkafka::ClientConfig;
/// use rdkafka::client::DefaultClientContext;
/// use rdkafka::producer::FutureRecord;
///
/// let contract = "[topics.orders]\npartitions = 12".parse()?;
/// let mut config = ClientConfig::new();
/// config.set("bootstrap.servers", "localhost:9092");
/// let producer: RoutedFutureProducer<_> = RoutedFutureProducer::new(&config, &contract, 42, DefaultClientContext)?;
/// let record = FutureRecord::to("orders").key("tenant-1:order-1").payload("…");
/// let delivery = producer.send(record, Duration::from_secs(5)).await.map_err(|(error, _)| error)?;
/// println!("partition {}", delivery.partition);
/// # Ok(())
/// # }
/// ```
pub struct RoutedFutureProducer<C: ClientContext + 'static, R = DefaultRuntime> {
    inner: Arc<ThreadedRoutedProducer<FutureContext<C>>>,
    runtime: PhantomData<fn() -> R>,
}

impl<C: ClientContext + 'static, R> Clone for RoutedFutureProducer<C, R> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), runtime: PhantomData }
    }
}

/// Completes with the delivery report of a record.
///
/// When the last clone of the producer is dropped first, the records that it still had are given up and reported as
/// `PurgeQueue` or, where a broker may have got them, `PurgeInflight`; [`flush`](RoutedFutureProducer::flush) before that.
#[derive(Debug)]
pub struct DeliveryFuture(oneshot::Receiver<OwnedDeliveryResult>);

impl Future for DeliveryFuture {
    type Output = Result<OwnedDeliveryResult, oneshot::Canceled>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<C: ClientContext + 'static, R: AsyncRuntime> RoutedFutureProducer<C, R> {
    /// Builds the producer; see [`build`].
    ///
    /// # Errors
    /// As `build`.
    pub fn new(
        config: &ClientConfig,
        contract: &Contract,
        seed: u64,
        context: C,
    ) -> Result<Self, BuildError> {
        let inner = build(config, contract, seed, FutureContext::new(context))?;
        Ok(Self { inner: Arc::new(inner), runtime: PhantomData })
    }

    /// Builds the producer from one file; see [`from_file`].
    ///
    /// # Errors
    /// As `from_file`.
    pub fn from_file(path: impl AsRef<Path>, seed: u64, context: C) -> Result<Self, BuildError> {
        let inner = from_file(path, seed, FutureContext::new(context))?;
        Ok(Self { inner: Arc::new(inner), runtime: PhantomData })
    }

    /// The producer inside.
    pub fn inner(&self) -> &ThreadedRoutedProducer<FutureContext<C>> {
        &self.inner
    }

    /// The context, with the hook's counts.
    #[must_use]
    pub fn context(&self) -> &RoutedContext<FutureContext<C>> {
        self.inner.context()
    }

    /// Sends a record and waits for its delivery report.
    ///
    /// While librdkafka's queue is full it is asked again, until `queue_timeout`. Once the record is queued, librdkafka's
    /// own `delivery.timeout.ms` counts.
    ///
    /// # Errors
    /// The error with the record: the contract refuses it (`UnknownPartition`), the queue stayed full, or it could not be
    /// delivered.
    pub async fn send<K, P>(
        &self,
        record: FutureRecord<'_, K, P>,
        queue_timeout: impl Into<Timeout>,
    ) -> OwnedDeliveryResult
    where
        K: ToBytes + ?Sized,
        P: ToBytes + ?Sized,
    {
        let (queue_timeout, started) = (queue_timeout.into(), Instant::now());
        let may_wait = || match queue_timeout {
            Timeout::Never => true,
            Timeout::After(limit) => started.elapsed() < limit,
        };
        let mut record = record;
        loop {
            match self.send_result(record) {
                Ok(delivery) => {
                    return match delivery.await {
                        Ok(reported) => reported,
                        // A producer that is borrowed here is not dropped, so this does not come.
                        Err(oneshot::Canceled) => Err((KafkaError::Canceled, nothing())),
                    };
                }
                Err((error, back)) if is_queue_full(&error) && may_wait() => {
                    R::delay_for(QUEUE_RETRY).await;
                    record = back;
                }
                Err((error, back)) => return Err((error, owned(back))),
            }
        }
    }

    /// Queues a record; the future completes with its delivery report.
    ///
    /// # Errors
    /// The error with the record when it cannot be queued: the contract refuses it (`UnknownPartition`), or the queue is
    /// full.
    #[allow(clippy::result_large_err)] // the record goes back to its owner, as from FutureProducer
    pub fn send_result<'a, K, P>(
        &self,
        record: FutureRecord<'a, K, P>,
    ) -> Result<DeliveryFuture, (KafkaError, FutureRecord<'a, K, P>)>
    where
        K: ToBytes + ?Sized,
        P: ToBytes + ?Sized,
    {
        let (report, waiting) = oneshot::channel();
        self.inner
            .send(base_record(record, Box::new(report)))
            .map(|()| DeliveryFuture(waiting))
            .map_err(|(error, back)| (error, future_record(back)))
    }

    /// Waits until every queued record has its delivery report.
    ///
    /// # Errors
    /// When that takes longer than `timeout`.
    pub fn flush(&self, timeout: impl Into<Timeout>) -> KafkaResult<()> {
        self.inner.flush(timeout)
    }
}

/// The calls that every producer of rdkafka has, as `FutureProducer` has them.
impl<C: ClientContext + 'static, R: AsyncRuntime> Producer<RoutedContext<FutureContext<C>>, Hook>
    for RoutedFutureProducer<C, R>
{
    fn client(&self) -> &Client<RoutedContext<FutureContext<C>>> {
        self.inner.client()
    }

    fn in_flight_count(&self) -> i32 {
        self.inner.in_flight_count()
    }

    fn flush<T: Into<Timeout>>(&self, timeout: T) -> KafkaResult<()> {
        self.inner.flush(timeout)
    }

    fn purge(&self, flags: PurgeConfig) {
        self.inner.purge(flags);
    }

    fn init_transactions<T: Into<Timeout>>(&self, timeout: T) -> KafkaResult<()> {
        self.inner.init_transactions(timeout)
    }

    fn begin_transaction(&self) -> KafkaResult<()> {
        self.inner.begin_transaction()
    }

    fn send_offsets_to_transaction<T: Into<Timeout>>(
        &self,
        offsets: &TopicPartitionList,
        group: &ConsumerGroupMetadata,
        timeout: T,
    ) -> KafkaResult<()> {
        self.inner.send_offsets_to_transaction(offsets, group, timeout)
    }

    fn commit_transaction<T: Into<Timeout>>(&self, timeout: T) -> KafkaResult<()> {
        self.inner.commit_transaction(timeout)
    }

    fn abort_transaction<T: Into<Timeout>>(&self, timeout: T) -> KafkaResult<()> {
        self.inner.abort_transaction(timeout)
    }
}

/// Stands for a record that is no longer known.
fn nothing() -> OwnedMessage {
    OwnedMessage::new(None, None, String::new(), Timestamp::NotAvailable, -1, 0, None)
}

fn is_queue_full(error: &KafkaError) -> bool {
    error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull)
}

fn base_record<'a, K, P>(record: FutureRecord<'a, K, P>, report: Waiting) -> BaseRecord<'a, K, P, Waiting>
where
    K: ToBytes + ?Sized,
    P: ToBytes + ?Sized,
{
    let mut base = BaseRecord::with_opaque_to(record.topic, report);
    base.partition = record.partition;
    base.payload = record.payload;
    base.key = record.key;
    base.timestamp = record.timestamp;
    base.headers = record.headers;
    base
}

fn future_record<'a, K, P>(base: BaseRecord<'a, K, P, Waiting>) -> FutureRecord<'a, K, P>
where
    K: ToBytes + ?Sized,
    P: ToBytes + ?Sized,
{
    let mut record = FutureRecord::to(base.topic);
    record.partition = base.partition;
    record.payload = base.payload;
    record.key = base.key;
    record.timestamp = base.timestamp;
    record.headers = base.headers;
    record
}

fn owned<K, P>(record: FutureRecord<'_, K, P>) -> OwnedMessage
where
    K: ToBytes + ?Sized,
    P: ToBytes + ?Sized,
{
    OwnedMessage::new(
        record.payload.map(|payload| payload.to_bytes().to_vec()),
        record.key.map(|key| key.to_bytes().to_vec()),
        record.topic.to_owned(),
        record.timestamp.map_or(Timestamp::NotAvailable, Timestamp::CreateTime),
        record.partition.unwrap_or(-1),
        0,
        record.headers,
    )
}
