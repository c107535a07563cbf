//! How records are placed: arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use partitioner::ids::PartitionCount;

use super::whole_number;

/// What topic records go to, and by which contract.
#[derive(Debug, Args)]
pub struct PlacementArgs {
    /// Partitions of the topic [default: the contract's, the profile's, or 12]
    #[arg(long, short = 'n', value_name = "N", allow_negative_numbers = true, help_heading = "Placement",
        value_parser = |text: &str| whole_number::<u32>(text, 1, u64::from(PartitionCount::MAX)))]
    pub partitions: Option<u32>,
    /// Partitions of the VIP pool [default: closed form]
    #[arg(long, value_name = "N", alias = "vipCount", allow_negative_numbers = true, help_heading = "Placement",
        value_parser = |text: &str| whole_number::<u32>(text, 0, u64::from(PartitionCount::MAX - 1)))]
    pub vip_count: Option<u32>,
    /// VIP tenants [default: the profile's, or those above 1/n of a trace's records]
    #[arg(long, value_name = "TENANT,...", value_delimiter = ',', help_heading = "Placement")]
    pub vip: Vec<String>,
    /// Routing contract to place by
    #[arg(long, value_name = "PATH", conflicts_with_all = ["vip", "vip_count"], help_heading = "Placement")]
    pub config: Option<PathBuf>,
}
