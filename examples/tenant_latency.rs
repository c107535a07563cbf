//! The latency of small tenants beside one that makes 90 % of the traffic, under three ways to key a topic.
//!
//! One Kafka topic of 12 partitions a strategy, one consumer a partition, each handling so many records a second:
//!
//! - by tenant: the key is the tenant, placed by librdkafka's `murmur2_random`, which is the Java client's rule;
//! - by order: the key is `tenant:order`, placed by the same rule;
//! - tenant-aware: the key is `tenant:order`, placed by a contract with a VIP pool.
//!
//! `cargo run -p examples --example tenant_latency`
//!
//! Latency is from when a record was due, by the plan, to when its consumer had handled it, on one monotonic clock. Late
//! sending counts as latency, and so does the wait of records that were not handled by the end: as long as it had been.
#![allow(clippy::print_stdout, clippy::print_stderr)] // what an example is for

#[path = "tenant_latency/latency.rs"]
mod latency;
#[path = "tenant_latency/measure.rs"]
mod measure;
#[path = "tenant_latency/queue.rs"]
mod queue;
#[path = "tenant_latency/table.rs"]
mod table;
#[path = "tenant_latency/traffic.rs"]
mod traffic;

use std::process::ExitCode;
use std::time::Duration;

use analyzer::metrics::closed_form_vip_count;
use analyzer::workload::profile::Profile;
use anyhow::{Context, Result};
use clap::Parser;
use clap::builder::NonEmptyStringValueParser;
use interop::kafka::{Cluster, ClusterOptions};
use measure::Run;
use partitioner::contract::Contract;
use traffic::{Planned, Traffic, plan};

const PARTITIONS: i32 = 12;

/// From the last record that is sent until the consumers stop.
const GRACE: Duration = Duration::from_secs(1);

/// Measures small tenants' latency beside a tenant of 90 %, keyed by tenant, by order, and under a contract.
#[derive(Debug, Parser)]
struct Args {
    /// Existing Kafka, host:port; a topic for each strategy is created and deleted in it. Default:
    /// KAFKA_BOOTSTRAP_SERVERS, or else one is started, for which Java 17 and Maven are needed.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    bootstrap_servers: Option<String>,

    /// Seconds of traffic for each strategy, 1 to 3,600.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    duration_s: u32,

    /// Records a second of all tenants together, 1 to 100,000.
    #[arg(long, default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rate_per_s: u32,

    /// Records a second that a consumer handles, 1 to 100,000.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    capacity_per_s: u32,

    /// How many times its usual rate tenant-mega sends in the middle fifth of the run, 1 to 100.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    burst_factor: u32,

    /// Decides whose record is next.
    #[arg(long, default_value_t = 42)]
    seed: u64,
}

/// How records are keyed and placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strategy {
    ByTenant,
    ByOrder,
    TenantAware,
}

impl Strategy {
    const ALL: [Self; 3] = [Self::ByTenant, Self::ByOrder, Self::TenantAware];

    fn name(self) -> &'static str {
        match self {
            Self::ByTenant => "by tenant",
            Self::ByOrder => "by order",
            Self::TenantAware => "tenant-aware",
        }
    }

    fn key(self, record: &Planned) -> &str {
        let tenant_only = self == Self::ByTenant;
        if tenant_only { &record.key[..record.tenant_bytes] } else { &record.key }
    }
}

/// A contract for the topics of this program: all that is not `mega` has no more to do with it.
fn contract(profile: &Profile, traffic: &Traffic) -> Result<Contract> {
    let vip_count =
        closed_form_vip_count(profile.partitions(), traffic.mega_share).context("two partitions")?;
    let text = format!(
        "[topics.\"tenant-latency-*\"]\npartitions = {PARTITIONS}\nvip_count = {vip_count}\nvip.tenants = [{:?}]",
        traffic.mega
    );
    Ok(text.parse()?)
}

fn run(args: &Args) -> Result<()> {
    let profile = Profile::load("multitenant")?;
    let duration = Duration::from_secs(args.duration_s.into());
    let traffic = plan(&profile, args)?;
    let contract = contract(&profile, &traffic)?;
    let existing = args.bootstrap_servers.as_deref().map(Cluster::existing).or_else(Cluster::from_env);
    let cluster = existing.map_or_else(|| Cluster::start(&ClusterOptions::default()), Ok)?;
    let run = Run::new(cluster.bootstrap_servers(), args, contract, traffic)?;
    let measure = |strategy: Strategy| {
        eprintln!("tenant_latency: {}, {} s", strategy.name(), (duration + GRACE).as_secs());
        run.measure(strategy)
    };
    let outcomes = Strategy::ALL.into_iter().map(measure).collect::<Result<Vec<_>>>()?;
    let burst = match args.burst_factor {
        1 => String::new(),
        factor => format!(", {} {factor} × in the middle fifth", run.mega()),
    };
    println!(
        "{} records/s for {} s{burst}, {PARTITIONS} partitions with a consumer of {} records/s each, seed {}\n",
        args.rate_per_s, args.duration_s, args.capacity_per_s, args.seed
    );
    print!("{}", table::table(&outcomes, run.mega()));
    Ok(())
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tenant_latency: {error:#}");
            ExitCode::FAILURE
        }
    }
}
