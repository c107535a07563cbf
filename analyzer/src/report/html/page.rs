//! The page around a report: one file that asks for nothing, and in which nothing but our own script can run.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What the browser may do with the page: apply our style and run our script, both by their hashes, and nothing else. Text
/// that got past the escaping could still run no script, load nothing and send nothing.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; \
    style-src 'sha256-GNg4F1MCV/bTnkEYzNlKFmzw64myTb8R6Rm7ixyFjIY='; \
    script-src 'sha256-hx2EDF6YwSGQBDLmC2ZnhZ1rCSq0cPuEpVB0GYe+9ZE='";

/// The page as text; `title` is shown by the browser and is not markup.
pub(super) fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) script { (PreEscaped(SCRIPT)) } }
        }
    };
    page.into_string() + "\n"
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_policy_allows_this_style_and_this_script_alone() {
        for (what, text) in [("style", STYLE), ("script", SCRIPT)] {
            let source = format!("{what}-src 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
            assert!(POLICY.split("; ").any(|rule| rule == source), "{POLICY}\nlacks\n{source}");
            assert!(!text.contains("</"), "{what} would end early");
        }
        assert!(!POLICY.contains("unsafe") && POLICY.starts_with("default-src 'none'"), "{POLICY}");
    }

    #[test]
    fn a_title_is_no_markup() {
        let page = page("a</title><script>alert(1)</script>", &html! {});
        assert_eq!(page.matches("<script").count(), 1, "{page}");
    }
}
