//! The machine's Java.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ClusterError;

/// The lowest release that Kafka 4's broker runs on.
const JAVA_RELEASE_MIN: u32 = 17;

/// A Java that can run Kafka.
#[derive(Clone, Debug)]
pub(crate) struct Java {
    program: String,
}

impl Java {
    /// `$JAVA_HOME/bin/java` as for Kafka's own scripts, or `java` from the path.
    pub(crate) fn find() -> Result<Self, ClusterError> {
        let program = match std::env::var("JAVA_HOME") {
            Ok(home) if !home.is_empty() => format!("{home}/bin/java"),
            _ => "java".to_owned(),
        };
        let output = Command::new(&program).arg("-version").output().map_err(|error| {
            let hint = match error.kind() {
                ErrorKind::NotFound => "install it (Debian: apt-get install openjdk-17-jre-headless)",
                _ => "Kafka runs on it",
            };
            ClusterError::new(format!("{program}: {error}; {hint}"))
        })?;
        let text = String::from_utf8_lossy(&output.stderr);
        match release(&text) {
            Some(release) if release >= JAVA_RELEASE_MIN => Ok(Self { program }),
            Some(release) => Err(ClusterError::new(format!(
                "{program} is Java {release}, and Kafka needs {JAVA_RELEASE_MIN} or later \
                 (Debian: apt-get install openjdk-17-jre-headless)"
            ))),
            None => Err(ClusterError::new(format!("{program} -version tells no release: {}", text.trim()))),
        }
    }

    pub(crate) fn program(&self) -> &str {
        &self.program
    }
}

/// The release in what `java -version` prints, such as `openjdk version "17.0.15" 2025-04-15`.
fn release(text: &str) -> Option<u32> {
    let (_, quoted) = text.split_once("version \"")?;
    let mut numbers = quoted.split(|c: char| !c.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        // Before 9, release 8 was called 1.8.
        1 => numbers.next()?.parse().ok(),
        release => Some(release),
    }
}

/// Writes a file of arguments for `java @FILE`, which keeps passwords out of the list of processes.
pub(crate) fn write_arguments(path: &Path, libs: &Path, arguments: &[&str]) -> Result<(), ClusterError> {
    // No file of performance counters is left in /tmp when the process is killed.
    let mut text = "-XX:-UsePerfData\n-Dorg.slf4j.simpleLogger.defaultLogLevel=warn\n".to_owned();
    text += "-Dorg.slf4j.simpleLogger.showDateTime=true\n";
    text += &format!("-cp\n{}\n", quoted(&format!("{}/*", libs.display())));
    for argument in arguments {
        text += &quoted(argument);
        text.push('\n');
    }
    std::fs::write(path, text).map_err(|error| ClusterError::file(path, error))
}

/// `java` with the arguments of a file.
pub(crate) fn argument_file(path: &Path) -> String {
    format!("@{}", path.display())
}

/// As the launcher of Java reads it back: in quotes, a backslash before quotes and backslashes.
fn quoted(argument: &str) -> String {
    format!("\"{}\"", argument.replace('\\', r"\\").replace('"', "\\\""))
}

/// Where Kafka's jars are, for tools.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) java: Java,
    pub(crate) libs: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read() {
        assert_eq!(release("openjdk version \"17.0.15\" 2025-04-15\n"), Some(17));
        assert_eq!(release("java version \"1.8.0_292\"\n"), Some(8));
        assert_eq!(release("Picked up JAVA_TOOL_OPTIONS: -Da\nopenjdk version \"25\" 2025-09-16"), Some(25));
        assert_eq!(release("no such thing"), None);
    }

    #[test]
    fn arguments_are_quoted() {
        assert_eq!(quoted(r#"a "b" \c"#), r#""a \"b\" \\c""#);
    }
}
