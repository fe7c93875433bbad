//! Knight's tours: one file for each command.

mod board;
mod error;
mod exists;

pub use board::{BoardRequest, Kind, KindRequest};
pub use exists::{Existence, ExistsAnswer, ExistsPlan, ExistsRequest};

use crate::schema::CommandSchema;

/// The schemas of all commands about tours.
pub(crate) fn schemas() -> Vec<CommandSchema> {
    vec![CommandSchema::of::<ExistsRequest>()]
}
