//! Light and dark, a phone, paper, and what is told to those who do not see the page.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::report::{hostile, multitenant, simulated};
use crate::tab::Tab;

const COLORS: &str =
    "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
    getComputedStyle(document.querySelector('svg rect.hot')).fill]";

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn the_page_is_as_light_or_dark_as_the_readers_device_and_paper_is_light() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |_| {});
    let mut colors = |media: &str, scheme: &str| {
        tab.set_media(media, scheme);
        tab.value(COLORS)
    };
    let (light, dark) = (colors("screen", "light"), colors("screen", "dark"));
    assert_eq!(light[0], "rgb(255, 255, 255)");
    assert_eq!(dark[0], "rgb(20, 24, 29)");
    for index in 0..3 {
        assert_ne!(light[index], dark[index], "{light} {dark}");
    }
    assert_eq!(colors("print", "dark"), light);
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn a_phone_needs_no_scrolling_to_the_side() {
    for report in [multitenant(), hostile(), simulated("--profile ticker --partitions 1000 --records 50000")]
    {
        let mut tab = Tab::open(&report.path, |tab| tab.set_width(360));
        tab.value("document.querySelectorAll('details').forEach(details => { details.open = true; })");
        assert_eq!(tab.value("document.documentElement.clientWidth"), 360);
        let wide = tab.value(
            "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && e.scrollWidth > 0)
                .filter(e => e.getBoundingClientRect().right > 360.5).map(e => e.outerHTML.slice(0, 200))",
        );
        assert_eq!(wide, json!([]));
        assert_eq!(tab.value("document.documentElement.scrollWidth"), 360);
        // A letter in a chart is still one to be read.
        let letters = tab.value(
            "Math.min(...[...document.querySelectorAll('svg text')].map(text =>
                11 * text.getScreenCTM().a))",
        );
        assert!(letters.as_f64().unwrap() >= 8.5, "{letters} px");
    }
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn no_text_of_a_chart_is_cut() {
    for report in
        [multitenant(), hostile(), simulated("--profile mega-zipf --partitions 48 --sweep vip-count")]
    {
        let mut tab = Tab::open(&report.path, |_| {});
        let cut = tab.value(
            "[...document.querySelectorAll('svg text')].filter(text => {
                const box = text.getBBox(), drawing = text.ownerSVGElement.viewBox.baseVal;
                return box.x < -0.5 || box.x + box.width > drawing.width + 0.5 ||
                    box.y < -0.5 || box.y + box.height > drawing.height + 0.5;
            }).map(text => text.ownerSVGElement.querySelector('title').textContent + ': ' + text.textContent)",
        );
        assert_eq!(cut, json!([]));
    }
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn it_is_printed_on_pages_that_are_as_wide_as_the_paper() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |_| {});
    let printed = tab.ask("Page.printToPDF", json!({ "preferCSSPageSize": false }));
    let pdf = BASE64_STANDARD.decode(printed["data"].as_str().unwrap()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    let pages = pdf.windows(12).filter(|bytes| bytes.starts_with(b"/Type /Page\n")).count();
    assert!((2..=8).contains(&pages), "{pages} pages");
    // A page that was too wide would have been made smaller; so everything fits the 8.5 inches less both margins.
    tab.set_width(714);
    tab.set_media("print", "light");
    assert_eq!(tab.value("document.documentElement.scrollWidth"), 714);
    assert_eq!(tab.deeds(), Vec::<String>::new());
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn every_chart_has_a_name_and_every_table_its_headings() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |_| {});
    tab.value("document.querySelectorAll('details').forEach(details => { details.open = true; })");
    let charts = tab.value("document.querySelectorAll('svg[role=img]').length").as_u64().unwrap();
    tab.ask("Accessibility.enable", json!({}));
    let tree = tab.ask("Accessibility.getFullAXTree", json!({}));
    let nodes: Vec<&Value> =
        tree["nodes"].as_array().unwrap().iter().filter(|n| n["ignored"] == false).collect();
    let named = |role: &str| {
        let has_text = |value: &Value| value["value"].as_str().is_some_and(|text| !text.is_empty());
        let of_role = nodes.iter().filter(|node| node["role"]["value"] == role);
        of_role.filter(|node| has_text(&node["name"])).count() as u64
    };
    assert!(charts >= 18, "{charts}");
    assert_eq!(named("image"), charts);
    assert!(named("columnheader") >= 17, "{}", named("columnheader"));
    assert!(named("rowheader") >= 8, "{}", named("rowheader"));
    assert_eq!(tab.value("[...document.querySelectorAll('th')].every(heading => heading.scope)"), true);
    assert_eq!(tab.value("document.documentElement.lang"), "en");
}
