//! Plays out a won position by its table, both sides at their best:
//! `cargo run --release -p everymove-tables --example best_line -- "8/8/8/8/8/2k5/7Q/K7 w - - 0 1" KQvK`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_kernel::run::Run;
use everymove_tables::{Material, Metric, Plan, Tables, build, probe};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fen = std::env::args().nth(1);
    let fen = fen.as_deref().unwrap_or("8/8/8/8/8/2k5/7Q/K7 w - - 0 1");
    let material = std::env::args().nth(2);
    let material: Material = material.as_deref().unwrap_or("KQvK").parse()?;
    let folder = tempfile::tempdir()?;
    let tables = Tables::new(folder.path(), Metric::Mate);
    build(&Plan::new(material, Metric::Mate), &tables, &Run::serial())?;
    let position = probe::read_position(fen)?;
    println!("{:?}", tables.probe(&position)?.value);
    for choice in tables.line(&position, 100)? {
        println!("{:8} {:?}", choice.san, choice.value);
    }
    Ok(())
}
