//! Ten balanced openings, generated from the rules alone; with a seed as argument, other ones.
//!
//! `cargo run --release -p everymove-arena --example openings 7`
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_arena::openings::{Generator, GeneratorOptions};
use everymove_arena::{CastlingMode, GameState, OpeningError};

fn main() -> Result<(), OpeningError> {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let options = GeneratorOptions {
        seed: seed.unwrap_or(1),
        ..GeneratorOptions::default()
    };
    for opening in Generator::new(options).take(10) {
        let game = GameState::new(&opening, CastlingMode::Standard)?;
        println!("{}  {}", game.uci_moves().join(" "), game.fen());
    }
    Ok(())
}
