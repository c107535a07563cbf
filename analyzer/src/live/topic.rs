//! A topic that a run may write to, and whether it is deleted afterwards.

use partitioner::ids::PartitionCount;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication, TopicResult};
use rdkafka::error::KafkaError;

use super::connection::client;
use super::context::LiveContext;
use super::error::told;
use super::{Address, Connection, Interruption, LiveError};

/// A topic that was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicState {
    /// Its partitions.
    pub count: PartitionCount,
    /// Of each partition the first offset that is kept, and the one after the last.
    pub watermarks: Vec<(i64, i64)>,
}

impl TopicState {
    /// Offsets that may hold records; gaps of transactions and compaction count too.
    #[must_use]
    pub fn records_max(&self) -> u64 {
        let held = self.watermarks.iter().map(|(low, high)| u64::try_from(high - low).unwrap_or(0));
        held.sum()
    }
}

/// What a topic is created with.
#[derive(Clone, Copy, Debug)]
pub struct NewTopicOptions {
    /// Partitions.
    pub count: PartitionCount,
    /// Replicas of each; the broker's default where left out.
    pub replication_factor: Option<u16>,
}

/// A topic that a run may write to. One that the run created can be deleted, one that was there cannot.
#[derive(Debug)]
pub struct LiveTopic<'c> {
    connection: &'c Connection,
    name: String,
    count: PartitionCount,
    /// Offset of each partition from which on records may be the run's.
    starts: Vec<i64>,
    is_created: bool,
}

impl<'c> LiveTopic<'c> {
    /// Creates a topic, and waits until it can be written to.
    ///
    /// # Errors
    /// [`LiveError`] when the cluster refuses it, or the user interrupts. When it was created and could not be used, it is
    /// deleted again.
    pub fn create(
        connection: &'c Connection,
        name: &str,
        options: NewTopicOptions,
        interruption: &Interruption,
    ) -> Result<Self, LiveError> {
        let count = options.count;
        let refused = |why: &str| {
            LiveError::new(format!("topic {name:?} cannot be created at {}: {why}", connection.address))
        };
        match &connection.mock {
            Some(mock) => {
                mock.create_topic(name, count.as_i32(), 1).map_err(|error| refused(&told(&error)))?;
            }
            None => {
                let replication = options.replication_factor.map_or(-1, i32::from);
                let topic = NewTopic::new(name, count.as_i32(), TopicReplication::Fixed(replication));
                let created =
                    connection.administer(|admin, options| block_on(admin.create_topics([&topic], options)));
                created.map_err(|why| refused(&why))?;
            }
        }
        let starts = vec![0; count.as_usize()];
        let topic = Self { connection, name: name.to_owned(), count, starts, is_created: true };
        match connection.wait_until_served(name, count, interruption) {
            Ok(()) => Ok(topic),
            Err(error) => Err(match topic.delete() {
                Ok(_) => error,
                Err(also) => LiveError::new(format!("{error}; and {also}")),
            }),
        }
    }

    /// A topic that was there.
    #[must_use]
    pub fn existing(connection: &'c Connection, name: &str, state: &TopicState) -> Self {
        let starts = state.watermarks.iter().map(|(_, high)| *high).collect();
        Self { connection, name: name.to_owned(), count: state.count, starts, is_created: false }
    }

    /// Deletes the topic if the run created it; says whether it did.
    ///
    /// # Errors
    /// [`LiveError`] when the cluster refuses.
    pub fn delete(&self) -> Result<bool, LiveError> {
        if !self.is_created {
            return Ok(false);
        }
        if self.connection.mock.is_none() {
            let deleted = self
                .connection
                .administer(|admin, options| block_on(admin.delete_topics(&[self.name.as_str()], options)));
            deleted.map_err(|why| {
                let address = &self.connection.address;
                LiveError::new(format!("topic {:?} cannot be deleted at {address}: {why}", self.name))
            })?;
        }
        Ok(true)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its partitions when the run began.
    #[must_use]
    pub fn count(&self) -> PartitionCount {
        self.count
    }

    /// Whether the run created it.
    #[must_use]
    pub fn is_created(&self) -> bool {
        self.is_created
    }

    /// The cluster that it is in.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.connection.address
    }

    pub(super) fn connection(&self) -> &'c Connection {
        self.connection
    }

    pub(super) fn starts(&self) -> &[i64] {
        &self.starts
    }
}

impl Connection {
    /// Asks the cluster to do something with one topic.
    fn administer(
        &self,
        ask: impl FnOnce(&AdminClient<LiveContext>, &AdminOptions) -> Result<Vec<TopicResult>, String>,
    ) -> Result<(), String> {
        let admin: AdminClient<LiveContext> =
            client(&self.config, self.context.clone()).map_err(|error| error.to_string())?;
        let options =
            AdminOptions::new().request_timeout(Some(self.timeout)).operation_timeout(Some(self.timeout));
        let results = ask(&admin, &options)?;
        results.into_iter().try_for_each(|result| match result {
            Ok(_) => Ok(()),
            Err((_, code)) => Err(code.to_string()),
        })
    }
}

/// Waits for an answer of the admin client, which comes by itself or times out.
fn block_on<T>(answer: impl Future<Output = Result<T, KafkaError>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| format!("no runtime to wait in: {error}"))?;
    runtime.block_on(answer).map_err(|error| told(&error))
}
