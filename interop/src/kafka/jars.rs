//! Kafka's jars: fetched once from Maven Central, kept below `target/`.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::leash::Leash;
use super::{ClusterError, VERSION};

/// What is fetched; kept beside the jars, so that a change of it fetches anew.
const POM: &str = include_str!("pom.xml");

/// The version is named: without one, Maven takes the newest, and a build of today fails tomorrow.
const COPY_DEPENDENCIES: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/// Files between two lines of progress.
const FILES_PER_LINE: usize = 25;

/// The folder of the jars, fetched first if they are not there.
pub(crate) fn jars(say: fn(&str)) -> Result<PathBuf, ClusterError> {
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/interop");
    fs::create_dir_all(&cache).map_err(|error| ClusterError::file(&cache, error))?;
    let cache = fs::canonicalize(&cache).map_err(|error| ClusterError::file(&cache, error))?;
    let kept = cache.join(format!("kafka-{VERSION}"));
    if !is_current(&kept) {
        fetch(&cache, &kept, say)?;
    }
    Ok(kept.join("libs"))
}

fn is_current(kept: &Path) -> bool {
    fs::read_to_string(kept.join("pom.xml")).is_ok_and(|pom| pom == POM)
}

/// Into a folder of its own first, which then gets its name: nobody ever sees half of the jars.
fn fetch(cache: &Path, kept: &Path, say: fn(&str)) -> Result<(), ClusterError> {
    let folder = tempfile::Builder::new()
        .prefix("fetch-")
        .tempdir_in(cache)
        .map_err(|error| ClusterError::file(cache, error))?;
    let pom = folder.path().join("pom.xml");
    fs::write(&pom, POM).map_err(|error| ClusterError::file(&pom, error))?;
    say(&format!(
        "fetching Apache Kafka {VERSION} from Maven Central, once (140 jars, 80 MB with Maven's own), into {}",
        kept.display()
    ));
    run_maven(folder.path(), say)?;

    if kept.exists() && !is_current(kept) {
        fs::remove_dir_all(kept).map_err(|error| ClusterError::file(kept, error))?;
    }
    match fs::rename(folder.path(), kept) {
        Ok(()) => Ok(()),
        // Another process was faster.
        Err(_) if is_current(kept) => Ok(()),
        Err(error) => Err(ClusterError::file(kept, error)),
    }
}

fn run_maven(folder: &Path, say: fn(&str)) -> Result<(), ClusterError> {
    // Asked first: under the leash it is a shell that would find it missing.
    Command::new("mvn").arg("--version").output().map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::NotFound => "install it (Debian: apt-get install maven)",
            _ => "it fetches Kafka's jars",
        };
        ClusterError::new(format!("mvn: {error}; {hint}"))
    })?;
    let pom = folder.join("pom.xml").display().to_string();
    let libs = format!("-DoutputDirectory={}", folder.join("libs").display());
    let command = ["mvn", "--batch-mode", "--file", &pom, COPY_DEPENDENCIES, "-DincludeScope=runtime", &libs];
    let mut maven = Leash::spawn(&command, folder, Stdio::piped(), Stdio::null())?;
    let mut errors = Vec::new();
    let mut fetched = 0;
    if let Some(output) = maven.take_stdout() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.map_err(|error| ClusterError::new(format!("mvn cannot be read: {error}")))?;
            let line = String::from_utf8_lossy(&line);
            if let Some((_, error)) = line.split_once("[ERROR] ") {
                errors.push(error.trim().to_owned());
            }
            let Some(jar) = fetched_jar(&line) else { continue };
            fetched += 1;
            if fetched % FILES_PER_LINE == 0 {
                say(&format!("fetched {fetched} jars, the latest is {jar}"));
            }
        }
    }
    let status = maven.wait()?;
    if status.success() {
        return Ok(());
    }
    // The first tells the cause, the rest how to ask Maven about it.
    errors.truncate(1);
    Err(ClusterError::new(format!("mvn failed to fetch Kafka's jars ({status}): {}", errors.concat())))
}

/// The jar that a line of Maven's output says was downloaded.
fn fetched_jar(line: &str) -> Option<&str> {
    let (_, url) = line.split_once("Downloaded from ")?;
    url.split_whitespace().find(|word| word.ends_with(".jar"))?.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_that_is_fetched() {
        assert_eq!(POM.matches(&format!("<version>{VERSION}</version>")).count(), 2);
    }

    #[test]
    fn progress_is_read_from_maven() {
        let line = "[INFO] Downloaded from central: https://repo/a/kafka_2.13-4.3.1.jar (5 MB at 9 MB/s)";
        assert_eq!(fetched_jar(line), Some("kafka_2.13-4.3.1.jar"));
        assert_eq!(fetched_jar("[INFO] Downloading from central: https://repo/a/b.jar"), None);
        assert_eq!(fetched_jar("[INFO] Downloaded from central: https://repo/a/b.pom (1 kB)"), None);
    }
}
