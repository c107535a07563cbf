//! An axis: from values to places between its ends, and the values that are written beside it.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Linear,
    /// Equal ratios are equally far apart.
    Log,
}

/// An axis from `from` to `to`, `from` < `to`, both above 0 where equal ratios are equally far apart.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) label: String,
    from: f64,
    to: f64,
    scale: Scale,
    /// Values and what is written for them.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis with these ticks.
    pub(super) fn new(label: &str, scale: Scale, (from, to): (f64, f64), ticks: Vec<(f64, String)>) -> Self {
        debug_assert!(from < to && (scale == Scale::Linear || from > 0.0), "{from} to {to}");
        Self { label: label.to_owned(), from, to, scale, ticks }
    }

    /// A linear axis of whole numbers from `first` to `last`, both written, and all between them if those are at most
    /// `steps`, else about half as many.
    pub(super) fn whole(label: &str, (first, last): (u32, u32), steps: u32) -> Self {
        let length = last.saturating_sub(first);
        let step = if length <= steps { 1 } else { whole_step(length, steps / 2) };
        let rounds = (first..=last).filter(|value| value.is_multiple_of(step));
        // Rounds that would run into the ends are left out.
        let between = rounds.filter(|value| value - first > step / 2 && last - value > step / 2);
        let mut values: Vec<u32> = [first].into_iter().chain(between).chain([last]).collect();
        values.dedup();
        let ticks = values.into_iter().map(|value| (f64::from(value), value.to_string())).collect();
        // A single value stands in the middle.
        let margin = if first == last { 0.5 } else { 0.0 };
        Self::new(label, Scale::Linear, (f64::from(first) - margin, f64::from(last) + margin), ticks)
    }

    /// A linear axis that has room for `low` to `high`, with about `steps` round values written as `show` does.
    pub(super) fn linear(label: &str, (low, high): (f64, f64), steps: u32, show: fn(f64) -> String) -> Self {
        // A curve without any rise lies in the middle.
        let length = if high > low { high - low } else { low.abs().max(1.0) * 0.1 };
        let step = round_up(length / f64::from(steps.max(1)));
        let first = libm::floor(low / step);
        let count = libm::ceil((high.max(low + length * 0.5) / step) - first).max(1.0);
        // Whole steps, so that no sum of fractions makes 1.2000000000000002 of 1.2.
        let values = (0..=20).map(f64::from).take_while(|at| *at <= count).map(|at| (first + at) * step);
        let ticks: Vec<(f64, String)> = values.map(|value| (value, show(value))).collect();
        Self::new(label, Scale::Linear, (first * step, (first + count) * step), ticks)
    }

    /// An axis by ratios that has room for `low` to `high`, with 1, 2 and 5 times the powers of 10 written as `show` does.
    pub(super) fn log(label: &str, (low, high): (f64, f64), show: fn(f64) -> String) -> Self {
        let from = round_down(low);
        let to = round_up(high).max(from * 2.0);
        let mut values: Vec<f64> = rounds(from, to).collect();
        if values.len() > 8 {
            values = rounds(from, to).filter(|value| mantissa(*value) < 1.5).collect();
        }
        let ticks = values.into_iter().map(|value| (value, show(value))).collect();
        Self::new(label, Scale::Log, (from, to), ticks)
    }

    /// Where `value` is, 0 at the start and 1 at the end; what lies beyond an end is at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => libm::log(value / self.from) / libm::log(self.to / self.from),
        };
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }
}

/// 1, 2 or 5 times a power of 10 that divides `length` into about `steps`.
fn whole_step(length: u32, steps: u32) -> u32 {
    let rough = f64::from(length) / f64::from(steps.max(1));
    let rounds = [1, 2, 5].into_iter().flat_map(|digit| (0..9).map(move |power| digit * 10_u32.pow(power)));
    rounds.filter(|round| f64::from(*round) >= rough).min().unwrap_or(1_000_000_000)
}

/// 1, 2 and 5 times the powers of 10 within `from` and `to`.
fn rounds(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (-12..=18)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * libm::pow(10.0, f64::from(power))))
        .filter(move |round| *round >= from * 0.999_999 && *round <= to * 1.000_001)
}

fn round_down(value: f64) -> f64 {
    rounds(0.0, value).last().unwrap_or(1e-12)
}

fn round_up(value: f64) -> f64 {
    rounds(value, f64::INFINITY).next().unwrap_or(1e18)
}

/// 1 to 10: `value` without its power of 10.
fn mantissa(value: f64) -> f64 {
    value / libm::pow(10.0, libm::floor(libm::log10(value) + 1e-9))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn whole_numbers_begin_and_end_as_they_are() {
        assert_eq!(written(&Axis::whole("n", (1, 4), 3)), ["1", "2", "3", "4"]);
        assert_eq!(written(&Axis::whole("n", (1, 11), 8)), ["1", "5", "11"]);
        assert_eq!(written(&Axis::whole("n", (1, 999), 10)), ["1", "200", "400", "600", "800", "999"]);
        assert_eq!(written(&Axis::whole("n", (1, 1), 5)), ["1"]);
        assert_eq!(Axis::whole("n", (1, 1), 5).place(1.0), 0.5);
    }

    #[test]
    fn round_values_are_written_around_what_is_shown() {
        let axis = Axis::linear("", (1.013, 1.196), 5, |value| format!("{value:.2}"));
        assert_eq!(written(&axis), ["1.00", "1.05", "1.10", "1.15", "1.20"]);
        let axis = Axis::linear("", (1.0, 1.0), 5, |value| format!("{value:.2}"));
        assert_eq!((written(&axis), axis.place(1.0)), (vec!["1.00", "1.02", "1.04", "1.06"], 0.0));
    }

    #[test]
    fn ratios_are_written_at_round_values() {
        let axis = Axis::log("ms", (0.8, 70.0), |value| value.to_string());
        assert_eq!(written(&axis), ["0.5", "1", "2", "5", "10", "20", "50", "100"]);
        assert!((axis.place(5.0) - axis.place(0.5) - (axis.place(50.0) - axis.place(5.0))).abs() < 1e-12);
        let axis = Axis::log("ms", (0.5, 70_000.0), |value| value.to_string());
        assert_eq!(written(&axis), ["1", "10", "100", "1000", "10000", "100000"]);
    }

    proptest! {
        #[test]
        fn whatever_is_shown_has_a_place(low in 1e-9..1e12_f64, ratio in 1.0..1e6_f64, at in 0.0..1.0_f64) {
            let high = low * ratio;
            let axis = Axis::log("", (low, high), |value| value.to_string());
            let value = low + (high - low) * at;
            prop_assert!((0.0..=1.0).contains(&axis.place(value)));
            prop_assert!(axis.from <= low * 1.000_01 && axis.to >= high * 0.999_99, "{axis:?}");
            prop_assert!(!axis.ticks.is_empty() && axis.ticks.len() <= 10, "{axis:?}");
        }

        #[test]
        fn ticks_of_whole_numbers_ascend_and_are_few(first in 0..100_u32, length in 0..1_000_000_u32, steps in 2..8_u32) {
            let axis = Axis::whole("", (first, first + length), steps);
            prop_assert!(axis.ticks.is_sorted_by(|a, b| a.0 < b.0), "{axis:?}");
            prop_assert!(axis.ticks.len() <= steps as usize + 2, "{axis:?}");
        }
    }
}
