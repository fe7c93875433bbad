//! Positions and games in characters and in JSON.

use everymove_pegs::{
    Board, Finish, Jump, Lattice, Position, Problem, Replayed, game_text, moves, replay,
};
use serde_json::Value;

use crate::failure::Failure;

/// Columns of a terminal that nobody's is narrower than.
const COLUMNS: usize = 80;

/// A position as rows with '/' between them, as all commands read it back.
pub(crate) fn rows(board: &Board, position: Position) -> String {
    let line = board.line(position);
    match board.lattice() {
        Lattice::Square => line,
        // Without the blanks at their ends, the rows of a triangle tell that it is one.
        Lattice::Triangular => {
            let rows: Vec<&str> = line
                .split('/')
                .map(|row| row.trim_end_matches('_'))
                .collect();
            rows.join("/")
        }
    }
}

/// A board's name, or its rows if it has none.
pub(crate) fn board_name(board: &Board) -> String {
    match board.name() {
        "custom" => rows(board, board.full()),
        name => name.to_owned(),
    }
}

/// The hole that is empty at the start, or the start's rows.
pub(crate) fn start_name(problem: &Problem) -> String {
    let board = problem.board();
    match problem.vacancy() {
        Some(hole) => board.name_of(hole),
        None => rows(board, problem.start()),
    }
}

/// The hole of the last peg, the rows of the finish, or `anywhere`.
pub(crate) fn finish_name(problem: &Problem) -> String {
    match problem.finish() {
        Finish::At(hole) => problem.board().name_of(hole),
        Finish::Exactly(target) => rows(problem.board(), target),
        Finish::Anywhere => "anywhere".to_owned(),
    }
}

/// The problem in words: `english, vacate d4, finish d4`.
pub(crate) fn words(problem: &Problem) -> String {
    let start = match problem.vacancy() {
        Some(hole) => format!("vacate {}", problem.board().name_of(hole)),
        None => format!("from {}", rows(problem.board(), problem.start())),
    };
    format!(
        "{}, {start}, finish {}",
        problem.board().name(),
        finish_name(problem)
    )
}

/// Jumps as JSON: a list of texts such as `d2-d4`.
pub(crate) fn jumps(board: &Board, jumps: &[Jump]) -> Value {
    jumps.iter().map(|jump| jump_name(board, jump)).collect()
}

/// A jump: `d2-d4`.
pub(crate) fn jump_name(board: &Board, jump: &Jump) -> String {
    format!("{}-{}", board.name_of(jump.from), board.name_of(jump.to))
}

/// Moves in lines that fit a terminal.
pub(crate) fn game(board: &Board, jumps: &[Jump]) -> String {
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

/// `1 move`, `2 moves`.
pub(crate) fn counted(n: impl Into<u128>, one: &str, many: &str) -> String {
    match n.into() {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

/// What the independent referee says of jumps that solve a problem.
///
/// Whoever found them, it has the last word: jumps that it does not accept are never shown.
pub(crate) fn refereed(problem: &Problem, jumps: &[Jump]) -> Result<Replayed, Failure> {
    let board = problem.board();
    let wrong = |fault: String| Failure::resource(format!("a wrong solution was found: {fault}"));
    let game = replay(
        &board.line(problem.start()),
        board.lattice(),
        &game_text(board, jumps),
    )
    .map_err(|fault| wrong(fault.to_string()))?;
    let end = game
        .positions
        .last()
        .and_then(|rows| board.position(rows).ok());
    match end.is_some_and(|end| problem.is_finish(end)) {
        true => Ok(game),
        false => Err(wrong("it does not reach the finish".into())),
    }
}

/// A position as a drawing, a little to the right.
pub(crate) fn indented(board: &Board, position: Position) -> String {
    board
        .drawing(position)
        .lines()
        .map(|line| format!("    {}\n", line.trim_end()))
        .collect()
}
