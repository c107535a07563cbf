//! The comparison for programs.

use super::super::error::RenderError;
use super::model::Comparison;

/// The JSON Schema (draft 2020-12) of what [`compare_json`] writes: every key, its type, its range and what it means.
///
/// The same text is `schema/compare.schema.json` in this package.
pub const COMPARE_JSON_SCHEMA: &str = include_str!("../../../schema/compare.schema.json");

/// The comparison as indented JSON with a newline at the end, in the shape of [`COMPARE_JSON_SCHEMA`].
///
/// # Errors
/// When a figure is NaN or infinite: JSON cannot say it and it would read as missing.
pub fn compare_json(comparison: &Comparison) -> Result<String, RenderError> {
    for (index, strategy) in comparison.strategies.iter().enumerate() {
        for figure in &strategy.figures {
            let values = [figure.before, figure.after, figure.change];
            if let Some(value) = values.into_iter().flatten().find(|value| !value.is_finite()) {
                return Err(RenderError::not_finite(format!("strategies[{index}].{}", figure.name), value));
            }
        }
    }
    let mut text = serde_json::to_string_pretty(comparison)?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::model::{Difference, FigureChange, StrategyChange, Unit, Verdict};
    use super::super::{compare_markdown, compare_text};
    use super::*;
    use crate::report::TextStyle;

    fn comparison() -> Comparison {
        let figure = |name: &str, before, after, change, verdict| FigureChange {
            name: name.to_owned(),
            unit: Unit::Ratio,
            before,
            after,
            change,
            verdict,
        };
        Comparison {
            schema_version: 1,
            command: "analyzer compare a.json b.json".to_owned(),
            differences: vec![Difference { what: "bytes".to_owned(), before: None, after: Some("9".into()) }],
            strategies: vec![StrategyChange {
                name: "a|<b>\u{1b}[2J".to_owned(),
                figures: vec![
                    figure("max-mean", Some(1.0), Some(1.5), Some(0.5), Verdict::Worse),
                    figure("bytes-max-mean", None, Some(1.5), None, Verdict::Appeared),
                    figure("cv", Some(0.0), Some(0.0), None, Verdict::Same),
                ],
            }],
            strategies_gone: vec!["random".to_owned()],
            strategies_new: Vec::new(),
            findings_gone: Vec::new(),
            findings_new: vec!["Hot @everyone".to_owned()],
        }
    }

    fn validator() -> jsonschema::Validator {
        let schema: Value = serde_json::from_str(COMPARE_JSON_SCHEMA).unwrap();
        jsonschema::draft202012::meta::validate(&schema).expect("the schema itself follows its draft");
        jsonschema::validator_for(&schema).unwrap()
    }

    #[test]
    fn the_schema_wants_every_key_and_no_other() {
        let validator = validator();
        let whole: Value = serde_json::from_str(&compare_json(&comparison()).unwrap()).unwrap();
        assert!(validator.is_valid(&whole), "{whole:#}");
        for object in ["", "/differences/0", "/strategies/0", "/strategies/0/figures/0"] {
            let keys: Vec<String> =
                whole.pointer(object).unwrap().as_object().unwrap().keys().cloned().collect();
            for key in keys {
                let mut value = whole.clone();
                value.pointer_mut(object).unwrap().as_object_mut().unwrap().remove(&key);
                assert!(!validator.is_valid(&value), "{object}/{key} may not be left out");
            }
            let mut value = whole.clone();
            value.pointer_mut(object).unwrap().as_object_mut().unwrap().insert("surprise".into(), 1.into());
            assert!(!validator.is_valid(&value), "{object} takes no other key");
        }
        let mut value = whole.clone();
        *value.pointer_mut("/strategies/0/figures/0/verdict").unwrap() = "nice".into();
        assert!(!validator.is_valid(&value));
    }

    #[test]
    fn what_is_no_number_is_an_error_that_names_it() {
        let mut broken = comparison();
        broken.strategies[0].figures[0].after = Some(f64::NAN);
        let message = compare_json(&broken).unwrap_err().to_string();
        assert!(message.contains("strategies[0].max-mean is NaN"), "{message}");
    }

    #[test]
    fn text_shows_missing_as_missing_and_commands_no_terminal() {
        let text = compare_text(&comparison(), TextStyle::default());
        let rows = "\
figure          before  after   change
max-mean         1.000  1.500  +50.0 %  worse
bytes-max-mean       –  1.500        –  appeared
cv               0.000  0.000      0 %  same
";
        assert!(text.contains(rows), "{text}");
        assert!(text.starts_with("The reports do not compare like with like:\n• bytes: – → 9\n"), "{text}");
        assert!(!text.contains('\u{1b}'));
        let color = compare_text(&comparison(), TextStyle { color: true, ..TextStyle::default() });
        assert!(color.contains("\u{1b}[1;31mmax-mean"), "{color}");
    }

    #[test]
    fn markdown_has_no_markup_of_names() {
        let text = compare_markdown(&comparison());
        assert!(text.contains("| <code>max-mean</code> | 1.000 | 1.500 | +50.0 % | **worse** |\n"), "{text}");
        assert!(text.contains("\n1 figure the same.\n"), "{text}");
        for forbidden in ["<b>", "\u{1b}", "@everyone"] {
            assert!(!text.contains(forbidden), "{forbidden:?} in\n{text}");
        }
    }
}
