//! Counts on a board of one's own, drawn in text.

#![allow(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;

use everymove_kernel::run::Run;
use everymove_pegs::{DrawnBoard, LayerFiles, Problem, Quantities, count_totals};

const HOUSE: &str = "
  o
 ooo
ooooo
ooooo
oo.oo
";

fn main() -> Result<(), Box<dyn Error>> {
    let drawn = DrawnBoard::read(HOUSE, None)?;
    let problem = Problem::read(&drawn, None, Some("anywhere"))?;
    let totals = count_totals(
        &problem,
        Quantities::Usual,
        LayerFiles::default(),
        &Run::serial(),
    )?;
    println!("{} positions", totals.reach.positions());
    if let Some(solutions) = totals.solutions {
        println!("{} solutions", solutions.solutions);
    }
    if let Some(games) = totals.games {
        println!(
            "{} games, odds of random play {:.3e}",
            games.games, games.odds
        );
    }
    Ok(())
}
