//! That the page's colours can be told apart by everybody, computed from the style sheet itself.
//!
//! W3C, "Web Content Accessibility Guidelines 2.2": text has a contrast of 4.5 to 1 with what lies behind it (1.4.3), and
//! what must be seen to understand a graphic 3 to 1 (1.4.11).

use std::collections::BTreeMap;

const STYLE: &str = include_str!("style.css");

/// Red, green and blue, 0 to 255.
type Color = [u8; 3];

/// The colours of both themes, by name.
fn themes() -> [(&'static str, BTreeMap<&'static str, Color>); 2] {
    let (light, rest) = STYLE.split_once("@media screen and (prefers-color-scheme: dark)").unwrap();
    let (dark, _) = rest.split_once("\n}\n").unwrap();
    [("light", colors(light)), ("dark", colors(dark))]
}

fn colors(css: &'static str) -> BTreeMap<&'static str, Color> {
    let property = |line: &'static str| {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(": #")?;
        let value = u32::from_str_radix(value.strip_suffix(';')?, 16).unwrap();
        let [_, red, green, blue] = value.to_be_bytes();
        Some((name, [red, green, blue]))
    };
    css.lines().filter_map(property).collect()
}

/// The relative luminance of the guidelines, 0 (black) to 1 (white).
fn luminance(color: Color) -> f64 {
    let linear = color.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// The contrast ratio of the guidelines, 1 to 21.
fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn the_ratio_is_that_of_the_guidelines() {
    assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    assert!((contrast([0x77; 3], [255; 3]) - 4.48).abs() < 0.005);
}

#[test]
fn both_themes_have_the_same_colors() {
    let [(_, light), (_, dark)] = themes();
    assert!(light.len() >= 16, "{light:?}");
    assert_eq!(light.keys().collect::<Vec<_>>(), dark.keys().collect::<Vec<_>>());
    for name in light.keys() {
        assert!(STYLE.contains(&format!("var(--{name})")), "--{name} is not used");
    }
}

#[test]
fn text_can_be_read() {
    for (theme, colors) in themes() {
        for text in ["text", "muted", "hot", "even", "apart"] {
            for behind in ["page", "panel"] {
                let ratio = contrast(colors[text], colors[behind]);
                assert!(ratio >= 4.5, "{theme}: {text} on {behind} has {ratio:.2}");
            }
        }
    }
}

#[test]
fn graphics_can_be_seen() {
    for (theme, colors) in themes() {
        for graphic in ["load", "warm", "hot", "even", "apart", "other", "axis", "share-4"] {
            let ratio = contrast(colors[graphic], colors["page"]);
            assert!(ratio >= 3.0, "{theme}: {graphic} has {ratio:.2}");
        }
    }
}

/// Whoever sees no hues, or prints in grey, still sees more as more.
#[test]
fn more_is_further_from_the_page() {
    for (theme, colors) in themes() {
        let order = ["page", "share-1", "share-2", "share-3", "share-4", "warm", "hot"];
        let ratios = order.map(|name| contrast(colors[name], colors["page"]));
        assert!(ratios.windows(2).all(|pair| pair[1] > pair[0] * 1.15), "{theme}: {ratios:.2?}");
    }
}
