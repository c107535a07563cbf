//! What must hold for the page of any report.

use super::super::fixture;
use super::super::model::Report;
use super::{html, tune_html};

/// Elements and attributes that the page is made of. None of them loads, links or runs anything, but for the one script.
const ELEMENTS: &[&str] = &[
    "abbr",
    "b",
    "body",
    "caption",
    "circle",
    "code",
    "dd",
    "desc",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "head",
    "header",
    "html",
    "li",
    "line",
    "main",
    "meta",
    "ol",
    "p",
    "path",
    "pre",
    "rect",
    "script",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "!DOCTYPE",
];
const ATTRIBUTES: &[&str] = &[
    "aria-describedby",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "d",
    "data-sortable",
    "data-value",
    "height",
    "html",
    "http-equiv",
    "id",
    "lang",
    "name",
    "r",
    "role",
    "scope",
    "tabindex",
    "text-anchor",
    "title",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// Elements with their attributes, as a browser would find them outside of the style and the script.
fn elements(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let mut tag = after.trim_start_matches('/');
        let end = tag.find([' ', '>']).unwrap();
        let name = tag[..end].to_owned();
        tag = &tag[end..];
        let mut attributes = Vec::new();
        while !tag.starts_with('>') {
            tag = tag.trim_start();
            let end = tag.find(['=', ' ', '>']).unwrap();
            let attribute = tag[..end].to_owned();
            tag = &tag[end..];
            let mut value = String::new();
            if let Some(quoted) = tag.strip_prefix("=\"") {
                let (text, after) = quoted.split_once('"').unwrap();
                value = text.to_owned();
                tag = after;
            }
            attributes.push((attribute, value));
        }
        if ["style", "script"].contains(&name.as_str()) && !after.starts_with('/') {
            tag = tag.split_once(&format!("</{name}>")).unwrap().1;
        }
        found.push((name, attributes));
        rest = tag;
    }
    found
}

/// A page of each kind of report.
fn pages() -> Vec<String> {
    let reports = fixture::all();
    reports.iter().map(html).chain([tune_html(&super::fixture::tuned())]).collect()
}

#[test]
fn no_name_makes_an_element_or_an_attribute() {
    for page in pages() {
        for (name, attributes) in elements(&page) {
            assert!(ELEMENTS.contains(&name.as_str()), "{name}");
            for (attribute, _) in attributes {
                assert!(ATTRIBUTES.contains(&attribute.as_str()), "{name} {attribute}");
            }
        }
        assert_eq!(page.matches("<script").count(), 1);
        let is_plain = |c: char| c == '\n' || !c.is_control() && !('\u{202a}'..='\u{202e}').contains(&c);
        assert!(page.chars().all(is_plain), "{page}");
    }
}

#[test]
fn every_chart_has_a_name_and_a_description_and_every_id_is_one_of_its_own() {
    for page in pages() {
        let elements = elements(&page);
        let of = |name: &str| {
            let all = elements.iter().flat_map(|(_, attributes)| attributes);
            all.filter(|(attribute, _)| attribute == name).map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        let mut ids = of("id");
        ids.sort();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        for reference in of("aria-labelledby").into_iter().chain(of("aria-describedby")) {
            assert!(ids.contains(&reference), "{reference}");
        }
        let svgs = elements.iter().filter(|(name, attributes)| name == "svg" && !attributes.is_empty());
        for (_, attributes) in svgs {
            let has = |name: &str| attributes.iter().any(|(attribute, _)| attribute == name);
            assert!(has("aria-hidden") || has("role") && has("aria-labelledby"), "{attributes:?}");
        }
    }
}

#[test]
fn findings_come_before_every_chart_and_command_and_seed_are_there() {
    let report = fixture::multitenant();
    let page = html(&report);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(place("<h2>Findings</h2>") < place("<svg viewBox"));
    for text in ["analyzer simulate --profile multitenant --sweep vip-count", "<dt>seed</dt><dd>42</dd>"] {
        place(text);
    }
    for finding in &report.findings {
        place(&finding.fact);
    }
}

#[test]
fn what_breaks_order_is_marked_wherever_it_is_named() {
    let page = html(&fixture::multitenant());
    let named = page.matches("<code>random</code>").count();
    let marked = page
        .matches("<code>random</code> <abbr class=\"breaks\" title=\"breaks entity order\">!</abbr>")
        .count();
    assert_eq!(named, marked);
    assert!(named >= 5, "{named}");
    assert_eq!(page.matches(" under random").count(), page.matches(" under random !").count());
}

#[test]
fn what_is_missing_is_no_zero_and_no_strange_number() {
    let mut report = fixture::flights();
    report.strategies[0].skew.gini = f64::NAN;
    report.strategies[1].regret = f64::INFINITY;
    let page = html(&report);
    for wrong in ["NaN", "inf<", "\"inf"] {
        assert!(!page.contains(wrong), "{wrong}");
    }
    assert!(page.contains(">not tracked</text>"), "the untracked tenant has no cells");
    let page = html(&fixture::without_bytes());
    assert!(page.contains("Bytes per partition: – (the workload has no sizes)."));
}

#[test]
fn one_model_one_text() {
    for report in fixture::all() {
        assert_eq!(html(&report), html(&report));
    }
}

/// A report of `partitions` partitions and 12 strategies.
fn large(partitions: u32) -> Report {
    let mut report = fixture::thousand_partitions();
    let kept = report.strategies[0].clone();
    report.partitions = partitions;
    report.vip_count = Some(partitions - 1);
    report.workload.largest_tenants.clear();
    report.strategies = vec![kept; 12];
    for (number, strategy) in report.strategies.iter_mut().enumerate() {
        strategy.name = format!("strategy-{number}");
        strategy.records =
            (0..u64::from(partitions)).map(|index| 1_000_000 + index * 7_919 % 1_013).collect();
        strategy.records[partitions as usize / 3] = 900_000_000;
        strategy.bytes = strategy.records.iter().map(|records| records * 97 % 1_000_003).collect();
        strategy.tenant_records.clear();
    }
    report
}

#[test]
fn a_page_of_a_million_partitions_is_small_and_shows_the_hot_one() {
    let page = html(&large(1_000_000));
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(page.contains("900,000,000 on partition 333333"));
    assert!(page.contains("Each column is the hottest of 8334 neighbouring partitions."));
    assert!(page.contains("48 of 1,000,000 shown, the hottest under strategy-0"));
    assert!(page.contains("Left out: the topic has too many partitions"));
}

#[test]
fn a_page_of_a_thousand_partitions_says_what_each_mark_stands_for() {
    let page = html(&fixture::thousand_partitions());
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert!(page.contains(" Each column is the hottest of 9 neighbouring partitions."));
    assert!(page.contains("Each cell is the fullest of 16 neighbouring partitions."));
    assert!(page.contains("900,118 on partition 617"));
}
