use partitioner::key::KeyFormat;
use proptest::prelude::*;

use super::{ASSUMED_RECORD_BYTES, Columns, KeyBook, Limits, NO_KEY, NO_TENANT};
use crate::load::TenantId;
use crate::workload::profile::{NumberedBatch, Profile, ProfileTraffic};
use crate::workload::trace::{RowKey, TraceBatch, TraceRow};

const FORMAT: KeyFormat = KeyFormat::TenantEntity { separator: b':', escape: b'\\' };

fn profile() -> Profile {
    let text = r#"
        name = "p"
        description = "d"
        [[tenants]]
        name = "big:one"
        weight = 2
        entities = 40
        [[tenants]]
        name = "small-{}"
        count = 5
        weight = 1
        entities = 3
        entity_name = "{}-of-three"
    "#;
    Profile::from_toml(text, "p").unwrap()
}

fn numbered_batch(records: u64, seed: u64) -> NumberedBatch {
    let mut batch = NumberedBatch::default();
    ProfileTraffic::new(&profile(), records, seed).unwrap().read(&mut batch);
    batch
}

fn trace(keys: &[Option<&[u8]>]) -> TraceBatch {
    let mut batch = TraceBatch::new();
    for key in keys {
        let key = key.map_or(RowKey::Null, RowKey::Key);
        batch.push(&TraceRow { key, bytes: None, time_us: None });
    }
    batch
}

fn written(book: &KeyBook, key: u32) -> Vec<u8> {
    let mut out = b"what was there before".to_vec();
    book.write_key(key, &mut out).unwrap();
    out
}

fn numbered(book: &mut KeyBook, batch: &TraceBatch) -> Columns {
    let mut columns = Columns::default();
    book.number_trace(batch, &mut columns).unwrap();
    columns
}

proptest! {
    /// Dense, sparse and byte books disagree on the numbers alone.
    #[test]
    fn every_kind_of_book_writes_the_keys_that_it_was_given(records in 1..400u64, seed: u64) {
        let (profile, batch) = (profile(), numbered_batch(records, seed));
        let keys: Vec<Vec<u8>> = (0..batch.len()).map(|at| {
            let tenant = TenantId(batch.tenants[at]);
            let mut entity = Vec::new();
            profile.write_entity_name(tenant, batch.entities[at], &mut entity);
            FORMAT.encode(profile.tenant_name(tenant).as_bytes(), &entity).unwrap()
        }).collect();
        let mut distinct = keys.clone();
        distinct.sort();
        distinct.dedup();
        let rows: Vec<_> = keys.iter().map(|key| Some(key.as_slice())).collect();

        let mut dense = KeyBook::of_profile(&profile, FORMAT, Limits::default());
        let mut sparse = KeyBook::of_profile(&profile, FORMAT, Limits { keys_max: 54, ..Limits::default() });
        let mut bytes = KeyBook::of_trace(FORMAT, &[], Limits::default());
        prop_assert_eq!(dense.key_count(), 55, "a dense book numbers what may come");
        for (kind, book) in [("dense", &mut dense), ("sparse", &mut sparse), ("bytes", &mut bytes)] {
            let mut columns = Columns::default();
            match kind {
                "bytes" => book.number_trace(&trace(&rows), &mut columns).unwrap(),
                _ => book.number_profile(&batch, &mut columns),
            }
            prop_assert_eq!(columns.len(), keys.len());
            for (at, key) in keys.iter().enumerate() {
                let number = columns.keys[at];
                prop_assert_eq!(&written(book, number), key, "{}", kind);
                prop_assert_eq!(book.tenant_of(number), columns.tenants[at]);
                prop_assert!(!book.is_loose(number));
                let tenant = book.tenant_name(columns.tenants[at]);
                prop_assert_eq!(tenant, profile.tenant_name(TenantId(batch.tenants[at])).as_bytes());
                prop_assert_eq!(book.tenant_id(tenant), Some(columns.tenants[at]));
            }
            let mut numbers = columns.keys.clone();
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), distinct.len(), "one number a key: {}", kind);
            if kind != "dense" {
                prop_assert_eq!(book.key_count(), distinct.len());
                prop_assert_eq!(numbers.last().map(|&last| last as usize + 1), Some(distinct.len()));
            }
        }
    }
}

#[test]
fn forgetting_keys_keeps_tenants() {
    let mut book = KeyBook::of_trace(FORMAT, &[b"vip".to_vec()], Limits::default());
    let first = numbered(&mut book, &trace(&[Some(b"a:1"), Some(b"b:1"), Some(b"a:2")]));
    assert_eq!(first.keys, [0, 1, 2]);
    assert_eq!(first.tenants, [TenantId(1), TenantId(2), TenantId(1)], "0 is the VIP tenant's");
    book.forget_keys();
    assert_eq!((book.key_count(), book.tenant_count()), (0, 3));
    let second = numbered(&mut book, &trace(&[Some(b"b:9"), Some(b"vip:1"), Some(b"b:9")]));
    assert_eq!(second.keys, [0, 1, 0]);
    assert_eq!(second.tenants, [TenantId(2), TenantId(0), TenantId(2)]);
    assert_eq!(written(&book, 0), b"b:9");
}

#[test]
fn a_sparse_book_starts_over_and_a_dense_one_has_nothing_to_forget() {
    let batch = numbered_batch(300, 1);
    let mut columns = Columns::default();
    let mut sparse = KeyBook::of_profile(&profile(), FORMAT, Limits { keys_max: 20, ..Limits::default() });
    assert!(!sparse.is_full());
    sparse.number_profile(&batch, &mut columns);
    assert!(sparse.is_full());
    let before = columns.keys.clone();
    sparse.forget_keys();
    assert!(!sparse.is_full() && sparse.key_count() == 0);
    sparse.number_profile(&batch, &mut columns);
    assert_eq!(columns.keys, before, "numbers are given by first appearance");

    let mut dense = KeyBook::of_profile(&profile(), FORMAT, Limits::default());
    dense.number_profile(&batch, &mut columns);
    dense.forget_keys();
    assert!(!dense.is_full() && dense.key_count() == 55);
}

#[test]
fn a_byte_book_is_full_by_keys_or_by_their_bytes() {
    let limits = Limits { keys_max: 3, key_bytes_max: 10, ..Limits::default() };
    let mut by_keys = KeyBook::of_trace(FORMAT, &[], limits);
    numbered(&mut by_keys, &trace(&[Some(b"a:1"), Some(b"a:2"), Some(b"a:1")]));
    assert!(!by_keys.is_full());
    numbered(&mut by_keys, &trace(&[Some(b"a:3")]));
    assert!(by_keys.is_full());
    let mut by_bytes = KeyBook::of_trace(FORMAT, &[], limits);
    numbered(&mut by_bytes, &trace(&[Some(b"a:12345678")]));
    assert!(by_bytes.is_full());
}

#[test]
fn tenants_beyond_the_limits_have_no_number_then_or_later() {
    for limits in
        [Limits { tenants_max: 2, ..Limits::default() }, Limits { tenant_bytes_max: 2, ..Limits::default() }]
    {
        let mut book = KeyBook::of_trace(FORMAT, &[], limits);
        assert!(!book.has_unnumbered_tenants());
        for _ in 0..2 {
            let columns =
                numbered(&mut book, &trace(&[Some(b"a:1"), Some(b"b:1"), Some(b"c:1"), Some(b"a:2")]));
            assert_eq!(columns.tenants, [TenantId(0), TenantId(1), NO_TENANT, TenantId(0)]);
            assert!(book.has_unnumbered_tenants());
            assert_eq!(book.tenant_id(b"c"), None);
            book.forget_keys();
        }
    }
}

#[test]
fn null_is_no_key_and_empty_is_one_that_is_placed_by_itself() {
    let keys: [Option<&[u8]>; 4] = [None, Some(b""), Some(b"a:1"), Some(b"no-separator")];
    let mut book = KeyBook::of_trace(FORMAT, &[], Limits::default());
    let columns = numbered(&mut book, &trace(&keys));
    assert_eq!(columns.keys, [NO_KEY, 0, 1, 2]);
    assert_eq!(columns.tenants[0], NO_TENANT);
    assert_eq!(columns.bytes, [ASSUMED_RECORD_BYTES; 4]);
    assert_eq!(book.tenant_name(columns.tenants[3]), b"no-separator", "a malformed key is its own tenant");
    assert_eq!(book.loose_keys(), [0]);

    let mut book = KeyBook::of_trace(FORMAT, &[], Limits::default()).with_malformed_loose();
    numbered(&mut book, &trace(&keys));
    assert_eq!(book.loose_keys(), [0, 2]);
    assert!(book.is_loose(2) && !book.is_loose(1) && !book.is_loose(NO_KEY));
    book.forget_keys();
    assert!(!book.is_loose(0));
}

#[test]
fn parts_are_encoded_and_what_cannot_be_is_an_error_with_the_tenant() {
    let mut batch = TraceBatch::new();
    let row = |tenant, entity| TraceRow {
        key: RowKey::Parts { tenant, entity },
        bytes: Some(5),
        time_us: Some(-1),
    };
    batch.push(&row(b"a:b", Some(b"1")));
    batch.push(&row(b"c", None));
    let mut book = KeyBook::of_trace(FORMAT, &[], Limits::default());
    let columns = numbered(&mut book, &batch);
    assert_eq!((written(&book, 0), written(&book, 1)), (br"a\:b:1".to_vec(), b"c:".to_vec()));
    assert_eq!(book.tenant_name(columns.tenants[0]), b"a:b");
    assert_eq!((columns.bytes, columns.time_us), (vec![5, 5], vec![0, 0]), "before 1970 is 1970");

    let prefix = KeyFormat::TenantPrefix { separator: b':' };
    let mut book = KeyBook::of_trace(prefix, &[], Limits::default());
    let (tenant, error) = book.number_trace(&batch, &mut Columns::default()).unwrap_err();
    assert_eq!(tenant, b"a:b");
    assert!(error.to_string().contains("separator"), "{error}");
}
