//! From what was typed to what is done: flag over contract over default, checked once.

use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use partitioner::contract::{Contract, TopicContract};
use partitioner::explain::nearest;
use partitioner::ids::PartitionCount;
use partitioner::route::OnGrowth;

use crate::cli::{SimulateArgs, TraceFormatArg, When};
use crate::gate::Gate;
use crate::load::TenantId;
use crate::report::Format;
use crate::strategy::{ALL, Entry, TENANT_AWARE};
use crate::workload::profile::Profile;
use crate::workload::trace::{TraceFields, TraceFormat, TraceOptions};

/// Partitions of a topic of which nothing else is known.
const PARTITIONS_DEFAULT: u32 = 12;

/// Largest topic whose `vip_count` is swept: n - 1 load tables of n partitions take 64 MiB.
const SWEEP_PARTITIONS_MAX: u32 = 2_048;

/// Largest contract file; one with 100,000 tenants takes about 2 MiB.
const CONTRACT_BYTES_MAX: u64 = 64 << 20;

/// What `simulate` is to do.
#[derive(Debug)]
pub struct SimulateSettings {
    /// Where the records come from.
    pub source: TrafficSource,
    /// Partitions of the topic.
    pub count: PartitionCount,
    /// Seed of everything random.
    pub seed: u64,
    /// The VIP tenants that were named; empty when they are to be chosen.
    pub vips: Vec<Vec<u8>>,
    /// Partitions of the VIP pool, when given.
    pub vip_count: Option<u32>,
    /// The contract of `tenant-aware`, when given.
    pub contract: Option<TopicContract>,
    /// Strategies to compare, in order.
    pub strategies: Vec<&'static Entry>,
    /// Whether the strategies were named, so that one that does not apply is an error.
    pub are_strategies_named: bool,
    /// Whether to try every size of the VIP pool.
    pub is_sweep: bool,
    /// The command line, for the report.
    pub command: String,
}

/// Where the records of a simulation come from.
#[derive(Debug)]
pub enum TrafficSource {
    /// Made from a profile.
    Profile {
        /// The profile.
        profile: Box<Profile>,
        /// How many to make.
        records: u64,
    },
    /// Read from a file or standard input.
    Trace {
        /// `-` is standard input.
        path: PathBuf,
        /// Fields and format.
        options: TraceOptions,
    },
}

/// Where a report goes, and what is made of it.
#[derive(Debug)]
pub struct OutputSettings {
    /// How it is rendered.
    pub format: Format,
    /// The file, or standard output.
    pub path: Option<PathBuf>,
    /// When to use colour.
    pub color: When,
    /// Limits that decide the exit status.
    pub gate: Option<Gate>,
}

/// Arguments that cannot be carried out.
#[derive(Debug)]
pub struct SettingsError(String);

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for SettingsError {}

type Result<T> = std::result::Result<T, SettingsError>;

fn wrong<T>(message: impl Into<String>) -> Result<T> {
    Err(SettingsError(message.into()))
}

/// Makes settings from arguments; reads the profile and the contract.
///
/// # Errors
/// [`SettingsError`] with the argument, what was expected and how to mend it.
pub fn simulate(args: SimulateArgs, command: String) -> Result<(SimulateSettings, OutputSettings)> {
    let contract = match &args.config {
        Some(path) => Some(read_contract(path, args.topic.as_deref())?),
        None => None,
    };
    let source = traffic_source(&args)?;
    let from_contract = contract.as_ref().and_then(|contract| contract.partitions);
    let from_profile = match &source {
        TrafficSource::Profile { profile, .. } => Some(profile.partitions().get()),
        TrafficSource::Trace { .. } => None,
    };
    let partitions = args.partitions.or(from_contract).or(from_profile).unwrap_or(PARTITIONS_DEFAULT);
    let Some(count) = PartitionCount::new(partitions) else {
        return wrong(format!(
            "--partitions {partitions}: a topic has 1 to {} partitions",
            PartitionCount::MAX
        ));
    };
    check_vip_count(args.vip_count, count)?;
    let vips: Vec<_> = args.vip.iter().map(|name| name.clone().into_bytes()).collect();
    if let TrafficSource::Profile { profile, .. } = &source {
        check_vips(&args.vip, profile)?;
    }
    let are_strategies_named = !args.strategies.is_empty();
    let strategies = strategies(&args.strategies)?;
    if let Some(contract) = &contract {
        check_contract_count(contract, count, &strategies)?;
    }
    let output = output(&args, &strategies)?;
    let is_sweep = args.sweep.is_some();
    if is_sweep && count.get() < 2 {
        return wrong(
            "--sweep vip-count: a topic of 1 partition has no room for a VIP pool; use --partitions 2 or more",
        );
    }
    if is_sweep && count.get() > SWEEP_PARTITIONS_MAX {
        return wrong(format!(
            "--sweep vip-count: {count} partitions; a sweep simulates every vip_count of at most {SWEEP_PARTITIONS_MAX} \
             partitions; give --vip-count instead"
        ));
    }
    if let Some(contract) = contract.as_ref().filter(|_| is_sweep) {
        check_sweepable(contract)?;
    }
    let settings = SimulateSettings {
        source,
        count,
        seed: args.seed,
        vips,
        vip_count: args.vip_count,
        contract,
        strategies,
        are_strategies_named,
        is_sweep,
        command,
    };
    Ok((settings, output))
}

fn check_vip_count(vip_count: Option<u32>, count: PartitionCount) -> Result<()> {
    let Some(vip_count) = vip_count else {
        return Ok(());
    };
    let n = count.get();
    match vip_count {
        _ if n == 1 => wrong("--vip-count: a topic of 1 partition has no room for a VIP and a standard pool"),
        0 => wrong(format!(
            "--vip-count 0: the VIP pool would be empty; expected 1 to {}, or leave it out",
            n - 1
        )),
        v if v == n => wrong(format!(
            "--vip-count {v} takes all {n} partitions and leaves none to the standard pool; expected 1 to {}",
            n - 1
        )),
        v if v > n => {
            wrong(format!("--vip-count {v} is more than the topic's {n} partitions; expected 1 to {}", n - 1))
        }
        _ => Ok(()),
    }
}

fn check_vips(vips: &[String], profile: &Profile) -> Result<()> {
    for vip in vips {
        if profile.tenant_id(vip).is_none() {
            let names = (0..profile.tenant_count()).map(|tenant| profile.tenant_name(TenantId(tenant)));
            let hint =
                nearest(vip, names).map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
            return wrong(format!("--vip {vip:?}: profile {:?} has no such tenant{hint}", profile.name()));
        }
    }
    Ok(())
}

/// A contract refuses every record of a topic that it was not made for; better to say so before reading the traffic.
fn check_contract_count(
    contract: &TopicContract,
    count: PartitionCount,
    strategies: &[&Entry],
) -> Result<()> {
    let made_for = contract.partitions.filter(|_| strategies.iter().any(|entry| entry.needs_contract()));
    match made_for {
        Some(made_for) if made_for > count.get() => wrong(format!(
            "--partitions {count}: the contract is for {made_for} partitions and refuses records of a topic with fewer; \
             use {made_for} or more, or change its `partitions`"
        )),
        Some(made_for) if made_for < count.get() && contract.on_growth == OnGrowth::Reject => wrong(format!(
            "--partitions {count}: the contract is for {made_for} partitions and its on_growth is \"reject\"; use \
             {made_for}, or change its `partitions` or `on_growth`"
        )),
        _ => Ok(()),
    }
}

fn check_sweepable(contract: &TopicContract) -> Result<()> {
    if contract.vip_count.is_none() {
        return wrong("--sweep vip-count needs a contract with vip_count; this one has none");
    }
    if !contract.vip.moved.is_empty() || !contract.standard.moved.is_empty() || !contract.pins.is_empty() {
        return wrong(
            "--sweep vip-count: moved slots and pins of the contract belong to one vip_count; remove them",
        );
    }
    Ok(())
}

fn read_contract(path: &Path, topic: Option<&str>) -> Result<TopicContract> {
    let origin = path.display().to_string();
    let text = read_text(path, CONTRACT_BYTES_MAX)?;
    let contract = Contract::from_toml(&text, &origin).map_err(|error| SettingsError(error.to_string()))?;
    let names = || contract.topics.keys().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match topic {
        _ if contract.topics.is_empty() => {
            wrong(format!("{origin}: the contract has no topic; add a section such as [topics.\"*\"]"))
        }
        Some(topic) => match contract.topic(topic) {
            Some(section) => Ok(section.clone()),
            None => wrong(format!(
                "--topic {topic:?}: {origin} has no section for it; its sections are {}",
                names()
            )),
        },
        None => match contract.topics.values().next() {
            Some(section) if contract.topics.len() == 1 => Ok(section.clone()),
            _ => wrong(format!("{origin} has several sections ({}); choose one with --topic", names())),
        },
    }
}

fn read_text(path: &Path, bytes_max: u64) -> Result<String> {
    let shown = path.display();
    let unreadable = |error| SettingsError(format!("--config {shown}: the contract cannot be read: {error}"));
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return wrong(format!("--config {shown} is a directory; expected a TOML file"));
    }
    if metadata.len() > bytes_max {
        return wrong(format!("{shown} has {} bytes; a contract has at most {bytes_max}", metadata.len()));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        SettingsError(format!(
            "{shown}: byte {at} is not UTF-8; a contract is UTF-8 text, binary names are {{ hex = \"…\" }}"
        ))
    })
}

fn traffic_source(args: &SimulateArgs) -> Result<TrafficSource> {
    if let Some(name) = &args.profile {
        let profile = Profile::load(name).map_err(|error| SettingsError(error.to_string()))?;
        let records = args.records.unwrap_or(profile.records());
        return Ok(TrafficSource::Profile { profile: Box::new(profile), records });
    }
    let Some(path) = args.trace.clone() else {
        return wrong("--profile or --trace is needed; `analyzer profiles` lists the profiles");
    };
    if args.tenant_field.is_none() && args.key_field.is_none() {
        return wrong(
            "--trace needs to know its fields: name --tenant-field (and --entity-field), or --key-field",
        );
    }
    let fields = TraceFields {
        tenant: args.tenant_field.clone(),
        entity: args.entity_field.clone(),
        key: args.key_field.clone(),
        bytes: args.bytes_field.clone(),
        time: args.time_field.clone(),
    };
    let format = args.trace_format.map(|format| match format {
        TraceFormatArg::Csv => TraceFormat::Csv,
        TraceFormatArg::Tsv => TraceFormat::Tsv,
        TraceFormatArg::Jsonl => TraceFormat::JsonLines,
    });
    Ok(TrafficSource::Trace {
        path,
        options: TraceOptions { fields, format, skip_bad_rows: args.skip_bad_rows },
    })
}

fn strategies(names: &[String]) -> Result<Vec<&'static Entry>> {
    if names.is_empty() {
        return Ok(ALL.iter().collect());
    }
    let mut entries: Vec<&'static Entry> = Vec::new();
    for name in names {
        let entry =
            Entry::named(name.trim()).map_err(|nearest| unknown_strategy("--strategies", name, nearest))?;
        if entries.iter().any(|earlier| earlier.name == entry.name) {
            return wrong(format!("--strategies: {name:?} stands twice; name it once"));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn unknown_strategy(flag: &str, name: &str, nearest: Option<&str>) -> SettingsError {
    let hint = nearest.map_or(".".to_owned(), |nearest| format!("; did you mean {nearest:?}?"));
    let names: Vec<_> = ALL.iter().map(|entry| entry.name).collect();
    SettingsError(format!("{flag}: there is no strategy {name:?}{hint} Strategies are {}", names.join(", ")))
}

fn output(args: &SimulateArgs, strategies: &[&'static Entry]) -> Result<OutputSettings> {
    let format =
        args.format.parse().map_err(|error: crate::report::RenderError| SettingsError(error.to_string()))?;
    let gate = if args.fail_above.is_empty() {
        None
    } else {
        let gated =
            Entry::named(&args.gate).map_err(|nearest| unknown_strategy("--gate", &args.gate, nearest))?;
        if !strategies.iter().any(|entry| entry.name == gated.name) {
            return wrong(format!("--gate {}: it is not among the strategies of --strategies", gated.name));
        }
        let limits = args.fail_above.iter().map(|limit| limit.parse());
        let limits = limits.collect::<std::result::Result<_, _>>();
        Some(Gate {
            strategy: gated.name,
            limits: limits.map_err(|error| SettingsError(format!("--fail-above {error}")))?,
        })
    };
    let path = args.output.clone().filter(|path| path.as_os_str() != "-");
    Ok(OutputSettings { format, path, color: args.color, gate })
}

impl SimulateSettings {
    /// Whether `tenant-aware` is among the strategies, or its pool is swept.
    #[must_use]
    pub fn wants_tenant_aware(&self) -> bool {
        self.is_sweep || self.strategies.iter().any(|entry| entry.name == TENANT_AWARE)
    }
}
