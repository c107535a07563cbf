//! Ctrl-C: the program ends as a shell expects, and leaves nothing behind.
#![cfg(unix)]

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};

use crate::harness::TestDir;

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

fn send(signal: i32, child: &Child) {
    let status = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

fn assert_ended_by(signal: i32, status: ExitStatus) {
    // A background job of a plain shell ignores SIGINT, and so do its children.
    assert_eq!(status.signal(), Some(signal), "{status}: is the signal ignored where the tests run?");
}

#[test]
fn in_the_middle_of_the_traffic() {
    for signal in [SIGINT, SIGTERM] {
        let dir = TestDir::with("before.json", "kept");
        for file in ["before.json", "new.json"] {
            let words = format!("simulate --trace - --tenant-field tenant --format json -o {file}");
            let mut child = dir.analyzer(&words).spawn();
            let mut stdin = child.stdin.take().unwrap();
            // More than a pipe holds: once it is written, the program has read most of it and waits for more.
            stdin.write_all(b"tenant\n").unwrap();
            stdin.write_all(&b"acme\n".repeat(1 << 18)).unwrap();
            send(signal, &child);
            assert_ended_by(signal, child.wait().unwrap());
            drop(stdin);
        }
        assert_eq!(
            (dir.names(), dir.read("before.json")),
            (vec!["before.json".to_owned()], "kept".to_owned())
        );
    }
}

#[test]
fn while_the_report_is_written() {
    let dir = TestDir::new();
    let words = "simulate --profile multitenant --records 1000 -n 200000 --format json -o report.json";
    let mut child = dir.analyzer(words).spawn();
    // The temporary file is there for as long as it takes to write 36 MB.
    while dir.names().is_empty() && child.try_wait().unwrap().is_none() {}
    send(SIGINT, &child);
    let status = child.wait().unwrap();
    // Whoever was faster: all of the report, or nothing.
    match dir.names().as_slice() {
        [] => assert_ended_by(SIGINT, status),
        [name] if name == "report.json" => assert!(dir.read("report.json").ends_with("\n}\n")),
        names => panic!("left behind: {names:?}"),
    }
}
