//! Names from traffic that would command a terminal, break a table or fill a screen.

use crate::harness::{TestDir, run};

/// Tenants as CSV fields; each makes a quarter of the records, so each is a VIP and named all over the report.
fn trace() -> Vec<u8> {
    let huge = "k".repeat(1 << 20);
    let names = [
        "\u{1b}[2J\u{1b}]0;owned\u{7}",
        "two\nlines\r|<b>`x`",
        "\u{202e}gpj.exe",
        "nul\0nul",
        &huge,
        "caf\u{e9}",
    ];
    let mut trace = "tenant,order\n".to_owned();
    for (number, name) in names.iter().enumerate() {
        trace.push_str(&format!("\"{name}\",{number}\u{1b}c\n"));
    }
    trace.into_bytes()
}

#[test]
fn no_format_passes_on_what_a_terminal_obeys() {
    let dir = TestDir::with("t.csv", trace());
    for format in ["text", "csv", "markdown", "json", "html"] {
        let words = "simulate --trace t.csv --tenant-field tenant --entity-field order --sweep vip-count";
        let done = dir.run(&format!("{words} --format {format}")).ok();
        let is_safe = |c: char| c == '\n' || !c.is_control() && !('\u{202a}'..='\u{202e}').contains(&c);
        done.check(done.stdout.chars().all(is_safe), "no control and no override character");
        let bytes_max = if format == "html" { 200_000 } else { 100_000 };
        done.check(done.stdout.len() < bytes_max, "a huge name to be cut");
        // CSV has a row per strategy and partition, and names no tenant.
        let names_tenants = format != "csv";
        done.check(done.stdout.contains("1,048,576 bytes") == names_tenants, "the length of the huge name");
        done.check(done.stdout.contains("caf\u{e9}") == names_tenants, "a name in another script as it is");
    }
}

#[test]
fn markup_in_names_is_text_on_the_page() {
    let names =
        ["<script>alert(1)</script>", "\"\"><img src=x onerror=alert(1)>", "</title></style>", "&lt;b&gt;"];
    let mut trace = "tenant,order\n".to_owned();
    for (number, name) in names.iter().enumerate() {
        trace.push_str(&format!("\"{name}\",{number}\n"));
    }
    let dir = TestDir::with("<h1>.csv", trace);
    let words = "simulate --trace <h1>.csv --tenant-field tenant --entity-field order --format html";
    let done = dir.run(&format!("{words} -o page.html")).ok();
    done.check(done.stdout.is_empty(), "nothing on stdout");
    let page = dir.read("page.html");
    for (shown, elements) in [
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "<script"),
        ("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;", "<img"),
        ("&lt;/title&gt;&lt;/style&gt;", "</title></style"),
        ("&amp;lt;b&amp;gt;", "<b&"),
        ("Partition load: &lt;h1&gt;.csv</h1>", "<h1>."),
    ] {
        assert!(page.contains(shown), "{shown}");
        assert_eq!(page.matches(elements).count(), usize::from(elements == "<script"), "{elements}");
    }
}

#[test]
fn bytes_that_are_no_text_are_shown_as_bytes() {
    let dir = TestDir::with("t.csv", b"tenant,order\n\xff\xfe,1\n\xc3,2\n");
    let words = "simulate --trace t.csv --tenant-field tenant --entity-field order";
    dir.run(words).ok().prints(&[r"\xff\xfe", r"\xc3"]);
}

#[test]
fn errors_escape_names_too() {
    let dir = TestDir::with("t.csv", "ten\u{1b}[31mant,or\u{202e}der\na,1\n");
    dir.run("simulate --trace t.csv --tenant-field tenant").refused(&["no column `tenant`", r"\u{1b}[31m"]);
    dir.write("c.toml", "[topics.t]\n\"vip\\u001b[31m\" = 3\n");
    dir.run("simulate --profile article --config c.toml").refused(&["c.toml:2:1", r"\u{1b}[31m"]);
    dir.write("p.toml", "name = \"x\"\ndescription = \"d\"\n\"na\\u001b[31mme\" = 3\n");
    dir.run("simulate --profile p.toml").refused(&["p.toml:3:1", r"[31m"]);
    dir.analyzer("simulate --profile article --config")
        .arg("no\u{1b}[31mne")
        .run()
        .refused(&[r"no\x1b[31mne"]);
    run("simulate --profile no\u{1b}[31mne").refused(&["[31mne"]);
}

#[test]
fn names_of_a_profile_are_escaped() {
    let profile = "name = \"evil\"\ndescription = \"d\"\npartitions = 3\nrecords = 100\nvip = [\"\\u001b[2J\"]\n\
                   [[tenants]]\nname = \"\\u001b[2J\"\nentities = 10\n";
    let dir = TestDir::with("p.toml", profile);
    dir.run("simulate --profile p.toml").ok().prints(&[r"\x1b[2J"]);
}
