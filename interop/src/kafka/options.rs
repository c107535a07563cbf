//! Which cluster to start.

use std::io::{self, Write};

/// How many nodes a cluster has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nodes {
    /// One node; every topic has one replica.
    #[default]
    One,
    /// Three nodes, `min.insync.replicas = 2`: one may die and every acknowledged record is kept.
    Three,
}

impl Nodes {
    /// The ids of the nodes: 1, or 1 to 3.
    pub fn ids(self) -> std::ops::RangeInclusive<u16> {
        1..=match self {
            Self::One => 1,
            Self::Three => 3,
        }
    }
}

/// What clients need to be let in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Security {
    /// Nothing.
    #[default]
    Plain,
    /// TLS with a certificate that only this cluster has, and a SCRAM-SHA-256 user with a random password:
    /// [`Credentials`](super::Credentials).
    SaslSsl,
}

/// Which cluster to start. The default is one plain node that says on standard error what takes time.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// How many nodes.
    pub nodes: Nodes,
    /// What clients need to be let in.
    pub security: Security,
    /// Properties of the broker that win over the harness's own, such as `("message.max.bytes", "2000000")`.
    pub properties: Vec<(String, String)>,
    /// Is told, a line each, what takes time: downloads and starts.
    pub say: fn(&str),
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            nodes: Nodes::default(),
            security: Security::default(),
            properties: Vec::new(),
            say: |line| {
                // A terminal that has gone is no reason to stop.
                let _ = writeln!(io::stderr().lock(), "interop: {line}");
            },
        }
    }
}
