//! What `simulate` is to do.

use std::path::PathBuf;

use partitioner::contract::TopicContract;
use partitioner::ids::PartitionCount;

use super::contract::read_contract;
use super::count::{check_contract_count, check_vip_count, partition_count, vips};
use super::lag::{LagSettings, lag};
use super::{Result, SettingsError, TrafficSource, traffic, wrong};
use crate::cli::{SimulateArgs, When};
use crate::gate::Gate;
use crate::report::Format;
use crate::strategy::{Entry, Group, TENANT_AWARE};

/// Largest topic whose `vip_count` is swept: n - 1 load tables of n partitions take 64 MiB.
const SWEEP_PARTITIONS_MAX: u32 = 2_048;

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
    /// How late records are to be simulated, if at all.
    pub lag: Option<LagSettings>,
    /// The command line, for the report.
    pub command: String,
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
    /// The folder of files for HdrHistogram's plotter.
    pub hgrm: Option<PathBuf>,
    /// Limits that decide the exit status.
    pub gate: Option<Gate>,
}

/// Makes settings from arguments; reads the profile and the contract.
///
/// # Errors
/// [`SettingsError`] with the argument, what was expected and how to mend it.
pub fn simulate(args: SimulateArgs, command: String) -> Result<(SimulateSettings, OutputSettings)> {
    let contract = match &args.placement.config {
        Some(path) => Some(read_contract("--config", path, args.topic.as_deref())?.1),
        None => None,
    };
    let source = traffic_source(&args)?;
    let count = partition_count(&args.placement, contract.as_ref(), &source)?;
    check_vip_count(args.placement.vip_count, count)?;
    let vips = vips(&args.placement, &source)?;
    let are_strategies_named = !args.strategies.is_empty();
    let strategies = strategies(&args.strategies)?;
    let contract_placed = contract.as_ref().filter(|_| strategies.iter().any(|entry| entry.needs_contract()));
    if let Some(contract) = contract_placed {
        check_contract_count(contract, count)?;
    }
    let lag = lag(&args.lag, &source)?;
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
        seed: args.traffic.seed,
        vips,
        vip_count: args.placement.vip_count,
        contract,
        strategies,
        are_strategies_named,
        is_sweep,
        lag,
        command,
    };
    Ok((settings, output))
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

fn traffic_source(args: &SimulateArgs) -> Result<TrafficSource> {
    match traffic::profile(&args.traffic)? {
        Some(profile) => {
            let records = args.records.unwrap_or(profile.records());
            Ok(TrafficSource::Profile { profile: Box::new(profile), records })
        }
        None => traffic::trace(&args.traffic, args.bytes_field.clone(), args.time_field.clone()),
    }
}

fn strategies(names: &[String]) -> Result<Vec<&'static Entry>> {
    if names.is_empty() {
        return Ok(Entry::of(Group::Usual).collect());
    }
    let mut entries: Vec<&'static Entry> = Vec::new();
    for name in names {
        let named = match name.trim() {
            Group::LITERATURE => Entry::of(Group::Literature).collect(),
            name => Entry::named(name)
                .map(|entry| vec![entry])
                .map_err(|nearest| unknown_strategy("--strategies", name, nearest))?,
        };
        if let Some(twice) =
            named.iter().find(|entry| entries.iter().any(|earlier| earlier.name == entry.name))
        {
            return wrong(format!("--strategies: {:?} stands twice; name it once", twice.name));
        }
        entries.extend(named);
    }
    Ok(entries)
}

fn unknown_strategy(flag: &str, name: &str, nearest: Option<&str>) -> SettingsError {
    let hint = nearest.map_or(".".to_owned(), |nearest| format!("; did you mean {nearest:?}?"));
    let names: Vec<_> = Entry::all().map(|entry| entry.name).collect();
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
    if let Some(folder) = args.lag.hgrm.as_deref().filter(|folder| !folder.is_dir()) {
        return wrong(format!("--hgrm {}: there is no such folder; make it first", folder.display()));
    }
    Ok(OutputSettings { format, path, color: args.color, hgrm: args.lag.hgrm.clone(), gate })
}

impl SimulateSettings {
    /// Whether `tenant-aware` is among the strategies, or its pool is swept.
    #[must_use]
    pub fn wants_tenant_aware(&self) -> bool {
        self.is_sweep || self.strategies.iter().any(|entry| entry.name == TENANT_AWARE)
    }
}
