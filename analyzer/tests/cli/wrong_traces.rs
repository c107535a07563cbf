//! Traces that cannot be read: each error has the line, and what is there instead.

use std::fs;

use crate::harness::{Analyzer, TestDir, shipped_trace};

const FIELDS: &str = "--tenant-field tenant --entity-field order";

#[track_caller]
fn refused(trace: impl AsRef<[u8]>, fields: &str, parts: &[&str]) {
    TestDir::with("t.csv", trace).run(&format!("simulate --trace t.csv {fields}")).refused(parts);
}

#[test]
fn a_missing_column() {
    let trace = "tenant,order,size\na,1,2\n";
    refused(
        trace,
        "--tenant-field tenat",
        &["t.csv:1: no column `tenat`", "tenant, order, size", "did you mean `tenant`?"],
    );
    refused(trace, "--tenant-field qqq", &["no column `qqq`; columns: tenant, order, size\n"]);
    refused(trace, &format!("{FIELDS} --bytes-field sise"), &["no column `sise`", "did you mean `size`?"]);
    refused("tenant;order\na;1\n", FIELDS, &["separated by `;`"]);
    refused("{\"tenant\":\"a\"}\n", FIELDS, &["t.csv:1", "no field `order`", "fields: tenant"]);
    refused("{\"a\":1}\n{\"a\":2}\n", "--key-field k", &["no row has a field `k`", "fields: a"]);
}

#[test]
fn a_ragged_row() {
    let rows = ["the row has 1 field; expected 2", "--skip-bad-rows"];
    refused("tenant,order\na,1\nb\n", FIELDS, &["t.csv:3", rows[0], rows[1]]);
    // Lines are counted, not rows.
    refused("tenant,order\n\"a\nb\",1\nb\n", FIELDS, &["t.csv:4", rows[0]]);
}

#[test]
fn values_that_are_not_what_their_field_holds() {
    let fields = format!("{FIELDS} --bytes-field size");
    refused(
        "tenant,order,size\na,1,-4\n",
        &fields,
        &["t.csv:2", "bytes field `size` is `-4`", "0 to 4294967295"],
    );
    let fields = format!("{FIELDS} --time-field at");
    refused("tenant,order,at\na,1,noon\n", &fields, &["t.csv:2", "time field `at` is `noon`", "since 1970"]);
    refused(
        "{\"tenant\":null,\"order\":1}\n",
        FIELDS,
        &["t.csv:1", "`tenant` is null; only a key may be null"],
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    let trace = b"{\"tenant\":\"a\",\"order\":1}\n{\"tenant\":\"\xff\",\"order\":1}\n";
    refused(trace, FIELDS, &["t.csv:2", "invalid UTF-8 at byte 12", "JSON is UTF-8"]);
    refused("{\"tenant\":\n", FIELDS, &["t.csv:1", "expected one JSON object a line"]);
}

#[test]
fn nothing() {
    refused("", FIELDS, &["t.csv", "holds no bytes", "CSV or TSV with a header line, or JSON Lines"]);
    refused("tenant,order\n", FIELDS, &["t.csv", "no records"]);
    refused("\n\n", FIELDS, &["t.csv"]);
    Analyzer::new(&format!("simulate --trace - {FIELDS}")).run().refused(&["stdin", "holds no bytes"]);
    let skip = format!("{FIELDS} --skip-bad-rows");
    refused("tenant,order\na\nb\n", &skip, &["t.csv", "all 2 rows are bad", "t.csv:2"]);
}

#[test]
fn compressed_bytes_that_end_early() {
    let whole = fs::read(shipped_trace("flights.csv.gz")).unwrap();
    for len in [whole.len() - 1, whole.len() / 2, 100] {
        let expected = ["t.csv", "gzip data end too early", "copy it again"];
        refused(&whole[..len], "--tenant-field carrier", &expected);
    }
    let mut damaged = whole;
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    refused(damaged, "--tenant-field carrier", &["t.csv", "gzip data are damaged"]);
}

#[test]
fn a_directory_or_nothing_of_that_name() {
    let dir = TestDir::new();
    dir.run("simulate --trace . --tenant-field t").refused(&[".: is a directory", "pipe several"]);
    dir.run("simulate --trace missing.csv --tenant-field t").refused(&[
        "missing.csv",
        "cannot open",
        "No such file",
    ]);
}

#[test]
fn a_vip_that_the_trace_does_not_have() {
    let trace = "tenant,order\nacme,1\nbeta,2\n";
    for vip_count in ["", "--vip-count 2"] {
        let fields = format!("{FIELDS} {vip_count} --vip amce");
        refused(trace, &fields, &["--vip \"amce\"", "no record of this tenant", "did you mean \"acme\"?"]);
    }
}
