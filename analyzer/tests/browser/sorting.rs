//! Tables are sorted by a click or a key on a heading, and say so.

use serde_json::{Value, json};

use crate::report::multitenant;
use crate::tab::Tab;

/// The first table's column under a heading, from top to bottom.
fn column(tab: &mut Tab, heading: &str) -> Vec<String> {
    let cells = tab.value(&format!(
        "(() => {{ const table = document.querySelector('table');
           const index = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === {heading:?});
           return [...table.tBodies[0].rows].map(row => row.cells[index].textContent); }})()"
    ));
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

fn figures(tab: &mut Tab, heading: &str) -> Vec<f64> {
    column(tab, heading).iter().map(|cell| cell.parse().unwrap()).collect()
}

/// `aria-sort` of the first table's headings; those without have none.
fn sorted(tab: &mut Tab) -> Value {
    tab.value(
        "Object.fromEntries([...document.querySelectorAll('table')[0].tHead.rows[0].cells]
            .filter(cell => cell.ariaSort).map(cell => [cell.textContent, cell.ariaSort]))",
    )
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn a_click_on_a_heading_sorts_by_it_and_another_turns_it_round() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |tab| tab.set_width(1200));
    let before = column(&mut tab, "strategy");
    assert_eq!(sorted(&mut tab), json!({}));
    let heading = "table thead th:nth-child(2) button";
    tab.click(heading);
    assert_eq!(sorted(&mut tab), json!({ "max/mean": "ascending" }));
    let ascending = figures(&mut tab, "max/mean");
    assert!(ascending.is_sorted(), "{ascending:?}");
    tab.click(heading);
    assert_eq!(sorted(&mut tab), json!({ "max/mean": "descending" }));
    let descending = figures(&mut tab, "max/mean");
    assert!(descending.is_sorted_by(|a, b| a >= b), "{descending:?}");
    tab.click("table thead th:nth-child(1) button");
    assert_eq!(sorted(&mut tab), json!({ "strategy": "ascending" }));
    let names = column(&mut tab, "strategy");
    assert!(names.is_sorted(), "{names:?}");
    let mut all = before.clone();
    all.sort();
    assert_eq!(names, all, "no row was lost");
    assert_eq!(tab.deeds(), Vec::<String>::new());
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn a_heading_is_reached_by_tab_and_obeys_enter_and_space() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |tab| tab.set_width(1200));
    let mut reached = Value::Null;
    for _ in 0..20 {
        tab.press("Tab");
        reached = tab.value("document.activeElement.closest('th')?.textContent ?? null");
        if reached == "max/mean" {
            break;
        }
    }
    assert_eq!(reached, "max/mean");
    assert_ne!(
        tab.value("getComputedStyle(document.activeElement).outlineStyle"),
        "none",
        "the focus is seen"
    );
    tab.press("Enter");
    assert_eq!(sorted(&mut tab), json!({ "max/mean": "ascending" }));
    tab.press("Space");
    assert_eq!(sorted(&mut tab), json!({ "max/mean": "descending" }));
    let descending = figures(&mut tab, "max/mean");
    assert!(descending.is_sorted_by(|a, b| a >= b), "{descending:?}");
}

/// Two equal rows keep their places, and what has no figure is last both ways.
#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn a_missing_figure_is_last_whichever_way_is_sorted() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |_| {});
    tab.value(
        "(() => { const cell = document.querySelector('table').tBodies[0].rows[2].cells[1];
           delete cell.dataset.value; cell.textContent = 'missing'; })()",
    );
    for _ in 0..2 {
        tab.value("document.querySelector('table thead th:nth-child(2) button').click()");
        assert_eq!(column(&mut tab, "max/mean").last().unwrap(), "missing");
    }
}
