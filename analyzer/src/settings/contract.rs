//! The file of a routing contract.

use std::fs;
use std::path::Path;

use partitioner::contract::{Contract, TopicContract};

use super::{Result, SettingsError, wrong};

/// Largest contract file; one with 100,000 tenants takes about 2 MiB.
const CONTRACT_BYTES_MAX: u64 = 64 << 20;

/// A contract and, of it, the section of the topic, or the only one when no topic is named; `flag` names the file in errors.
pub(super) fn read_contract(
    flag: &str,
    path: &Path,
    topic: Option<&str>,
) -> Result<(Contract, TopicContract)> {
    let origin = path.display().to_string();
    let text = read_text(flag, path, CONTRACT_BYTES_MAX)?;
    let contract = Contract::from_toml(&text, &origin).map_err(|error| SettingsError(error.to_string()))?;
    let names = || contract.topics.keys().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match topic {
        _ if contract.topics.is_empty() => {
            wrong(format!("{origin}: the contract has no topic; add a section such as [topics.\"*\"]"))
        }
        Some(topic) => match contract.topic(topic) {
            Some(section) => Ok((contract.clone(), section.clone())),
            None => wrong(format!(
                "--topic {topic:?}: {origin} has no section for it; its sections are {}",
                names()
            )),
        },
        None => match contract.topics.values().next() {
            Some(section) if contract.topics.len() == 1 => Ok((contract.clone(), section.clone())),
            _ => wrong(format!("{origin} has several sections ({}); choose one with --topic", names())),
        },
    }
}

fn read_text(flag: &str, path: &Path, bytes_max: u64) -> Result<String> {
    let shown = path.display();
    let unreadable = |error| SettingsError(format!("{flag} {shown}: the contract cannot be read: {error}"));
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if metadata.is_dir() {
        return wrong(format!("{flag} {shown} is a directory; expected a TOML file"));
    }
    if metadata.len() > bytes_max {
        return wrong(format!("{shown} has {} bytes; a contract has at most {bytes_max}", metadata.len()));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        SettingsError(format!(
            "{shown}: byte {at} is not UTF-8; a contract is UTF-8 text, binary names are {{ hex = \"…\" }}"
        ))
    })
}
