//! A node's properties file.

use std::fmt::Write;
use std::path::Path;

use super::{Nodes, Security};

/// The ports of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ports {
    /// Of the listener that is advertised to clients.
    pub(crate) client: u16,
    /// Of the plain listener for the other brokers and for the harness.
    pub(crate) internal: u16,
    pub(crate) controller: u16,
}

/// What the properties files of all nodes of a cluster follow from.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) nodes: Nodes,
    pub(crate) security: Security,
    /// Of node 1 and so on.
    pub(crate) ports: Vec<Ports>,
    /// Come last, and the last value of a property is the one that holds.
    pub(crate) properties: Vec<(String, String)>,
}

impl Plan {
    pub(crate) fn ports(&self, id: u16) -> Ports {
        self.ports[usize::from(id) - 1]
    }

    /// The properties of node `id`, with its records in `data`. `key_store` is read with [`Security::SaslSsl`] only.
    pub(crate) fn properties(&self, id: u16, data: &Path, key_store: &Path) -> String {
        let Ports { client, internal, controller } = self.ports(id);
        let voters: Vec<String> = self
            .nodes
            .ids()
            .map(|voter| format!("{voter}@127.0.0.1:{}", self.ports(voter).controller))
            .collect();
        let client_protocol = match self.security {
            Security::Plain => "PLAINTEXT",
            Security::SaslSsl => "SASL_SSL",
        };
        let (replicas, in_sync_min) = match self.nodes {
            Nodes::One => (1, 1),
            Nodes::Three => (3, 2),
        };
        let clients = format!("CLIENT://127.0.0.1:{client},INTERNAL://127.0.0.1:{internal}");
        let mut lines = vec![
            ("process.roles", "broker,controller".to_owned()),
            ("node.id", id.to_string()),
            ("controller.quorum.voters", voters.join(",")),
            ("controller.listener.names", "CONTROLLER".to_owned()),
            ("listeners", format!("{clients},CONTROLLER://127.0.0.1:{controller}")),
            ("advertised.listeners", clients),
            (
                "listener.security.protocol.map",
                format!("CLIENT:{client_protocol},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"),
            ),
            ("inter.broker.listener.name", "INTERNAL".to_owned()),
            ("log.dirs", data.display().to_string()),
            ("default.replication.factor", replicas.to_string()),
            ("min.insync.replicas", in_sync_min.to_string()),
            ("offsets.topic.replication.factor", replicas.to_string()),
            ("transaction.state.log.replication.factor", replicas.to_string()),
            ("transaction.state.log.min.isr", in_sync_min.to_string()),
            ("share.coordinator.state.topic.replication.factor", replicas.to_string()),
            ("share.coordinator.state.topic.min.isr", in_sync_min.to_string()),
            // Tests wait for groups: no pause for members that might come.
            ("group.initial.rebalance.delay.ms", "0".to_owned()),
            ("auto.create.topics.enable", "false".to_owned()),
        ];
        if self.security == Security::SaslSsl {
            lines.extend([
                ("sasl.enabled.mechanisms", "SCRAM-SHA-256".to_owned()),
                ("ssl.keystore.type", "PEM".to_owned()),
                ("ssl.keystore.location", key_store.display().to_string()),
                (
                    "listener.name.client.scram-sha-256.sasl.jaas.config",
                    "org.apache.kafka.common.security.scram.ScramLoginModule required;".to_owned(),
                ),
            ]);
        }
        let own = lines.iter().map(|(name, value)| (*name, value.as_str()));
        let given = self.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        own.chain(given).fold(String::new(), |mut text, (name, value)| {
            // In a properties file a backslash begins an escape.
            let _ = writeln!(text, "{name}={}", value.replace('\\', r"\\"));
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(nodes: Nodes, security: Security) -> Plan {
        let ports =
            nodes.ids().map(|id| Ports { client: id * 10, internal: id * 10 + 1, controller: id * 10 + 2 });
        Plan {
            nodes,
            security,
            ports: ports.collect(),
            properties: vec![("min.insync.replicas".to_owned(), "3".to_owned())],
        }
    }

    #[test]
    fn every_node_knows_all_voters_and_its_own_listeners() {
        let text = plan(Nodes::Three, Security::Plain).properties(2, Path::new("/d\\ata"), Path::new(""));
        for line in [
            "node.id=2",
            "controller.quorum.voters=1@127.0.0.1:12,2@127.0.0.1:22,3@127.0.0.1:32",
            "listeners=CLIENT://127.0.0.1:20,INTERNAL://127.0.0.1:21,CONTROLLER://127.0.0.1:22",
            r"log.dirs=/d\\ata",
            "transaction.state.log.min.isr=2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("sasl") && !text.contains("ssl."), "{text}");
        assert!(text.ends_with("min.insync.replicas=3\n"), "{text}");
    }

    #[test]
    fn clients_of_a_secure_node_need_tls_and_the_password() {
        let text = plan(Nodes::One, Security::SaslSsl).properties(1, Path::new("/d"), Path::new("/k.pem"));
        assert!(text.contains("map=CLIENT:SASL_SSL,"), "{text}");
        assert!(text.contains("ssl.keystore.location=/k.pem\n"), "{text}");
    }
}
