//! One node: broker and controller in one Java process.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::ClusterError;
use super::java::{Runtime, argument_file, write_arguments};
use super::leash::Leash;
use super::metadata::{connect, live_brokers};
use super::properties::{Plan, Ports};

/// A start takes 2 to 15 seconds on two idle cores; other tests may keep them busy.
const START_TIMEOUT: Duration = Duration::from_secs(180);

/// Between two looks at a node that starts.
const POLL: Duration = Duration::from_millis(50);

/// Lines of a log that go into an error.
const LOG_LINES_SHOWN: usize = 25;

/// A node, whether it runs or not.
#[derive(Debug)]
pub(crate) struct Node {
    id: u16,
    ports: Ports,
    /// Of the whole cluster.
    root: PathBuf,
    /// Of this node: properties, arguments, log and data.
    folder: PathBuf,
    java: String,
    running: Option<Leash>,
}

impl Node {
    /// Writes the files of node `id` below `root`. `arguments` are for formatting its data folder.
    pub(crate) fn prepare(
        plan: &Plan,
        id: u16,
        root: &Path,
        runtime: &Runtime,
        key_store: &Path,
        arguments: &[&str],
    ) -> Result<Self, ClusterError> {
        let folder = root.join(id.to_string());
        fs::create_dir(&folder).map_err(|error| ClusterError::file(&folder, error))?;
        let properties = folder.join("node.properties");
        fs::write(&properties, plan.properties(id, &folder.join("data"), key_store))
            .map_err(|error| ClusterError::file(&properties, error))?;
        let properties = properties.display().to_string();

        let mut format =
            vec!["-XX:TieredStopAtLevel=1", "kafka.tools.StorageTool", "format", "-c", &properties];
        format.extend(arguments);
        write_arguments(&folder.join("format.args"), &runtime.libs, &format)?;
        let broker = ["-Xmx512m", "kafka.Kafka", &properties];
        write_arguments(&folder.join("broker.args"), &runtime.libs, &broker)?;
        let java = runtime.java.program().to_owned();
        Ok(Self { id, ports: plan.ports(id), root: root.to_owned(), folder, java, running: None })
    }

    pub(crate) fn client_port(&self) -> u16 {
        self.ports.client
    }

    fn log(&self) -> PathBuf {
        self.folder.join("broker.log")
    }

    fn spawn(&self, arguments: &str) -> Result<Leash, ClusterError> {
        let arguments = argument_file(&self.folder.join(arguments));
        let log = self.log();
        let open = || File::options().create(true).append(true).open(&log);
        let (stdout, stderr) = open()
            .and_then(|stdout| Ok((stdout, open()?)))
            .map_err(|error| ClusterError::file(&log, error))?;
        Leash::spawn(&[&self.java, &arguments], &self.root, stdout, stderr)
    }

    /// Begins to format the data folder.
    pub(crate) fn format(&self) -> Result<Leash, ClusterError> {
        self.spawn("format.args")
    }

    /// Waits until [`format`](Self::format) is done.
    pub(crate) fn formatted(&self, mut format: Leash) -> Result<(), ClusterError> {
        let status = format.wait()?;
        if status.success() { Ok(()) } else { Err(self.error(&format!("cannot be formatted ({status})"))) }
    }

    /// Starts the process if it does not run; [`wait_until_ready`](Self::wait_until_ready) is next.
    pub(crate) fn start(&mut self) -> Result<(), ClusterError> {
        if self.running.is_none() {
            self.running = Some(self.spawn("broker.args")?);
        }
        Ok(())
    }

    /// SIGKILL; returns when the process is gone.
    pub(crate) fn kill(&mut self) {
        self.running = None;
    }

    /// Waits until clients can connect and are told about the brokers `expected`.
    pub(crate) fn wait_until_ready(&mut self, expected: &BTreeSet<u16>) -> Result<(), ClusterError> {
        let start = Instant::now();
        loop {
            let Some(leash) = &mut self.running else {
                return Err(self.error("does not run"));
            };
            if let Some(status) = leash.ended()? {
                self.running = None;
                return Err(self.error(&format!("has ended by itself ({status})")));
            }
            let seen = live_brokers(self.ports.internal)
                .and_then(|brokers| connect(self.ports.client).map(|_| brokers));
            if seen.as_ref().is_ok_and(|brokers| brokers.is_superset(expected)) {
                return Ok(());
            }
            if start.elapsed() > START_TIMEOUT {
                let what = match seen {
                    Ok(brokers) => format!("it knows the brokers {brokers:?} of {expected:?}"),
                    Err(error) => format!("{error}"),
                };
                let seconds = START_TIMEOUT.as_secs();
                return Err(self.error(&format!("is not ready after {seconds} seconds: {what}")));
            }
            std::thread::sleep(POLL);
        }
    }

    /// An error about this node, with the end of its log.
    fn error(&self, what: &str) -> ClusterError {
        let log = fs::read(self.log()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        let shown = &lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..];
        let shown = if shown.is_empty() { "(nothing)".to_owned() } else { shown.join("\n") };
        ClusterError::new(format!("node {} {what}; the end of its log:\n{shown}", self.id))
    }
}
