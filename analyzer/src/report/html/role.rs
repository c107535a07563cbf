//! The part that a strategy plays in the verdict: it has one colour all over the page.

use maud::{Markup, html};

use super::super::escape::display_text;
use super::super::heat::Heat;
use super::super::model::{Report, StrategyReport};
use super::super::verdict;

/// What a strategy stands out by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It overloads a partition most, and enough to matter.
    Hottest,
    /// The evenest that keeps entity order.
    Evenest,
    /// The evenest that keeps VIP tenants apart too.
    Apart,
    Other,
}

impl Role {
    /// The role of one of the report's strategies.
    pub(super) fn of(strategy: &StrategyReport, report: &Report) -> Self {
        let is = |other: Option<&StrategyReport>| other.is_some_and(|other| other.name == strategy.name);
        if is(verdict::evenest_in_order(report)) {
            Self::Evenest
        } else if is(verdict::evenest_apart(report)) {
            Self::Apart
        } else if is(verdict::most_uneven(report)) && Heat::of(strategy.skew.max_mean) > Heat::Usual {
            Self::Hottest
        } else {
            Self::Other
        }
    }

    /// The class that has its colour.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Hottest => "hot",
            Self::Evenest => "even",
            Self::Apart => "apart",
            Self::Other => "other",
        }
    }
}

/// A strategy's name, marked when it breaks entity order.
pub(super) fn name(strategy: &StrategyReport) -> Markup {
    html! {
        code { (display_text(&strategy.name)) }
        @if strategy.breaks_entity_order { " " abbr.breaks title="breaks entity order" { "!" } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;

    #[test]
    fn each_part_is_played_once_and_only_heat_makes_a_hottest() {
        let mut report = fixture::multitenant();
        let roles =
            |report: &Report| report.strategies.iter().map(|s| Role::of(s, report)).collect::<Vec<_>>();
        let other = Role::Other;
        assert_eq!(roles(&report), [Role::Hottest, other, other, Role::Evenest, Role::Apart, other, other]);
        report.strategies.drain(..4);
        assert!(!roles(&report).contains(&Role::Hottest), "no strategy left is warm");
    }
}
