//! Files that were damaged: an error or other rows, never a panic.

use super::*;

/// What is read of `orders.parquet` below, with a column of every compression and of every page layout in it.
const SELECTIONS: [&str; 4] = [
    "tenant=tenant entity=order bytes=size time=at_ms skip",
    "tenant=place.city entity=price bytes=ratio time=day skip",
    "key=id skip",
    "key=paid time=at_ns skip",
];

/// What is wrong with `bytes`, if anything is noticed.
fn read_all(trace: &Trace, bytes: &[u8], words: &str) -> Option<String> {
    fs::write(&trace.path, bytes).unwrap();
    match trace.read(words) {
        Ok((rows, reader)) => {
            assert!(rows.len() as u64 + reader.skipped_rows() < 1_000_000);
            None
        }
        Err(error) => Some(error.to_string()),
    }
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_an_error() {
    let whole = orders();
    let trace = Trace::new(&whole);
    for len in (4..whole.len()).step_by(7).chain(whole.len() - 9..whole.len()) {
        let message = read_all(&trace, &whole[..len], "key=size").expect("an error");
        assert!(message.contains("cannot read the Parquet data: "), "{len}: {message}");
        assert!(message.ends_with("the file is truncated or damaged: copy or write it again"), "{message}");
    }
}

#[test]
fn any_byte_may_be_wrong() {
    let whole = orders();
    let trace = Trace::new(&whole);
    let mut noticed = 0;
    // The magic at the start is what makes it Parquet.
    for at in 4..whole.len() {
        let words = SELECTIONS[at % SELECTIONS.len()];
        for mask in [0xff, 0x80, 0x01] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            noticed += usize::from(read_all(&trace, &bytes, words).is_some());
        }
    }
    assert!(noticed > whole.len() / 10, "{noticed} of {} were noticed", 3 * whole.len());
}

#[test]
fn a_panic_of_the_decoder_is_an_error() {
    let whole = orders();
    let trace = Trace::new(&whole);
    // In the first page, where rows are read; and in the index at the end.
    for at in [28, 5088] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let message = read_all(&trace, &bytes, SELECTIONS[0]).expect("an error");
        assert!(message.contains("cannot read the Parquet data: they contradict themselves; "), "{message}");
    }
}

#[test]
fn columns_that_are_not_named_are_not_read() {
    let whole = orders();
    // The first column is at the start of each of the row groups, after the magic.
    let mut bytes = whole.clone();
    bytes[4..60].fill(0xff);
    let trace = Trace::new(&bytes);
    assert!(trace.error("key=tenant").contains("cannot read the Parquet data"));
    let rows = |trace: &Trace| trace.read("key=order bytes=size time=day").unwrap().0;
    assert_eq!(rows(&trace), rows(&Trace::new(&whole)));
}
