//! Tours in answers.

use std::borrow::Cow;

use everymove_tours::tour::Tour;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A tour that is serialized as its squares in order: `a1-b3-c5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TourText(pub Tour);

/// The squares in order: `a1-b3-c5`.
pub(super) fn squares(tour: &Tour) -> String {
    let grid = tour.board().grid();
    let mut text = String::new();
    for (step, square) in tour.order().into_iter().enumerate() {
        if step > 0 {
            text.push('-');
        }
        text += &grid.name(square);
    }
    text
}

impl Serialize for TourText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&squares(&self.0))
    }
}

impl JsonSchema for TourText {
    fn schema_name() -> Cow<'static, str> {
        "Tour".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The squares of a tour in order",
            "type": "string",
            "pattern": "^[a-z]+[0-9]+(-[a-z]+[0-9]+)*$",
        })
    }
}
