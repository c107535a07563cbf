//! The report of a verification for programs.

use super::super::error::RenderError;
use super::model::VerifyReport;

/// The JSON Schema (draft 2020-12) of what [`verify_json`] writes.
///
/// The same text is `schema/verify.schema.json` in this package.
pub const VERIFY_JSON_SCHEMA: &str = include_str!("../../../schema/verify.schema.json");

/// The report as indented JSON with a newline at the end, in the shape of [`VERIFY_JSON_SCHEMA`].
///
/// What is missing is `null`, never 0.
///
/// # Errors
/// When serde_json refuses the report, which none is known to cause.
pub fn verify_json(report: &VerifyReport) -> Result<String, RenderError> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::fixture;
    use super::*;

    fn validator() -> jsonschema::Validator {
        let schema: Value = serde_json::from_str(VERIFY_JSON_SCHEMA).unwrap();
        jsonschema::draft202012::meta::validate(&schema).expect("the schema itself follows its draft");
        jsonschema::validator_for(&schema).unwrap()
    }

    fn value(report: &VerifyReport) -> Value {
        serde_json::from_str(&verify_json(report).unwrap()).unwrap()
    }

    #[test]
    fn reports_follow_the_schema() {
        let validator = validator();
        for report in [fixture::passed(), fixture::failed()] {
            let value = value(&report);
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}");
        }
    }

    #[test]
    fn the_schema_refuses_what_is_broken() {
        let validator = validator();
        let whole = value(&fixture::failed());
        let broken: [(&str, Value); 9] = [
            ("/schema_version", 2.into()),
            ("/passed", "yes".into()),
            ("/vip_count", 0.into()),
            ("/topic/partitions", 0.into()),
            ("/partitions/0/found", (-1).into()),
            ("/keyed/missing", Value::Null),
            ("/checks/0/name", "luck".into()),
            ("/mismatches/0/kind", "odd".into()),
            ("/mismatches/0/phase", Value::Null),
        ];
        for (pointer, wrong) in broken {
            let mut value = whole.clone();
            *value.pointer_mut(pointer).unwrap() = wrong;
            assert!(!validator.is_valid(&value), "{pointer}");
        }
    }

    #[test]
    fn the_schema_wants_every_key_and_no_other_and_describes_each() {
        let (validator, whole) = (validator(), value(&fixture::failed()));
        for object in
            ["", "/topic", "/workload", "/partitions/0", "/keyed", "/unkeyed", "/checks/0", "/mismatches/0"]
        {
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
        fn walk(path: &str, schema: &Value) {
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                for (name, property) in properties {
                    let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
                    assert!(text.len() > 5, "{path}/{name} has no description");
                }
            }
            if let Some(object) = schema.as_object() {
                object.iter().for_each(|(name, child)| walk(&format!("{path}/{name}"), child));
            }
        }
        walk("", &serde_json::from_str(VERIFY_JSON_SCHEMA).unwrap());
    }
}
