//! Files of any shape, written here, against the same rows in JSON Lines.

use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::super::super::TraceBatch;
use super::super::super::tests::read_text;
use super::*;

const SCHEMA: &str = "message orders {
    optional binary tenant (UTF8);
    required int64 number;
    optional int32 size (INTEGER(32, false));
    required int64 at (TIMESTAMP(MICROS, true));
}";

#[derive(Clone, Debug)]
struct Order {
    tenant: Option<String>,
    number: i64,
    size: Option<i32>,
    at_us: i64,
}

impl Order {
    fn json(&self) -> String {
        let Self { tenant, number, size, at_us } = self;
        let tenant = tenant.as_ref().map_or("null".to_owned(), |tenant| format!("\"{tenant}\""));
        let size = size.map_or("null".to_owned(), |size| size.to_string());
        let at = jiff::Timestamp::from_microsecond(*at_us).unwrap();
        format!("{{\"tenant\":{tenant},\"number\":{number},\"size\":{size},\"at\":\"{at}\"}}\n")
    }
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, levels, None).unwrap();
    column.close().unwrap();
}

/// A file with one row group for each of `groups`.
fn write<'o>(groups: impl Iterator<Item = &'o [Order]>, properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for orders in groups {
        let mut group = file.next_row_group().unwrap();
        let tenants: Vec<ByteArray> =
            orders.iter().filter_map(|order| order.tenant.as_deref()).map(ByteArray::from).collect();
        let levels: Vec<i16> = orders.iter().map(|order| order.tenant.is_some().into()).collect();
        write_column::<ByteArrayType>(&mut group, &tenants, Some(&levels));
        let numbers: Vec<i64> = orders.iter().map(|order| order.number).collect();
        write_column::<Int64Type>(&mut group, &numbers, None);
        let sizes: Vec<i32> = orders.iter().filter_map(|order| order.size).collect();
        let levels: Vec<i16> = orders.iter().map(|order| order.size.is_some().into()).collect();
        write_column::<Int32Type>(&mut group, &sizes, Some(&levels));
        let times: Vec<i64> = orders.iter().map(|order| order.at_us).collect();
        write_column::<Int64Type>(&mut group, &times, None);
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

fn properties(compression: Compression, version: WriterVersion) -> WriterProperties {
    WriterProperties::builder()
        .set_compression(compression)
        .set_writer_version(version)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(64)
        .build()
}

fn order() -> impl Strategy<Value = Order> {
    let tenant = proptest::option::weighted(0.9, "[a-c]{0,2}");
    let size = proptest::option::weighted(0.9, 0..i32::MAX);
    (tenant, any::<i64>(), size, 0..253_000_000_000_000_000i64)
        .prop_map(|(tenant, number, size, at_us)| Order { tenant, number, size, at_us })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn parquet_and_json_lines_of_the_same_rows_are_one(
        orders in proptest::collection::vec(order(), 1..400),
        group_rows in 1usize..300,
        compression in proptest::sample::select(vec![
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::LZ4_RAW,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(ZstdLevel::default()),
        ]),
        version in proptest::sample::select(vec![WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]),
    ) {
        let trace = Trace::new(&write(orders.chunks(group_rows), properties(compression, version)));
        let json: String = orders.iter().map(Order::json).collect();
        for words in [
            "tenant=tenant entity=number bytes=size time=at skip",
            "tenant=number entity=tenant skip",
            "key=tenant bytes=size skip",
            "key=tenant time=at skip",
        ] {
            let (expected, text) = read_text(&json, words).unwrap();
            let (rows, reader) = trace.read(words).unwrap();
            prop_assert_eq!(rows, expected, "{}", words);
            prop_assert_eq!(reader.skipped_rows(), text.skipped_rows());
        }
    }
}

fn many(rows: usize) -> Vec<Order> {
    let tenant = Some("acme".to_owned());
    vec![Order { tenant, number: 1, size: Some(2), at_us: 3 }; rows]
}

#[test]
fn progress_goes_from_nothing_to_the_size_of_the_file() {
    let orders = many(3 * TraceBatch::ROWS);
    let properties = properties(Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0);
    let bytes = write(orders.chunks(2 * TraceBatch::ROWS), properties);
    let trace = Trace::new(&bytes);
    let mut reader = TraceReader::open(&trace.path, options("key=tenant")).unwrap();
    let mut batch = TraceBatch::new();
    let mut places = vec![reader.progress().bytes_read];
    while reader.read(&mut batch).unwrap() {
        assert_eq!(batch.len(), TraceBatch::ROWS);
        places.push(reader.progress().bytes_read);
    }
    assert_eq!(reader.progress().bytes_total, Some(bytes.len() as u64));
    assert_eq!((places[0], places.len()), (0, 4));
    assert!(places.is_sorted_by(|before, after| before < after), "{places:?}");
    assert_eq!(places[3], bytes.len() as u64);
}

#[test]
fn a_file_without_rows_has_no_rows() {
    let properties = properties(Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0);
    let (rows, reader) = Trace::new(&write([].into_iter(), properties)).read("key=tenant").unwrap();
    assert_eq!(rows, []);
    assert_eq!(Some(reader.progress().bytes_read), reader.progress().bytes_total);
}

#[test]
fn one_column_may_be_read_for_two_things() {
    let orders = many(3);
    let properties = properties(Compression::SNAPPY, WriterVersion::PARQUET_2_0);
    let (rows, _) =
        Trace::new(&write(orders.chunks(3), properties)).read("tenant=tenant entity=tenant").unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.key == Some((b"acme".to_vec(), Some(b"acme".to_vec())))));
}
