//! Where the report goes, and in what dress.

use std::io::Read as _;

use crate::harness::{Analyzer, TestDir, run};

const ARTICLE: &str = "simulate --profile article";

#[test]
fn a_file_takes_the_whole_report_and_stdout_nothing() {
    let dir = TestDir::with("report.csv", "what was there before, which is longer than nothing");
    let done = dir.run(&format!("{ARTICLE} --format csv -o report.csv")).ok();
    done.check(done.stdout.is_empty(), "nothing on stdout");
    assert_eq!(dir.read("report.csv"), run(&format!("{ARTICLE} --format csv")).ok().stdout);
    assert_eq!(dir.names(), ["report.csv"], "no temporary file is left");
}

#[test]
fn an_error_leaves_the_file_as_it_was() {
    let dir = TestDir::with("report.csv", "before");
    dir.write("t.csv", "tenant\na\nb,c\n");
    dir.run("simulate --trace t.csv --tenant-field tenant -o report.csv").refused(&["t.csv:3"]);
    assert_eq!(dir.read("report.csv"), "before");
    dir.run("simulate --trace t.csv --tenant-field tenant -o new.csv").refused(&["t.csv:3"]);
    assert_eq!(dir.names(), ["report.csv", "t.csv"], "nothing new is left");
}

#[test]
fn a_dash_is_stdout() {
    let dir = TestDir::new();
    let done =
        dir.run(&format!("{ARTICLE} -o -")).ok().prints(&["tenant-key puts 945 records on partition 0"]);
    assert_eq!(dir.names(), Vec::<String>::new(), "no file is named -");
    done.check(done.stdout.ends_with('\n'), "a last line");
}

#[cfg(unix)]
#[test]
fn devices_are_written_as_they_are() {
    let done = run(&format!("{ARTICLE} -o /dev/null")).ok();
    done.check(done.stdout.is_empty(), "nothing on stdout");
    assert!(!std::path::Path::new("/dev/null").is_file(), "the device is not replaced by a file");
    run(&format!("{ARTICLE} -o /dev/stdout")).ok().prints(&["945"]);
}

#[test]
fn colour_is_for_terminals_and_those_who_ask() {
    let color = |flags: &str, environment: &[(&str, &str)]| {
        let mut analyzer = Analyzer::new(&format!("{ARTICLE} {flags}"));
        for (name, value) in environment {
            analyzer = analyzer.env(name, value);
        }
        analyzer.run().ok().stdout.contains('\u{1b}')
    };
    // Standard output is a pipe here.
    assert!(!color("", &[]));
    assert!(!color("--color never", &[]));
    assert!(color("--color always", &[]));
    assert!(color("--color always", &[("NO_COLOR", "1")]), "what was asked for stands above NO_COLOR");
    assert!(!color("--color auto", &[("NO_COLOR", "1")]));
    for format in ["json", "csv", "markdown"] {
        assert!(!color(&format!("--color always --format {format}"), &[]), "{format} has no colour");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colour_unless_no_color() {
    // script(1) of util-linux gives the program a terminal.
    let at_terminal = |environment: &str| {
        let command = format!("{environment} TERM=xterm \"$ANALYZER\" {ARTICLE}");
        Analyzer::under("script").args(["-qec", &command, "/dev/null"]).run().code(0).stdout
    };
    assert!(at_terminal("").contains("\u{1b}[1m"));
    assert!(!at_terminal("NO_COLOR=1").contains("\u{1b}[1m"));
    assert!(at_terminal("NO_COLOR=").contains("\u{1b}[1m"), "an empty NO_COLOR says nothing");
}

#[test]
fn lines_are_as_wide_as_asked_for() {
    let width = |columns: &str| {
        let stdout = Analyzer::new(ARTICLE).env("COLUMNS", columns).run().ok().stdout;
        stdout.lines().map(|line| line.chars().count()).max().unwrap()
    };
    assert!(width("80") <= 80);
    assert!((81..=140).contains(&width("140")));
    assert!(width("not a number") <= 100);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_is_no_error() {
    // A large report, so that the pipe breaks while it is written.
    let words = "simulate --profile multitenant --records 1000 -n 3000 --format csv";
    let mut child = Analyzer::new(words).spawn();
    let mut start = [0; 9];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"strategy,");
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    let piped = Analyzer::under("sh").arg("-c").arg(format!("\"$ANALYZER\" {words} | head -1")).run().ok();
    piped.check(piped.stdout.lines().count() == 1, "one line");
}

#[cfg(unix)]
#[test]
fn nobody_to_read_the_error_is_no_panic() {
    let mut child = Analyzer::new("simulate --trace - --tenant-field t").spawn();
    drop(child.stderr.take());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}
