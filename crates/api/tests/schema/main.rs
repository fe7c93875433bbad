//! The schema that is kept in `docs/schema.json` is the one that the types give.

mod validate;

use std::fs;
use std::path::Path;

#[test]
fn the_kept_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.json");
    let kept = fs::read_to_string(path).unwrap();
    let made = serde_json::to_string_pretty(&everymove_api::catalogue::document()).unwrap() + "\n";
    let hint = "run: cargo run --release -- schema > docs/schema.json";
    assert!(kept == made, "docs/schema.json is not current; {hint}");
}

/// The alternatives of a schema that has several.
fn alternatives(schema: &serde_json::Value) -> Vec<serde_json::Value> {
    let lists = ["anyOf", "oneOf"].map(|key| schema[key].as_array());
    lists.into_iter().flatten().flatten().cloned().collect()
}

#[test]
fn every_schema_is_valid_and_describes_every_field() {
    for command in everymove_api::catalogue::commands() {
        for schema in [command.request_schema(), command.answer_schema()] {
            // A schema that is not valid panics.
            let _ = validate::faults(&schema, &serde_json::Value::Null);
            let fields = schema["properties"].as_object();
            let alternatives = alternatives(&schema);
            let of_alternatives = alternatives
                .iter()
                .filter_map(|a| a["properties"].as_object());
            let fields = fields.into_iter().chain(of_alternatives).flatten();
            for (name, field) in fields.filter(|(name, _)| *name != "command") {
                let described = field["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty());
                assert!(described, "{}: {name}", command.name);
            }
        }
    }
}

#[test]
fn wrong_values_are_found() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "n": { "type": ["integer", "null"], "minimum": 0, "maximum": 9 },
            "list": { "type": "array", "items": { "type": "string", "pattern": "^[0-9]+$" }, "maxItems": 2 },
            "kind": { "oneOf": [{ "const": "a" }, { "enum": ["b", "c"] }] },
            "any": { "anyOf": [{ "type": "boolean" }, { "type": "number" }] },
        },
        "required": ["n"],
        "additionalProperties": false,
    });
    for (number, value) in [
        (
            0,
            r#"{ "n": 3, "list": ["1", "22"], "kind": "b", "any": 1.5 }"#,
        ),
        (0, r#"{ "n": null, "any": true }"#),
        (1, r#"{ "list": [] }"#),
        (1, r#"{ "n": -1 }"#),
        (1, r#"{ "n": 10 }"#),
        (1, r#"{ "n": 1.5 }"#),
        (2, r#"{ "n": "x", "kind": "d" }"#),
        (3, r#"{ "n": 1, "list": ["1", "x", 3] }"#),
        (1, r#"{ "n": 1, "any": "" }"#),
        (1, r#"{ "n": 1, "other": 1 }"#),
        (1, "[]"),
    ] {
        let faults = validate::faults(&schema, &serde_json::from_str(value).unwrap());
        assert_eq!(faults.len(), number, "{value}: {faults:?}");
    }
}
