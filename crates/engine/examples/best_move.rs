//! Searches a position and prints score and line after each iteration.
//!
//! `cargo run --release -p everymove-engine --example best_move -- "FEN" [SECONDS]`
#![expect(clippy::print_stdout, reason = "the lines are its output")]

use std::error::Error;
use std::time::Duration;

use everymove_engine::score::UciScore;
use everymove_engine::{Clock, Engine, Game, Limits, Options, Position, Signals};
use shakmaty::CastlingMode;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let position = match words.next() {
        Some(fen) => Position::from_fen(&fen, CastlingMode::Standard)?,
        None => Position::default(),
    };
    let seconds = words.next().map_or(Ok(1.0), |text| text.parse::<f64>())?;
    let limits = Limits {
        clock: Some(Clock::PerMove(Duration::try_from_secs_f64(seconds)?)),
        ..Limits::default()
    };
    let mut engine = Engine::new(Options::default())?;
    let game = Game::from(position.clone());
    let result = engine.search(&game, &limits, &Signals::new(), &mut |report| {
        for line in &report.lines {
            let score = UciScore::for_white(line.score, position.turn()).in_pawns();
            let moves: Vec<_> = line.pv.iter().map(|&m| position.uci(m)).collect();
            println!("depth {:>2}  {score:>7}  {}", report.depth, moves.join(" "));
        }
    });
    match result.best {
        Some(m) => println!("best move {}", position.uci(m)),
        None => println!("no legal move"),
    }
    Ok(())
}
