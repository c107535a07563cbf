//! Tables: with headings that assistive technology finds, and that sort where there is a script.

use maud::{Markup, html};

use super::super::escape::display_text;

/// A column's heading.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) heading: Markup,
    /// Whether it holds figures, which stand to the right and are sorted by value.
    pub(super) is_number: bool,
}

impl Column {
    pub(super) fn words(heading: &str) -> Self {
        Self { heading: html! { (display_text(heading)) }, is_number: false }
    }

    pub(super) fn number(heading: &str) -> Self {
        Self { is_number: true, ..Self::words(heading) }
    }
}

/// A cell; the first of a row is the row's heading.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) content: Markup,
    /// What figures are sorted by; none for one that is missing.
    pub(super) value: Option<f64>,
    pub(super) class: &'static str,
}

impl Cell {
    pub(super) fn markup(content: Markup) -> Self {
        Self { content, value: None, class: "" }
    }

    pub(super) fn words(content: &str) -> Self {
        Self::markup(html! { (display_text(content)) })
    }

    /// A figure as it is shown and as it is sorted by.
    pub(super) fn number(content: &str, value: Option<f64>) -> Self {
        Self { value: value.filter(|value| value.is_finite()), ..Self::words(content) }
    }
}

/// A row and what it stands out by.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    pub(super) class: &'static str,
}

/// Rows under headings.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// What it shows, above it and for whoever goes from table to table.
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    pub(super) is_sortable: bool,
}

impl Table {
    /// The table in a frame of its own, which scrolls sideways where the page is narrow.
    pub(super) fn markup(&self) -> Markup {
        let caption = display_text(&self.caption);
        html! {
            div.scroll role="region" tabindex="0" aria-label=(caption) {
                table data-sortable[self.is_sortable] {
                    caption { (caption) }
                    thead {
                        tr {
                            @for column in &self.columns {
                                th scope="col" class=[column.is_number.then_some("number")] { (column.heading) }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr class=[(!row.class.is_empty()).then_some(row.class)] {
                                @for (index, cell) in row.cells.iter().enumerate() { (self.cell(index, cell)) }
                            }
                        }
                    }
                }
            }
        }
    }

    fn cell(&self, index: usize, cell: &Cell) -> Markup {
        let is_number = self.columns.get(index).is_some_and(|column| column.is_number);
        let classes: Vec<&str> = [if is_number { "number" } else { "" }, cell.class]
            .into_iter()
            .filter(|class| !class.is_empty())
            .collect();
        let class = (!classes.is_empty()).then(|| classes.join(" "));
        html! {
            @if index == 0 {
                th scope="row" class=[class] data-value=[cell.value] { (cell.content) }
            } @else {
                td class=[class] data-value=[cell.value.filter(|_| self.is_sortable)] { (cell.content) }
            }
        }
    }

    /// The table folded away under a chart that shows the same.
    pub(super) fn folded(&self, summary: &str) -> Markup {
        html! { details.figures { summary { (display_text(summary)) } (self.markup()) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_carry_what_they_are_sorted_by_and_a_missing_figure_nothing() {
        let table = Table {
            caption: "c".into(),
            columns: vec![Column::words("name"), Column::number("figure")],
            rows: vec![
                Row { cells: vec![Cell::words("<a>"), Cell::number("1.50", Some(1.5))], class: "hot" },
                Row { cells: vec![Cell::words("b"), Cell::number("–", None)], class: "" },
                Row { cells: vec![Cell::words("c"), Cell::number("–", Some(f64::NAN))], class: "" },
            ],
            is_sortable: true,
        };
        let text = table.markup().into_string();
        let rows = [
            r#"<tr class="hot"><th scope="row">&lt;a&gt;</th><td class="number" data-value="1.5">1.50</td></tr>"#,
            r#"<tr><th scope="row">b</th><td class="number">–</td></tr>"#,
            r#"<tr><th scope="row">c</th><td class="number">–</td></tr>"#,
        ];
        assert!(text.contains(&rows.concat()), "{text}");
        assert!(text.contains(r#"<th scope="col" class="number">figure</th>"#), "{text}");
    }
}
