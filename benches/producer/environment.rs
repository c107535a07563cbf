//! What a figure depends on beside the code.

use std::{env, fs, thread};

use rdkafka::util::get_rdkafka_version;

use crate::SEED;

/// Machine, versions and seed, in one line.
pub(crate) fn line() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(env::consts::ARCH, |(_, model)| model);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let broker = kafka_version().map(|version| format!(", Apache Kafka {version}")).unwrap_or_default();
    format!(
        "{cores} cores of {model}, {} {}; partitioner {}, librdkafka {}{broker}; seed {SEED}",
        env::consts::OS,
        kernel.trim(),
        env!("CARGO_PKG_VERSION"),
        get_rdkafka_version().1,
    )
}

#[cfg(feature = "kafka")]
fn kafka_version() -> Option<&'static str> {
    Some(interop::kafka::VERSION)
}

#[cfg(not(feature = "kafka"))]
fn kafka_version() -> Option<&'static str> {
    None
}
