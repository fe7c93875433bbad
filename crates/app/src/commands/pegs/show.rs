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

/// The moves of a game in lines that fit a terminal.
pub(super) fn game(board: &Board, jumps: &[Jump]) -> String {
    const COLUMNS: usize = 80;
    let mut text = String::new();
    let mut width = 0;
    for word in moves(jumps).iter().map(|chain| chain.text(board)) {
        if width > 0 {
            let fits = width + 1 + word.len() <= COLUMNS;
            text.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        width += word.len();
        text += &word;
    }
    text.push('\n');
    text
}

/// `1 peg`, `2 pegs`.
pub(super) fn pegs(n: usize) -> String {
    counted(n as u128, "peg", "pegs")
}
