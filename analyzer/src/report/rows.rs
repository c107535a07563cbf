//! Rows of cells under headings.

use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::style::TextStyle;
use super::summary_table::table_style;

/// Spaces between columns.
const GAP_COLUMNS: u16 = 2;

/// A table that is filled row by row.
pub(super) struct Rows {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    pub(super) fn new(headings: &[&str]) -> Self {
        Self { headings: headings.iter().map(|&heading| heading.to_owned()).collect(), rows: Vec::new() }
    }

    pub(super) fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table, its first `words` columns to the left and figures to the right.
    pub(super) fn text(self, words: usize, style: TextStyle) -> String {
        let mut table = Table::new();
        table.load_style(table_style(style)).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(style.width_columns.max(TextStyle::WIDTH_COLUMNS_MIN));
        table.set_truncation_indicator(&style.text("…"));
        let last = self.headings.len() - 1;
        table.set_header(self.headings);
        table.add_rows(self.rows);
        for index in 0..=last {
            if let Some(column) = table.column_mut(index) {
                let is_word = index < words || index == last;
                column.set_cell_alignment(if is_word { CellAlignment::Left } else { CellAlignment::Right });
                column.set_padding((0, if index == last { 0 } else { GAP_COLUMNS }));
            }
        }
        let lines = table.lines().map(|line| format!("{}\n", line.trim_end()));
        lines.collect()
    }
}
