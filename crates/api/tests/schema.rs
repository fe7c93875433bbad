//! The schema that is kept in `docs/schema.json` is the one that the types give.

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
        for schema in [&command.request, &command.answer] {
            jsonschema::validator_for(schema).unwrap();
            let fields = schema["properties"].as_object();
            let alternatives = alternatives(schema);
            let of_alternatives = alternatives
                .iter()
                .filter_map(|a| a["properties"].as_object());
            let fields = fields.into_iter().chain(of_alternatives).flatten();
            for (name, field) in fields.filter(|(name, _)| *name != "command") {
                let described = field["description"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty());
                assert!(described, "{}: {name}", command.command);
            }
        }
    }
}
