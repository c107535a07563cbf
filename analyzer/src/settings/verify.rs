//! What `verify` is to do.

use std::fmt;
use std::path::PathBuf;

use partitioner::contract::{Contract, ProducerProperties};
use partitioner::ids::PartitionCount;

use super::contract::read_contract;
use super::count::{check_contract_count, check_vip_count, partition_count, vips};
use super::{Result, SettingsError, SimulateSettings, TrafficSource, traffic, wrong};
use crate::cli::{VerifyArgs, When};
use crate::report::verify::VerifyFormat;
use crate::strategy::{Entry, TENANT_AWARE};

/// Records where none are asked for.
const RECORDS_DEFAULT: u64 = 10_000;

const BROKERS_EXPECTED: &str = "expected host:port with a port from 1 to 65535, such as localhost:9092 or [::1]:9092, several with commas";

/// Both names of the property.
const BROKERS: [&str; 2] = ["bootstrap.servers", "metadata.broker.list"];

/// Kafka's own limit of a topic's name.
const TOPIC_BYTES_MAX: usize = 249;

/// What `verify` is to do.
#[derive(Debug)]
pub struct VerifySettings {
    /// The simulation whose `tenant-aware` is put to the test.
    pub simulation: SimulateSettings,
    /// Whether the partition count was asked for, so that a topic with another is an error.
    pub is_count_given: bool,
    /// Most records to take.
    pub records_max: u64,
    /// Where to produce.
    pub cluster: ClusterChoice,
    /// The topic, or a new one when none is named.
    pub topic: Option<String>,
    /// The whole file of which the simulation has one section.
    pub contract: Option<Contract>,
    /// Replicas of a topic that is created; the broker's default where left out.
    pub replication_factor: Option<u16>,
    /// Whether the topic may hold records.
    pub allow_existing: bool,
    /// Whether a topic that was created is deleted in the end.
    pub cleanup: bool,
    /// How long to wait while nothing happens, in seconds.
    pub timeout_s: u64,
    /// Properties of librdkafka's clients.
    pub properties: Vec<Property>,
}

/// Which cluster to produce to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterChoice {
    /// librdkafka's own, inside this process.
    Mock,
    /// The one that these brokers belong to.
    Brokers(String),
}

/// A property of librdkafka's clients. Its value may be a secret and is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Property {
    /// Name, such as `sasl.password`.
    pub name: String,
    /// Value.
    pub value: String,
}

impl fmt::Debug for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=***", self.name)
    }
}

/// Where the report of a verification goes, and what is made of it.
#[derive(Debug)]
pub struct VerifyOutput {
    /// How it is rendered.
    pub format: VerifyFormat,
    /// The file, or standard output.
    pub path: Option<PathBuf>,
    /// When to use colour.
    pub color: When,
}

/// Makes settings from arguments; reads the profile and the contract.
///
/// # Errors
/// [`SettingsError`] with the argument, what was expected and how to mend it. A property's value is in none.
pub fn verify(args: VerifyArgs, command: String) -> Result<(VerifySettings, VerifyOutput)> {
    let read = |path: &PathBuf| read_contract("--config", path, args.topic.as_deref());
    let contract = args.placement.config.as_ref().map(read).transpose()?;
    let (contract, section) = contract.unzip();
    let source = match traffic::profile(&args.traffic)? {
        Some(profile) => {
            let is_fixed = profile.has_exact_counts();
            let default = if is_fixed { profile.records() } else { profile.records().min(RECORDS_DEFAULT) };
            let records = args.records.unwrap_or(default);
            TrafficSource::Profile { profile: Box::new(profile), records }
        }
        None => traffic::trace(&args.traffic, None, None)?,
    };
    let records_max = match &source {
        TrafficSource::Profile { records, .. } => *records,
        TrafficSource::Trace { .. } => args.records.unwrap_or(RECORDS_DEFAULT),
    };
    let count = partition_count(&args.placement, section.as_ref(), &source)?;
    let settings = VerifySettings {
        simulation: SimulateSettings {
            vips: vips(&args.placement, &source)?,
            source,
            count,
            seed: args.traffic.seed,
            vip_count: args.placement.vip_count,
            contract: section,
            strategies: Entry::all().filter(|entry| entry.name == TENANT_AWARE).collect(),
            are_strategies_named: false,
            is_sweep: false,
            lag: None,
            command,
        },
        is_count_given: args.placement.partitions.is_some(),
        records_max,
        cluster: cluster(&args, contract.as_ref())?,
        topic: args.topic.map(checked_topic).transpose()?,
        // The mock cluster takes nobody's password.
        contract: contract.map(|contract| match args.mock {
            true => Contract { producer: ProducerProperties::default(), ..contract },
            false => contract,
        }),
        replication_factor: args.replication_factor,
        allow_existing: args.allow_existing,
        cleanup: args.cleanup,
        timeout_s: args.timeout,
        properties: args.properties.iter().map(|text| property(text)).collect::<Result<_>>()?,
    };
    settings.check_count()?;
    let format =
        args.format.parse().map_err(|error: crate::report::RenderError| SettingsError(error.to_string()))?;
    let path = args.output.filter(|path| path.as_os_str() != "-");
    Ok((settings, VerifyOutput { format, path, color: args.color }))
}

/// The cluster that was asked for, or else the one that the contract's file names.
fn cluster(args: &VerifyArgs, contract: Option<&Contract>) -> Result<ClusterChoice> {
    if args.mock {
        return Ok(ClusterChoice::Mock);
    }
    if let Some(brokers) = &args.brokers {
        return checked_brokers("--brokers", brokers.clone()).map(ClusterChoice::Brokers);
    }
    let resolved =
        contract.map(|contract| contract.producer.resolve(|variable| std::env::var(variable).ok()));
    let properties =
        resolved.transpose().map_err(|error| SettingsError(error.to_string()))?.unwrap_or_default();
    let is_brokers = |(name, _): &(String, String)| BROKERS.contains(&name.as_str());
    match properties.into_iter().find(is_brokers) {
        Some((name, brokers)) => {
            let source = format!("[producer] {name}");
            let is_secret = contract.is_some_and(|contract| contract.producer.is_secret(&name));
            match checked_brokers(&source, brokers) {
                Err(_) if is_secret => wrong(format!(
                    "{source}: the environment variable does not hold brokers; {BROKERS_EXPECTED}"
                )),
                brokers => brokers.map(ClusterChoice::Brokers),
            }
        }
        None => wrong(
            "no cluster is named; use --brokers HOST:PORT,..., or --mock for librdkafka's own inside this process, or a \
             --config whose [producer] table has bootstrap.servers",
        ),
    }
}

/// librdkafka takes what it can of a wrong address: of port 99999 the lower 16 bits.
fn checked_brokers(source: &str, brokers: String) -> Result<String> {
    for broker in brokers.split(',') {
        let address = broker.trim();
        let address = address.split_once("://").map_or(address, |(_, address)| address);
        let is_bracketed = |host: &str| host.starts_with('[') && host.ends_with(']');
        let is_host = |host: &str| !host.is_empty() && (is_bracketed(host) || !host.contains(':'));
        let is_right = match address.rsplit_once(':') {
            Some((host, port)) if !is_bracketed(address) => {
                is_host(host) && port.parse::<u16>().is_ok_and(|port| port > 0)
            }
            _ => is_host(address),
        };
        if !is_right {
            return wrong(format!("{source}: {broker:?} is no broker; {BROKERS_EXPECTED}"));
        }
    }
    Ok(brokers)
}

fn checked_topic(name: String) -> Result<String> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > TOPIC_BYTES_MAX || !name.chars().all(is_legal) {
        return wrong(format!(
            "--topic {name:?}: a topic's name has 1 to {TOPIC_BYTES_MAX} letters and digits of ASCII, dots, underscores \
             and hyphens"
        ));
    }
    if [".", ".."].contains(&name.as_str()) {
        return wrong(format!("--topic {name:?}: Kafka allows no topic of this name"));
    }
    Ok(name)
}

/// Nothing of `text` is in the error: without `=` it may be a value.
fn property(text: &str) -> Result<Property> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok(Property { name: name.trim().to_owned(), value: value.to_owned() })
        }
        _ => wrong("-X: expected NAME=VALUE, such as -X compression.type=lz4"),
    }
}

impl VerifySettings {
    /// Whether count, VIP pool and contract go together.
    fn check_count(&self) -> Result<()> {
        let simulation = &self.simulation;
        check_vip_count(simulation.vip_count, simulation.count)?;
        simulation.contract.iter().try_for_each(|contract| check_contract_count(contract, simulation.count))
    }

    /// Takes the partition count of the topic that is there.
    ///
    /// # Errors
    /// [`SettingsError`] when another was asked for, or it does not go with the contract or the VIP pool.
    pub fn use_count_of_topic(&mut self, topic: &str, count: PartitionCount) -> Result<()> {
        let asked = self.simulation.count;
        if self.is_count_given && asked != count {
            return wrong(format!(
                "--partitions {asked}: the topic {topic:?} has {count} partitions; leave the argument out, or name another \
                 topic"
            ));
        }
        self.simulation.count = count;
        self.check_count()
            .map_err(|error| SettingsError(format!("the topic {topic:?} has {count} partitions: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_shows_its_name_alone() {
        let password = property("sasl.password=a=b").unwrap();
        assert_eq!((password.name.as_str(), password.value.as_str()), ("sasl.password", "a=b"));
        assert_eq!(format!("{password:?}"), "sasl.password=***");
        for wrong in ["hunter2", "=hunter2", " =hunter2"] {
            let error = property(wrong).unwrap_err().to_string();
            assert!(error.contains("NAME=VALUE") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn brokers_are_hosts_with_ports() {
        for right in ["a", "a:1", "a:1, b.c:65535", "[::1]:9092", "[::1]", "SASL_SSL://a:9093"] {
            assert_eq!(checked_brokers("--brokers", right.to_owned()).unwrap(), right);
        }
        for wrong in
            ["", "a,", ",", ":9092", "a:", "a:0", "a:65536", "a:b", "::1", ":::", "SSL://", "a:1;b:2"]
        {
            assert!(checked_brokers("--brokers", wrong.to_owned()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn names_that_kafka_refuses_are_refused_before_it_is_asked() {
        for name in ["", ".", "..", "a b", "größe", "a/b", &"x".repeat(250)] {
            assert!(checked_topic(name.to_owned()).is_err(), "{name:?}");
        }
        for name in ["a", "A.b_c-9", "...", &"x".repeat(249)] {
            assert_eq!(checked_topic(name.to_owned()).unwrap(), name);
        }
    }
}
