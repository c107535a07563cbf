//! All queues of a topic, under one strategy.

use super::{Latencies, Queue};

/// Whose records are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A VIP tenant's.
    Vip,
    /// Another tenant's.
    Other,
    /// Nobody's.
    NoTenant,
}

/// The queues of a topic's partitions, and the latencies of each class of records.
#[derive(Debug)]
pub struct TopicQueues {
    queues: Vec<Queue>,
    /// Whether a partition has records of a VIP tenant; empty when that is not known.
    has_vip: Vec<bool>,
    vip: Latencies,
    other: Latencies,
    beside_vip: Latencies,
    no_tenant: Latencies,
}

impl TopicQueues {
    /// Idle queues of as many partitions; `has_vip` tells which of them get records of a VIP tenant, where it is known.
    #[must_use]
    pub fn new(partitions: usize, has_vip: Option<Vec<bool>>) -> Self {
        Self {
            queues: vec![Queue::default(); partitions],
            has_vip: has_vip.unwrap_or_default(),
            vip: Latencies::default(),
            other: Latencies::default(),
            beside_vip: Latencies::default(),
            no_tenant: Latencies::default(),
        }
    }

    /// Handles a record; arrivals never go back.
    ///
    /// # Panics
    /// When there is no such partition.
    pub fn serve(&mut self, partition: usize, class: Class, arrival_us: f64, service_us: f64) {
        let latency_us = self.queues[partition].serve(arrival_us, service_us);
        match class {
            Class::Vip => self.vip.record(latency_us),
            Class::NoTenant => self.no_tenant.record(latency_us),
            Class::Other => {
                self.other.record(latency_us);
                if self.has_vip.get(partition) == Some(&true) {
                    self.beside_vip.record(latency_us);
                }
            }
        }
    }

    /// Work of the hottest partition over what its consumer can do in `duration_us`.
    #[must_use]
    pub fn hottest_utilization(&self, duration_us: f64) -> f64 {
        self.queues.iter().map(Queue::work_us).fold(0.0, f64::max) / duration_us
    }

    /// When the last record is done.
    #[must_use]
    pub fn done_at_us(&self) -> f64 {
        self.queues.iter().map(Queue::free_at_us).fold(0.0, f64::max)
    }

    /// The classes that have records, by name. Other tenants beside a VIP are among the other tenants too.
    #[must_use]
    pub fn classes(&self) -> Vec<(&'static str, &Latencies)> {
        let all = [
            ("VIP tenants", &self.vip),
            ("other tenants", &self.other),
            ("other tenants beside a VIP", &self.beside_vip),
            ("no tenant", &self.no_tenant),
        ];
        all.into_iter().filter(|(_, latencies)| latencies.count() > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_behind_a_vip_is_told_apart() {
        let mut topic = TopicQueues::new(2, Some(vec![true, false]));
        topic.serve(0, Class::Vip, 0.0, 100.0);
        topic.serve(0, Class::Other, 0.0, 100.0);
        topic.serve(1, Class::Other, 0.0, 100.0);
        topic.serve(1, Class::NoTenant, 50.0, 100.0);
        let seen: Vec<_> =
            topic.classes().into_iter().map(|(name, of)| (name, of.count(), of.mean_us())).collect();
        assert_eq!(
            seen,
            [
                ("VIP tenants", 1, Some(100.0)),
                ("other tenants", 2, Some(150.0)),
                ("other tenants beside a VIP", 1, Some(200.0)),
                ("no tenant", 1, Some(150.0)),
            ]
        );
        assert_eq!((topic.hottest_utilization(400.0), topic.done_at_us()), (0.5, 200.0));
    }

    #[test]
    fn where_vip_tenants_lie_may_be_unknown() {
        let mut topic = TopicQueues::new(1, None);
        topic.serve(0, Class::Vip, 0.0, 1.0);
        topic.serve(0, Class::Other, 0.0, 1.0);
        assert_eq!(topic.classes().len(), 2);
    }
}
