//! What librdkafka calls back with: log lines, errors, delivery reports.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{DeliveryResult, ProducerContext};
use rdkafka::statistics::Statistics;

/// Tells the user something while the work goes on; may be called from any thread.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Distinct lines of librdkafka that are told before it is only counted on.
const LINES_MAX: usize = 20;

/// Where a record arrived, or why it did not.
pub(super) type Delivered = (usize, Result<(i32, i64), KafkaError>);

/// The callbacks of all clients of a connection.
#[derive(Clone)]
pub(super) struct LiveContext {
    shared: Arc<Shared>,
}

struct Shared {
    say: Say,
    /// Values of properties that may be secrets.
    secrets: Vec<String>,
    /// Whether the user asked for librdkafka's own account of what it does.
    is_debugged: bool,
    told: Mutex<HashSet<String>>,
    last_trouble: Mutex<Option<String>>,
    delivered: Mutex<Vec<Delivered>>,
}

impl LiveContext {
    /// `is_debugged` tells every line of librdkafka's log; else only troubles are told, and each of them once.
    pub(super) fn new(say: Say, secrets: Vec<String>, is_debugged: bool) -> Self {
        let (told, last_trouble, delivered) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { shared: Arc::new(Shared { say, secrets, is_debugged, told, last_trouble, delivered }) }
    }

    /// The last trouble that librdkafka spoke of.
    pub(super) fn last_trouble(&self) -> Option<String> {
        locked(&self.shared.last_trouble).clone()
    }

    /// Takes the delivery reports that have come since the last call.
    pub(super) fn take_delivered(&self) -> Vec<Delivered> {
        std::mem::take(&mut *locked(&self.shared.delivered))
    }

    fn without_secrets(&self, text: &str) -> String {
        self.shared.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    /// Tells each distinct line once: while a broker is away librdkafka says so every second, for each client.
    fn trouble(&self, text: &str) {
        let shared = &self.shared;
        let text = essence(&self.without_secrets(text));
        *locked(&shared.last_trouble) = Some(text.clone());
        let mut told = locked(&shared.told);
        if told.len() < LINES_MAX && told.insert(text.clone()) {
            drop(told);
            (shared.say)(&format!("librdkafka: {text}"));
        }
    }
}

/// What holds nothing but data is whole even after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A line without what differs each time it is said: the thread in front, and how long something took.
fn essence(line: &str) -> String {
    let line = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map_or(line, |(_, rest)| rest);
    line.split(" (after ").next().unwrap_or(line).trim().to_owned()
}

impl ClientContext for LiveContext {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        if self.shared.is_debugged {
            return (self.shared.say)(&format!("librdkafka: {facility}: {}", self.without_secrets(message)));
        }
        // Each client gets all properties and warns of those that are meant for another.
        let is_expected = facility == "CONFWARN";
        if level as u8 <= RDKafkaLogLevel::Warning as u8 && !is_expected {
            self.trouble(message);
        }
    }

    fn stats(&self, _: Statistics) {}

    fn error(&self, error: KafkaError, reason: &str) {
        match error.rdkafka_error_code() {
            // News for whoever polls, and no trouble; and what only counts the troubles told before.
            Some(RDKafkaErrorCode::PartitionEOF | RDKafkaErrorCode::AllBrokersDown) => {}
            _ => self.trouble(reason),
        }
    }
}

impl ConsumerContext for LiveContext {}

impl ProducerContext for LiveContext {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, record: usize) {
        let result = match result {
            Ok(message) => Ok((message.partition(), message.offset())),
            Err((error, _)) => Err(error.clone()),
        };
        locked(&self.shared.delivered).push((record, result));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(secrets: &[&str], troubles: &[&str]) -> Vec<String> {
        let told = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&told);
        let say: Say = Arc::new(move |line: &str| locked(&kept).push(line.to_owned()));
        let secrets = secrets.iter().map(|secret| (*secret).to_owned()).collect();
        let context = LiveContext::new(say, secrets, false);
        troubles.iter().for_each(|text| context.log(RDKafkaLogLevel::Error, "FAIL", text));
        locked(&told).clone()
    }

    #[test]
    fn a_line_is_told_once_whatever_thread_it_comes_from() {
        let told = lines(
            &[],
            &[
                "[thrd:a:1/bootstrap]: a:1/bootstrap: Connect failed: refused (after 0ms in state CONNECT)",
                "[thrd:app]: a:1/bootstrap: Connect failed: refused (after 9ms in state CONNECT, 3 identical)",
                "[thrd:app]: b:1/bootstrap: Connect failed: refused (after 9ms in state CONNECT)",
            ],
        );
        assert_eq!(
            told,
            [
                "librdkafka: a:1/bootstrap: Connect failed: refused",
                "librdkafka: b:1/bootstrap: Connect failed: refused"
            ]
        );
    }

    #[test]
    fn secrets_are_not_told() {
        assert_eq!(
            lines(&["hunter2"], &["user x with hunter2 refused"]),
            ["librdkafka: user x with *** refused"]
        );
    }

    #[test]
    fn there_is_an_end_to_what_is_told() {
        let many: Vec<String> = (0..1_000).map(|i| format!("trouble {i}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(lines(&[], &many).len(), LINES_MAX);
    }
}
