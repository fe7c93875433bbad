//! Counts the closed tours of the 6x8 board, and says which method was chosen and why.

use std::io::Write;

use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::question::Question;
use everymove_tours::{CountOptions, count};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let question = Question::new(Board::knight(6, 8)?, Kind::Closed);
    let answer = count(&question, &CountOptions::default(), &Run::serial())?;
    assert_eq!(answer.count, 55_488_142u32.into());
    let mut out = std::io::stdout();
    writeln!(out, "6x8, closed: {} tours", answer.count)?;
    writeln!(out, "by {}: {}", answer.method, answer.method_reason)?;
    Ok(())
}
