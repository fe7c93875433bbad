//! Boards, problems and jumps as text.

use everymove_pegs::{Board, Finish, Jump, Loss, Position, Problem, moves};
use schemars::JsonSchema;
use serde::Serialize;

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Every hole holds a peg, so no jump can be made.
    Full,
    /// No peg can jump.
    Stuck,
    /// The start has too few pegs.
    Pegs,
    /// Start and finish lie in different classes: proved by colouring.
    Class,
    /// Every position that could matter was examined.
    Exhaustion,
}

impl From<&Loss> for Reason {
    fn from(loss: &Loss) -> Self {
        match loss {
            Loss::FullBoard => Self::Full,
            Loss::NoJump => Self::Stuck,
            Loss::TooFewPegs => Self::Pegs,
            Loss::Class(_) => Self::Class,
            Loss::Exhaustion => Self::Exhaustion,
        }
    }
}

/// A board's name, or its rows if it has none.
pub(super) fn board_name(board: &Board) -> String {
    match board.name() {
        "custom" => rows(board, board.full()),
        name => name.to_owned(),
    }
}

/// A position as rows with '/' between them, as every command reads it back.
pub(super) fn rows(board: &Board, position: Position) -> String {
    board.short_line(position)
}

/// The hole that is empty at the start, or the start's rows.
pub fn start_name(problem: &Problem) -> String {
    match problem.vacancy() {
        Some(hole) => problem.board().name_of(hole),
        None => rows(problem.board(), problem.start()),
    }
}

/// The hole of the last peg, the rows of the finish, or `anywhere`.
pub fn finish_name(problem: &Problem) -> String {
    match problem.finish() {
        Finish::At(hole) => problem.board().name_of(hole),
        Finish::Exactly(target) => rows(problem.board(), target),
        Finish::Anywhere => "anywhere".to_owned(),
    }
}

/// The problem in words: `english, vacate d4, finish d4`.
pub fn title(problem: &Problem) -> String {
    let verb = match problem.vacancy() {
        Some(_) => "vacate",
        None => "from",
    };
    format!(
        "{}, {verb} {}, finish {}",
        problem.board().name(),
        start_name(problem),
        finish_name(problem)
    )
}

/// A jump: `d2-d4`.
pub fn jump_name(board: &Board, jump: &Jump) -> String {
    format!("{}-{}", board.name_of(jump.from), board.name_of(jump.to))
}

pub(super) fn jump_names(board: &Board, jumps: &[Jump]) -> Vec<String> {
    jumps.iter().map(|jump| jump_name(board, jump)).collect()
}

/// `1 move`, `2 moves`.
pub(super) fn counted(n: impl Into<u128>, one: &str, many: &str) -> String {
    match n.into() {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

/// The moves of a game in lines of at most 80 characters, each ended by a line break.
pub fn game_lines(board: &Board, jumps: &[Jump]) -> String {
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

/// A game as the text of a file that `pegs replay` and `pegs review` read: lines `board ...`,
/// `start ...` and `finish ...`, then the moves in lines of at most 80 characters.
pub fn game_file(problem: &Problem, jumps: &[Jump]) -> String {
    let board = problem.board();
    // The rows of a triangle of another size or form do not show its lattice.
    let lattice = match (board.name(), board.lattice()) {
        ("custom", everymove_pegs::Lattice::Triangular) => "lattice triangular\n",
        _ => "",
    };
    format!(
        "board {}\n{lattice}start {}\nfinish {}\n{}",
        board_name(board),
        start_name(problem),
        finish_name(problem),
        game_lines(board, jumps),
    )
}
