//! What `tune` is to do.

use std::path::PathBuf;

use partitioner::contract::{Contract, TopicContract};
use partitioner::ids::PartitionCount;
use partitioner::route::OnGrowth;
use partitioner::slot::Isolation;

use super::contract::read_contract;
use super::count::{check_contract_count, check_vips, count_of};
use super::{Result, SettingsError, TrafficSource, traffic, wrong};
use crate::cli::{HoldoutArg, IsolationArg, ObjectiveArg, PoolsArg, SlotsArg, TuneArgs, When};
use crate::report::tune::TuneFormat;
use crate::tune::objective::{Objective, Rates};
use crate::tune::own_pools::VipPools;
use crate::tune::tally::{Holdout, Position, RECORDS_MAX};

/// Records that are judged on of a trace, as a share of all.
const HOLDOUT_SHARE: f64 = 0.25;

/// Section of a contract that is for every topic.
const EVERY_TOPIC: &str = "*";

/// What `tune` is to do.
#[derive(Debug)]
pub struct TuneSettings {
    /// Where the records come from.
    pub source: TrafficSource,
    /// Partitions of the topic.
    pub count: PartitionCount,
    /// Seed of the traffic that is tuned on.
    pub seed: u64,
    /// Seed of the traffic that is judged on, when that is traffic of its own.
    pub judged_seed: Option<u64>,
    /// How the part to judge on is told from the one to tune on.
    pub holdout: Holdout,
    /// What orders the records.
    pub position: Position,
    /// The VIP tenants; `None` chooses them.
    pub vips: Option<Vec<Vec<u8>>>,
    /// Tenants that stay in order as a whole.
    pub keep_tenant_order: Vec<Vec<u8>>,
    /// Whether VIP slots may leave their pool.
    pub isolation: Isolation,
    /// Which VIP tenants share a pool.
    pub vip_pools: VipPools,
    /// Slots for each partition; `None` moves none.
    pub slots_per_partition: Option<u32>,
    /// What is to be as small as can be.
    pub objective: Objective,
    /// The contract to begin with.
    pub from: Option<StartContract>,
    /// The section of the contract that is written.
    pub topic: String,
    /// The command line, for the report.
    pub command: String,
}

/// A contract to begin with.
#[derive(Debug)]
pub struct StartContract {
    /// The whole file.
    pub contract: Contract,
    /// The section that is tuned.
    pub section: TopicContract,
    /// Most records that may move, as a share of all.
    pub moved_share_max: f64,
}

/// Where report and contract go.
#[derive(Debug)]
pub struct TuneOutput {
    /// How the report is rendered.
    pub format: TuneFormat,
    /// Where the contract goes.
    pub contract: ContractOutput,
    /// When to use colour.
    pub color: When,
}

/// Where the contract goes.
#[derive(Debug)]
pub enum ContractOutput {
    /// Nowhere; only the report is printed.
    None,
    /// To standard output, and the report to standard error.
    Stdout,
    /// To a file.
    File(PathBuf),
}

/// Makes settings from arguments; reads the profile and the contract.
///
/// # Errors
/// [`SettingsError`] with the argument, what was expected and how to mend it.
pub fn tune(args: TuneArgs, command: String) -> Result<(TuneSettings, TuneOutput)> {
    let source = match traffic::profile(&args.traffic)? {
        Some(profile) => {
            let records = args.records.unwrap_or(profile.records());
            if records > RECORDS_MAX {
                return wrong(format!(
                    "--records: the profile makes {records}; tuning counts at most {RECORDS_MAX}, so name fewer"
                ));
            }
            TrafficSource::Profile { profile: Box::new(profile), records }
        }
        None => traffic::trace(&args.traffic, None, args.time_field.clone())?,
    };
    let from = from(&args)?;
    let section = from.as_ref().map(|(from, _)| &from.section);
    let count = count_of(args.partitions, section, &source)?;
    if let Some(section) = section {
        check_contract_count(section, count)?;
    }
    let is_auto = args.vip.iter().map(String::as_str).eq(["auto"]);
    if let TrafficSource::Profile { profile, .. } = &source {
        if !is_auto {
            check_vips("--vip", &args.vip, profile)?;
        }
        check_vips("--keep-tenant-order", &args.keep_tenant_order, profile)?;
    }
    if let Some(name) = args.keep_tenant_order.iter().find(|name| args.vip.contains(name)) {
        return wrong(format!(
            "{name:?} is in --vip and in --keep-tenant-order; a VIP tenant is kept in order by entity only"
        ));
    }
    if args.pools == PoolsArg::Each && args.isolation == IsolationArg::Shared {
        return wrong(
            "--pools each keeps VIP tenants apart, and --isolation shared lets their slots lie anywhere; name one of them",
        );
    }
    let (holdout, judged_seed) = holdout(&args, &source)?;
    let objective = objective(&args, &source)?;
    let bytes = |names: &[String]| names.iter().map(|name| name.clone().into_bytes()).collect();
    let topic = match (&args.topic, &from) {
        (Some(topic), None) => topic.clone(),
        (_, Some((_, topic))) => topic.clone(),
        (None, None) => EVERY_TOPIC.to_owned(),
    };
    let settings = TuneSettings {
        source,
        count,
        seed: args.traffic.seed,
        judged_seed,
        holdout,
        position: if args.time_field.is_some() { Position::Time } else { Position::Order },
        vips: (!is_auto).then(|| bytes(&args.vip)),
        keep_tenant_order: bytes(&args.keep_tenant_order),
        isolation: match args.isolation {
            IsolationArg::Strict => Isolation::Strict,
            IsolationArg::Shared => Isolation::Shared,
        },
        vip_pools: match args.pools {
            PoolsArg::Auto => VipPools::Auto,
            PoolsArg::One => VipPools::One,
            PoolsArg::Each => VipPools::Each,
        },
        slots_per_partition: match args.slots {
            SlotsArg::PerPartition(slots) => Some(slots),
            SlotsArg::Off => None,
        },
        objective,
        from: from.map(|(from, _)| from),
        topic,
        command,
    };
    let format = args.format.parse();
    let output = TuneOutput {
        format: format.map_err(|error: crate::report::RenderError| SettingsError(error.to_string()))?,
        contract: match args.output {
            None => ContractOutput::None,
            Some(path) if path.as_os_str() == "-" => ContractOutput::Stdout,
            Some(path) => ContractOutput::File(path),
        },
        color: args.color,
    };
    Ok((settings, output))
}

/// The contract to begin with, and the name of its section.
fn from(args: &TuneArgs) -> Result<Option<(StartContract, String)>> {
    let Some(path) = &args.from else {
        return Ok(None);
    };
    let (contract, section) = read_contract("--from", path, args.topic.as_deref())?;
    if section.on_growth == OnGrowth::Follow {
        return wrong(format!(
            "--from {}: on_growth = \"follow\" changes the standard pool with the topic, so its slots cannot be moved; use \
             \"hold\" or \"reject\"",
            path.display()
        ));
    }
    let named = args.topic.as_deref().and_then(|topic| contract.section(topic));
    let name = named.map(|(name, _)| name.to_owned()).or_else(|| contract.topics.keys().next().cloned());
    let moved_share_max = args.max_moved.unwrap_or(1.0);
    Ok(Some((StartContract { section, moved_share_max, contract }, name.unwrap_or_default())))
}

fn holdout(args: &TuneArgs, source: &TrafficSource) -> Result<(Holdout, Option<u64>)> {
    let is_profile = matches!(source, TrafficSource::Profile { .. });
    Ok(match args.holdout {
        None if is_profile => (Holdout::None, Some(args.traffic.seed.wrapping_add(1))),
        None => (Holdout::Share(HOLDOUT_SHARE), None),
        Some(HoldoutArg::None) => (Holdout::None, None),
        Some(HoldoutArg::Share(share)) => (Holdout::Share(share), None),
        Some(HoldoutArg::From(_)) if args.time_field.is_none() => {
            return wrong("--holdout with a time needs --time-field, the field of the trace that has it");
        }
        Some(HoldoutArg::From(time_us)) => (Holdout::From(time_us), None),
    })
}

fn objective(args: &TuneArgs, source: &TrafficSource) -> Result<Objective> {
    let (ObjectiveArg::LagP99, Some(service_records_per_s)) = (args.objective, args.service_rate) else {
        return match args.objective {
            ObjectiveArg::MaxMean if args.service_rate.is_some() => {
                wrong("--service-rate is for --objective lag-p99; max/mean does not depend on it")
            }
            ObjectiveArg::MaxMean => Ok(Objective::MaxMean),
            ObjectiveArg::LagP99 => wrong(
                "--objective lag-p99 needs --service-rate, the records a second that the consumer of one partition handles",
            ),
        };
    };
    #[allow(clippy::cast_precision_loss)] // at most a billion
    let of_profile = match source {
        TrafficSource::Profile { profile, .. } => Some(profile.rate_per_s() as f64),
        TrafficSource::Trace { .. } => None,
    };
    match args.arrival_rate.or(of_profile) {
        Some(arrival_records_per_s) => {
            Ok(Objective::LagP99(Rates { arrival_records_per_s, service_records_per_s }))
        }
        None => wrong("--objective lag-p99 needs --arrival-rate, the records a second of the whole topic"),
    }
}
