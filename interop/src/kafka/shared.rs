//! One cluster for all tests of a process.

use std::sync::OnceLock;

use super::{Cluster, ClusterError, ClusterOptions};

/// The cluster that all tests of this process share: the one that `KAFKA_BOOTSTRAP_SERVERS` names, or else one plain
/// node that is started by the first call and killed when the process ends.
///
/// Tests keep out of each other's way by the names of their topics and groups.
///
/// # Errors
/// As for [`Cluster::start`], the same for every caller.
pub fn shared() -> Result<&'static Cluster, &'static ClusterError> {
    static SHARED: OnceLock<Result<Cluster, ClusterError>> = OnceLock::new();
    let start = || Cluster::from_env().map_or_else(|| Cluster::start(&ClusterOptions::default()), Ok);
    SHARED.get_or_init(start).as_ref()
}
