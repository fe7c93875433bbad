//! Searches the positions of the bench to one depth with every parallel strategy, and prints nodes and time.
//!
//! `cargo run --release -p everymove-engine --example strategies -- [DEPTH] [THREADS]`
#![expect(clippy::print_stdout, reason = "the table is its output")]

use std::error::Error;
use std::time::Instant;

use everymove_engine::{Engine, Game, Limits, Options, Signals, Strategy, bench};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let depth = words.next().map_or(Ok(9), |text| text.parse::<u32>())?;
    let threads = words.next().map_or(Ok(2), |text| text.parse::<usize>())?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    println!("{:<14} {:>12} {:>9}", "strategy", "nodes", "seconds");
    for strategy in Strategy::ALL {
        let mut engine = Engine::new(Options {
            strategy,
            threads,
            ..Options::default()
        })?;
        let begin = Instant::now();
        let mut nodes = 0;
        for position in bench::positions() {
            engine.clear();
            let game = Game::from(position);
            let result = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
            nodes += result.report.nodes;
        }
        let seconds = begin.elapsed().as_secs_f64();
        println!("{:<14} {nodes:>12} {seconds:>9.2}", strategy.to_string());
    }
    Ok(())
}
