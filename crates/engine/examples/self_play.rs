//! Plays a game of the engine against itself at two levels of strength, and prints its moves and its end.
//!
//! `cargo run --release -p everymove-engine --example self_play -- [WHITE LEVEL] [BLACK LEVEL]`
#![expect(clippy::print_stdout, reason = "the game is its output")]

use std::error::Error;

use everymove_engine::{Engine, Game, Limits, Options, Signals, Strength};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut level = || words.next().map_or(Ok(5), |text| text.parse::<u32>());
    let players = [Strength::level(level()?), Strength::level(level()?)];
    let mut engines = [
        Engine::new(players[0].options(Options::default()))?,
        Engine::new(players[1].options(Options::default()))?,
    ];
    let mut game = Game::default();
    let end = loop {
        if let Some(end) = game.termination() {
            break end;
        }
        let side = usize::from(game.position().turn().is_black());
        let limits = players[side].limits(Limits::default());
        let result = engines[side].search(&game, &limits, &Signals::new(), &mut |_| {});
        let (Some(m), _) = players[side].choose(&result, &game) else {
            return Err("a game that has not ended has a move".into());
        };
        println!("{}", game.position().uci(m));
        game.play(m);
    };
    println!("{} plies, {end}", game.moves().len());
    Ok(())
}
