//! Games in files: a few lines that say where the game starts, then its moves.

use everymove_pegs::{Jump, Problem};

use super::show;

/// A game as text that reads back.
pub(crate) fn text(problem: &Problem, jumps: &[Jump]) -> String {
    let board = problem.board();
    format!(
        "board {}\nlattice {}\nstart {}\nfinish {}\n{}",
        show::board_name(board),
        board.lattice(),
        show::start_name(problem),
        show::finish_name(problem),
        show::game(board, jumps)
    )
}
