//! What can go wrong with a live topic.

use std::error::Error;
use std::fmt;

use rdkafka::error::KafkaError;

/// A live topic that cannot be used: what was wrong, where, and how to mend it.
///
/// The text never holds the value of a property.
#[derive(Debug)]
pub struct LiveError(Kind);

#[derive(Debug)]
enum Kind {
    Said(String),
    Interrupted(i32),
}

impl LiveError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(Kind::Said(text.into()))
    }

    pub(super) fn interrupted(signal: i32) -> Self {
        Self(Kind::Interrupted(signal))
    }

    /// The signal by which the user ended the run, if that is what happened.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        match self.0 {
            Kind::Interrupted(signal) => Some(signal),
            Kind::Said(_) => None,
        }
    }
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Said(text) => f.write_str(text),
            Kind::Interrupted(_) => f.write_str("interrupted"),
        }
    }
}

impl Error for LiveError {}

/// What librdkafka says of an error, without the value of a property, which may be a secret.
pub(super) fn told(error: &KafkaError) -> String {
    match error {
        // Its own text and the description both may hold the value.
        KafkaError::ClientConfig(_, description, name, _) if description.starts_with("No such") => {
            format!("librdkafka has no property {name:?}")
        }
        KafkaError::ClientConfig(_, description, name, _)
            if description.contains("not supported in this build") =>
        {
            format!("{name}: this program was built without what the property needs")
        }
        KafkaError::ClientConfig(_, _, name, _) => format!("librdkafka does not take the value of {name}"),
        KafkaError::ClientCreation(reason) => format!("librdkafka refuses the client: {reason}"),
        _ => match error.rdkafka_error_code() {
            Some(code) => code.to_string(),
            None => error.to_string(),
        },
    }
}
