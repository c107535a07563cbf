//! What is printed: the strategies side by side.

use std::fmt::Write as _;

use super::measure::Outcome;
use super::traffic::Class;

const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

fn title(class: Class, mega: &str) -> String {
    match class {
        Class::Mega => mega.to_owned(),
        Class::Neighbour => format!("small tenants that share {mega}'s partition when keyed by tenant"),
        Class::Other => "all other small tenants".to_owned(),
    }
}

/// The table of all outcomes, a column each.
pub(crate) fn table(outcomes: &[Outcome], mega: &str) -> String {
    let mut text = String::new();
    let mut row = |name: &str, cell: &dyn Fn(&Outcome) -> String| {
        let cells: String = outcomes.iter().map(|outcome| format!("{:>16}", cell(outcome))).collect();
        let _ = writeln!(text, "{}", format!("{name:<22}{cells}").trim_end());
    };
    row("", &|outcome| outcome.strategy.name().to_owned());
    row("hottest partition, %", &|outcome| format!("{:.0}", 100.0 * outcome.hottest_utilisation()));
    row("mean of the others, %", &|outcome| format!("{:.0}", 100.0 * outcome.other_utilisation()));
    for class in Class::ALL {
        row("", &|_| String::new());
        row(&title(class, mega), &|_| String::new());
        row("  records", &|outcome| outcome.latencies(class).count().to_string());
        row("  not handled", &|outcome| outcome.latencies(class).unhandled().to_string());
        for (name, at) in QUANTILES {
            row(&format!("  {name}, ms"), &|outcome| match outcome.latencies(class).quantile(at) {
                Some(quantile) => {
                    format!("{}{:.1}", if quantile.is_lower_bound { "≥ " } else { "" }, quantile.ms)
                }
                None => String::new(),
            });
        }
    }
    text
}
