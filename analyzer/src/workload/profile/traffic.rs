//! The records of a profile, in batches.

use std::ops::Range;
use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::check::RECORDS_MAX;
use super::error::ProfileError;
use super::group::{Group, Share, Volume};
use super::pick::{AliasTable, Pick};
use super::sizes::{Sizes, TABLE_LEN};
use super::{Profile, digits};

/// Weights that change are derived anew so many times in a run, or every record of a shorter one.
const STEPS_MIN: u64 = 1_024;

/// Weights that change are derived anew after at most so many records.
const STEP_RECORDS_MAX: usize = 1_024;

/// Streams of random numbers that are not a batch's; batches are numbered from 0 and never reach these.
const STREAM_SHUFFLE: u64 = 1 << 62;
const STREAM_SIZES: u64 = 1 << 63;

/// Numbered records in parallel columns: one record is one index into each.
///
/// ```
/// use analyzer::workload::profile::{NumberedBatch, Profile, ProfileTraffic};
///
/// let profile = Profile::load("article").unwrap();
/// let mut traffic = ProfileTraffic::new(&profile, profile.records(), 42).unwrap();
/// let mut batch = NumberedBatch::default();
/// assert!(traffic.read(&mut batch));
/// assert_eq!(batch.len(), 1_000);
/// let mega = batch.tenants.iter().filter(|&&tenant| tenant == 0).count();
/// assert_eq!(mega, 900);
/// assert!(!traffic.read(&mut batch));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberedBatch {
    /// The tenant's number, a [`TenantId`](crate::load::TenantId).
    pub tenants: Vec<u32>,
    /// The entity's number among those of its tenant, below [`Profile::entity_count`].
    pub entities: Vec<u32>,
    /// The record's size in bytes, key and value together.
    pub bytes: Vec<u32>,
    /// When the record is produced, in microseconds from the start of the run, rounded down; never decreases.
    pub time_us: Vec<u64>,
}

impl NumberedBatch {
    /// The most records a batch holds.
    pub const RECORDS: usize = 65_536;

    /// How many records the batch holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tenants.len()
    }

    /// Whether the batch holds no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tenants.is_empty()
    }

    /// Leaves out the records beyond the first `records`; says whether there were any.
    pub(crate) fn truncate(&mut self, records: usize) -> bool {
        let is_cut = records < self.len();
        if is_cut {
            self.resize(records);
        }
        is_cut
    }

    fn resize(&mut self, records: usize) {
        self.tenants.resize(records, 0);
        self.entities.resize(records, 0);
        self.bytes.resize(records, 0);
        self.time_us.resize(records, 0);
    }
}

/// The records of one run of a profile.
///
/// A run is a function of profile, record count and seed alone, down to the bit and on every machine: the generator
/// is xoshiro256++, seeded anew for each batch from the seed and the batch's number, and no table depends on the
/// platform's mathematics library (Zipf weights: division or the `libm` crate; sizes: rounded to whole bytes). So
/// batches may be read in any order and by several readers, each with its own clone; clones share their tables.
///
/// Three 64-bit draws make a record: its group of tenants, the tenant within the group, and the entity with the size.
/// Bursts and growth change the first table only; it is rebuilt at least 1,024 times in a run while weights change.
///
/// Memory: 8 bytes for each tenant of a Zipf group and for each Zipf entity of a group, 16 KiB a group with its own
/// sizes; exact counts need 4 bytes a record and 4 a tenant.
#[derive(Clone, Debug)]
pub struct ProfileTraffic {
    tables: Arc<Tables>,
    seed: u64,
    records: u64,
    next_batch: u64,
    /// The group of a record, by the weights below.
    groups: Pick,
    weights: Vec<f64>,
}

#[derive(Debug)]
struct Tables {
    groups: Vec<GroupTables>,
    order: Order,
    rate_per_s: u64,
}

#[derive(Debug)]
struct GroupTables {
    first: u32,
    tenant: Pick,
    entity: Pick,
    sizes: Arc<[u32; TABLE_LEN]>,
}

#[derive(Debug)]
enum Order {
    /// Every record is drawn: the shares of the groups, and whether any of them changes during the run.
    Drawn { shares: Vec<Share>, changing: bool },
    /// The tenant of each record, shuffled, and the group of each tenant.
    Exact { tenants: Vec<u32>, group_of: Vec<u32> },
}

impl ProfileTraffic {
    /// A run of `records` records; [`Profile::records`] is the profile's own number.
    ///
    /// # Errors
    /// When `records` is 0 or above 10¹², or the profile has exact counts and `records` is not their sum.
    pub fn new(profile: &Profile, records: u64, seed: u64) -> Result<Self, ProfileError> {
        let wrong = |message: String| Err(ProfileError::new(profile.name(), message));
        if records == 0 || records > RECORDS_MAX {
            return wrong(format!("a run has 1 to {} records, not {records}", digits(RECORDS_MAX)));
        }
        if profile.has_exact_counts() && records != profile.records() {
            let sum = profile.records();
            return wrong(format!(
                "the exact counts of this profile sum to {sum} records; {records} were asked for"
            ));
        }
        let order = Order::new(&profile.groups, seed);
        let weights = order.weights_at(0.0);
        let tables = Tables { groups: group_tables(profile, seed), order, rate_per_s: profile.rate_per_s };
        let groups = Pick::Weighted(AliasTable::new(&weights));
        Ok(Self { tables: Arc::new(tables), seed, records, next_batch: 0, groups, weights })
    }

    /// How many records the run has.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many records were read so far, when the batches are read in order.
    #[must_use]
    pub fn records_read(&self) -> u64 {
        self.next_batch.saturating_mul(BATCH_RECORDS).min(self.records)
    }

    /// How many batches the run has, at least 1.
    #[must_use]
    pub fn batch_count(&self) -> u64 {
        self.records.div_ceil(BATCH_RECORDS)
    }

    /// Makes `batch` the next one to be read, counted from 0; at or past [`batch_count`](Self::batch_count) there is
    /// none.
    ///
    /// ```
    /// use analyzer::workload::profile::{NumberedBatch, Profile, ProfileTraffic};
    ///
    /// let profile = Profile::load("zipf").unwrap();
    /// let mut traffic = ProfileTraffic::new(&profile, 200_000, 7).unwrap();
    /// let (mut second, mut again) = (NumberedBatch::default(), NumberedBatch::default());
    /// traffic.read(&mut again);
    /// traffic.read(&mut second);
    /// traffic.seek(1);
    /// traffic.read(&mut again);
    /// assert_eq!(second, again);
    /// ```
    pub fn seek(&mut self, batch: u64) {
        self.next_batch = batch;
    }

    /// Reads the next batch into `batch`, in place of what it held; `false` and an empty batch at the end.
    ///
    /// All batches but the last hold [`NumberedBatch::RECORDS`] records.
    pub fn read(&mut self, batch: &mut NumberedBatch) -> bool {
        if self.next_batch >= self.batch_count() {
            batch.resize(0);
            return false;
        }
        let number = self.next_batch;
        self.next_batch += 1;
        let first_record = number * BATCH_RECORDS;
        let len =
            usize::try_from(self.records - first_record).unwrap_or(usize::MAX).min(NumberedBatch::RECORDS);
        batch.resize(len);
        fill_times(&mut batch.time_us, first_record, self.tables.rate_per_s);

        let mut rng = stream(self.seed, number);
        let tables = Arc::clone(&self.tables);
        match &tables.order {
            Order::Drawn { changing: false, .. } => self.fill_drawn(&mut rng, batch, 0..len),
            Order::Drawn { changing: true, .. } => {
                let step = usize::try_from(self.records / STEPS_MIN)
                    .unwrap_or(usize::MAX)
                    .clamp(1, STEP_RECORDS_MAX);
                for start in (0..len).step_by(step) {
                    let range = start..len.min(start + step);
                    self.reweigh(first_record, &range);
                    self.fill_drawn(&mut rng, batch, range);
                }
            }
            Order::Exact { tenants, group_of } => {
                let start = usize::try_from(first_record).unwrap_or(usize::MAX);
                self.fill_exact(&mut rng, batch, &tenants[start..start + len], group_of);
            }
        }
        true
    }

    /// Derives the weights for the middle of `range`, and the table when they differ from those before.
    fn reweigh(&mut self, first_record: u64, range: &Range<usize>) {
        let middle = first_record as f64 + (range.start + range.end) as f64 / 2.0;
        let weights = self.tables.order.weights_at(middle / self.records as f64);
        if weights != self.weights {
            self.groups = Pick::Weighted(AliasTable::new(&weights));
            self.weights = weights;
        }
    }

    fn fill_drawn(&self, rng: &mut Xoshiro256PlusPlus, batch: &mut NumberedBatch, range: Range<usize>) {
        let ids = batch.tenants[range.clone()].iter_mut().zip(&mut batch.entities[range.clone()]);
        for ((tenant, entity), bytes) in ids.zip(&mut batch.bytes[range]) {
            let group = &self.tables.groups[self.groups.pick(rng.next_u64()) as usize];
            *tenant = group.first + group.tenant.pick(rng.next_u64());
            (*entity, *bytes) = group.entity_and_bytes(rng.next_u64());
        }
    }

    fn fill_exact(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        batch: &mut NumberedBatch,
        tenants: &[u32],
        group_of: &[u32],
    ) {
        batch.tenants.copy_from_slice(tenants);
        for ((tenant, entity), bytes) in tenants.iter().zip(&mut batch.entities).zip(&mut batch.bytes) {
            let group = &self.tables.groups[group_of[*tenant as usize] as usize];
            (*entity, *bytes) = group.entity_and_bytes(rng.next_u64());
        }
    }
}

impl GroupTables {
    /// The entity and the size that one draw stands for.
    ///
    /// An entity is decided by the high bits of the draw (at most 32 and 20 more where it has a weight), the size by
    /// the low 12, so the two are independent.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the remainder is below TABLE_LEN
    fn entity_and_bytes(&self, draw: u64) -> (u32, u32) {
        (self.entity.pick(draw), self.sizes[(draw % TABLE_LEN as u64) as usize])
    }
}

impl Order {
    fn new(groups: &[Group], seed: u64) -> Self {
        let mut shares = Vec::new();
        let (mut tenants, mut group_of) = (Vec::new(), Vec::new());
        for (number, group) in (0..).zip(groups) {
            match &group.volume {
                Volume::Share(share) => shares.push(share.clone()),
                Volume::Exact { records_per_tenant } => {
                    let each = *records_per_tenant as usize;
                    tenants.extend(
                        (group.first..group.first + group.count).flat_map(|id| std::iter::repeat_n(id, each)),
                    );
                    group_of.extend(std::iter::repeat_n(number, group.count as usize));
                }
            }
        }
        if tenants.is_empty() {
            let changing = shares.iter().any(|share| !share.is_constant());
            return Order::Drawn { shares, changing };
        }
        shuffle(&mut tenants, &mut stream(seed, STREAM_SHUFFLE));
        Order::Exact { tenants, group_of }
    }

    /// The groups' weights at the point `at` of the run; of no use where counts are exact.
    fn weights_at(&self, at: f64) -> Vec<f64> {
        match self {
            Order::Drawn { shares, .. } => shares.iter().map(|share| share.weight_at(at)).collect(),
            Order::Exact { .. } => vec![1.0],
        }
    }
}

/// [`NumberedBatch::RECORDS`] as a number of records.
const BATCH_RECORDS: u64 = NumberedBatch::RECORDS as u64;

fn group_tables(profile: &Profile, seed: u64) -> Vec<GroupTables> {
    let sizes_of = |sizes: &Sizes, number: u64| {
        Arc::from(sizes.table(|entry| stream(seed, STREAM_SIZES + number * TABLE_LEN as u64 + entry)))
    };
    let shared = sizes_of(&profile.sizes, 0);
    let tables = (1..).zip(&profile.groups).map(|(number, group)| GroupTables {
        first: group.first,
        tenant: Pick::new(group.within, group.count),
        entity: Pick::new(group.entity_shape, group.entities),
        sizes: group.sizes.as_ref().map_or_else(|| Arc::clone(&shared), |sizes| sizes_of(sizes, number)),
    });
    tables.collect()
}

/// Record `i` is produced at `i / rate`; the remainder is carried along, so that no record needs a division.
fn fill_times(times: &mut [u64], first_record: u64, rate_per_s: u64) {
    const US_PER_S: u64 = 1_000_000;
    let (mut time, mut rest) = (first_record * US_PER_S / rate_per_s, first_record * US_PER_S % rate_per_s);
    let (step, step_rest) = (US_PER_S / rate_per_s, US_PER_S % rate_per_s);
    for slot in times {
        *slot = time;
        time += step;
        rest += step_rest;
        if rest >= rate_per_s {
            rest -= rate_per_s;
            time += 1;
        }
    }
}

/// A Fisher-Yates shuffle; at most `u32::MAX` items.
fn shuffle(items: &mut [u32], rng: &mut Xoshiro256PlusPlus) {
    for (last, count) in (1..items.len()).zip(2..) {
        items.swap(last, below(rng.next_u64(), count) as usize);
    }
}

/// The number below `count` that the 64 random bits of `draw` stand for.
#[inline]
pub(super) fn below(draw: u64, count: u32) -> u32 {
    Pick::Uniform(count).pick(draw)
}

/// The random numbers of one stream of a seed: a batch, the shuffle, or an entry of a table of sizes.
pub(super) fn stream(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(mix(mix(seed).wrapping_add(number)))
}

/// The output step of splitmix64: neighbouring numbers in, unrelated numbers out.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mix_is_splitmix64() {
        // First outputs of Vigna's splitmix64.c for the state 0.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    proptest! {
        #[test]
        fn times_are_those_of_a_division(first in 0..RECORDS_MAX, rate in 1..=1_000_000_000_u64) {
            let mut times = [0; 50];
            fill_times(&mut times, first, rate);
            for (record, time) in (first..).zip(times) {
                prop_assert_eq!(u128::from(time), u128::from(record) * 1_000_000 / u128::from(rate));
            }
        }

        #[test]
        fn a_shuffle_keeps_every_item(len in 0..200_u32, seed: u64) {
            let mut items: Vec<u32> = (0..len).collect();
            shuffle(&mut items, &mut stream(seed, 0));
            items.sort_unstable();
            prop_assert_eq!(items, (0..len).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn a_shuffle_puts_every_item_everywhere() {
        let mut met = [[0_u32; 5]; 5];
        for seed in 0..5_000 {
            let mut items: Vec<u32> = (0..5).collect();
            shuffle(&mut items, &mut stream(seed, STREAM_SHUFFLE));
            for (row, item) in met.iter_mut().zip(items) {
                row[item as usize] += 1;
            }
        }
        assert!(met.iter().flatten().all(|&count| (850..1_150).contains(&count)), "{met:?}");
    }
}
