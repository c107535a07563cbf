//! How late records are to be simulated.

use std::path::Path;

use super::{Result, TrafficSource, wrong};
use crate::cli::{ArrivalsArg, LagArgs, ServiceArg};
use crate::queueing::{Service, ServiceRate};

/// How fast records come and how fast they are handled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LagSettings {
    /// When records arrive.
    pub arrivals: Arrivals,
    /// What one consumer handles in a second.
    pub rate: ServiceRate,
    /// How its times spread.
    pub service: Service,
}

/// When records arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// At random.
    Poisson {
        /// Records a second at the whole topic.
        rate_per_s: f64,
        /// Whether the rate is the profile's, because none was given.
        is_rate_of_profile: bool,
    },
    /// At the traffic's own times.
    Traced,
}

/// What was asked for; nothing without a rate of the consumers.
pub(super) fn lag(args: &LagArgs, source: &TrafficSource) -> Result<Option<LagSettings>> {
    let rate = match (args.service_rate, args.service_rate_bytes) {
        (Some(rate), _) => ServiceRate::RecordsPerS(rate),
        (None, Some(rate)) => ServiceRate::BytesPerS(rate),
        (None, None) => return Ok(None),
    };
    let (path, options) = match source {
        TrafficSource::Trace { path, options } => (Some(path), Some(options)),
        TrafficSource::Profile { .. } => (None, None),
    };
    let has_times = options.is_none_or(|options| options.fields.time.is_some());
    if path.is_some_and(|path| path == Path::new("-")) {
        return wrong(
            "--service-rate reads the trace a second time, record by record, which standard input cannot be; give the \
             trace as a file",
        );
    }
    if matches!(rate, ServiceRate::BytesPerS(_))
        && options.is_some_and(|options| options.fields.bytes.is_none())
    {
        return wrong(
            "--service-rate-bytes needs the sizes of the trace's records: name their --bytes-field",
        );
    }
    let service = match args.service {
        None | Some(ServiceArg::Deterministic) => Service::Deterministic,
        Some(ServiceArg::Exponential) => Service::Exponential,
    };
    Ok(Some(LagSettings { arrivals: arrivals(args, source, has_times)?, rate, service }))
}

fn arrivals(args: &LagArgs, source: &TrafficSource, has_times: bool) -> Result<Arrivals> {
    match (args.arrivals, args.arrival_rate) {
        (Some(ArrivalsArg::Traced), Some(_)) => wrong(
            "--arrival-rate is of Poisson arrivals, --arrivals traced takes the traffic's own times; leave out one of them",
        ),
        (Some(ArrivalsArg::Traced), None) if !has_times => {
            wrong("--arrivals traced needs the times of the trace's records: name their --time-field")
        }
        (Some(ArrivalsArg::Traced), None) => Ok(Arrivals::Traced),
        (_, Some(rate_per_s)) => Ok(Arrivals::Poisson { rate_per_s, is_rate_of_profile: false }),
        (wanted, None) => match source {
            #[allow(clippy::cast_precision_loss)] // rates are far below 2^53
            TrafficSource::Profile { profile, .. } => {
                Ok(Arrivals::Poisson { rate_per_s: profile.rate_per_s() as f64, is_rate_of_profile: true })
            }
            TrafficSource::Trace { .. } if wanted.is_none() && has_times => Ok(Arrivals::Traced),
            TrafficSource::Trace { .. } if wanted.is_some() => {
                wrong("--arrivals poisson needs a rate for a trace: give --arrival-rate, in records a second")
            }
            TrafficSource::Trace { .. } => wrong(
                "--service-rate needs to know when the trace's records arrive: name their --time-field, or give \
                 --arrival-rate in records a second",
            ),
        },
    }
}
