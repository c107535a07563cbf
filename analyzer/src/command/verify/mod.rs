//! `analyzer verify`: a prediction put to the test on a live topic.

use std::collections::BTreeMap;

use partitioner::contract::{Contract, TopicContract};

use self::assemble::Verified;
use self::predict::Prediction;
use super::error::CommandError;
use super::plan::{self, Hint, Plan};
use super::simulate::{book, refuse_empty, traffic};
use crate::live::{
    Address, AtEnd, Connection, Interruption, Ledger, LiveError, LiveTopic, NewTopicOptions, Phase,
    RoundTrip, RunId, Say, TopicState,
};
use crate::report::display_count;
use crate::report::verify::model::VerifyReport;
use crate::settings::{ClusterChoice, VerifySettings};
use crate::simulate::{Progress, Recording};
use crate::workload::key_book::{KEYS_MAX, NO_KEY};

mod assemble;
mod predict;

/// What is told of the progress: what is being done, with a space behind it, and how far it has come.
pub type Tell<'a> = &'a dyn Fn(&'static str, Progress);

/// Produces, reads back and compares; `say` tells the user what happens to the topic, and librdkafka's troubles.
///
/// A topic is written to only when this run created it, or when it was named and holds no records, or the settings allow
/// that it does. It is deleted only when this run created it and the settings say so; then in any case, whatever the end.
///
/// # Errors
/// [`CommandError`] when the traffic cannot be read, the cluster does not answer or refuses something, the topic must not
/// be written to, or the user interrupts.
pub fn verify(mut settings: VerifySettings, tell: Tell<'_>, say: Say) -> Result<VerifyReport, CommandError> {
    let run = RunId::random()?;
    let name = settings.topic.clone().unwrap_or_else(|| format!("analyzer-verify-{run}"));
    let connection = connect(&settings, &run, Say::clone(&say))?;
    let state = state_of_topic(&connection, &mut settings, &name)?;
    let (recording, plan) = record(&settings, tell)?;
    let section = section(&settings, &plan)?;
    let prediction = Prediction::new(&section, settings.simulation.count, recording.replay.book())?;
    let contract = bound(&settings, &name, &section);

    // Before there is something to clean up.
    let interruption = Interruption::noted()?;
    let topic = match &state {
        Some(state) => LiveTopic::existing(&connection, &name, state),
        None => {
            let options = NewTopicOptions {
                count: settings.simulation.count,
                replication_factor: settings.replication_factor,
            };
            LiveTopic::create(&connection, &name, options, &interruption)?
        }
    };
    let unkeyed = vec![NO_KEY; recording.keys.len()];
    let ledgers =
        [&recording.keys, &unkeyed].map(|keys| Ledger::new(keys, prediction.by_key(), prediction.unkeyed()));
    let seed = settings.simulation.seed;
    let done = RoundTrip::new(&topic, &contract, seed, &run, recording.replay.book(), ledgers, &interruption)
        .and_then(|trip| go(trip, tell));
    let cleaned = clean_up(&settings, &topic, &*say);
    if let (Err(_), Err(also)) = (&done, &cleaned) {
        say(&also.to_string());
    }
    let (ledgers, at_end) = done?;
    cleaned?;
    let verified = Verified {
        settings: &settings,
        plan: &plan,
        recording: &recording,
        prediction: &prediction,
        section: &section,
        topic: &topic,
        run: &run,
        tallies: ledgers.map(Ledger::close),
        at_end,
    };
    verified.report()
}

fn go<'a>(mut trip: RoundTrip<'a>, tell: Tell<'_>) -> Result<([Ledger<'a>; 2], AtEnd), LiveError> {
    for (phase, what) in [(Phase::Keyed, "with keys "), (Phase::Unkeyed, "without keys ")] {
        trip.run(phase, &|progress| {
            tell(what, Progress::Records { done: progress.done, total: progress.total });
        })?;
    }
    trip.finish()
}

fn connect(settings: &VerifySettings, run: &RunId, say: Say) -> Result<Connection, CommandError> {
    let address = match &settings.cluster {
        ClusterChoice::Mock => Address::Mock,
        ClusterChoice::Brokers(brokers) => Address::Brokers(brokers.clone()),
    };
    let properties =
        settings.properties.iter().map(|property| (property.name.clone(), property.value.clone()));
    let properties: Vec<_> = properties.collect();
    let contract = settings.contract.clone().unwrap_or_default();
    Ok(Connection::new(address, &properties, &contract, run, settings.timeout_s, say)?)
}

/// The topic that is there, when it may be written to; the settings take its partition count.
fn state_of_topic(
    connection: &Connection,
    settings: &mut VerifySettings,
    name: &str,
) -> Result<Option<TopicState>, CommandError> {
    if settings.cluster == ClusterChoice::Mock {
        return Ok(None);
    }
    let Some(state) = connection.topic(name)? else {
        return Ok(None);
    };
    let held = state.records_max();
    if held > 0 && !settings.allow_existing {
        return Err(CommandError::new(format!(
            "--topic {name:?}: the topic holds up to {} records, and verify writes records of its own beside them; name \
             another topic, leave --topic out for a new one, or say --allow-existing",
            display_count(held)
        )));
    }
    settings.use_count_of_topic(name, state.count)?;
    Ok(Some(state))
}

/// The records, and the contract by which they are placed: as `simulate` decides it.
fn record(settings: &VerifySettings, tell: Tell<'_>) -> Result<(Recording, Plan), CommandError> {
    let simulation = &settings.simulation;
    let format = plan::key_format(simulation.contract.as_ref(), &simulation.source)?;
    let planned = plan::before_traffic(simulation, format, Hint::Simulate)?;
    let book = book(simulation, format, planned.as_ref().unwrap_or(&Plan::default()));
    let read = |progress| tell("reading ", progress);
    let recording = match Recording::new(
        traffic(&simulation.source, simulation.seed)?,
        book,
        settings.records_max,
        &read,
    ) {
        Err(error) if error.is_too_much() => {
            return Err(CommandError::new(format!(
                "the records have more than {KEYS_MAX} distinct keys, or keys that are too long to be held at once; take fewer \
                 with --records"
            )));
        }
        recording => recording?,
    };
    refuse_empty(simulation, &recording.replay)?;
    let mut plan = match planned {
        Some(plan) => plan,
        None => plan::after_traffic(simulation, &recording.replay, format, Hint::Simulate)?,
    };
    plan.name_vips(simulation, &recording.replay)?;
    if recording.is_cut {
        plan.choices.push(format!(
            "the first {} records of the trace; --records takes more or fewer",
            display_count(recording.keys.len() as u64)
        ));
    }
    Ok((recording, plan))
}

/// The contract of the topic; without a VIP tenant one without pools.
fn section(settings: &VerifySettings, plan: &Plan) -> Result<TopicContract, CommandError> {
    match &plan.contract {
        Some(contract) => Ok(contract.clone()),
        None => {
            let simulation = &settings.simulation;
            let format = plan::key_format(simulation.contract.as_ref(), &simulation.source)?;
            Ok(plan::without_pools(simulation.count, format))
        }
    }
}

/// The contract file that the producer is built with: the user's own for a topic that the user named, so that its choice of
/// the section is put to the test too.
fn bound(settings: &VerifySettings, topic: &str, section: &TopicContract) -> Contract {
    match &settings.contract {
        Some(contract) if settings.topic.is_some() => contract.clone(),
        contract => Contract {
            topics: BTreeMap::from([(topic.to_owned(), section.clone())]),
            ..contract.clone().unwrap_or_default()
        },
    }
}

/// Deletes the topic if it is to be deleted, and tells what becomes of it.
fn clean_up(settings: &VerifySettings, topic: &LiveTopic<'_>, say: &dyn Fn(&str)) -> Result<(), LiveError> {
    let name = topic.name();
    if settings.cluster == ClusterChoice::Mock {
        return Ok(());
    }
    match (topic.is_created(), settings.cleanup) {
        (false, false) => say(&format!("the topic {name} keeps the records of this run")),
        (false, true) => say(&format!(
            "the topic {name} was there before and is not deleted; it keeps the records of this run"
        )),
        (true, false) => say(&format!("the topic {name} stays; --cleanup deletes it")),
        (true, true) => {
            topic.delete()?;
            say(&format!("the topic {name} is deleted"));
        }
    }
    Ok(())
}
