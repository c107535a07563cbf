//! Reports as files, made by the program.

use std::path::PathBuf;
use std::process::Command;

/// A page in a folder of its own.
pub(crate) struct Report {
    pub(crate) path: PathBuf,
    _folder: tempfile::TempDir,
}

/// What `analyzer simulate` writes for these words, split at spaces.
pub(crate) fn simulated(words: &str) -> Report {
    of_trace("", words)
}

/// What it writes when it is run beside `trace`, a file of the name `t.csv`.
fn of_trace(trace: &str, words: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), trace).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_analyzer"))
        .args(["simulate", "--format", "html", "-o", "page.html"])
        .args(words.split_whitespace())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    Report { path: folder.path().join("page.html"), _folder: folder }
}

/// Names of tenants that would run, load, close or reorder something if a browser took them for more than text.
pub(crate) const HOSTILE: [&str; 9] = [
    "<script>window.harmed=1;alert(1)</script>",
    "\"><img src=x onerror=window.harmed=1>",
    "'><svg onload=window.harmed=1>",
    "</title></style></script><script>alert(2)</script>",
    "javascript:alert(3)",
    "<a href=javascript:alert(4)>click</a>",
    "<iframe src=http://127.0.0.1:9/></iframe>",
    "\u{202e}gpj.exe&lt;b&gt;",
    "<!--",
];

/// A trace of tenants with those names, the first of them by far the largest, and one name that is as long as a page.
pub(crate) fn hostile() -> Report {
    let long = "W".repeat(5_000);
    let mut trace = "tenant,order\n".to_owned();
    for (number, name) in HOSTILE.iter().chain([&long.as_str()]).enumerate() {
        let records = if number == 0 { 500 } else { 40 + number };
        for order in 0..records {
            trace.push_str(&format!("\"{}\",\"<b>{order}\"\n", name.replace('"', "\"\"")));
        }
    }
    of_trace(
        &trace,
        "--trace t.csv --tenant-field tenant --entity-field order --partitions 6 --sweep vip-count",
    )
}

/// The report that most tests look at.
pub(crate) fn multitenant() -> Report {
    simulated("--profile multitenant --records 50000 --sweep vip-count")
}
