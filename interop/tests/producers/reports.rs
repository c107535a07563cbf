//! What became of each record, as its producer was told.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use rdkafka::client::ClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{DeliveryResult, ProducerContext};
use rdkafka::statistics::Statistics;

/// The partition of a record that was acknowledged, or the error of one that was not.
pub(crate) type Outcome = Result<i32, RDKafkaErrorCode>;

/// Keeps every delivery report under the number with which the record was sent.
#[derive(Default)]
pub(crate) struct Reports {
    reported: Mutex<Vec<(usize, Outcome)>>,
    partitions_known: AtomicUsize,
    transmitted: AtomicU64,
    /// Errors of the whole client, such as those after which it cannot go on.
    errors: Mutex<Vec<(KafkaError, String)>>,
}

impl Reports {
    /// The outcome by the number of the record.
    ///
    /// # Panics
    /// When a record was reported twice.
    pub(crate) fn outcomes(&self) -> BTreeMap<usize, Outcome> {
        let mut outcomes = BTreeMap::new();
        for (number, outcome) in self.reported.lock().unwrap().iter() {
            assert_eq!(outcomes.insert(*number, *outcome), None, "record {number} was reported twice");
        }
        outcomes
    }

    /// How many partitions the client knows of the topic that has the most, by its own statistics.
    pub(crate) fn partitions_known(&self) -> usize {
        self.partitions_known.load(Relaxed)
    }

    /// Records that went to brokers by the last statistics; one that was sent again counts again.
    pub(crate) fn transmitted(&self) -> u64 {
        self.transmitted.load(Relaxed)
    }

    /// Errors after which a client cannot go on.
    pub(crate) fn fatal_errors(&self) -> Vec<String> {
        let errors = self.errors.lock().unwrap();
        let fatal =
            errors.iter().filter(|(error, _)| error.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal));
        fatal.map(|(_, reason)| reason.clone()).collect()
    }
}

impl ClientContext for Reports {
    fn stats(&self, statistics: Statistics) {
        // Partition -1 holds the records that wait for metadata.
        let known =
            |topic: &rdkafka::statistics::Topic| topic.partitions.keys().filter(|id| **id >= 0).count();
        self.partitions_known.fetch_max(statistics.topics.values().map(known).max().unwrap_or(0), Relaxed);
        self.transmitted.store(statistics.txmsgs.try_into().unwrap(), Relaxed);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.errors.lock().unwrap().push((error, reason.to_owned()));
    }
}

impl ProducerContext for Reports {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, number: usize) {
        let outcome = match result {
            Ok(message) => Ok(message.partition()),
            Err((error, _)) => Err(error.rdkafka_error_code().expect("a delivery fails with a code")),
        };
        self.reported.lock().unwrap().push((number, outcome));
    }
}
