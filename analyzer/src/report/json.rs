//! The report for programs.

use super::error::RenderError;
use super::finite;
use super::model::Report;

/// The JSON Schema (draft 2020-12) of what [`json`] writes: every key, its type, its range and what it means.
///
/// The same text is `schema/report.schema.json` in this package.
pub const JSON_SCHEMA: &str = include_str!("../../schema/report.schema.json");

/// The report as indented JSON with a newline at the end, in the shape of [`JSON_SCHEMA`].
///
/// A figure that is missing is `null` or absent, never 0.
///
/// # Errors
/// When a figure is NaN or infinite: JSON cannot say it and it would read as missing.
pub fn json(report: &Report) -> Result<String, RenderError> {
    finite::check(report)?;
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
        let schema: Value = serde_json::from_str(JSON_SCHEMA).unwrap();
        jsonschema::draft202012::meta::validate(&schema).expect("the schema itself follows its draft");
        jsonschema::validator_for(&schema).unwrap()
    }

    fn value(report: &Report) -> Value {
        serde_json::from_str(&json(report).unwrap()).unwrap()
    }

    #[test]
    fn every_report_follows_the_schema() {
        let validator = validator();
        for report in fixture::all() {
            let value = value(&report);
            let errors: Vec<String> =
                validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{}: {errors:#?}", report.workload.name);
        }
    }

    #[test]
    fn the_schema_refuses_what_is_broken() {
        let validator = validator();
        let whole = value(&fixture::multitenant());
        assert!(validator.is_valid(&whole));
        let broken: [(&str, Value); 15] = [
            ("/schema_version", 2.into()),
            ("/seed", "42".into()),
            ("/partitions", 0.into()),
            ("/vip_count", 0.into()),
            ("/workload/records", (-1).into()),
            ("/workload/floor_tenant", 0.5.into()),
            ("/workload/vips/0/share", 1.5.into()),
            ("/workload/largest_tenants/0/share", 1.5.into()),
            ("/strategies/0/records/0", 0.5.into()),
            ("/strategies/0/tenant_records/0/0", (-1).into()),
            ("/strategies/0/gini", Value::Null),
            ("/strategies/0/blast_radius/tenant-mega", 2.into()),
            ("/strategies/0/percentiles", Value::Array(Vec::new())),
            ("/sweep/0/best", "yes".into()),
            ("/findings/0/value", Value::Null),
        ];
        for (pointer, wrong) in broken {
            let mut value = whole.clone();
            *value.pointer_mut(pointer).unwrap() = wrong;
            assert!(!validator.is_valid(&value), "{pointer}");
        }
    }

    #[test]
    fn the_schema_wants_every_key_and_no_other() {
        let validator = validator();
        let whole = value(&fixture::approximate());
        assert!(validator.is_valid(&whole));
        for object in [
            "",
            "/workload",
            "/workload/approximate",
            "/strategies/0",
            "/strategies/0/percentiles",
            "/sweep/0",
            "/findings/0",
        ] {
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
    }

    #[test]
    fn every_property_is_described() {
        fn walk(path: &str, schema: &Value) {
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                for (name, property) in properties {
                    let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
                    assert!(text.len() > 10, "{path}/{name} has no description");
                }
            }
            if let Some(object) = schema.as_object() {
                object.iter().for_each(|(name, child)| walk(&format!("{path}/{name}"), child));
            }
        }
        walk("", &serde_json::from_str(JSON_SCHEMA).unwrap());
    }

    #[test]
    fn what_is_no_number_is_an_error_that_names_it() {
        let mut report = fixture::multitenant();
        report.strategies[2].skew.gini = f64::NAN;
        let message = json(&report).unwrap_err().to_string();
        assert!(message.contains("strategies[2].gini is NaN"), "{message}");
        let mut report = fixture::multitenant();
        report.sweep[4].max_mean = f64::INFINITY;
        let message = json(&report).unwrap_err().to_string();
        assert!(message.contains("sweep[4].max_mean is inf"), "{message}");
    }

    #[test]
    fn what_is_missing_is_null() {
        let value = value(&fixture::without_bytes());
        assert_eq!(value["workload"]["bytes"], Value::Null);
        assert_eq!(value["strategies"][0]["bytes"], Value::Array(Vec::new()));
    }
}
