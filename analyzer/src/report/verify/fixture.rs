//! Reports for tests.

use super::model::{
    Check, MismatchRow, PartitionRow, PhaseSummary, TopicSummary, VerifyReport, VerifyWorkload,
};

/// Three partitions, the first of them the VIP pool, and all is well.
pub(super) fn passed() -> VerifyReport {
    let row = |partition, pool: &str, predicted, unkeyed| PartitionRow {
        partition,
        pool: Some(pool.to_owned()),
        predicted,
        found: predicted,
        found_in_pool: 0,
        unkeyed,
    };
    let phase = |entities_ordered| PhaseSummary {
        sent: 1_000,
        acknowledged: 1_000,
        refused_as_predicted: 0,
        read: 1_000,
        entities_ordered,
        misplaced: 0,
        out_of_order: 0,
        missing: 0,
        doubled: 0,
        altered: 0,
        refused: 0,
    };
    let check = |name: &str| Check { name: name.to_owned(), passed: true, fact: format!("{name} is well") };
    VerifyReport {
        schema_version: 1,
        command: "analyzer verify --mock --profile article".to_owned(),
        passed: true,
        seed: 42,
        run: "00c0ffee00c0ffee".to_owned(),
        topic: TopicSummary {
            name: "analyzer-verify-00c0ffee00c0ffee".to_owned(),
            cluster: "a mock cluster".to_owned(),
            partitions: 3,
            partitions_at_end: Some(3),
            is_created: true,
        },
        vip_count: Some(1),
        choices: vec!["vip_count 1 (closed form)".to_owned()],
        workload: VerifyWorkload { name: "article".to_owned(), records: 1_000, keys: 101, skipped_rows: 0 },
        partitions: vec![row(0, "vip", 900, 0), row(1, "standard", 45, 400), row(2, "standard", 55, 600)],
        keyed: phase(101),
        unkeyed: phase(0),
        foreign_records: 0,
        checks: ["placement", "order", "delivery", "unkeyed"].map(check).to_vec(),
        mismatches: Vec::new(),
    }
}

/// The same, with a record on the wrong partition, whose key is hostile, in a topic that has grown.
pub(super) fn failed() -> VerifyReport {
    let mut report = passed();
    report.passed = false;
    report.topic.partitions_at_end = Some(4);
    report.topic.is_created = false;
    report.foreign_records = 3;
    report.keyed.misplaced = 1;
    report.partitions[0].found = 899;
    report.partitions[1].found_in_pool = 2;
    report.partitions.push(PartitionRow {
        partition: 3,
        pool: None,
        predicted: 0,
        found: 1,
        found_in_pool: 0,
        unkeyed: 0,
    });
    report.checks[0].passed = false;
    report.checks.push(Check {
        name: "partitions".to_owned(),
        passed: false,
        fact: "the topic had 3 partitions at the start and has 4 now".to_owned(),
    });
    report.mismatches.push(MismatchRow {
        phase: "keyed".to_owned(),
        kind: "misplaced".to_owned(),
        key: Some("mega:\u{1b}[2J".to_owned()),
        sequence: 17,
        expected: "partition 0".to_owned(),
        partition: Some(3),
        offset: Some(0),
    });
    report
}
