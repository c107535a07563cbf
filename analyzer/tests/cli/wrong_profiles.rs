//! Files that are no profile. What each key may hold is tested in `tests/profiles/`; here, that the program says so.

use crate::harness::TestDir;

const HEAD: &str = "name = \"mine\"\ndescription = \"d\"\n[[tenants]]\nname = \"t-{}\"\n";

#[track_caller]
fn refused(profile: impl AsRef<[u8]>, parts: &[&str]) {
    TestDir::with("mine.toml", profile).run("simulate --profile mine.toml").refused(parts);
}

#[test]
fn an_unknown_key() {
    refused(
        format!("{HEAD}wieght = 1\n"),
        &["mine.toml:5:1", "unknown key `wieght`, did you mean `weight`?"],
    );
}

#[test]
fn a_wrong_type() {
    refused(format!("{HEAD}weight = \"3\"\n"), &["mine.toml:5:10", "string \"3\", expected a number"]);
    refused(format!("{HEAD}count = 1.5\n"), &["mine.toml:5:9", "expected a whole number"]);
}

#[test]
fn weights_that_are_no_weights() {
    refused(format!("{HEAD}weight = nan\n"), &["mine.toml:5:10", "`weight` is NaN", "from 0.000000000001"]);
    refused(
        format!("{HEAD}weight = 0\n"),
        &["mine.toml:4:8", "weights of all groups sum to 0", "give one a weight"],
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    refused(b"name = \"x\xff\"\n", &["mine.toml", "not UTF-8", "byte 9"]);
}

#[test]
fn text_that_is_not_toml() {
    refused("name = \n", &["mine.toml:1:8", "string values must be quoted"]);
    refused("", &["mine.toml", "missing key `name`"]);
}

#[test]
fn a_directory_or_nothing() {
    let dir = TestDir::new();
    dir.run("simulate --profile ./").refused(&["./", "is a directory; expected a TOML file"]);
    dir.run("simulate --profile ./missing.toml").refused(&[
        "./missing.toml",
        "cannot be read",
        "No such file",
    ]);
    // Without a dot or a slash it is a name.
    dir.run("simulate --profile missing").refused(&["no profile has this name", "path of a .toml file"]);
}

#[test]
fn profiles_prints_none_but_its_own() {
    let dir = TestDir::with("mine.toml", format!("{HEAD}count = 2\n"));
    dir.run("profiles mine.toml").refused(&["mine.toml", "is a file, not a built-in profile"]);
}
