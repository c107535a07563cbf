//! Every way a profile can be wrong has its own message, with the place and what was expected.

use std::fs;

use analyzer::workload::profile::{Profile, ProfileTraffic};

/// A profile with one group, before `keys`, which are the group's.
const HEAD: &str = "name = 'x'\ndescription = 'd'\n[[tenants]]\nname = 't-{}'\ncount = 10\n";

/// The message for `text`, which must not be a valid profile.
fn message(text: &str) -> String {
    match Profile::from_toml(text, "p.toml") {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The message for a group with `keys`; they start at line 6.
fn group_message(keys: &str) -> String {
    message(&format!("{HEAD}{keys}\n"))
}

/// The message for a valid group under the top-level `keys`, which start at line 3.
fn top_message(keys: &str) -> String {
    message(&format!("name = 'x'\ndescription = 'd'\n{keys}\n[[tenants]]\nname = 't-{{}}'\ncount = 10\n"))
}

#[test]
fn the_heads_of_these_cases_are_valid() {
    Profile::from_toml(HEAD, "p.toml").unwrap();
}

#[test]
fn numbers_out_of_range_name_value_and_limits() {
    for (keys, expected) in [
        (
            "weight = nan",
            "p.toml:6:10: `weight` is NaN; it must be a number from 0.000000000001 to 1000000000000",
        ),
        ("weight = -nan", "`weight` is NaN"),
        ("weight = -1", "p.toml:6:10: `weight` is -1;"),
        ("weight = inf", "`weight` is inf;"),
        ("weight = 1e-300", "it must be a number from"),
        ("entities = 0", "p.toml:6:12: `entities` is 0; it must be 1 to 4,294,967,295"),
        ("entities = 4294967296", "`entities` is 4294967296; it must be 1 to 4,294,967,295"),
        (
            "entities = 1000001\nentity_distribution = { zipf = 1.0 }",
            "`entities` is 1000001; it must be 1 to 1,000,000",
        ),
        ("entities = -5", "`entities` is -5;"),
        ("within = { zipf = nan }", "p.toml:6:10: `within.zipf` is NaN; it must be a number from 0 to 10"),
        ("entity_distribution = { zipf = 11 }", "`entity_distribution.zipf` is 11;"),
        ("growth = 0", "p.toml:6:10: `growth` is 0; it must be a number from 0.000001 to 1000000"),
        ("growth = inf", "`growth` is inf;"),
        ("records = 0", "`records` is 0; it must be 1 to 10,000,000"),
        ("records = 9_000_000", "sum to 90,000,000 records; at most 10,000,000"),
        ("burst = { from = 0.5, until = 0.5, factor = 2 }", "p.toml:6:9: the burst is from 0.5 until 0.5;"),
        (
            "burst = { from = -1, until = 0.5, factor = 2 }",
            "`burst.from` is -1; it must be a number from 0 to 1",
        ),
        ("burst = { from = 0, until = nan, factor = 2 }", "`burst.until` is NaN;"),
        ("burst = { from = 0, until = 1, factor = 0 }", "`burst.factor` is 0;"),
        (
            "sizes.distribution = { constant = { bytes = 2_000_000 } }",
            "`bytes` is 2000000; it must be 1 to 1,048,576",
        ),
        ("sizes = { distribution = { constant = { bytes = 9 } }, min_bytes = 0 }", "`min_bytes` is 0;"),
        (
            "sizes = { distribution = { constant = { bytes = 9 } }, min_bytes = 9, max_bytes = 8 }",
            "`min_bytes` is 9, above `max_bytes`, 8",
        ),
        (
            "sizes.distribution = { uniform = { from_bytes = 9, to_bytes = 8 } }",
            "`to_bytes` is 8; it must be 9 to",
        ),
        ("sizes.distribution = { lognormal = { median_bytes = 0, sigma = 1 } }", "`median_bytes` is 0;"),
        ("sizes.distribution = { lognormal = { median_bytes = 9, sigma = nan } }", "`sigma` is NaN;"),
        ("sizes.distribution = { pareto = { scale_bytes = 9, shape = 0 } }", "`shape` is 0;"),
    ] {
        let message = group_message(keys);
        assert!(message.contains(expected), "{keys}\n{message}");
    }
}

#[test]
fn top_level_keys_out_of_range_name_value_and_limits() {
    for (keys, expected) in [
        ("records = 0", "p.toml:3:11: `records` is 0; it must be 1 to 1,000,000,000,000"),
        ("records = 1_000_000_000_001", "`records` is 1000000000001;"),
        ("partitions = 0", "p.toml:3:14: `partitions` is 0; it must be 1 to 1,000,000"),
        ("partitions = 1_000_000_000", "`partitions` is 1000000000;"),
        ("rate_per_s = 0", "`rate_per_s` is 0; it must be 1 to 1,000,000,000"),
        ("vip = ['t-0', 't-99']", "p.toml:3:15: `vip` names \"t-99\", which is no tenant; did you mean \"t-"),
        ("vip = ['t-0', 't-0']", "p.toml:3:15: `vip` names \"t-0\" twice"),
        ("[explicit_map]\nqqq = 1", "p.toml:4:1: `explicit_map` names \"qqq\", which is no tenant"),
        ("[explicit_map]\nt-1 = 12", "p.toml:4:7: `a partition of explicit_map` is 12; it must be 0 to 11"),
    ] {
        let message = top_message(keys);
        assert!(message.contains(expected), "{keys}\n{message}");
    }
}

#[test]
fn unknown_keys_and_wrong_types_name_the_place_and_the_nearest_key() {
    for (keys, expected) in [
        (
            "wieght = 5",
            "p.toml:6:1: unknown key `wieght`, did you mean `weight`? Valid keys: name, count, weight,",
        ),
        ("qqq = 5", "p.toml:6:1: unknown key `qqq`. Valid keys: name,"),
        (
            "burst = { form = 0, until = 1, factor = 2 }",
            "p.toml:6:11: unknown key `form`, did you mean `from`?",
        ),
        ("within = 'unifrom'", "unknown value `unifrom`, did you mean `uniform`?"),
        ("within = { zip = 1.0 }", "unknown value `zip`, did you mean `zipf`? Valid values: uniform, zipf"),
        (
            "sizes.distribution = { normal = { bytes = 1 } }",
            "unknown value `normal`, did you mean `lognormal`?",
        ),
        ("sizes.distribution = { constant = { byte = 1 } }", "unknown key `byte`, did you mean `bytes`?"),
        ("burst = { from = 0, until = 1 }", "missing key `factor`"),
        ("weight = 'heavy'", "p.toml:6:10: invalid type: string \"heavy\", expected a number"),
        ("count = 1", "p.toml:6:1: duplicate key"),
        ("entities = 1.5", "p.toml:6:12: invalid type: floating point `1.5`, expected a whole number"),
        ("records = 99999999999999999999", "p.toml:6:11: "),
        ("weight = ", "p.toml:6:"),
    ] {
        let message = group_message(keys);
        assert!(message.contains(expected), "{keys}\n{message}");
    }
    assert!(message("description = 'd'").contains("missing key `name`"));
    assert!(message("name = 'd'").contains("missing key `description`"));
}

#[test]
fn a_profile_needs_tenants_with_distinct_names_and_some_weight() {
    let top = "name = 'x'\ndescription = 'd'\n";
    for (tenants, expected) in [
        ("", "p.toml: no tenants; add a [[tenants]] table"),
        ("tenants = []", "p.toml: no tenants"),
        (
            "[[tenants]]\nname = 'a'\nweight = 0\n[[tenants]]\nname = 'b'\nweight = 0.0",
            "weights of all groups sum to 0",
        ),
        ("[[tenants]]\nname = 'a'\n[[tenants]]\nname = 'a'", "p.toml:6:8: two tenants are named \"a\""),
        (
            "[[tenants]]\nname = 't-{}'\ncount = 20\n[[tenants]]\nname = 't-19'",
            "p.toml:7:8: two tenants are named \"t-19\"",
        ),
        ("[[tenants]]\nname = ''", "`name` is empty; it must name something"),
        ("[[tenants]]\nname = 'a'\ncount = 2", "`name` \"a\" is to name 2 things and has no `{}`"),
        ("[[tenants]]\nname = 'a{}b{}'\ncount = 2", "`{}` once"),
        ("[[tenants]]\nname = 'a'\nentity_name = 'o'", "`entity_name` \"o\" is to name 100 things"),
        ("[[tenants]]\nname = 'a{}'\ncount = 0", "p.toml:5:9: `count` is 0; it must be 1 to 1,000,000"),
        ("[[tenants]]\nname = 'a{}'\ncount = 1_000_001", "`count` is 1000001; it must be 1 to 1,000,000"),
        (
            "[[tenants]]\nname = 'a{}'\ncount = 1_000_000\n[[tenants]]\nname = 'b'",
            "p.toml:7:8: more than 1,000,000 tenants in all",
        ),
    ] {
        let message = message(&format!("{top}{tenants}"));
        assert!(message.contains(expected), "{tenants}\n{message}");
    }
    assert!(message("name = ''\ndescription = 'd'").contains("p.toml:1:8: `name` is empty"));
    let zipf = "entities = 1_000_000\nentity_distribution = { zipf = 1.0 }\n";
    let whales: String = (0..5).map(|whale| format!("[[tenants]]\nname = 'w{whale}'\n{zipf}")).collect();
    assert!(message(&format!("{top}{whales}")).contains("p.toml:20:8: more than 4,000,000 Zipf `entities`"));
    let crowd: String = (0..1_001).map(|group| format!("[[tenants]]\nname = 'g{group}'\n")).collect();
    assert!(message(&format!("{top}{crowd}")).contains("1001 [[tenants]] tables; at most 1000"));
}

#[test]
fn exact_counts_stand_alone() {
    for (keys, expected) in [
        ("records = 5\nweight = 2", "p.toml:7:10: `weight` has no meaning beside `records`"),
        ("records = 5\nwithin = 'uniform'", "`within` has no meaning"),
        ("records = 5\ngrowth = 2", "`growth` has no meaning"),
        ("records = 5\nburst = { from = 0, until = 1, factor = 2 }", "`burst` has no meaning"),
        ("records = 5\n[[tenants]]\nname = 'b'", "p.toml:8:8: this group has no `records`, others have"),
    ] {
        let message = group_message(keys);
        assert!(message.contains(expected), "{keys}\n{message}");
    }
    let twice = format!("records = 51\n{HEAD}records = 5\n");
    assert!(
        message(&twice)
            .contains("p.toml:1:11: `records` is 51, but the exact counts sum to 50; leave it out")
    );

    let article = Profile::load("article").unwrap();
    let error = ProfileTraffic::new(&article, 1_001, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "article: the exact counts of this profile sum to 1000 records; 1001 were asked for"
    );
    for records in [0, 1_000_000_000_001] {
        let error = ProfileTraffic::new(&Profile::load("zipf").unwrap(), records, 1).unwrap_err();
        assert!(
            error.to_string().contains(&format!("1 to 1,000,000,000,000 records, not {records}")),
            "{error}"
        );
    }
}

#[test]
fn a_hostile_name_is_escaped_in_the_message() {
    let message = message("name = 'x'\ndescription = ''\nvip = [\"\\u001b[2J\"]\n[[tenants]]\nname = 'a'\n");
    assert!(!message.contains('\u{1b}'), "{message:?}");
    assert!(message.contains("\\u{1b}[2J"), "{message}");
    let key = group_message("\"\\u001b[2J\" = 1");
    assert!(!key.contains('\u{1b}') && key.contains("unknown key"), "{key:?}");
}

#[test]
fn what_cannot_be_loaded_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let error = |name_or_path: &str| Profile::load(name_or_path).unwrap_err().to_string();

    let unknown = error("multitennant");
    assert!(
        unknown
            .starts_with("profile \"multitennant\": no profile has this name, did you mean \"multitenant\"?")
    );
    assert!(unknown.contains(
        "Profiles: article, many-whales, mega-zipf, multitenant, noisy-neighbour, ticker, uniform"
    ));
    assert!(error("").contains("no profile has this name. Profiles: article"));

    assert!(error(&path("absent.toml")).contains("absent.toml: the profile cannot be read: "));
    assert!(error(dir.path().to_str().unwrap()).contains("is a directory; expected a TOML file"));

    fs::write(path("latin1.toml"), b"name = '\xe9'").unwrap();
    assert!(error(&path("latin1.toml")).contains("not UTF-8 text: byte 8 (counted from 0)"));
    fs::write(path("huge.toml"), vec![b'#'; (1 << 20) + 1]).unwrap();
    assert!(error(&path("huge.toml")).contains("larger than a profile may be, 1,048,576 bytes"));

    fs::write(path("good.toml"), HEAD).unwrap();
    assert_eq!(Profile::load(&path("good.toml")).unwrap().tenant_count(), 10);
}
