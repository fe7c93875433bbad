//! JSON Schemas (draft 2020-12) generated from types.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of a type that is read, complete in itself.
pub(crate) fn of_request<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The schema of a type that is written, complete in itself.
pub(crate) fn of_answer<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let generator = settings.for_serialize().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// The names of the fields of a request, by its schema.
pub(crate) fn property_names(schema: &Value) -> BTreeSet<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    (properties.into_iter())
        .flat_map(|properties| properties.keys().cloned())
        .collect()
}
