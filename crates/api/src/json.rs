//! JSON in which no object has a field twice.

use std::fmt;

use everymove_kernel::text::shown;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads a value from JSON; an object with two fields of one name is an error, since only one of
/// them could be obeyed.
///
/// # Errors
/// If the text is not JSON, an object has a field twice, or the value is not of the type.
pub fn read<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    let Single(value) = serde_json::from_slice(json)?;
    serde_json::from_value(value)
}

/// A value whose objects have every field once.
struct Single(Value);

impl<'de> Deserialize<'de> for Single {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Single(value)) = from.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            if fields.contains_key(&name) {
                let name = shown(&name);
                return Err(A::Error::custom(format!(
                    "'{name}' is there twice: expected each field once"
                )));
            }
            let Single(value) = from.next_value()?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_by_serde_json() {
        let text = r#" {"a": [1, -2, 2.5, 1e300, 18446744073709551615, null, true, "é\n"], "b": {"a": {}}, "": []} "#;
        let wanted: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read::<Value>(text.as_bytes()).unwrap(), wanted);
        for bad in ["", "{", "[1,]", "1 2", "{\"a\" 1}"] {
            let wanted = serde_json::from_str::<Value>(bad).unwrap_err();
            let found = read::<Value>(bad.as_bytes()).unwrap_err();
            assert_eq!(found.to_string(), wanted.to_string(), "{bad}");
        }
    }

    #[test]
    fn a_field_that_is_there_twice_is_named() {
        for (text, name) in [
            (r#"{"board":"5x5","board":"6x6"}"#, "board"),
            (r#"{"board":"5x5","number":1,"number":1}"#, "number"),
            (r#"{"engines":[{"name":1,"cmd":2,"name":3}]}"#, "name"),
            (r#"{"a":{"b":{"c":0,"c":0}}}"#, "c"),
            (r#"{"a":1,"\u0061":2}"#, "a"),
            (r#"{"":1,"":2}"#, "''"),
        ] {
            let said = read::<Value>(text.as_bytes()).unwrap_err().to_string();
            assert!(
                said.contains(name) && said.contains("twice"),
                "{text}: {said}"
            );
        }
    }
}
