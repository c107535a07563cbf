//! Runs `analyzer` in a folder of its own and checks what it said.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;

/// A folder that goes away with the test.
pub(crate) struct TestDir(tempfile::TempDir);

impl TestDir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with one file.
    pub(crate) fn with(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let dir = Self::new();
        dir.write(name, contents);
        dir
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, run in this folder with these words.
    pub(crate) fn analyzer(&self, words: &str) -> Analyzer {
        let mut analyzer = Analyzer::new(words);
        analyzer.command.current_dir(self.0.path());
        analyzer
    }

    pub(crate) fn run(&self, words: &str) -> Done {
        self.analyzer(words).run()
    }
}

/// Runs the program with `words`, split at spaces.
pub(crate) fn run(words: &str) -> Done {
    Analyzer::new(words).run()
}

/// The path of a trace that the repository ships.
pub(crate) fn shipped_trace(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/data").join(name)
}

/// The program before it is run. It inherits nothing that could change what it prints.
pub(crate) struct Analyzer {
    command: Command,
    stdin: Vec<u8>,
}

impl Analyzer {
    pub(crate) fn new(words: &str) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_analyzer"))).args(words.split_whitespace())
    }

    /// Another program that runs `analyzer`, such as a shell, which finds its path in `$ANALYZER`.
    pub(crate) fn under(program: &str) -> Self {
        let mut command = Command::new(program);
        command.env("ANALYZER", env!("CARGO_BIN_EXE_analyzer"));
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        for name in ["COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM"] {
            command.env_remove(name);
        }
        // A backtrace would show up even where the user asked for none.
        command.env("RUST_BACKTRACE", "1");
        Self { command, stdin: Vec::new() }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Starts it with a pipe at each end, for tests that do something while it runs.
    pub(crate) fn spawn(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn run(self) -> Done {
        let command = format!("{:?}", self.command);
        let bytes = self.stdin.clone();
        let mut child = self.spawn();
        let mut stdin = child.stdin.take().unwrap();
        // From a thread: a program that prints before it has read all would wait for us, and we for it. One that ends
        // early leaves the pipe broken, which is its right.
        let feeder = thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Done {
            command,
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// What the program did.
pub(crate) struct Done {
    command: String,
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    /// Fails the test with all there is to know, unless `holds`.
    #[track_caller]
    pub(crate) fn check(&self, holds: bool, expected: &str) {
        assert!(
            holds,
            "expected {expected}\n── command\n{}\n── exit code\n{:?}\n── stdout\n{}\n── stderr\n{}",
            self.command, self.code, self.stdout, self.stderr
        );
    }

    /// It succeeded and said nothing on stderr.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.check(self.code == Some(0), "exit code 0");
        self.check(self.stderr.is_empty(), "nothing on stderr");
        self
    }

    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        self.check(self.code == Some(code), &format!("exit code {code}"));
        self
    }

    /// It refused, as every command refuses, and its message has all of `parts`.
    #[track_caller]
    pub(crate) fn refused(self, parts: &[&str]) {
        self.check(self.code == Some(2), "exit code 2");
        self.check(self.stdout.is_empty(), "nothing on stdout");
        self.check(self.stderr.starts_with("error: "), "stderr to begin with `error: `");
        for part in parts {
            self.check(self.stderr.contains(part), &format!("{part:?} in the message"));
        }
        for trace in ["panicked", "RUST_BACKTRACE", "backtrace"] {
            self.check(!self.stderr.contains(trace), "no panic and no backtrace");
        }
        let is_safe = |c: char| c == '\n' || !c.is_control() && !('\u{202a}'..='\u{202e}').contains(&c);
        self.check(self.stderr.chars().all(is_safe), "nothing that a terminal obeys");
    }

    #[track_caller]
    pub(crate) fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            self.check(self.stdout.contains(part), &format!("{part:?} on stdout"));
        }
        self
    }

    /// What it printed, as the JSON report that its schema describes.
    #[track_caller]
    pub(crate) fn report(self) -> Report {
        let done = self.ok();
        match serde_json::from_str(&done.stdout) {
            Ok(value) => Report(value),
            Err(error) => {
                done.check(false, &format!("JSON, not {error}"));
                unreachable!()
            }
        }
    }
}

/// A JSON report.
#[derive(Debug, PartialEq)]
pub(crate) struct Report(pub(crate) Value);

impl Report {
    #[track_caller]
    pub(crate) fn strategy(&self, name: &str) -> &Value {
        let strategies = self.0["strategies"].as_array().unwrap();
        strategies
            .iter()
            .find(|strategy| strategy["name"] == name)
            .unwrap_or_else(|| panic!("no {name} in {:?}", self.names()))
    }

    /// Names of the strategies, in order.
    pub(crate) fn names(&self) -> Vec<&str> {
        let strategies = self.0["strategies"].as_array().unwrap();
        strategies.iter().map(|strategy| strategy["name"].as_str().unwrap()).collect()
    }

    pub(crate) fn records(&self, strategy: &str) -> Vec<u64> {
        let records = self.strategy(strategy)["records"].as_array().unwrap();
        records.iter().map(|records| records.as_u64().unwrap()).collect()
    }

    pub(crate) fn max_mean(&self, strategy: &str) -> f64 {
        self.strategy(strategy)["max_mean"].as_f64().unwrap()
    }

    /// `vip_count` and max/mean of the row that the sweep marks as best.
    pub(crate) fn best_of_sweep(&self) -> (u64, f64) {
        let rows = self.0["sweep"].as_array().unwrap();
        let best: Vec<_> = rows.iter().filter(|row| row["best"] == true).collect();
        assert_eq!(best.len(), 1, "{rows:?}");
        (best[0]["vip_count"].as_u64().unwrap(), best[0]["max_mean"].as_f64().unwrap())
    }

    /// The report without its command line and the name of its traffic, which say where the records came from.
    pub(crate) fn without_origin(mut self) -> Self {
        self.0["command"] = Value::Null;
        self.0["workload"]["name"] = Value::Null;
        self
    }
}
