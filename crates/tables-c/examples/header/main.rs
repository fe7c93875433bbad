//! Prints the header of the C library:
//! `cargo run --release -p everymove-tables-c --example header > crates/tables-c/include/everymove_tables.h`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

mod generate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", generate::header()?);
    Ok(())
}
