//! What all charts are drawn with: coordinates, and the frame that makes a drawing readable to all.

use maud::{Markup, html};

use super::super::escape::display_text;

/// A coordinate with one decimal at most: finer is not seen, and it is the same on every machine.
pub(super) fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0").unwrap_or(&text) {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// A drawing of `width` × `height` that scales with the page. Whoever does not see it is told its `title` and what it
/// shows; `id` is one of its own on the page.
pub(super) fn drawing(
    id: &str,
    (width, height): (f64, f64),
    title: &str,
    description: &str,
    content: &Markup,
) -> Markup {
    let (title_id, description_id) = (format!("{id}-t"), format!("{id}-d"));
    html! {
        svg viewBox={ "0 0 " (at(width)) " " (at(height)) } role="img"
            aria-labelledby=(title_id) aria-describedby=(description_id) {
            title id=(title_id) { (display_text(title)) }
            desc id=(description_id) { (display_text(description)) }
            (content)
        }
    }
}

/// A line of text in a drawing, `anchor` being `start`, `middle` or `end`.
pub(super) fn text(x: f64, y: f64, anchor: &str, class: &str, content: &str) -> Markup {
    html! {
        text x=(at(x)) y=(at(y)) text-anchor=[(anchor != "start").then_some(anchor)]
            class=[(!class.is_empty()).then_some(class)] { (display_text(content)) }
    }
}

/// A straight line.
pub(super) fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Markup {
    html! { line class=(class) x1=(at(x1)) y1=(at(y1)) x2=(at(x2)) y2=(at(y2)) {} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_never_negative_nothing() {
        assert_eq!([at(3.0), at(3.12), at(-0.01), at(-2.55)], ["3", "3.1", "0", "-2.5"]);
    }

    #[test]
    fn text_is_escaped_twice_over() {
        let shown = text(1.0, 2.0, "end", "strong", "<b>\u{202e}&\0").into_string();
        assert_eq!(
            shown,
            r#"<text x="1" y="2" text-anchor="end" class="strong">&lt;b&gt;\u{202e}&amp;\x00</text>"#
        );
    }
}
