//! A cluster: one that this process started, or one that was there.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use tempfile::TempDir;

use super::java::{Java, Runtime, argument_file, write_arguments};
use super::leash::Leash;
use super::node::Node;
use super::ports::free_ports;
use super::properties::{Plan, Ports};
use super::random::{random_cluster_id, random_word};
use super::{
    BOOTSTRAP_SERVERS_VARIABLE, ClusterError, ClusterOptions, Credentials, Security, credentials, jars,
};

/// A Kafka cluster for tests.
///
/// When it is dropped, or this process ends in any way, its processes are killed and its files removed: nothing in it
/// is meant to be kept. A cluster that was there before ([`existing`](Self::existing)) is left alone.
///
/// ```no_run
/// use interop::kafka::{Cluster, ClusterOptions, Nodes};
///
/// let mut cluster = Cluster::start(&ClusterOptions { nodes: Nodes::Three, ..Default::default() })?;
/// assert_eq!(cluster.bootstrap_servers().split(',').count(), 3);
/// cluster.kill(2)?;
/// cluster.restart(2)?;
/// # Ok::<(), interop::kafka::ClusterError>(())
/// ```
#[derive(Debug)]
pub struct Cluster {
    bootstrap_servers: String,
    credentials: Option<Credentials>,
    /// `None` for a cluster of somebody else. Before `folder`: processes end before their files go.
    nodes: Option<Vec<Node>>,
    runtime: Option<Runtime>,
    folder: Option<TempDir>,
}

impl Cluster {
    /// Starts a cluster and waits until clients can use it: 3 seconds for one node, more for three, and once some
    /// seconds to fetch Kafka.
    ///
    /// # Errors
    /// When Java or, for the first time, Maven is missing or cannot do its part, or a node does not serve within three
    /// minutes. The error holds the end of the broker's log.
    pub fn start(options: &ClusterOptions) -> Result<Self, ClusterError> {
        let java = Java::find()?;
        let runtime = Runtime { java, libs: jars::jars(options.say)? };
        let folder = tempfile::Builder::new()
            .prefix("interop-kafka-")
            .tempdir()
            .map_err(|error| ClusterError::new(format!("no folder for the data: {error}")))?;
        let (credentials, key_store) = match options.security {
            Security::Plain => (None, PathBuf::new()),
            Security::SaslSsl => {
                credentials::create(folder.path()).map(|(credentials, path)| (Some(credentials), path))?
            }
        };
        let plan = Plan {
            nodes: options.nodes,
            security: options.security,
            ports: ports(options.nodes.ids().count())?,
            properties: options.properties.clone(),
        };
        let begin = Instant::now();
        let count = plan.ports.len();
        (options.say)(&format!("starting {count} Kafka node(s), files in {}", folder.path().display()));
        let nodes = start_nodes(&plan, folder.path(), &runtime, credentials.as_ref(), &key_store)?;
        (options.say)(&format!("Kafka serves after {:.1} s", begin.elapsed().as_secs_f64()));
        Ok(Self {
            bootstrap_servers: addresses(nodes.iter().map(Node::client_port)),
            credentials,
            nodes: Some(nodes),
            runtime: Some(runtime),
            folder: Some(folder),
        })
    }

    /// The plain cluster at `bootstrap_servers`, which somebody else started. It is not contacted here.
    pub fn existing(bootstrap_servers: impl Into<String>) -> Self {
        let bootstrap_servers = bootstrap_servers.into();
        Self { bootstrap_servers, credentials: None, nodes: None, runtime: None, folder: None }
    }

    /// The [`existing`](Self::existing) cluster that `KAFKA_BOOTSTRAP_SERVERS` names, if it names one.
    pub fn from_env() -> Option<Self> {
        let bootstrap_servers = std::env::var(BOOTSTRAP_SERVERS_VARIABLE).ok()?;
        (!bootstrap_servers.is_empty()).then(|| Self::existing(bootstrap_servers))
    }

    /// Where clients begin: `host:port` of every node, with commas (`bootstrap.servers`).
    pub fn bootstrap_servers(&self) -> &str {
        &self.bootstrap_servers
    }

    /// What clients need to be let in; `None` for a plain cluster.
    pub fn credentials(&self) -> Option<&Credentials> {
        self.credentials.as_ref()
    }

    /// All that a librdkafka client needs to connect, with the password in clear.
    pub fn client_properties(&self) -> Vec<(&'static str, String)> {
        let mut properties = vec![("bootstrap.servers", self.bootstrap_servers.clone())];
        properties.extend(self.credentials.iter().flat_map(Credentials::client_properties));
        properties
    }

    /// Kills node `id` with SIGKILL and returns when its process is gone. Its data stays.
    ///
    /// # Errors
    /// When there is no such node, or the cluster is somebody else's.
    pub fn kill(&mut self, id: u16) -> Result<(), ClusterError> {
        self.node(id)?.kill();
        Ok(())
    }

    /// Starts node `id` again, on its ports and data, and returns when it serves. One that still runs is killed first.
    ///
    /// # Errors
    /// As for [`kill`](Self::kill) and [`start`](Self::start). A node serves only together with a majority, so when all
    /// three are dead, none can be restarted.
    pub fn restart(&mut self, id: u16) -> Result<(), ClusterError> {
        let node = self.node(id)?;
        node.kill();
        node.start()?;
        node.wait_until_ready(&BTreeSet::from([id]))
    }

    /// Runs a command-line class of Kafka, such as `org.apache.kafka.tools.TopicCommand`, as a client of this cluster
    /// and gives what it printed. `arguments` come after `--bootstrap-server` and, if needed, `--command-config`.
    ///
    /// Takes two seconds a call: for what a test's own client cannot do, or must not judge.
    ///
    /// # Errors
    /// When the tool fails; the error holds what it said. When the cluster is somebody else's.
    pub fn tool(&self, class: &str, arguments: &[&str]) -> Result<String, ClusterError> {
        let (Some(runtime), Some(folder)) = (&self.runtime, &self.folder) else {
            return Err(not_ours("a tool can be run"));
        };
        let name = random_word(12)?;
        let mut all = vec!["-XX:TieredStopAtLevel=1", class, "--bootstrap-server", &self.bootstrap_servers];
        let config = folder.path().join("client.properties");
        let config_path = config.display().to_string();
        if let Some(credentials) = &self.credentials {
            fs::write(&config, credentials.java_properties())
                .map_err(|error| ClusterError::file(&config, error))?;
            all.extend(["--command-config", &config_path]);
        }
        all.extend(arguments);
        let file = |extension: &str| folder.path().join(format!("{name}.{extension}"));
        write_arguments(&file("args"), &runtime.libs, &all)?;
        let create = |path: PathBuf| File::create(&path).map_err(|error| ClusterError::file(&path, error));
        let read = |path: PathBuf| fs::read(&path).map_err(|error| ClusterError::file(&path, error));
        let command = [runtime.java.program(), &argument_file(&file("args"))];
        let status =
            Leash::spawn(&command, folder.path(), create(file("out"))?, create(file("err"))?)?.wait()?;
        let said = String::from_utf8_lossy(&read(file("out"))?).into_owned();
        if status.success() {
            return Ok(said);
        }
        let errors = read(file("err"))?;
        Err(ClusterError::new(format!(
            "{class} failed ({status}):\n{said}{}",
            String::from_utf8_lossy(&errors)
        )))
    }

    fn node(&mut self, id: u16) -> Result<&mut Node, ClusterError> {
        let Some(nodes) = &mut self.nodes else {
            return Err(not_ours("nodes can be killed and restarted"));
        };
        let count = nodes.len();
        let index = usize::from(id).checked_sub(1);
        index
            .and_then(|index| nodes.get_mut(index))
            .ok_or_else(|| ClusterError::new(format!("node {id}: the nodes are 1 to {count}")))
    }
}

fn not_ours(what: &str) -> ClusterError {
    ClusterError::new(format!(
        "{what} only in a cluster that the harness started, and this one was there before \
         (is {BOOTSTRAP_SERVERS_VARIABLE} set?)"
    ))
}

fn ports(count: usize) -> Result<Vec<Ports>, ClusterError> {
    let ports = free_ports(3 * count)?;
    let (each, _) = ports.as_chunks();
    Ok(each.iter().map(|&[client, internal, controller]| Ports { client, internal, controller }).collect())
}

fn addresses(ports: impl Iterator<Item = u16>) -> String {
    ports.map(|port| format!("127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
}

fn start_nodes(
    plan: &Plan,
    root: &Path,
    runtime: &Runtime,
    credentials: Option<&Credentials>,
    key_store: &Path,
) -> Result<Vec<Node>, ClusterError> {
    let cluster_id = random_cluster_id()?;
    let mut arguments = vec!["-t".to_owned(), cluster_id];
    if let Some(credentials) = credentials {
        let (name, password) = (credentials.username(), credentials.password());
        arguments.push("--add-scram".to_owned());
        arguments.push(format!("SCRAM-SHA-256=[name={name},password={password}]"));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut nodes = plan
        .nodes
        .ids()
        .map(|id| Node::prepare(plan, id, root, runtime, key_store, &arguments))
        .collect::<Result<Vec<_>, _>>()?;
    let formats = nodes.iter().map(Node::format).collect::<Result<Vec<_>, _>>()?;
    for (node, format) in nodes.iter().zip(formats) {
        node.formatted(format)?;
    }
    nodes.iter_mut().try_for_each(Node::start)?;
    let all: BTreeSet<u16> = plan.nodes.ids().collect();
    nodes.iter_mut().try_for_each(|node| node.wait_until_ready(&all))?;
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_of_somebody_else_is_left_alone() {
        let mut cluster = Cluster::existing("kafka.example:9092");
        assert_eq!(cluster.client_properties(), [("bootstrap.servers", "kafka.example:9092".to_owned())]);
        for error in [cluster.kill(1).unwrap_err(), cluster.restart(1).unwrap_err()] {
            assert!(error.to_string().contains("was there before"), "{error}");
        }
        assert!(cluster.tool("org.apache.kafka.tools.TopicCommand", &["--list"]).is_err());
    }
}
