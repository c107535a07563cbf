//! The files of `config/` are what the program embeds and understands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use analyzer::workload::profile::Profile;

fn config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../config")
}

fn read_profiles(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// The binary embeds `analyzer/profiles/`, since a package may not include files outside itself; users look into
/// `config/profiles/`. Edit the former, then run this test with `UPDATE_GOLDEN=1`.
#[test]
fn config_profiles_are_the_embedded_ones() {
    let folder = config().join("profiles");
    let names = Profile::embedded_names();
    let embedded: BTreeMap<String, String> = names
        .iter()
        .map(|(name, _)| ((*name).to_owned(), Profile::embedded(name).unwrap().to_owned()))
        .collect();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        for (name, text) in &embedded {
            fs::write(folder.join(format!("{name}.toml")), text).unwrap();
        }
    }
    let shipped = read_profiles(&folder);
    assert_eq!(
        shipped.keys().collect::<Vec<_>>(),
        embedded.keys().collect::<Vec<_>>(),
        "a file too many or too few in config/profiles"
    );
    for (name, text) in &embedded {
        assert_eq!(&shipped[name], text, "config/profiles/{name}.toml differs; repair with UPDATE_GOLDEN=1");
    }
}

#[test]
fn every_profile_is_listed_with_its_description() {
    let names = Profile::embedded_names();
    let expected = [
        "article",
        "many-whales",
        "mega-zipf",
        "multitenant",
        "noisy-neighbour",
        "ticker",
        "uniform",
        "zipf",
    ];
    assert_eq!(names.iter().map(|(name, _)| *name).collect::<Vec<_>>(), expected);
    for (name, description) in names {
        assert_eq!(Profile::load(name).unwrap().description(), description);
    }
}

/// The keys that the message about the unknown key in `text` offers.
fn valid_keys(text: &str) -> Vec<String> {
    let message = Profile::from_toml(text, "p").unwrap_err().to_string();
    let (_, keys) = message.split_once("Valid keys: ").unwrap_or_else(|| panic!("{message}"));
    keys.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_readme_has_a_block_for_every_key() {
    let readme = fs::read_to_string(config().join("README.md")).unwrap();
    let group = "name = 'x'\ndescription = 'd'\n[[tenants]]\nname = 'a'\n";
    for (table, text) in [
        ("", "zzz = 1".to_owned()),
        ("tenants.", format!("{group}zzz = 1")),
        ("tenants.burst.", format!("{group}burst = {{ zzz = 1 }}")),
        ("sizes.", format!("{group}sizes = {{ zzz = 1 }}")),
    ] {
        for key in valid_keys(&text) {
            // The tables themselves are described by their keys.
            if (table, key.as_str()) == ("", "tenants") || (table, key.as_str()) == ("tenants.", "burst") {
                continue;
            }
            let heading = format!("\n#### `{table}{key}`\n");
            assert!(readme.contains(&heading), "config/README.md has no block {heading}");
        }
    }
}

#[test]
fn the_examples_of_the_readme_are_valid() {
    let readme = fs::read_to_string(config().join("README.md")).unwrap();
    let examples: Vec<&str> =
        readme.split("```toml profile\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        Profile::from_toml(example, "config/README.md").unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}
