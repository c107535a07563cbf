//! Produces the records of a run and reads them back.

use std::rc::Rc;
use std::time::{Duration, Instant};

use partitioner::contract::{Contract, ProducerProperties};
use partitioner::ids::PartitionCount;
use partitioner::rdkafka::producer::{RoutedProducer, build};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer};
use rdkafka::{Offset, TopicPartitionList};

use super::context::LiveContext;
use super::error::told;
use super::ledger::{Ledger, Sighting};
use super::mark::{HEADER, Mark, Phase, RunId};
use super::{Interruption, LiveError, LiveTopic};
use crate::workload::key_book::{KeyBook, NO_KEY};

/// Records that are sent before they are read back. Memory does not grow with the run, and neither records nor bytes
/// reach what a mock cluster keeps.
const ROUND_RECORDS: usize = 10_000;

/// Most rounds of the records without a key, where they need not be more. Sent all at once, those of a short run would all
/// stick to one partition, and not show how they scatter.
const UNKEYED_ROUNDS_MAX: usize = 100;

/// Bytes of keys and values after which a round ends.
const ROUND_BYTES: usize = 1 << 20;

/// Records between two looks at delivery reports.
const RECORDS_PER_POLL: usize = 256;

/// How long the clients are asked for news before the user is.
const TICK: Duration = Duration::from_millis(100);

/// As long, at the end of a round. rdkafka's poll goes on for the whole of it, whatever has come.
const FLUSH_TICK: Duration = Duration::from_millis(2);

/// How long the end of a partition must be quiet to be believed where its last offsets hold no record: transactions of
/// other producers end in offsets that are never read.
const QUIET: Duration = Duration::from_secs(2);

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveProgress {
    /// What is being done.
    pub phase: Phase,
    /// Records read back, or refused.
    pub done: u64,
    /// Records in all.
    pub total: u64,
}

/// What was found at the end of a run beside its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtEnd {
    /// Records that were read and are not the run's.
    pub foreign_records: u64,
    /// Partitions of the topic; `None` when it is gone.
    pub count: Option<PartitionCount>,
}

/// One run: a producer under a contract, and a consumer of all partitions from where they ended at the start.
pub struct RoundTrip<'a> {
    topic: &'a LiveTopic<'a>,
    run: &'a RunId,
    book: &'a KeyBook,
    interruption: &'a Interruption,
    producer: RoutedProducer<LiveContext>,
    consumer: Rc<BaseConsumer<LiveContext>>,
    /// By partition: the offset to be read next, and the one before which all is to be read.
    next: Vec<i64>,
    ends: Vec<i64>,
    /// By partition: whether the consumer said that this is the end, and nothing came since.
    is_at_end: Vec<bool>,
    ledgers: [Ledger<'a>; 2],
    foreign_records: u64,
    sent_key: Vec<u8>,
    last_news: Instant,
}

impl<'a> RoundTrip<'a> {
    /// Builds the producer and begins to read. `book` has the keys by number; `ledgers` are those of the
    /// [keyed](Phase::Keyed) and the [unkeyed](Phase::Unkeyed) phase. `seed` starts the sticky choices.
    ///
    /// # Errors
    /// [`LiveError`] when the producer cannot be built, or the topic not be read.
    pub fn new(
        topic: &'a LiveTopic<'a>,
        contract: &Contract,
        seed: u64,
        run: &'a RunId,
        book: &'a KeyBook,
        ledgers: [Ledger<'a>; 2],
        interruption: &'a Interruption,
    ) -> Result<Self, LiveError> {
        let connection = topic.connection();
        // The configuration has the properties of the contract's file, but for what a verification cannot do with.
        let contract = Contract { producer: ProducerProperties::default(), ..contract.clone() };
        let producer = build(&connection.config, &contract, seed, connection.context.clone())
            .map_err(|error| LiveError::new(error.to_string()))?;
        let next = topic.starts().to_vec();
        let (ends, is_at_end) = (vec![0; next.len()], vec![false; next.len()]);
        let mut assignment = TopicPartitionList::new();
        for (partition, &offset) in (0..).zip(&next) {
            add(&mut assignment, topic.name(), partition, Offset::Offset(offset))?;
        }
        let consumer = Rc::new(connection.consumer()?);
        let assigned = consumer.assign(&assignment);
        assigned
            .map_err(|error| connection.error(&format!("topic {:?} cannot be read", topic.name()), &error))?;
        Ok(Self {
            topic,
            run,
            book,
            interruption,
            producer,
            consumer,
            next,
            ends,
            is_at_end,
            ledgers,
            foreign_records: 0,
            sent_key: Vec::new(),
            last_news: Instant::now(),
        })
    }

    /// Sends the records of a phase, and reads until all that were acknowledged have been seen or passed over.
    ///
    /// # Errors
    /// [`LiveError`] when a record cannot be delivered, the topic cannot be read, nothing happens for as long as the
    /// connection's timeout, or the user interrupts.
    pub fn run(&mut self, phase: Phase, progress: &dyn Fn(LiveProgress)) -> Result<(), LiveError> {
        let total = self.ledger(phase).len();
        let round_records = match phase {
            Phase::Keyed => ROUND_RECORDS,
            Phase::Unkeyed => {
                total.div_ceil((4 * self.next.len()).min(UNKEYED_ROUNDS_MAX)).min(ROUND_RECORDS)
            }
        };
        let mut record = 0;
        while record < total {
            let mut bytes = 0;
            let begin = record;
            while record < total && record - begin < round_records && bytes < ROUND_BYTES {
                bytes += self.send(phase, record)?;
                record += 1;
                if record.is_multiple_of(RECORDS_PER_POLL) {
                    self.producer.poll(Duration::ZERO);
                    self.interruption.check()?;
                }
            }
            self.flush(phase)?;
            self.read_until(|next, end, _| next >= end, phase, progress)?;
            progress(LiveProgress { phase, done: record as u64, total: total as u64 });
        }
        Ok(())
    }

    /// Reads to where the partitions end now, for what may lie behind the last acknowledged record, and closes the run.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn finish(mut self) -> Result<([Ledger<'a>; 2], AtEnd), LiveError> {
        let connection = self.topic.connection();
        let count = connection.partition_count(self.topic.name())?;
        if let Some(count) = count {
            self.extend_to(count.as_usize())?;
            for partition in 0..self.next.len() {
                let number = i32::try_from(partition).unwrap_or(i32::MAX);
                self.ends[partition] = connection.watermarks(self.topic.name(), number)?.1;
            }
            let is_read = |next, end, is_quiet_end| next >= end || is_quiet_end;
            self.read_until(is_read, Phase::Unkeyed, &|_| {})?;
        }
        Ok((self.ledgers, AtEnd { foreign_records: self.foreign_records, count }))
    }

    fn ledger(&mut self, phase: Phase) -> &mut Ledger<'a> {
        &mut self.ledgers[phase as usize]
    }

    /// Gives a record to the producer; returns its bytes.
    fn send(&mut self, phase: Phase, record: usize) -> Result<usize, LiveError> {
        let (key, sequence) = self.ledger(phase).key_and_sequence(record);
        let number = u32::try_from(record).unwrap_or(u32::MAX);
        let value = Mark { phase, record: number, sequence }.to_string();
        self.sent_key.clear();
        if key != NO_KEY {
            write_key(self.book, key, &mut self.sent_key)?;
        }
        self.ledger(phase).sent(record);
        self.last_news = Instant::now();
        loop {
            let header = Header { key: HEADER, value: Some(self.run.as_str()) };
            let mut message = BaseRecord::with_opaque_to(self.topic.name(), record)
                .payload(&value)
                .headers(OwnedHeaders::new_with_capacity(1).insert(header));
            if key != NO_KEY {
                message = message.key(&self.sent_key);
            }
            match self.producer.send(message) {
                Ok(()) => return Ok(self.sent_key.len() + value.len()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), _)) => {
                    self.producer.poll(TICK);
                    self.settle(phase)?;
                    self.interruption.check()?;
                    self.check_stall("the producer's queue stayed full")?;
                }
                Err((error, _)) if is_refusal(&error) => {
                    self.ledger(phase).refused(record);
                    return Ok(0);
                }
                Err((error, _)) => return Err(self.undelivered(&error)),
            }
        }
    }

    /// Waits for the delivery reports of all records that were sent.
    fn flush(&mut self, phase: Phase) -> Result<(), LiveError> {
        self.last_news = Instant::now();
        loop {
            self.producer.poll(if self.producer.in_flight_count() > 0 { FLUSH_TICK } else { Duration::ZERO });
            self.settle(phase)?;
            if self.producer.in_flight_count() == 0 {
                // A report may have come between the two.
                return self.settle(phase);
            }
            self.interruption.check()?;
            self.check_stall("records were neither delivered nor refused")?;
        }
    }

    /// Notes the delivery reports that have come.
    fn settle(&mut self, phase: Phase) -> Result<(), LiveError> {
        for (record, delivered) in self.topic.connection().context.take_delivered() {
            self.last_news = Instant::now();
            match delivered {
                Ok((partition, offset)) => {
                    self.ledger(phase).acknowledged(record);
                    let partition = index(partition);
                    self.extend_to(partition + 1)?;
                    self.ends[partition] = self.ends[partition].max(offset + 1);
                }
                Err(error) if is_refusal(&error) => self.ledger(phase).refused(record),
                Err(error) => return Err(self.undelivered(&error)),
            }
        }
        Ok(())
    }

    /// Reads partitions too that the topic did not have before.
    fn extend_to(&mut self, count: usize) -> Result<(), LiveError> {
        if count <= self.next.len() {
            return Ok(());
        }
        let connection = self.topic.connection();
        let mut new = TopicPartitionList::new();
        for partition in self.next.len()..count {
            let number = i32::try_from(partition).unwrap_or(i32::MAX);
            add(&mut new, self.topic.name(), number, Offset::Beginning)?;
        }
        let assigned = self.consumer.incremental_assign(&new);
        assigned.map_err(|error| connection.error("new partitions cannot be read", &error))?;
        self.next.resize(count, 0);
        self.ends.resize(count, 0);
        self.is_at_end.resize(count, false);
        Ok(())
    }

    /// Reads until `is_read(next offset, end, whether the consumer has been at the end for a while)` for every partition.
    fn read_until(
        &mut self,
        is_read: impl Fn(i64, i64, bool) -> bool,
        phase: Phase,
        progress: &dyn Fn(LiveProgress),
    ) -> Result<(), LiveError> {
        let (connection, consumer) = (self.topic.connection(), Rc::clone(&self.consumer));
        self.last_news = Instant::now();
        loop {
            let is_quiet = self.last_news.elapsed() >= QUIET;
            let mut partitions = self.next.iter().zip(&self.ends).zip(&self.is_at_end);
            if partitions.all(|((&next, &end), &is_at_end)| is_read(next, end, is_at_end && is_quiet)) {
                return Ok(());
            }
            match consumer.poll(TICK) {
                Some(Ok(message)) => self.take(&message)?,
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    self.is_at_end[index(partition)] = true;
                }
                Some(Err(error)) if may_pass(&error) => {}
                Some(Err(error)) => {
                    return Err(
                        connection.error(&format!("topic {:?} cannot be read", self.topic.name()), &error)
                    );
                }
                None => {}
            }
            let (done, total) = (self.ledger(phase).read(), self.ledger(phase).len() as u64);
            if done.is_multiple_of(RECORDS_PER_POLL as u64) {
                progress(LiveProgress { phase, done: done.min(total), total });
            }
            self.interruption.check()?;
            self.check_stall("records that were acknowledged could not be read")?;
        }
    }

    /// Notes a record that was read.
    fn take(&mut self, message: &BorrowedMessage<'_>) -> Result<(), LiveError> {
        self.last_news = Instant::now();
        let (partition, offset) = (message.partition(), message.offset());
        let at = index(partition);
        self.next[at] = offset + 1;
        self.is_at_end[at] = false;
        let is_ours = message.headers().is_some_and(|headers| {
            headers
                .iter()
                .any(|header| header.key == HEADER && header.value == Some(self.run.as_str().as_bytes()))
        });
        if !is_ours {
            self.foreign_records += 1;
            return Ok(());
        }
        let mark = message.payload().and_then(Mark::parse);
        // A value that is no mark is a record of this run all the same, and one that nobody sent.
        let mark = mark.unwrap_or(Mark { phase: Phase::Keyed, record: u32::MAX, sequence: u32::MAX });
        let ledger = &mut self.ledgers[mark.phase as usize];
        let key =
            ((mark.record as usize) < ledger.len()).then(|| ledger.key_and_sequence(mark.record as usize).0);
        let is_key_intact = match key {
            Some(NO_KEY) | None => message.key().is_none(),
            Some(key) => {
                write_key(self.book, key, &mut self.sent_key)?;
                message.key() == Some(&self.sent_key)
            }
        };
        let Mark { record, sequence, .. } = mark;
        ledger.sighted(Sighting { record, sequence, partition, offset, is_key_intact });
        Ok(())
    }

    fn check_stall(&self, what: &str) -> Result<(), LiveError> {
        let connection = self.topic.connection();
        if self.last_news.elapsed() < connection.timeout {
            return Ok(());
        }
        let trouble = connection.last_trouble().map(|trouble| format!(": {trouble}")).unwrap_or_default();
        Err(LiveError::new(format!(
            "topic {:?} at {}: {what} in {} s (--timeout){trouble}",
            self.topic.name(),
            connection.address,
            connection.timeout.as_secs()
        )))
    }

    fn undelivered(&self, error: &KafkaError) -> LiveError {
        let what = format!("a record for topic {:?} could not be delivered", self.topic.name());
        self.topic.connection().error(&what, error)
    }
}

/// librdkafka counts partitions from 0 in an `i32`, and reports none that it does not know.
fn index(partition: i32) -> usize {
    usize::try_from(partition).unwrap_or(0)
}

/// Whether the producer refused the record, as the contract wants of some.
fn is_refusal(error: &KafkaError) -> bool {
    matches!(error, KafkaError::MessageProduction(RDKafkaErrorCode::UnknownPartition))
}

/// Whether a consumer's error may go away by itself.
fn may_pass(error: &KafkaError) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::BrokerTransportFailure
                | RDKafkaErrorCode::AllBrokersDown
                | RDKafkaErrorCode::OperationTimedOut
                | RDKafkaErrorCode::Resolve
        )
    )
}

fn add(list: &mut TopicPartitionList, topic: &str, partition: i32, offset: Offset) -> Result<(), LiveError> {
    list.add_partition_offset(topic, partition, offset).map_err(|error| LiveError::new(told(&error)))
}

fn write_key(book: &KeyBook, key: u32, out: &mut Vec<u8>) -> Result<(), LiveError> {
    book.write_key(key, out).map_err(|error| LiveError::new(format!("a key cannot be made: {error}")))
}
