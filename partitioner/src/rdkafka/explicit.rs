//! Explicit partitions, for those who keep rdkafka's `FutureProducer` or another producer without the hook.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rdkafka::client::{Client, ClientContext};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::message::{Headers, OwnedHeaders, ToBytes};
use rdkafka::producer::{BaseRecord, FutureRecord, Partitioner, Producer, ProducerContext};
use rdkafka::util::{IntoOpaque, Timeout};

use super::events;
use super::monotonic::Monotonic;
use crate::cached::{CachedRouter, PlaceError};
use crate::contract::{Contract, ContractError};
use crate::ids::{PartitionCount, PartitionIndex};
use crate::route::Record;
use crate::topics::TopicsSnapshot;

/// Least time between two rounds of asking for partition counts, so that a topic that does not exist is no storm.
const ROUND_MIN: Duration = Duration::from_millis(100);

/// Longest that one topic's metadata is waited for in the background.
const METADATA_TIMEOUT: Duration = Duration::from_secs(10);

/// Sets the partition of records before they are sent.
///
/// rdkafka's `FutureProducer` ignores a custom partitioner (rust-rdkafka#741) but heeds a record's own partition. So this
/// router keeps the partition counts of topics, refreshed in the background as clients do it, and decides by the contract.
/// It sees more than the [`Hook`](super::hook::Hook) does: sizes, so that records without a key stick by bytes, and headers.
/// Placement of keys is the same. Clones share counts and sticky partitions.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use partitioner::rdkafka::explicit::ExplicitRouter;
/// use rdkafka::ClientConfig;
/// use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
///
/// let contract = "[topics.orders]\npartitions = 12".parse()?;
/// let producer: FutureProducer = ClientConfig::new().set("bootstrap.servers", "localhost:9092").create()?;
/// let router = ExplicitRouter::new(&contract, 42)?;
/// router.refresh(producer.client(), "orders", Duration::from_secs(10))?;
/// let _refresher = router.refresh_every(producer.clone(), Duration::from_secs(300));
///
/// let record = FutureRecord::to("orders").key("tenant-1:order-1").payload("…");
/// let record = router.place(record).map_err(|(error, _)| error)?;
/// producer.send(record, Duration::from_secs(5)).await.map_err(|(error, _)| error)?;
/// # Ok(())
/// # }
/// ```
///
/// # Events
/// Those of the [`Hook`](super::hook::Hook), and at WARN a refresh that failed.
#[derive(Clone, Debug)]
pub struct ExplicitRouter {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    router: CachedRouter,
    clock: Monotonic,
    may_stick_keyed: bool,
    /// Whether a topic was asked for whose count is not known.
    is_wanted: Mutex<bool>,
    wake: Condvar,
}

/// Refreshes partition counts until it is dropped.
#[derive(Debug)]
pub struct Refresher {
    shared: Arc<Shared>,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A record that can be placed: a `FutureRecord` or a `BaseRecord`.
pub trait Placeable {
    /// The topic.
    fn topic(&self) -> &str;
    /// The partition that the application asked for; negative is none.
    fn partition(&self) -> Option<i32>;
    /// The serialized key.
    fn key(&self) -> Option<&[u8]>;
    /// Bytes of key, payload and headers.
    fn size_bytes(&self) -> usize;
    /// The headers.
    fn headers(&self) -> Option<&OwnedHeaders>;
    /// Sets the partition.
    fn set_partition(&mut self, partition: i32);
}

macro_rules! placeable {
    ($record:ty, $($parameter:ident: $bound:path),*) => {
        impl<K: ToBytes + ?Sized, P: ToBytes + ?Sized $(, $parameter: $bound)*> Placeable for $record {
            fn topic(&self) -> &str {
                self.topic
            }

            fn partition(&self) -> Option<i32> {
                self.partition
            }

            fn key(&self) -> Option<&[u8]> {
                self.key.map(ToBytes::to_bytes)
            }

            fn size_bytes(&self) -> usize {
                let payload_bytes = self.payload.map_or(0, |payload| payload.to_bytes().len());
                let headers = self.headers.iter().flat_map(Headers::iter);
                let header_bytes = headers.map(|header| header.key.len() + header.value.map_or(0, <[u8]>::len));
                self.key().map_or(0, <[u8]>::len) + payload_bytes + header_bytes.sum::<usize>()
            }

            fn headers(&self) -> Option<&OwnedHeaders> {
                self.headers.as_ref()
            }

            fn set_partition(&mut self, partition: i32) {
                self.partition = Some(partition);
            }
        }
    };
}

placeable!(FutureRecord<'_, K, P>,);
placeable!(BaseRecord<'_, K, P, D>, D: IntoOpaque);

/// The value of the last header of a name.
///
/// ```
/// use partitioner::rdkafka::explicit::header;
/// use rdkafka::message::{Header, OwnedHeaders};
/// use rdkafka::producer::FutureRecord;
///
/// let headers = OwnedHeaders::new().insert(Header { key: "tenant", value: Some("acme") });
/// let record = FutureRecord::to("orders").key("order-7").payload("…").headers(headers);
/// assert_eq!(header(&record, "tenant"), Some(&b"acme"[..]));
/// ```
pub fn header<'r>(record: &'r impl Placeable, name: &str) -> Option<&'r [u8]> {
    let headers = record.headers()?;
    let named = headers.iter().filter(|header| header.key == name);
    named.last().and_then(|header| header.value)
}

impl ExplicitRouter {
    /// Makes every section of a contract ready; `seed` starts the sticky choices.
    ///
    /// # Errors
    /// [`ContractError`] when a section breaks a rule.
    pub fn new(contract: &Contract, seed: u64) -> Result<Self, ContractError> {
        let router = CachedRouter::new(contract, seed)?;
        let may_stick_keyed = router.may_stick_keyed();
        let (clock, is_wanted, wake) = (Monotonic::start(), Mutex::default(), Condvar::default());
        Ok(Self { shared: Arc::new(Shared { router, clock, may_stick_keyed, is_wanted, wake }) })
    }

    /// The router with its counts, for what it has decided and for partition counts from elsewhere.
    #[must_use]
    pub fn router(&self) -> &CachedRouter {
        &self.shared.router
    }

    /// What was decided so far.
    #[must_use]
    pub fn snapshot(&self) -> TopicsSnapshot {
        self.shared.router.snapshot()
    }

    /// Asks the brokers now how many partitions a topic has; blocks until they answer. Before the first record of a topic.
    ///
    /// # Errors
    /// When no broker answers in time, or the topic does not exist.
    pub fn refresh<C: ClientContext>(
        &self,
        client: &Client<C>,
        topic: &str,
        timeout: impl Into<Timeout>,
    ) -> KafkaResult<PartitionCount> {
        self.shared.refresh(client, topic, timeout.into())
    }

    /// Asks for the counts of all topics in use every `interval`, in a thread of its own, until the result is dropped.
    ///
    /// Java and librdkafka ask every 5 minutes. A topic that was placed before its count was known is asked for at once.
    /// What producers do between a growth and their next refresh is a matter of the contract's `on_growth`.
    pub fn refresh_every<P, C, H>(&self, producer: P, interval: Duration) -> Refresher
    where
        P: Producer<C, H> + Send + 'static,
        C: ProducerContext<H> + 'static,
        H: Partitioner + Send + Sync + 'static,
    {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (shared, stopped) = (Arc::clone(&self.shared), Arc::clone(&is_stopped));
        let thread = std::thread::spawn(move || {
            while shared.wait(interval, &stopped) {
                for topic in shared.router.topics() {
                    if let Err(error) = shared.refresh(producer.client(), &topic, METADATA_TIMEOUT.into()) {
                        events::refresh_failed(&topic, &error);
                    }
                    if stopped.load(Relaxed) {
                        return;
                    }
                }
            }
        });
        Refresher { shared: Arc::clone(&self.shared), is_stopped, thread: Some(thread) }
    }

    /// The record with its partition, to be sent as it is.
    ///
    /// A partition that the application has set stays, when the topic has it.
    ///
    /// # Errors
    /// [`PlaceError`] with the record, when the contract refuses it or the topic's partition count is not known yet.
    pub fn place<R: Placeable>(&self, record: R) -> Result<R, (PlaceError, R)> {
        self.place_by(record, R::key)
    }

    /// As [`place`](Self::place), by another key than the record's own: for records whose tenant stands in a header.
    ///
    /// ```
    /// # use partitioner::rdkafka::explicit::{ExplicitRouter, header};
    /// # use partitioner::ids::PartitionCount;
    /// # use rdkafka::message::{Header, OwnedHeaders};
    /// # use rdkafka::producer::FutureRecord;
    /// let contract = "[topics.orders]\nvip_count = 10\nvip.tenants = [\"acme\"]".parse().unwrap();
    /// let router = ExplicitRouter::new(&contract, 42).unwrap();
    /// router.router().set_partition_count("orders", PartitionCount::new(12).unwrap());
    /// let headers = OwnedHeaders::new().insert(Header { key: "route", value: Some("acme:order-7") });
    /// let record = FutureRecord::to("orders").key("order-7").payload("…").headers(headers);
    /// let placed = router.place_by(record, |record| header(record, "route")).map_err(|(error, _)| error).unwrap();
    /// assert!(placed.partition.unwrap() < 10, "the VIP pool of acme");
    /// ```
    ///
    /// # Errors
    /// As `place`.
    pub fn place_by<R: Placeable>(
        &self,
        mut record: R,
        routing_key: impl for<'r> FnOnce(&'r R) -> Option<&'r [u8]>,
    ) -> Result<R, (PlaceError, R)> {
        match self.shared.partition(&record, routing_key(&record)) {
            Ok(partition) => {
                record.set_partition(partition);
                Ok(record)
            }
            Err(error) => Err((error, record)),
        }
    }
}

impl Shared {
    fn partition(&self, record: &impl Placeable, key: Option<&[u8]>) -> Result<i32, PlaceError> {
        let asked =
            record.partition().and_then(|partition| u32::try_from(partition).ok()).map(PartitionIndex::new);
        if asked.is_none()
            && let Some(partition) = key.and_then(|key| self.router.usual(record.topic(), key))
        {
            return Ok(partition.as_i32());
        }
        let mut routed = Record { partition: asked, key, ..Record::default() };
        // Only sticky records need to be measured, and reading the clock costs as much as deciding about a key.
        if key.is_none() || self.may_stick_keyed {
            routed.size_bytes = u32::try_from(record.size_bytes()).unwrap_or(u32::MAX);
            routed.now_us = self.clock.now_us();
        }
        let topic = record.topic();
        let noted = self.router.route_and_note(topic, &routed).inspect_err(|_| self.want())?;
        if let Some(before) = noted.grown_from {
            events::growth(topic, before, noted.count);
        }
        if let Some(notable) = noted.notable {
            events::decision(topic, key, &noted.decided, notable);
        }
        noted.decided.map(|route| route.partition.as_i32()).map_err(PlaceError::Rejected)
    }

    fn refresh<C: ClientContext>(
        &self,
        client: &Client<C>,
        topic: &str,
        timeout: Timeout,
    ) -> KafkaResult<PartitionCount> {
        let metadata = client.fetch_metadata(Some(topic), timeout)?;
        let found = metadata.topics().iter().find(|found| found.name() == topic);
        if let Some(error) = found.and_then(|found| found.error()) {
            return Err(KafkaError::MetadataFetch(error.into()));
        }
        let partitions = found.map_or(0, |found| found.partitions().len());
        let count = u32::try_from(partitions).ok().and_then(PartitionCount::new);
        let count = count.ok_or(KafkaError::MetadataFetch(RDKafkaErrorCode::UnknownTopicOrPartition))?;
        self.router.set_partition_count(topic, count);
        Ok(count)
    }

    /// Asks the refresher for a round.
    fn want(&self) {
        *self.is_wanted.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.wake.notify_all();
    }

    /// Waits for `interval`, or until a count is wanted; whether to go on.
    fn wait(&self, interval: Duration, is_stopped: &AtomicBool) -> bool {
        let wait = |until: Duration, or_wanted: bool| {
            let is_wanted = self.is_wanted.lock().unwrap_or_else(PoisonError::into_inner);
            let goes_on = |wanted: &mut bool| !(is_stopped.load(Relaxed) || or_wanted && *wanted);
            let waited = self.wake.wait_timeout_while(is_wanted, until, goes_on);
            let (mut is_wanted, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if or_wanted {
                *is_wanted = false;
            }
        };
        wait(ROUND_MIN, false);
        wait(interval.saturating_sub(ROUND_MIN), true);
        !is_stopped.load(Relaxed)
    }
}

impl Drop for Refresher {
    /// Waits for the thread: at most for the metadata that it is asking for, 10 s.
    fn drop(&mut self) {
        {
            // Under the lock, so that the thread cannot be between its look at the flag and its wait.
            let _is_wanted = self.shared.is_wanted.lock().unwrap_or_else(PoisonError::into_inner);
            self.is_stopped.store(true, Relaxed);
            self.shared.wake.notify_all();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::message::Header;

    use super::*;
    use crate::reject::Reject;

    fn router(contract: &str, count: u32) -> ExplicitRouter {
        let router = ExplicitRouter::new(&contract.parse().unwrap(), 1).unwrap();
        router.router().set_partition_count("t", PartitionCount::new(count).unwrap());
        router
    }

    fn placed(router: &ExplicitRouter, record: FutureRecord<'_, [u8], [u8]>) -> Result<i32, PlaceError> {
        router.place(record).map(|record| record.partition.unwrap()).map_err(|(error, _)| error)
    }

    #[test]
    fn a_partition_of_the_applications_own_stays() {
        let router = router("[topics.t]\npartitions = 6", 6);
        let to = |partition: i32| FutureRecord::to("t").key(b"a:1".as_slice()).partition(partition);
        assert_eq!(placed(&router, to(5)), Ok(5));
        let out_of_range = Reject::ExplicitOutOfRange {
            partition: PartitionIndex::new(6),
            count: PartitionCount::new(6).unwrap(),
        };
        assert_eq!(placed(&router, to(6)), Err(PlaceError::Rejected(out_of_range)));
        let unassigned = placed(&router, to(-1)).unwrap();
        assert_eq!(Ok(unassigned), placed(&router, FutureRecord::to("t").key(b"a:1".as_slice())));
    }

    #[test]
    fn records_without_a_key_stick_by_the_bytes_of_all_parts() {
        let router = router("[topics.t]\nunkeyed = { sticky_bytes = 100, sticky_ms = 4_000_000 }", 6);
        let place = || {
            let headers = OwnedHeaders::new().insert(Header { key: "header", value: Some(&[0u8; 24]) });
            let record: BaseRecord<'_, [u8], [u8]> =
                BaseRecord::to("t").payload([0u8; 20].as_slice()).headers(headers);
            router.place(record).unwrap_or_else(|(error, _)| panic!("{error}")).partition.unwrap()
        };
        let places: Vec<_> = (0..20).map(|_| place()).collect();
        for stay in places.chunks(2) {
            assert_eq!(stay[0], stay[1], "50 bytes each: {places:?}");
        }
        assert!(places.chunks(2).zip(places.chunks(2).skip(1)).all(|(a, b)| a[0] != b[0]), "{places:?}");
    }

    #[test]
    fn the_last_header_of_a_name_counts() {
        let headers = OwnedHeaders::new()
            .insert(Header { key: "a", value: Some("1") })
            .insert(Header { key: "a", value: Some("2") })
            .insert(Header { key: "b", value: None::<&str> });
        let record: FutureRecord<'_, [u8], [u8]> = FutureRecord::to("t").headers(headers);
        assert_eq!(header(&record, "a"), Some(&b"2"[..]));
        assert_eq!((header(&record, "b"), header(&record, "c")), (None, None));
    }
}
