//! Rows a second of a CSV trace, beside the bare `ByteRecord` loop of the `csv` crate over the same file.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use analyzer::workload::trace::{RowKey, TraceBatch, TraceFields, TraceOptions, TraceReader};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ROWS: u64 = 300_000;

/// A file that is removed at the end.
struct TraceFile(PathBuf);

impl Drop for TraceFile {
    fn drop(&mut self) {
        // A file that stays behind in the temporary folder harms nobody.
        let _ = fs::remove_file(&self.0);
    }
}

/// Row 0 is the header.
fn write_trace(name: &str, write_row: impl Fn(&mut dyn Write, u64) -> std::io::Result<()>) -> TraceFile {
    let path = std::env::temp_dir().join(format!("trace-bench-{}-{name}.csv", std::process::id()));
    let mut file = BufWriter::new(File::create(&path).expect("the temporary folder is writable"));
    for row in 0..=ROWS {
        write_row(&mut file, row).expect("the temporary folder has room");
    }
    file.flush().expect("the temporary folder has room");
    TraceFile(path)
}

fn narrow() -> TraceFile {
    write_trace("narrow", |file, row| match row {
        0 => writeln!(file, "carrier,tailnum,bytes"),
        _ => writeln!(file, "C{},N{},{}", row * 31 % 16, row * 7919 % 4044, 100 + row % 900),
    })
}

fn wide() -> TraceFile {
    write_trace("wide", |file, row| match row {
        0 => writeln!(
            file,
            "year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,carrier,flight,\
             tailnum,origin,dest,air_time,distance,hour,minute,bytes"
        ),
        _ => writeln!(
            file,
            "2013,{},{},517,515,2,830,819,11,C{},1545,N{},EWR,IAH,227,1400,5,15,{}",
            row % 12 + 1,
            row % 28 + 1,
            row * 31 % 16,
            row * 7919 % 4044,
            100 + row % 900
        ),
    })
}

fn read_with_csv(path: &Path) -> u64 {
    let mut reader = csv::Reader::from_path(path).expect("the file was just written");
    let mut record = csv::ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).expect("the file is well formed") {
        black_box(&record);
        rows += 1;
    }
    rows
}

fn read_with_analyzer(path: &Path, batch: &mut TraceBatch) -> u64 {
    let fields = TraceFields {
        tenant: Some("carrier".into()),
        entity: Some("tailnum".into()),
        bytes: Some("bytes".into()),
        ..TraceFields::default()
    };
    let options = TraceOptions { fields, ..TraceOptions::default() };
    let mut reader = TraceReader::open(path, options).expect("the file was just written");
    let mut rows = 0;
    while reader.read(batch).expect("the file is well formed") {
        for row in batch.iter() {
            if let RowKey::Parts { tenant, entity } = row.key {
                black_box((tenant, entity, row.bytes));
                rows += 1;
            }
        }
    }
    rows
}

fn csv_traces(criterion: &mut Criterion) {
    for (name, file) in [("narrow (3 columns)", narrow()), ("wide (19 columns)", wide())] {
        let mut group = criterion.benchmark_group(format!("csv trace, {name}"));
        group.throughput(Throughput::Elements(ROWS)).sample_size(20);
        group.bench_function("csv crate, bare ByteRecord loop", |bencher| {
            bencher.iter(|| assert_eq!(read_with_csv(&file.0), ROWS));
        });
        let mut batch = TraceBatch::new();
        group.bench_function("analyzer, tenant, entity and bytes", |bencher| {
            bencher.iter(|| assert_eq!(read_with_analyzer(&file.0, &mut batch), ROWS));
        });
        group.finish();
    }
}

criterion_group!(benches, csv_traces);
criterion_main!(benches);
