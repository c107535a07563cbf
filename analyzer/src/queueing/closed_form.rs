//! What queueing theory says of one queue with Poisson arrivals (Kleinrock 1975, "Queueing Systems", volume 1).
//!
//! λ is the arrival rate and μ the service rate, both per second and above 0; ρ = λ/μ. With ρ of 1 and more there is no
//! steady state, and so no figure.

/// Mean wait before service in M/D/1, all records taking 1/μ: ρ / (2μ(1 − ρ)) seconds (Pollaczek–Khinchine).
///
/// ```
/// // 400 records/s at a consumer of 500: 4 ms, after which each takes 2 ms.
/// let wait_s = analyzer::queueing::closed_form::md1_mean_wait_s(400.0, 500.0).unwrap();
/// assert!((wait_s - 0.004).abs() < 1e-12);
/// assert_eq!(analyzer::queueing::closed_form::md1_mean_wait_s(500.0, 500.0), None);
/// ```
#[must_use]
pub fn md1_mean_wait_s(arrival_per_s: f64, service_per_s: f64) -> Option<f64> {
    let rho = utilization(arrival_per_s, service_per_s)?;
    Some(rho / (2.0 * service_per_s * (1.0 - rho)))
}

/// Mean latency, wait and service, in M/M/1: 1 / (μ − λ) seconds.
#[must_use]
pub fn mm1_mean_latency_s(arrival_per_s: f64, service_per_s: f64) -> Option<f64> {
    utilization(arrival_per_s, service_per_s)?;
    Some(1.0 / (service_per_s - arrival_per_s))
}

/// The latency that a share `quantile` of the records, 0 to below 1, does not exceed in M/M/1:
/// −ln(1 − quantile) / (μ − λ) seconds.
#[must_use]
pub fn mm1_latency_s(quantile: f64, arrival_per_s: f64, service_per_s: f64) -> Option<f64> {
    let mean = mm1_mean_latency_s(arrival_per_s, service_per_s)?;
    (0.0..1.0).contains(&quantile).then(|| -libm::log1p(-quantile) * mean)
}

fn utilization(arrival_per_s: f64, service_per_s: f64) -> Option<f64> {
    let is_steady = arrival_per_s > 0.0 && arrival_per_s < service_per_s;
    is_steady.then(|| arrival_per_s / service_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_textbook() {
        // ρ = 1/2, μ = 1.
        assert_eq!(md1_mean_wait_s(0.5, 1.0), Some(0.5));
        assert_eq!(mm1_mean_latency_s(0.5, 1.0), Some(2.0));
        let median = mm1_latency_s(0.5, 0.5, 1.0).unwrap();
        assert!((median - 2.0 * std::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn there_is_no_figure_without_a_steady_state() {
        for (arrival, service) in [(1.0, 1.0), (2.0, 1.0), (0.0, 1.0), (f64::NAN, 1.0)] {
            assert_eq!(md1_mean_wait_s(arrival, service), None);
            assert_eq!(mm1_latency_s(0.9, arrival, service), None);
        }
        assert_eq!(mm1_latency_s(1.0, 0.5, 1.0), None, "no latency is the longest possible");
    }
}
