//! How late records are under each strategy: the traffic once more, record by record, into a queue for each partition.

use std::collections::HashSet;

use partitioner::key::KeyFormat;
use partitioner::route::Record;
use partitioner::strategy::Strategy;

use super::assemble::{Placed, PlacedLane};
use super::error::CommandError;
use super::plan::Plan;
use super::simulate::{Tell, book, traffic};
use crate::load::TenantId;
use crate::queueing::{
    Class, Latencies, PoissonArrivals, ServiceTimes, TopicQueues, TracedArrivals, US_PER_S,
};
use crate::report::model::{ClassLag, LagPercentile, LagReport, Report, StrategyLag};
use crate::settings::{Arrivals, LagSettings, SimulateSettings};
use crate::simulate::{Replay, SimulateError, pass, write_key};
use crate::strategy::{Entry, Ingredients};
use crate::workload::key_book::{Columns, KeyBook, NO_KEY, NO_TENANT};

/// What a first pass over the traffic has led to.
pub(super) struct FirstPass<'a> {
    pub(super) settings: &'a SimulateSettings,
    pub(super) format: KeyFormat,
    pub(super) plan: &'a Plan,
    pub(super) replay: &'a Replay,
    pub(super) placed: &'a Placed,
}

/// A strategy as at its first record, and the topic it fills.
struct LagLane {
    entry: &'static Entry,
    breaks_entity_order: bool,
    strategy: Box<dyn Strategy>,
    queues: TopicQueues,
}

/// Adds to `report` how late records are, and what was chosen for the user on the way.
///
/// # Errors
/// When the traffic cannot be read again, or its times or sizes are no basis for a rate.
pub(super) fn add(
    lag: &LagSettings,
    first: &FirstPass<'_>,
    report: &mut Report,
    progress: Tell<'_>,
) -> Result<(), CommandError> {
    let settings = first.settings;
    let mut lanes = Vec::new();
    for strategy in &report.strategies {
        let placed = first.placed.strategies.iter().find(|placed| placed.entry.name == strategy.name);
        let Some(placed) = placed else { continue };
        let has_vip = first.has_vip(placed);
        if has_vip.is_none() {
            report.choices.push(format!(
                "lag of other tenants beside a VIP left out for {}: too many VIP tenants and partitions to track",
                strategy.name
            ));
        }
        lanes.extend(first.lane(placed.entry, strategy.breaks_entity_order, has_vip)?);
    }
    let mut clock = Clock::new(lag.arrivals, settings.seed);
    let mut times = ServiceTimes::new(lag.rate, lag.service, settings.seed);
    let mut classes = Classes::of(first.plan);
    let mut key = Vec::new();
    let mut book = book(settings, first.format, first.plan);
    pass(traffic(&settings.source, settings.seed)?, &mut book, progress, &mut |book, columns| {
        classes.extend(book);
        for row in 0..columns.len() {
            let class = classes.of_record(columns, row);
            let arrival_us = clock.at_us(columns.time_us[row]);
            let service_us = times.next_us(columns.bytes[row]);
            let record = record(book, columns, row, &mut key)?;
            for lane in &mut lanes {
                // What a contract refuses reaches no consumer.
                if let Ok(route) = lane.strategy.route(&record, settings.count) {
                    lane.queues.serve(route.partition.as_usize(), class, arrival_us, service_us);
                }
            }
        }
        if book.is_full() {
            book.forget_keys();
        }
        Ok(())
    })?;
    report.choices.extend(clock.choices());
    let span = clock.span()?;
    let strategies = lanes.iter().map(|lane| lane.lag(&span)).collect::<Result<_, _>>()?;
    report.lag = Some(LagReport {
        arrivals: match lag.arrivals {
            Arrivals::Poisson { .. } => "poisson".to_owned(),
            Arrivals::Traced => "traced".to_owned(),
        },
        service: lag.service.name().to_owned(),
        arrival_rate_records_per_s: span.rate_per_s,
        service_rate_per_s: lag.rate.per_s(),
        service_unit: lag.rate.unit().to_owned(),
        duration_s: span.duration_us / US_PER_S,
        strategies,
    });
    Ok(())
}

impl FirstPass<'_> {
    fn lane(
        &self,
        entry: &'static Entry,
        breaks_entity_order: bool,
        has_vip: Option<Vec<bool>>,
    ) -> Result<Option<LagLane>, CommandError> {
        let map = Plan::map(self.settings);
        let from = Ingredients {
            seed: self.settings.seed,
            format: self.format,
            contract: self.plan.contract.as_ref(),
            map: &map,
        };
        let queues = TopicQueues::new(self.settings.count.get() as usize, has_vip);
        let lane = |strategy| LagLane { entry, breaks_entity_order, strategy, queues };
        Ok(entry.build(&from)?.map(lane))
    }

    /// Which partitions have records of a VIP tenant; `None` where one was not tracked.
    fn has_vip(&self, placed: &PlacedLane) -> Option<Vec<bool>> {
        let table = placed.lane.table();
        let mut has_vip = vec![false; self.settings.count.get() as usize];
        for name in &self.plan.vips {
            let vip = self.replay.book().tenant_id(name).filter(|&vip| table.is_tracked(vip))?;
            for (has_vip, records) in has_vip.iter_mut().zip(table.tenant_records(vip).unwrap_or_default()) {
                *has_vip |= *records > 0;
            }
        }
        Some(has_vip)
    }
}

/// The record of a row, its key written into `key`.
///
/// Its time is the traffic's own also where arrivals are at random, so that a strategy decides as in the first pass.
fn record<'k>(
    book: &KeyBook,
    columns: &Columns,
    row: usize,
    key: &'k mut Vec<u8>,
) -> Result<Record<'k>, SimulateError> {
    let record = Record::unkeyed(columns.bytes[row], columns.time_us[row]);
    let number = columns.keys[row];
    if number == NO_KEY {
        return Ok(record);
    }
    write_key(book, number, key)?;
    Ok(Record { key: Some(key), ..record })
}

/// The class of every tenant that has a number.
struct Classes<'a> {
    vips: HashSet<&'a [u8]>,
    of_tenant: Vec<Class>,
}

impl<'a> Classes<'a> {
    fn of(plan: &'a Plan) -> Self {
        Self { vips: plan.vips.iter().map(Vec::as_slice).collect(), of_tenant: Vec::new() }
    }

    /// Takes in the tenants that were met since.
    fn extend(&mut self, book: &KeyBook) {
        for tenant in self.of_tenant.len()..book.tenant_count() {
            let tenant = TenantId(u32::try_from(tenant).unwrap_or(u32::MAX));
            let is_vip = self.vips.contains(book.tenant_name(tenant));
            self.of_tenant.push(if is_vip { Class::Vip } else { Class::Other });
        }
    }

    fn of_record(&self, columns: &Columns, row: usize) -> Class {
        match columns.tenants[row] {
            NO_TENANT if columns.keys[row] == NO_KEY => Class::NoTenant,
            // One of those that were too many to get a number.
            NO_TENANT => Class::Other,
            tenant => self.of_tenant[tenant.as_usize()],
        }
    }
}

/// Says when each record arrives.
struct Clock {
    arrivals: Arrivals,
    poisson: PoissonArrivals,
    traced: TracedArrivals,
    records: u64,
}

/// In what time records arrived, and how many a second.
struct Span {
    rate_per_s: f64,
    duration_us: f64,
    last_us: f64,
}

impl Clock {
    fn new(arrivals: Arrivals, seed: u64) -> Self {
        let rate_per_s = match arrivals {
            Arrivals::Poisson { rate_per_s, .. } => rate_per_s,
            Arrivals::Traced => 1.0,
        };
        let (poisson, traced) = (PoissonArrivals::new(rate_per_s, seed), TracedArrivals::default());
        Self { arrivals, poisson, traced, records: 0 }
    }

    fn at_us(&mut self, time_us: u64) -> f64 {
        self.records += 1;
        match self.arrivals {
            Arrivals::Poisson { .. } => self.poisson.next_us(),
            Arrivals::Traced => self.traced.at_us(time_us),
        }
    }

    fn choices(&self) -> Option<String> {
        match self.arrivals {
            Arrivals::Poisson { rate_per_s, is_rate_of_profile: true } => Some(format!(
                "arrivals: {rate_per_s} records/s, the profile's rate; --arrival-rate gives another"
            )),
            Arrivals::Traced if self.traced.went_back() > 0 => Some(format!(
                "{} of {} records are older than one before them and were taken to arrive with it",
                self.traced.went_back(),
                self.records
            )),
            _ => None,
        }
    }

    #[allow(clippy::cast_precision_loss)] // numbers of records, and microseconds
    fn span(&self) -> Result<Span, CommandError> {
        let records = self.records as f64;
        match self.arrivals {
            Arrivals::Poisson { rate_per_s, .. } => {
                let duration_us = records / rate_per_s * US_PER_S;
                Ok(Span { rate_per_s, duration_us, last_us: self.poisson.now_us() })
            }
            Arrivals::Traced if self.traced.span_us() == 0 => Err(CommandError::new(
                "--arrivals traced: all records have the same time, which tells no rate; give --arrival-rate",
            )),
            Arrivals::Traced => {
                let last_us = self.traced.span_us() as f64;
                // There is one gap less than there are records.
                let gap_us = last_us / (records - 1.0);
                Ok(Span { rate_per_s: US_PER_S / gap_us, duration_us: gap_us * records, last_us })
            }
        }
    }
}

impl LagLane {
    fn lag(&self, span: &Span) -> Result<StrategyLag, CommandError> {
        let hottest_utilization = self.queues.hottest_utilization(span.duration_us);
        let capacity_records_per_s = span.rate_per_s / hottest_utilization;
        if !capacity_records_per_s.is_finite() {
            return Err(CommandError::new(
                "--service-rate-bytes: all records have a size of 0, so consumers have nothing to do; give --service-rate",
            ));
        }
        Ok(StrategyLag {
            name: self.entry.name.to_owned(),
            breaks_entity_order: self.breaks_entity_order,
            hottest_utilization,
            capacity_records_per_s,
            drain_s: ((self.queues.done_at_us() - span.last_us) / US_PER_S).max(0.0),
            classes: self
                .queues
                .classes()
                .into_iter()
                .filter_map(|(class, latencies)| class_lag(class, latencies))
                .collect(),
        })
    }
}

fn class_lag(class: &str, latencies: &Latencies) -> Option<ClassLag> {
    let percentile = |(percentile, us): (f64, f64)| LagPercentile { percentile, latency_ms: us / 1_000.0 };
    Some(ClassLag {
        class: class.to_owned(),
        records: latencies.count(),
        mean_ms: latencies.mean_us()? / 1_000.0,
        percentiles: latencies.percentiles_us().into_iter().map(percentile).collect(),
        hgrm: latencies.hgrm(),
    })
}
