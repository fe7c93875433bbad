//! Saves a winning set and answers from the file which jumps keep a position winnable.

#![allow(clippy::print_stdout, reason = "an example is a program")]

use std::error::Error;

use everymove_kernel::files::Memory;
use everymove_kernel::run::Run;
use everymove_pegs::{Advice, Board, Problem, WinningSet};

fn main() -> Result<(), Box<dyn Error>> {
    let run = Run::serial();
    let board = Board::named("triangle5")?;
    let problem = Problem::vacate(&board, "a1", None)?;
    // A folder that exists in memory only; `Disk::new(path)` is one on disk.
    let folder = Memory::default();
    WinningSet::new(&problem, &run)?.save(&folder, "triangle5.win")?;
    let set = WinningSet::load(&folder, "triangle5.win", &run)?;
    let mut position = problem.start();
    while let Some(hint) = Advice::new(&set).hint(position).safe().next().copied() {
        let jump = hint.jump;
        println!("{}-{}", board.name_of(jump.from), board.name_of(jump.to));
        position = jump.after(position);
    }
    Ok(())
}
