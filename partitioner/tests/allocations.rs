//! A keyed decision allocates nothing, whichever step it takes. One test only: the count is of the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use partitioner::contract::Contract;
use partitioner::ids::{PartitionCount, PartitionIndex};
use partitioner::route::{Record, Step};

/// The system's allocator with a count of what was asked of it.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches no memory of its callers.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer comes from `alloc` above, so from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_decision_allocates() {
    let contract: Contract = r#"
        [topics.orders]
        partitions = 12
        vip_count = 10
        vip = { tenants = ["tenant-mega", "acme-*", "a-name-longer-than-sixteen-bytes"], moved = [[1, 2]] }
        pins = [{ key = "tenant-mega:pinned", partition = 3 }, { tenant = "pinned", partition = 11 }]
    "#
    .parse()
    .unwrap();
    let router = contract.topic("orders").unwrap().router(1).unwrap();
    let long_key = [b"tenant-mega:".as_slice(), &[b'x'; 65_536]].concat();
    let records = [
        Record::keyed(b"tenant-mega:order-1234567"),
        Record::keyed(b"tenant-mega:pinned"),
        Record::keyed(b"pinned:order-1"),
        Record::keyed(b"acme-eu:order-1"),
        Record::keyed(b"a-name-longer-than-sixteen-bytes:order-1"),
        Record::keyed(br"escaped\:tenant:order-1"),
        Record::keyed(b"tenant-1:order-1234567"),
        Record::keyed(b"malformed"),
        Record::keyed(b""),
        Record::keyed(&long_key),
        Record::unkeyed(9_000, 5),
        Record { partition: Some(PartitionIndex::new(3)), ..Record::default() },
        Record { partition: Some(PartitionIndex::new(30)), ..Record::default() },
    ];
    let counts =
        [PartitionCount::new(12), PartitionCount::new(24), PartitionCount::new(6)].map(Option::unwrap);
    let mut steps = [0u32; 2];
    let before = ALLOCATIONS.load(Relaxed);
    for record in &records {
        for count in counts {
            match router.route(record, count) {
                Ok(route) => steps[usize::from(matches!(route.step, Step::Vip(_)))] += 1,
                Err(reject) => assert!(!reject.reason().is_empty()),
            }
        }
    }
    let allocations = ALLOCATIONS.load(Relaxed) - before;
    assert_eq!(allocations, 0, "{steps:?} decisions");
    assert!(steps.iter().all(|&decisions| decisions > 0), "{steps:?}");
    #[cfg(feature = "rdkafka")]
    hook_allocates_nothing(&contract, &records);
}

/// Whatever librdkafka asks, of topics with a section and without, and with the counting.
#[cfg(feature = "rdkafka")]
fn hook_allocates_nothing(contract: &Contract, records: &[Record<'_>]) {
    use partitioner::rdkafka::hook::Hook;
    use rdkafka::producer::Partitioner;

    let hook = Hook::new(contract, 1).expect("the contract is a valid one");
    let before = ALLOCATIONS.load(Relaxed);
    for record in records {
        for topic in ["orders", "of-no-section"] {
            for count in [12, 24, 6, 0] {
                assert!((0..=count).contains(&hook.partition(topic, record.key, count, |_| true)));
            }
        }
    }
    assert_eq!(ALLOCATIONS.load(Relaxed) - before, 0);
    let snapshot = hook.snapshot();
    assert_eq!(snapshot.topics[0].1.rejects["topic-too-small"], records.len() as u64);
    assert!(snapshot.uncovered.steps["hash"] > 0);
}
