//! However the program ends, no process and no file stays.
#![allow(clippy::unwrap_used)] // clippy knows #[test] functions only, not those they call
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use interop::kafka::{Cluster, ClusterOptions, Security};

/// Two clusters at once only slow each other down.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command, and the folder that it says its files are in. Returns when it has said a line with `until`.
fn spawn_kafka(until: &str) -> (Child, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_interop"))
        .arg("kafka")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut said = Vec::new();
    while !said.last().is_some_and(|line: &String| line.contains(until)) {
        said.push(lines.next().expect("the command says more before it ends"));
    }
    // Somebody must listen until the end.
    thread::spawn(move || lines.count());
    let folder = said.iter().find_map(|line| Some(line.split_once("files in ")?.1.to_owned())).unwrap();
    (program, folder)
}

/// Command lines of living processes that name `folder`.
fn processes_of(folder: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("cmdline"));
    let command_lines = entries.filter_map(|path| fs::read(path).ok());
    let texts = command_lines.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    texts.filter(|text| text.contains(folder)).collect()
}

#[track_caller]
fn assert_nothing_stays(folder: &str) {
    // The kernel and the shell need a moment, after the program itself is gone.
    for _ in 0..200 {
        if processes_of(folder).is_empty() && !Path::new(folder).exists() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{folder} exists: {}, processes: {:#?}", Path::new(folder).exists(), processes_of(folder));
}

fn signal(program: &Child, name: &str) {
    let status = Command::new("sh").args(["-c", "kill -$0 $1", name, &program.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn nothing_stays_after_sigkill() {
    let _turn = one_at_a_time();
    let (mut program, folder) = spawn_kafka("running");
    assert!(processes_of(&folder).iter().any(|line| line.contains("broker.args")), "no broker is seen");
    program.kill().unwrap();
    program.wait().unwrap();
    assert_nothing_stays(&folder);
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn nothing_stays_after_ctrl_c() {
    let _turn = one_at_a_time();
    let (mut program, folder) = spawn_kafka("running");
    signal(&program, "INT");
    assert!(program.wait().unwrap().success());
    // At once: the program itself has waited.
    assert_eq!(processes_of(&folder), Vec::<String>::new());
    assert!(!Path::new(&folder).exists());
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn nothing_stays_after_sigterm_while_it_starts() {
    let _turn = one_at_a_time();
    let (mut program, folder) = spawn_kafka("starting");
    // Long enough for the broker's own process, shorter than its start.
    for _ in 0..1000 {
        if processes_of(&folder).iter().any(|line| line.contains("broker.args")) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    signal(&program, "TERM");
    assert!(!program.wait().unwrap().success());
    assert_nothing_stays(&folder);
}

#[test]
#[ignore = "needs Kafka: Java 17 and Maven"]
fn nothing_stays_after_a_panic() {
    let _turn = one_at_a_time();
    let mut folder = String::new();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let options = ClusterOptions { security: Security::SaslSsl, ..Default::default() };
        let cluster = Cluster::start(&options).unwrap();
        let ca_path = cluster.credentials().unwrap().ca_path();
        folder = ca_path.parent().unwrap().to_str().unwrap().to_owned();
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    assert!(!folder.is_empty(), "no cluster was started");
    assert_eq!(processes_of(&folder), Vec::<String>::new());
    assert!(!Path::new(&folder).exists());
}
