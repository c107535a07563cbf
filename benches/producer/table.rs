//! The result: figures beside each other, round by round.

use std::fmt::Write;

/// One figure of a comparison.
pub(crate) struct Row {
    /// What was done, and where.
    pub(crate) measured: String,
    /// Unit of `ours` and `theirs`.
    pub(crate) unit: &'static str,
    /// Who ours is compared with.
    pub(crate) peer: &'static str,
    /// A figure a round; as many as `theirs`, at least one.
    pub(crate) ours: Vec<f64>,
    pub(crate) theirs: Vec<f64>,
    /// The least that the median of the ratios is to be.
    pub(crate) ratio_min: Option<f64>,
}

impl Row {
    fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| ours / theirs).collect()
    }
}

/// The rows as a Markdown table.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "Figures are medians of the rounds; a ratio is ours over the peer's of one round.\n\n\
         | measured | unit | ours | peer | the peer's | ratios | median | at least |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let ratios = row.ratios();
        let listed: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
        let ratio = median(&ratios);
        let demand = row.ratio_min.map_or_else(
            || "–".to_owned(),
            |least| format!("{least:.2} ({})", if ratio >= least { "met" } else { "missed" }),
        );
        let (ours, theirs) = (figure(median(&row.ours)), figure(median(&row.theirs)));
        let (measured, unit, peer, listed) = (&row.measured, row.unit, row.peer, listed.join(" "));
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {measured} | {unit} | {ours} | {peer} | {theirs} | {listed} | {ratio:.3} | {demand} |"
        );
    }
    text
}

/// The middle one, or the mean of the two in the middle. Not for none.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

fn figure(value: f64) -> String {
    if value < 1_000.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}
