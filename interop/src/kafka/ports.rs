//! Free ports that stay free while a broker is down.

use std::net::{Ipv4Addr, TcpListener};

use super::ClusterError;

/// Below the range that Linux gives to outgoing connections (32768 and up). A client that tries to reach a dead broker
/// in that range can be given the very port as its own, and then the broker cannot come back.
const PORTS: std::ops::Range<u16> = 16_384..32_768;

/// `count` different ports of 127.0.0.1 on which nothing listens now.
pub(crate) fn free_ports(count: usize) -> Result<Vec<u16>, ClusterError> {
    // Held until all are found, so that they differ.
    let mut found: Vec<(TcpListener, u16)> = Vec::new();
    for _ in 0..PORTS.len() {
        if found.len() == count {
            break;
        }
        let mut bytes = [0; 2];
        getrandom::fill(&mut bytes)
            .map_err(|error| ClusterError::new(format!("the system gives no random numbers: {error}")))?;
        // Two programs that look for ports at the same time must not try the same ones in the same order.
        let port = PORTS.start + u16::from_ne_bytes(bytes) % (PORTS.end - PORTS.start);
        if let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            found.push((listener, port));
        }
    }
    if found.len() < count {
        return Err(ClusterError::new(format!(
            "{} free ports of 127.0.0.1 found from {} to {}, {count} are needed",
            found.len(),
            PORTS.start,
            PORTS.end - 1
        )));
    }
    Ok(found.into_iter().map(|(_, port)| port).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_free_different_and_below_those_of_outgoing_connections() {
        let mut ports = free_ports(9).unwrap();
        for port in &ports {
            assert!(PORTS.contains(port), "{port}");
            TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).unwrap();
        }
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 9);
    }
}
