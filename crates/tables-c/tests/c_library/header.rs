//! The header in `include/` is the one that the sources give.

#[path = "../../examples/header/generate.rs"]
mod generate;

#[test]
fn the_header_is_that_of_the_sources() {
    let stored = include_str!("../../include/everymove_tables.h");
    assert!(
        generate::header().unwrap() == stored,
        "make it anew: cargo run --release -p everymove-tables-c --example header > crates/tables-c/include/everymove_tables.h"
    );
}
