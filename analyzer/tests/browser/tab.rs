//! A tab that shows a page, and all that the page did.

use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::chromium::Chromium;

/// A tab, in a browser of its own.
pub(crate) struct Tab {
    browser: Chromium,
    session: String,
    /// The address of the page.
    url: String,
}

impl Tab {
    /// Opens a file as a phone, a desktop or whatever `prepare` makes of the tab before.
    pub(crate) fn open(file: &Path, prepare: impl FnOnce(&mut Self)) -> Self {
        let mut browser = Chromium::start();
        let target = browser.ask(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attached = browser.ask(
            None,
            "Target.attachToTarget",
            json!({ "targetId": target["targetId"], "flatten": true }),
        );
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut tab = Self { browser, session, url: format!("file://{}", file.display()) };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.ask(&format!("{domain}.enable"), json!({}));
        }
        prepare(&mut tab);
        tab.browser.take_events();
        tab.ask("Page.navigate", json!({ "url": tab.url }));
        tab.browser.wait_for("Page.loadEventFired");
        tab
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.browser.ask(Some(&self.session), method, params)
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.ask("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Clicks on the middle of the first element that a selector finds, as a mouse does.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let middle = self.value(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{ block: 'center' }});
               const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({ "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", params);
        }
    }

    /// Presses and releases a key, such as `Tab` or `Enter`.
    #[track_caller]
    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "Space" => (32, Some(" ")),
            _ => panic!("no code for the key {key}"),
        };
        let key = if key == "Space" { " " } else { key };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if let Some(text) = text {
            down["text"] = text.into();
        }
        self.ask("Input.dispatchKeyEvent", down);
        self.ask(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Makes the tab as wide as a device, in pixels of the page.
    pub(crate) fn set_width(&mut self, width: u32) {
        let params = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.ask("Emulation.setDeviceMetricsOverride", params);
    }

    /// `screen` or `print`, and whether the reader's device is `light` or `dark`.
    pub(crate) fn set_media(&mut self, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }

    /// All that the page did beyond showing itself: messages, exceptions, and requests but for the page.
    pub(crate) fn deeds(&mut self) -> Vec<String> {
        // Whatever the page was about to do is done by then.
        self.value("new Promise((done) => setTimeout(done, 200))");
        let url = self.url.clone();
        let deed = |event: Value| {
            let method = event["method"].as_str().unwrap_or_default().to_owned();
            let is_deed = match method.as_str() {
                "Network.requestWillBeSent" => event["params"]["request"]["url"] != url.as_str(),
                "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" => true,
                "Page.frameAttached" | "Page.windowOpen" => true,
                _ => false,
            };
            is_deed.then(|| format!("{method} {}", event["params"]))
        };
        self.browser.take_events().into_iter().filter_map(deed).collect()
    }

    /// The upper `height` pixels of the page as PNG.
    pub(crate) fn picture(&mut self, width: u32, height: u32) -> Vec<u8> {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let params = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        let picture = self.ask("Page.captureScreenshot", params);
        BASE64_STANDARD.decode(picture["data"].as_str().unwrap()).unwrap()
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}
