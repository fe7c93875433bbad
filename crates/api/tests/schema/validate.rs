//! JSON Schema as far as our schemas use it: for tests, also of other crates.

use serde_json::Value;

/// The keywords that say nothing about a value.
const NOTES: &[&str] = &["$schema", "title", "description", "default", "format"];

/// Checks every part of a schema, and returns what is wrong with a value, a line for each fault
/// with the path of the part.
///
/// # Panics
/// If the schema has a keyword that is not known here, or one of a wrong type.
pub(crate) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    check(schema);
    let mut found = Vec::new();
    validate(schema, value, "", &mut found);
    found
}

fn check(schema: &Value) {
    let Some(keywords) = schema.as_object() else {
        assert!(
            schema.is_boolean(),
            "neither an object nor a bool: {schema}"
        );
        return;
    };
    for (keyword, content) in keywords {
        let list = || {
            content
                .as_array()
                .unwrap_or_else(|| panic!("{keyword}: {content}"))
        };
        let object = || {
            content
                .as_object()
                .unwrap_or_else(|| panic!("{keyword}: {content}"))
        };
        match keyword.as_str() {
            "properties" | "patternProperties" => object().values().for_each(check),
            "items" | "additionalProperties" => check(content),
            "anyOf" | "oneOf" => list().iter().for_each(check),
            "required" | "enum" => assert!(!list().is_empty() || keyword == "required"),
            "type" => assert!(content.is_string() || !list().is_empty()),
            "minimum" | "maximum" => assert!(content.is_number(), "{schema}"),
            "minItems" | "maxItems" => assert!(content.is_u64(), "{schema}"),
            "const" => {}
            "pattern" => assert!(content.as_str().is_some_and(is_known_pattern), "{schema}"),
            note => assert!(NOTES.contains(&note), "unknown keyword {note}: {schema}"),
        }
    }
}

fn validate(schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    if let Some(allowed) = schema.as_bool() {
        if !allowed {
            faults.push(format!("{path}: no such field"));
        }
        return;
    }
    let fails = |part: &Value| {
        let mut inner = Vec::new();
        validate(part, value, path, &mut inner);
        !inner.is_empty()
    };
    for (keyword, content) in schema.as_object().expect("a schema is an object") {
        let list = || content.as_array().expect("a list");
        let holds = match keyword.as_str() {
            "type" => match content.as_array() {
                Some(names) => names.iter().any(|name| has_type(value, name)),
                None => has_type(value, content),
            },
            "const" => value == content,
            "enum" => list().contains(value),
            "minimum" => value.as_f64() >= content.as_f64() || !value.is_number(),
            "maximum" => value.as_f64() <= content.as_f64() || !value.is_number(),
            "minItems" => value
                .as_array()
                .is_none_or(|v| v.len() as u64 >= content.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|v| v.len() as u64 <= content.as_u64().unwrap()),
            "pattern" => value
                .as_str()
                .is_none_or(|text| matches(content.as_str().unwrap(), text)),
            "anyOf" => !list().iter().all(fails),
            "oneOf" => list().iter().filter(|part| !fails(part)).count() == 1,
            "required" => list()
                .iter()
                .all(|name| value.get(name.as_str().unwrap()).is_some() || !value.is_object()),
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(content, item, &format!("{path}/{i}"), faults);
                }
                true
            }
            "properties" | "patternProperties" | "additionalProperties" => true,
            note => NOTES.contains(&note),
        };
        if !holds {
            faults.push(format!(
                "{path}: {keyword} {content} does not hold for {value}"
            ));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        let named = schema.get("properties").and_then(|fields| fields.get(name));
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let matching = patterns
            .into_iter()
            .flatten()
            .find(|(pattern, _)| matches(pattern, name));
        let part = named
            .or(matching.map(|(_, part)| part))
            .or(schema.get("additionalProperties"));
        if let Some(part) = part {
            validate(part, field, &path, faults);
        }
    }
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    }
}

fn is_known_pattern(pattern: &str) -> bool {
    matches!(
        pattern,
        "^[0-9]+$" | r"^\d+$" | "^[a-z]+[0-9]+(-[a-z]+[0-9]+)*$"
    )
}

/// Whether a text matches one of the patterns in use.
fn matches(pattern: &str, text: &str) -> bool {
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    assert!(is_known_pattern(pattern), "unknown pattern {pattern}");
    if pattern.starts_with("^[a-z]") {
        text.split('-').all(|part| {
            let digits = part.trim_start_matches(|c: char| c.is_ascii_lowercase());
            digits.len() < part.len() && are_digits(digits)
        })
    } else {
        are_digits(text)
    }
}
