//! What `compare` is to do.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Result, SettingsError, wrong};
use crate::cli::{CompareArgs, When};
use crate::compare::WorseGate;
use crate::report::compare::CompareFormat;
use crate::report::display_bytes;
use crate::report::model::Report;

/// The only shape of a report there is.
const SCHEMA_VERSION: u64 = 1;

/// What is compared.
#[derive(Debug)]
pub struct CompareSettings {
    /// The report before.
    pub before: Report,
    /// The report after.
    pub after: Report,
    /// The command line, for the comparison.
    pub command: String,
}

/// Where a comparison goes, and what is made of it.
#[derive(Debug)]
pub struct CompareOutput {
    /// How it is rendered.
    pub format: CompareFormat,
    /// The file, or standard output.
    pub path: Option<PathBuf>,
    /// When to use colour.
    pub color: When,
    /// The limit that decides the exit status.
    pub gate: Option<WorseGate>,
}

/// Makes settings from arguments; reads both reports.
///
/// # Errors
/// [`SettingsError`] with the argument or the file, what was expected and how to mend it.
pub fn compare(args: &CompareArgs, command: String) -> Result<(CompareSettings, CompareOutput)> {
    let format =
        args.format.parse().map_err(|error: crate::report::RenderError| SettingsError(error.to_string()))?;
    let gate = match &args.fail_on_worse {
        Some(limit) => Some(WorseGate::new(limit, args.gate.clone()).map_err(SettingsError)?),
        None => None,
    };
    if is_stdin(&args.before) && is_stdin(&args.after) {
        return wrong("both reports are - and there is one standard input; name a file for one of them");
    }
    let settings = CompareSettings { before: read(&args.before)?, after: read(&args.after)?, command };
    let path = args.output.clone().filter(|path| !is_stdin(path));
    Ok((settings, CompareOutput { format, path, color: args.color, gate }))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read(path: &Path) -> Result<Report> {
    let mut bytes = Vec::new();
    let (name, done) = if is_stdin(path) {
        ("standard input".to_owned(), io::stdin().lock().read_to_end(&mut bytes).map(|_| ()))
    } else {
        let done = fs::read(path).map(|read| bytes = read);
        (display_bytes(path.as_os_str().as_encoded_bytes()), done)
    };
    done.map_err(|error| SettingsError(format!("{name}: the report cannot be read: {error}")))?;
    report(&bytes).map_err(|why| SettingsError(format!("{name}: {why}")))
}

/// The version alone, so that a newer report is called that and not a broken one.
#[derive(Deserialize)]
struct Version {
    schema_version: Option<serde_json::Value>,
}

/// The report that `bytes` hold, or why they hold none.
fn report(bytes: &[u8]) -> std::result::Result<Report, String> {
    const EXPECTED: &str = "expected a report of `analyzer simulate --format json`";
    // A list would be taken for a struct, field by field.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(format!("line 1: {EXPECTED}, which begins with {{"));
    }
    let version: Version = serde_json::from_slice(bytes).map_err(|error| format!("{EXPECTED}: {error}"))?;
    match version.schema_version {
        None => return Err(format!("no schema_version; {EXPECTED}")),
        Some(version) if version.as_u64() != Some(SCHEMA_VERSION) => {
            let shown = display_bytes(version.to_string().as_bytes());
            return Err(format!("schema_version is {shown}; this analyzer reads {SCHEMA_VERSION}"));
        }
        Some(_) => {}
    }
    let report: Report = serde_json::from_slice(bytes).map_err(|error| format!("{EXPECTED}: {error}"))?;
    for (index, strategy) in report.strategies.iter().enumerate() {
        if report.strategies[..index].iter().any(|earlier| earlier.name == strategy.name) {
            return Err(format!("strategies[{index}].name: {:?} stands twice", strategy.name));
        }
    }
    Ok(report)
}
