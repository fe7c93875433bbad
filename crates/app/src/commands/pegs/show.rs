//! Positions and games in characters.

use everymove_api::pegs::counted;
use everymove_pegs::{Board, Jump, Position, moves};

use super::picture::characters;

/// The moves of a game, each with the board after it.
pub(super) fn steps(board: &Board, start: Position, jumps: &[Jump]) -> String {
    let mut position = start;
    let mut text = format!("Start\n{}\n", characters(board, position));
    for (i, chain) in moves(jumps).iter().enumerate() {
        position = chain
            .jumps()
            .iter()
            .fold(position, |position, jump| jump.after(position));
        let board_text = characters(board, position);
        text += &format!("Move {}: {}\n{board_text}\n", i + 1, chain.text(board));
    }
    text
}

/// `1 peg`, `2 pegs`.
pub(super) fn pegs(n: usize) -> String {
    counted(n as u128, "peg", "pegs")
}
