//! Solves a problem and prints the moves: `cargo run --release --example solve -- triangle5 a1`.

#![allow(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;

use everymove_kernel::run::Run;
use everymove_pegs::{DrawnBoard, Problem, Verdict, Want, game_text, solve};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let board = words.next().unwrap_or_else(|| "english".to_owned());
    let drawn = DrawnBoard::read(&board, None)?;
    let problem = Problem::read(&drawn, words.next().as_deref(), words.next().as_deref())?;
    let solved = solve(&problem, Want::Shortest, &Run::serial())?;
    println!("{problem}");
    match solved.verdict {
        Verdict::Solution(jumps) => println!("{}", game_text(problem.board(), &jumps)),
        Verdict::Class(proof) => println!("{}", proof.text(problem.board())),
        Verdict::TooManyPegs => println!("the finish has too many pegs"),
        Verdict::Exhaustion => println!("no solution: every position was examined"),
    }
    Ok(())
}
