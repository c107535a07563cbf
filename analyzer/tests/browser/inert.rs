//! The page shows itself and does nothing else, whatever the names in it are.

use serde_json::json;

use crate::report::{HOSTILE, hostile, multitenant, simulated};
use crate::tab::Tab;

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn no_message_no_request_and_no_dialog() {
    for report in [multitenant(), hostile(), simulated("--profile ticker --partitions 1000 --records 50000")]
    {
        let mut tab = Tab::open(&report.path, |_| {});
        assert_eq!(tab.deeds(), Vec::<String>::new());
        assert_eq!(tab.value("document.URL"), tab.url());
        assert_eq!(tab.value("performance.getEntriesByType('resource').length"), 0);
    }
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn hostile_names_are_text_and_no_elements() {
    let report = hostile();
    let mut tab = Tab::open(&report.path, |_| {});
    assert_eq!(tab.value("typeof window.harmed"), "undefined");
    let elements =
        "document.querySelectorAll('img, iframe, a, object, embed, form, input, link, base').length";
    assert_eq!(tab.value(elements), 0);
    assert_eq!(tab.value("document.scripts.length"), 1);
    let handlers = "[...document.querySelectorAll('*')].filter(e => [...e.attributes]
        .some(a => a.name.startsWith('on') || /^(href|src|style)$/.test(a.name))).length";
    assert_eq!(tab.value(handlers), 0);
    let text = tab.value("document.body.textContent");
    for name in HOSTILE {
        let shown = name.replace('\u{202e}', r"\u{202e}");
        assert!(text.as_str().unwrap().contains(&shown), "{name} is shown as it is");
    }
    assert_eq!(tab.deeds(), Vec::<String>::new());
}

/// Were the escaping to fail one day, the browser would still refuse.
#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn the_policy_refuses_what_escaping_would_have_let_through() {
    let report = multitenant();
    let mut tab = Tab::open(&report.path, |_| {});
    assert_eq!(tab.deeds(), Vec::<String>::new());
    tab.value(
        "(() => {
            document.addEventListener('securitypolicyviolation', (event) => {
                (window.refused ??= []).push(event.effectiveDirective);
            });
            const script = document.createElement('script');
            script.textContent = 'window.harmed = 1';
            document.body.append(script);
            document.body.insertAdjacentHTML('beforeend',
                '<p onclick=\"window.harmed = 1\" id=trap style=\"color: red\">trap</p>' +
                '<img src=\"http://127.0.0.1:9/\"><iframe src=\"http://127.0.0.1:9/\"></iframe>');
            document.getElementById('trap').click();
        })()",
    );
    // Whoever watches for deeds would have seen one.
    let deeds = tab.deeds();
    assert!(deeds.iter().any(|deed| deed.starts_with("Log.entryAdded")), "{deeds:#?}");
    assert!(deeds.iter().any(|deed| deed.starts_with("Network.requestWillBeSent")), "{deeds:#?}");
    assert_eq!(tab.value("typeof window.harmed"), "undefined");
    let refused = tab.value("[...new Set(window.refused)].sort()");
    let expected = ["frame-src", "img-src", "script-src-attr", "script-src-elem", "style-src-attr"];
    assert_eq!(refused, json!(expected));
}

#[test]
#[ignore = "needs Chromium: Debian's package chromium"]
fn without_scripts_everything_is_still_there() {
    let report = multitenant();
    let mut with = Tab::open(&report.path, |_| {});
    let mut without = Tab::open(&report.path, |tab| {
        tab.ask("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    });
    assert_eq!(with.value("document.querySelectorAll('th button').length > 0"), true);
    assert_eq!(without.value("document.querySelectorAll('th button').length"), 0);
    for what in ["document.body.innerText", "document.querySelectorAll('svg *').length", "document.title"] {
        assert_eq!(with.value(what), without.value(what), "{what}");
    }
}
