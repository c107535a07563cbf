//! Horizontal bars out of characters.

/// Block elements by eighths of a column; index 0 is no block.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar of `fraction` (0 to 1, clamped) of `columns`, without padding.
///
/// With `unicode` it is exact to an eighth of a column, without it is made of `#`. Whatever is above 0 shows at least
/// the smallest mark, so that one record can be told from none; what is no number shows nothing.
#[must_use]
pub(super) fn bar(fraction: f64, columns: usize, unicode: bool) -> String {
    if !unicode {
        return "#".repeat(steps(fraction, columns));
    }
    let eighths = steps(fraction, columns * 8);
    let mut text = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        text.push(EIGHTHS[eighths % 8]);
    }
    text
}

/// `fraction` of `steps_max`, rounded to a whole number of steps, at least 1 for anything above 0.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Clamped to 0..=steps_max just before.
fn steps(fraction: f64, steps_max: usize) -> usize {
    if fraction.is_nan() || fraction <= 0.0 {
        return 0;
    }
    let steps = (fraction.min(1.0) * steps_max as f64).round() as usize;
    steps.clamp(1.min(steps_max), steps_max)
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn bars_are_exact_to_an_eighth() {
        assert_eq!(bar(1.0, 4, true), "████");
        assert_eq!(bar(0.5, 4, true), "██");
        assert_eq!(bar(0.53125, 4, true), "██▏");
        assert_eq!(bar(0.97, 1, true), "█");
        assert_eq!(bar(0.5, 4, false), "##");
    }

    #[test]
    fn something_is_never_drawn_as_nothing() {
        assert_eq!(bar(1e-12, 10, true), "▏");
        assert_eq!(bar(1e-12, 10, false), "#");
        assert_eq!(bar(0.0, 10, true), "");
        assert_eq!(bar(1e-12, 0, true), "");
    }

    #[test]
    fn strange_fractions_stay_inside_the_columns() {
        for fraction in [f64::NAN, -1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY] {
            for unicode in [true, false] {
                assert!(bar(fraction, 10, unicode).width() <= 10);
            }
        }
        assert_eq!(bar(f64::NAN, 10, true), "");
    }

    #[test]
    fn a_longer_load_never_has_a_shorter_bar() {
        let eighths = |fraction| {
            bar(fraction, 7, true)
                .chars()
                .map(|c| match c {
                    '█' => 8,
                    part => EIGHTHS.iter().position(|e| *e == part).unwrap(),
                })
                .sum::<usize>()
        };
        for step in 0..1_000_u32 {
            assert!(eighths(f64::from(step) / 1_000.0) <= eighths(f64::from(step + 1) / 1_000.0));
        }
    }
}
