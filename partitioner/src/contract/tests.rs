use proptest::prelude::*;

use super::*;
use crate::ids::{PartitionCount, PartitionIndex, PartitionRange, PoolIndex};
use crate::route::{KeyFault, Record, Reject, Step};

fn parse(text: &str) -> Result<Contract, ContractError> {
    Contract::from_toml(text, "p.toml")
}

fn router(topic: &str) -> Router {
    parse(&format!("[topics.t]\n{topic}")).unwrap_or_else(|error| panic!("{error}")).topics["t"]
        .router(1)
        .unwrap()
}

fn count(count: u32) -> PartitionCount {
    PartitionCount::new(count).unwrap()
}

fn place(router: &Router, key: &[u8], topic: u32) -> Result<u32, Reject> {
    router.route(&Record::keyed(key), count(topic)).map(|route| route.partition.get())
}

#[test]
fn only_the_section_of_one_topic_can_be_adaptive() {
    let error = parse("[topics.\"t*\"]\nunkeyed.adaptive = true").unwrap_err().to_string();
    assert!(
        error.starts_with("p.toml:2:20: topics.\"t*\".unkeyed.adaptive: the queues of several topics"),
        "{error}"
    );
    assert!(parse("[topics.t]\nunkeyed.adaptive = true").is_ok());
}

#[test]
fn each_broken_rule_has_its_own_error_at_its_own_place() {
    let vip = "vip.tenants = [\"m\"]\n";
    let pools = |second: &str| {
        format!(
            "partitions = 12\n[[topics.t.pools]]\nname = \"a\"\nrange = \"0..3\"\ntenants = [\"a\"]\n[[topics.t.pools]]\n{second}"
        )
    };
    let cases: Vec<(String, &str)> = vec![
        ("partitions = 0".into(), "p.toml:2:14: topics.t.partitions: 0 partitions; expected 1 to 1000000"),
        ("partitions = 1000000000".into(), "1000000000 partitions; expected 1 to 1000000"),
        ("partitions = -1".into(), "p.toml:2:14: invalid value"),
        ("partitions = \"12\"".into(), "p.toml:2:14: invalid type: string \"12\""),
        ("vip_cuont = 3".into(), "did you mean `vip_count`?"),
        ("key.format = \"tenant-entiti\"".into(), "did you mean `tenant-entity`?"),
        (
            format!("partitions = 12\nvip_count = 0\n{vip}"),
            "p.toml:3:13: topics.t.vip_count: a VIP pool of 0 partitions; expected 1 to 11",
        ),
        (
            format!("partitions = 12\nvip_count = 12\n{vip}"),
            "a VIP pool of 12 partitions leaves none of the topic's 12",
        ),
        (
            format!("partitions = 12\nvip_count = 13\n{vip}"),
            "a VIP pool of 13 partitions leaves none of the topic's 12",
        ),
        (format!("partitions = 1\nvip_count = 1\n{vip}"), "a topic of 1 partition has no room"),
        ("vip_count = 3\nvipCount = 3".into(), "duplicate field"),
        ("vip_count = 3".into(), "pool \"vip\" has no tenants"),
        (vip.into(), "there is no VIP pool; add vip_count"),
        ("standard.tenants = [\"a\"]".into(), "every tenant without a pool of its own is standard"),
        ("standard.name = \"a\"".into(), "only [[pools]] have names"),
        (
            pools("name = \"b\"\nrange = \"2..4\"\ntenants = [\"b\"]"),
            "topics.t.pools[1].range: pools must be disjoint",
        ),
        (
            pools("name = \"b\"\nrange = \"4..6\"\ntenants = [\"b\"]"),
            "pools must cover the topic: partitions 3..4",
        ),
        (pools("name = \"b\"\nrange = \"3..12\"\ntenants = [\"b\"]"), "the standard pool must not be empty"),
        (pools("name = \"b\"\nrange = \"3..3\"\ntenants = [\"b\"]"), "\"3..3\" is not a range"),
        (pools("name = \"b\"\nrange = \"3-6\"\ntenants = [\"b\"]"), "\"3-6\" is not a range"),
        (pools("name = \"a\"\nrange = \"3..6\"\ntenants = [\"b\"]"), "two pools have the name \"a\""),
        (
            pools("name = \"b\"\nrange = \"3..6\"\ntenants = [\"a\"]"),
            "tenant \"a\" is in the pools \"a\" and \"b\"",
        ),
        (pools("range = \"3..6\"\ntenants = [\"b\"]"), "a pool needs a name"),
        (pools("name = \"standard\"\nrange = \"3..6\"\ntenants = [\"b\"]"), "cannot be the name"),
        (
            format!("vip_count = 2\n{vip}[[topics.t.pools]]\nname = \"a\""),
            "vip_count is the short form of one pool",
        ),
        (
            format!("vip_count = 2\n{vip}vip.moved = [[128, 1]]"),
            "p.toml:4:13: topics.t.vip.moved: slot 128 does not exist",
        ),
        (format!("vip_count = 2\n{vip}vip.moved = [[1, 0], [1, 0]]"), "slot 1 is given an owner twice"),
        (format!("vip_count = 2\n{vip}vip.moved = [[1, 2]]"), "owners are in the pool 0..2"),
        (
            format!("vip_count = 2\n{vip}vip.moved = [[1, 2]]\nvip.isolation = \"shared\""),
            "needs a topic of known size",
        ),
        (
            format!("vip_count = 2\n{vip}vip.slots_per_partition = 32769"),
            "use 1 to 32768 slots per partition",
        ),
        ("standard.moved = [[1, 2]]".into(), "the standard pool's slots depend on its size; add partitions"),
        (
            "partitions = 3\non_growth = \"follow\"\nstandard.moved = [[1, 2]]".into(),
            "use \"hold\" or \"reject\"",
        ),
        (
            "partitions = 3\nstandard.moved = [[1, 3]]".into(),
            "topics.t.standard.moved[0]: slot 1 may not be owned by partition 3",
        ),
        ("key.separator = \"::\"".into(), "\"::\" is not one ASCII character"),
        ("key.separator = \"\\\\\"".into(), "separator and escape are both"),
        ("key.format = \"fixed-width\"".into(), "fixed-width keys need tenant_width_bytes"),
        ("key.tenant_width_bytes = 4".into(), "only fixed-width keys have a width"),
        ("unkeyed.pool = \"vip\"".into(), "there is no pool \"vip\"; expected one of standard"),
        ("unkeyed.sticky_bytes = 0".into(), "0 bytes; expected 1 to"),
        ("unkeyed.weights = [1]".into(), "weights need a pool of known size"),
        ("partitions = 3\nunkeyed.weights = [1, 2]".into(), "2 weight(s) for the 3 partition(s)"),
        ("partitions = 2\nunkeyed.weights = [0, 0]".into(), "all weights are 0"),
        ("pins = [{ partition = 1 }]".into(), "topics.t.pins[0].key: a pin names either a key or a tenant"),
        (
            "partitions = 3\npins = [{ key = \"a:1\", partition = 3 }]".into(),
            "topics.t.pins[0].partition: partition 3; the topic has",
        ),
        (
            format!("vip_count = 2\n{vip}pins = [{{ tenant = \"m\", partition = 5 }}]"),
            "outside the tenant's pool 0..2",
        ),
        (
            "pins = [{ tenant = \"a\", partition = 1 }, { tenant = \"a\", partition = 1 }]".into(),
            "pinned twice",
        ),
        (
            "pins = [{ key = { hex = \"6\" }, partition = 1 }]".into(),
            "not an even number of hexadecimal digits",
        ),
    ];
    for (topic, expected) in cases {
        let message = match parse(&format!("[topics.t]\n{topic}")) {
            Ok(_) => panic!("accepted: {topic}"),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(expected), "{topic}\n  gave     {message}\n  expected {expected}");
    }
    let message = parse("version = 2").unwrap_err().to_string();
    assert_eq!(message, "p.toml:1:11: version: version 2 is not known; this release reads version 1");
    assert!(parse("[topics.\"a*b\"]").unwrap_err().to_string().contains("only at the end"));
    assert!(parse("[topics.t").unwrap_err().line().is_some());
}

#[test]
fn the_articles_spelling_is_understood() {
    let contract = parse("[topics.t]\nvipCount = 3\nvip.tenants = [\"m\"]").unwrap();
    assert_eq!(contract.topics["t"].vip_count, Some(3));
}

const FULL: &str = r#"
    partitions = 12
    hash = "murmur2"
    unkeyed = { sticky_ms = 0, sticky_bytes = 100 }
    pins = [
        { key = "tenant-mega:order-9", partition = 2 },
        { tenant = "eu", partition = 11 },
        { tenant = "us", partition = 0, outside_pool = true },
    ]
    [[topics.t.pools]]
    name = "mega"
    range = "0..4"
    tenants = ["tenant-mega"]
    [[topics.t.pools]]
    name = "acme"
    range = "4..8"
    tenants = ["acme-*", { hex = "ff00" }]
    spread = "tenant"
"#;

#[test]
fn the_steps_are_tried_in_order() {
    let router = router(FULL);
    let route = |record: Record<'_>| router.route(&record, count(12)).unwrap();
    let explicit =
        Record { partition: Some(PartitionIndex::new(9)), ..Record::keyed(b"tenant-mega:order-9") };
    assert_eq!((route(explicit).partition.get(), route(explicit).step), (9, Step::Explicit));
    let pinned = route(Record::keyed(b"tenant-mega:order-9"));
    assert_eq!((pinned.partition.get(), pinned.step), (2, Step::PinnedKey));
    let pinned = route(Record::keyed(b"us:1"));
    assert_eq!((pinned.partition.get(), pinned.step), (0, Step::PinnedTenant));
    assert_eq!(route(Record::keyed(b"tenant-mega:order-8")).step, Step::Vip(PoolIndex::new(1)));
    assert_eq!(route(Record::keyed(b"acme-eu:1")).step, Step::Vip(PoolIndex::new(2)));
    assert_eq!(route(Record::keyed(b"\xff\x00:1")).step, Step::Vip(PoolIndex::new(2)));
    assert_eq!(route(Record::keyed(b"acme:1")).step, Step::Standard);
    let unkeyed = route(Record::unkeyed(10, 0));
    assert_eq!((unkeyed.step, unkeyed.fault), (Step::Sticky, Some(KeyFault::Null)));
    assert!(unkeyed.partition.get() >= 8);
    let rejected = Record { partition: Some(PartitionIndex::new(12)), ..Record::default() };
    assert_eq!(router.route(&rejected, count(12)).unwrap_err().reason(), "explicit-out-of-range");
}

#[test]
fn null_empty_and_malformed_keys_each_have_their_policy() {
    let keys: [(Option<&[u8]>, &str, KeyFault); 3] = [
        (None, "null_key", KeyFault::Null),
        (Some(b""), "empty_key", KeyFault::Empty),
        (Some(b"garbage"), "malformed_key", KeyFault::Malformed),
    ];
    for (key, name, fault) in keys {
        for (policy, step) in [("unkeyed", Step::Sticky), ("standard", Step::Standard), ("hash", Step::Hash)]
        {
            let router = router(&format!(
                "partitions = 12\nvip_count = 8\nvip.tenants = [\"garbage\", \"\"]\nkey.{name} = \"{policy}\""
            ));
            let route = router.route(&Record { key, ..Record::default() }, count(12)).unwrap();
            assert_eq!((route.step, route.fault), (step, Some(fault)), "{name} = {policy}");
            assert!(route.partition.get() >= 8, "no policy enters a dedicated pool");
        }
        let router = router(&format!("key.{name} = \"reject\""));
        let reject = router.route(&Record { key, ..Record::default() }, count(12)).unwrap_err();
        assert!(reject.to_string().contains(&format!("{name} = \"reject\"")), "{reject}");
    }
}

#[test]
fn a_grown_topic_holds_follows_or_is_refused() {
    let contract = |on_growth: &str| {
        router(&format!("partitions = 6\non_growth = \"{on_growth}\"\nvip_count = 2\nvip.tenants = [\"m\"]"))
    };
    let keys: Vec<_> =
        (0..500).map(|i| format!("t{i}:o{i}")).chain((0..500).map(|i| format!("m:o{i}"))).collect();
    let (hold, follow, reject) = (contract("hold"), contract("follow"), contract("reject"));
    let mut moved = 0;
    for key in keys.iter().map(String::as_bytes) {
        let before = place(&hold, key, 6).unwrap();
        assert_eq!(place(&hold, key, 12).unwrap(), before);
        let followed = place(&follow, key, 12).unwrap();
        if key.starts_with(b"m:") {
            assert_eq!(followed, before, "VIP placements do not move");
        } else {
            assert!((2..12).contains(&followed));
            moved += u32::from(followed != before);
        }
        assert_eq!(
            place(&reject, key, 12).unwrap_err(),
            Reject::TopicGrew { contract: count(6), topic: count(12) }
        );
        for router in [&hold, &follow, &reject] {
            let shrunk = place(router, key, 5).unwrap_err().to_string();
            assert!(shrunk.contains("needs 6 partitions and the topic has 5"), "{shrunk}");
        }
    }
    assert!(moved > 100, "only {moved} of 500 standard keys used the new partitions");
    let unkeyed = Record::unkeyed(1, 0);
    assert!((0..200).all(|_| hold.route(&unkeyed, count(12)).unwrap().partition.get() < 6));
    assert!(reject.route(&unkeyed, count(12)).is_err());
}

#[test]
fn a_contract_without_a_count_follows_the_topic() {
    let router = router("vip_count = 2\nvip.tenants = [\"m\"]");
    assert_eq!(router.contract_count(), None);
    for topic in [3, 6, 100] {
        assert!((2..topic).contains(&place(&router, b"a:1", topic).unwrap()));
        assert!(place(&router, b"m:1", topic).unwrap() < 2);
        assert!(
            (2..topic).contains(&router.route(&Record::unkeyed(1, 0), count(topic)).unwrap().partition.get())
        );
    }
    assert!(matches!(place(&router, b"m:1", 2), Err(Reject::TopicTooSmall { contract: 3, .. })));
}

#[test]
fn with_whole_keys_and_no_pool_the_placement_is_javas() {
    let router = router("partitions = 12\nkey.format = \"whole\"\nkey.empty_key = \"hash\"");
    for key in [&b""[..], b"abc", b"foo", b"user-42", b"tenant-b:order-17"] {
        assert_eq!(place(&router, key, 12).unwrap(), KeyHash::Murmur2.partition(key, count(12)).get());
    }
}

#[test]
fn tenants_are_matched_by_name_whatever_must_be_escaped() {
    let router = router("vip_count = 2\nvip.tenants = [\"a:b\", \"c:*\"]");
    assert!(matches!(router.route(&Record::keyed(br"a\:b:1"), count(4)).unwrap().step, Step::Vip(_)));
    assert!(matches!(router.route(&Record::keyed(br"c\:zz:1"), count(4)).unwrap().step, Step::Vip(_)));
    assert_eq!(router.route(&Record::keyed(b"a:b:1"), count(4)).unwrap().step, Step::Standard);
    assert_eq!(router.pool_of_tenant(b"a:b"), PoolIndex::new(1));
}

/// Valid contracts of every shape, with 2 to 40 partitions.
fn topics() -> impl Strategy<Value = TopicContract> {
    let policy = prop_oneof![
        Just(KeyPolicy::Unkeyed),
        Just(KeyPolicy::Standard),
        Just(KeyPolicy::Hash),
        Just(KeyPolicy::Reject)
    ];
    let key = (prop_oneof![Just(":"), Just("|")], policy.clone(), policy.clone(), policy).prop_map(
        |(separator, null_key, empty_key, malformed_key)| KeyContract {
            separator: separator.to_owned(),
            null_key,
            empty_key,
            malformed_key,
            ..KeyContract::default()
        },
    );
    let spread = prop_oneof![Just(None), Just(Some(Spread::Entity)), Just(Some(Spread::Tenant))];
    let growth = prop_oneof![Just(OnGrowth::Hold), Just(OnGrowth::Follow), Just(OnGrowth::Reject)];
    let hash = proptest::sample::select(KeyHash::ALL.to_vec());
    let moves = proptest::collection::btree_map(0u32..200, any::<u32>(), 0..20);
    let shape = (2u32..40, any::<u32>(), any::<bool>(), any::<bool>());
    (key, spread.clone(), spread, growth, hash, shape, moves).prop_map(
        |(
            key,
            vip_spread,
            standard_spread,
            on_growth,
            hash,
            (partitions, vip, with_count, shared),
            moves,
        )| {
            let vip_count = 1 + vip % (partitions - 1);
            let isolation = if shared && with_count { Isolation::Shared } else { Isolation::Strict };
            let owners = if isolation == Isolation::Shared { partitions } else { vip_count };
            let moved = moves
                .into_iter()
                .map(|(slot, owner)| (slot % (vip_count * 8), owner % owners))
                .collect::<BTreeMap<_, _>>()
                .into_iter()
                .filter(|(slot, owner)| slot % vip_count != *owner)
                .collect();
            TopicContract {
                partitions: with_count.then_some(partitions),
                on_growth,
                hash,
                vip_count: Some(vip_count),
                key,
                vip: PoolContract {
                    tenants: vec!["m".into(), "v*".into(), TenantPattern::exact(vec![0xff, b'*'])],
                    spread: vip_spread,
                    slots_per_partition: Some(8),
                    isolation,
                    moved,
                    ..PoolContract::default()
                },
                standard: PoolContract { spread: standard_spread, ..PoolContract::default() },
                ..TopicContract::default()
            }
        },
    )
}

fn keys() -> impl Strategy<Value = Option<Vec<u8>>> {
    let tenant = proptest::sample::select(vec![&b"m"[..], b"v1", b"v", b"\xff*", b"a", b"mm", b"", b"x\\:y"]);
    let keyed = (
        tenant,
        proptest::sample::select(vec![b':', b'|', b'-']),
        proptest::collection::vec(any::<u8>(), 0..9),
    )
        .prop_map(|(tenant, separator, entity)| Some([tenant, &[separator], &entity].concat()));
    prop_oneof![8 => keyed, 1 => proptest::collection::vec(any::<u8>(), 0..40).prop_map(Some), 1 => Just(None)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_decision_is_total_in_range_isolated_and_repeatable(
        topic in topics(), keys in proptest::collection::vec(keys(), 1..30), extra in 0u32..30,
    ) {
        let router = topic.router(7).unwrap();
        let own = topic.partitions.unwrap_or(topic.vip_count.unwrap() + 1);
        let count = count(own + extra);
        let vip = PartitionRange::new(0, topic.vip_count.unwrap()).unwrap();
        for key in &keys {
            let record = Record { key: key.as_deref(), size_bytes: 100, ..Record::default() };
            let Ok(route) = router.route(&record, count) else {
                continue;
            };
            prop_assert!(count.contains(route.partition));
            if route.step != Step::Sticky {
                prop_assert_eq!(router.route(&record, count).unwrap(), route, "the same key, the same partition");
            }
            match route.step {
                Step::Vip(_) if topic.vip.isolation == Isolation::Strict => prop_assert!(vip.contains(route.partition)),
                Step::Vip(_) => {}
                _ => prop_assert!(!vip.contains(route.partition), "{:?} entered the VIP pool by {:?}", key, route.step),
            }
            if topic.on_growth == OnGrowth::Hold && topic.partitions.is_some() && route.step != Step::Sticky {
                let before = PartitionCount::new(own).unwrap();
                prop_assert_eq!(router.route(&record, before).unwrap(), route, "hold never moves a key");
            }
        }
    }

    #[test]
    fn the_short_way_decides_as_the_long_way_does(
        mut topic in topics(), keys in proptest::collection::vec(keys(), 1..30), extra in "[a-z]{0,14}",
    ) {
        (topic.hash, topic.partitions, topic.key.separator) = (KeyHash::Murmur2, Some(41), ":".to_owned());
        topic.unkeyed = UnkeyedContract::default();
        if topic.vip.tenants.len() % 2 == 1 {
            topic.vip.tenants.retain(|tenant| !tenant.is_prefix());
            topic.vip.tenants.push(TenantPattern::exact(extra.clone().into_bytes()));
            topic.vip.tenants.dedup();
        }
        prop_assume!(topic.router(7).is_ok());
        let (short, mut long) = (topic.router(7).unwrap(), topic.router(7).unwrap());
        prop_assert!(short.usual_count.is_some());
        long.usual_count = None;
        let padded = keys.iter().flatten().map(|key| [key.as_slice(), b":0123456789abcdef"].concat());
        let as_they_are = keys.iter().flatten().cloned();
        let of_extra = [format!("{extra}:0123456789abcdef").into_bytes(), format!("{extra}:7").into_bytes()];
        for key in padded.chain(as_they_are).chain(of_extra) {
            let record = Record::keyed(&key);
            let expected = long.route(&record, count(41));
            prop_assert_eq!(short.route(&record, count(41)), expected, "{:?}", key);
            let usual = short.usual(&key, count(41));
            prop_assert!(usual.is_none_or(|route| Ok(route) == expected), "{key:?}: {usual:?}");
            prop_assert_eq!(short.usual(&key, count(42)), None, "of another count it says nothing");
        }
    }

    #[test]
    fn the_short_way_of_whole_keys_decides_as_the_long_way_does(
        mut topic in topics(), keys in proptest::collection::vec(keys(), 1..30),
    ) {
        topic.key = KeyContract { format: KeyFormatName::Whole, ..topic.key };
        (topic.hash, topic.partitions, topic.vip_count, topic.vip) = (KeyHash::Murmur2, Some(41), None, Default::default());
        (topic.pools, topic.pins, topic.unkeyed) = (Vec::new(), Vec::new(), UnkeyedContract::default());
        prop_assume!(topic.router(7).is_ok());
        let router = topic.router(7).unwrap();
        for key in keys.iter().flatten() {
            let usual = router.usual(key, count(41));
            prop_assert_eq!(usual.is_some(), !key.is_empty());
            prop_assert!(usual.is_none_or(|route| Ok(route) == router.route(&Record::keyed(key), count(41))), "{key:?}");
        }
    }

    #[test]
    fn writing_and_reading_a_contract_loses_nothing(topic in topics(), name in "[a-z.]{1,7}\\*?|\\*") {
        let contract = Contract { topics: BTreeMap::from([(name, topic)]), ..Contract::default() };
        let text = contract.to_toml().unwrap();
        let read = Contract::from_toml(&text, "p.toml");
        prop_assert_eq!(read.map_err(|error| error.to_string()), Ok(contract), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Contract::from_toml(&text, "p.toml").map_err(|error| error.to_string());
    }
}

#[test]
fn each_moved_slot_is_written_on_a_line_of_its_own() {
    let text = "[topics.t]\npartitions = 4\nvip_count = 2\nvip.tenants = [\"moved = [[\", \"]]\"]\nvip.moved = [[0, 1], [3, 0]]\nstandard.spread = \"entity\"\n";
    let contract: Contract = text.parse().unwrap();
    let written = contract.to_toml().unwrap();
    assert!(written.contains("moved = [\n    [0, 1],\n    [3, 0],\n]\n"), "{written}");
    assert!(written.contains("\nmoved = []\n"), "none is still a short list: {written}");
    assert_eq!(written.parse::<Contract>().unwrap(), contract);
}
