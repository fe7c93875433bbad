//! How many times as fast a parallel strategy is on simulated processors, over many positions, with
//! the error of the mean.
//!
//! `cargo run --release -p everymove-engine --example simulate -- FILE [DEPTH] [POSITIONS]
//! [PROCESSORS] [STRATEGY]`; FILE has a position on each line, as `everymove arena openings --out
//! FILE` writes them.
#![expect(clippy::print_stdout, reason = "the line is its output")]

use std::error::Error;

use everymove_engine::{Engine, Game, Limits, Options, Position, Signals, Simulation, Strategy};
use shakmaty::CastlingMode;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let file = words
        .next()
        .ok_or("expected: FILE [DEPTH] [POSITIONS] [PROCESSORS] [STRATEGY]")?;
    let depth = words.next().map_or(Ok(13), |text| text.parse::<u32>())?;
    let positions = words.next().map_or(Ok(20), |text| text.parse::<usize>())?;
    let processors = words.next().map_or(Ok(2), |text| text.parse::<usize>())?;
    let strategy = words
        .next()
        .map_or(Ok(Strategy::Ybwc), |text| text.parse())?;
    let mut ratios = Vec::new();
    let (mut nodes, mut more_nodes, mut waiting) = (0, 0, 0.0);
    for line in std::fs::read_to_string(file)?.lines().take(positions) {
        let position = Position::from_fen(line, CastlingMode::Standard)?;
        let alone = simulate(&position, depth, 1, strategy)?;
        let together = simulate(&position, depth, processors, strategy)?;
        ratios.push((alone.elapsed as f64 / together.elapsed as f64).ln());
        nodes += alone.all_nodes();
        more_nodes += together.all_nodes();
        waiting += together.idle_share();
    }
    let n = ratios.len().max(1) as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios
        .iter()
        .map(|ratio| (ratio - mean).powi(2))
        .sum::<f64>()
        / n;
    println!(
        "{strategy}, {processors} processors, depth {depth}, {n} positions: {:.3} ± {:.3} times as fast (geometric mean, 95 %), {:.3} times the nodes, \
         {:.1} % waiting, {:.0} nodes a position",
        mean.exp(),
        1.96 * mean.exp() * (variance / n).sqrt(),
        more_nodes as f64 / nodes.max(1) as f64,
        100.0 * waiting / n,
        nodes as f64 / n,
    );
    Ok(())
}

fn simulate(
    position: &Position,
    depth: u32,
    threads: usize,
    strategy: Strategy,
) -> Result<Simulation, Box<dyn Error>> {
    let mut engine = Engine::new(Options {
        strategy,
        threads,
        ..Options::default()
    })?;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let game = Game::from(position.clone());
    let simulated = engine.simulate(&game, &limits, &Signals::new());
    let (_, simulation) = simulated.ok_or("the system refused a thread")?;
    Ok(simulation)
}
