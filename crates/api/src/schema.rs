//! JSON Schemas (draft 2020-12) generated from types.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// The schema of a type that is read, complete in itself.
pub(crate) fn of_request<T: JsonSchema>() -> Value {
    complete(settings(), T::json_schema, T::schema_name())
}

/// The schema of a type that is written, complete in itself.
pub(crate) fn of_answer<T: JsonSchema>() -> Value {
    complete(settings().for_serialize(), T::json_schema, T::schema_name())
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true)
}

/// What `into_root_schema_for` of a generator with these settings gives, compiled once for all
/// types.
fn complete(
    settings: SchemaSettings,
    schema: fn(&mut SchemaGenerator) -> Schema,
    name: Cow<'static, str>,
) -> Value {
    let meta = settings.meta_schema.clone();
    let mut generator = settings.into_generator();
    let mut schema = schema(&mut generator);
    let object = schema.ensure_object();
    object.entry("title").or_insert_with(|| name.into());
    if let Some(meta) = meta {
        object.insert("$schema".to_owned(), meta.into());
    }
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        object.insert("$defs".to_owned(), definitions.into());
    }
    schema.to_value()
}

/// The names of the fields of a request, by its schema.
pub(crate) fn property_names(schema: &Value) -> BTreeSet<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    (properties.into_iter())
        .flat_map(|properties| properties.keys().cloned())
        .collect()
}
