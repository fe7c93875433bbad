//! Games as text: `d2-d4-f4` is a move of one peg that jumps twice.

use thiserror::Error;

use crate::board::{Board, BoardError};
use crate::jump::Jump;
use crate::position::Position;

/// Why a text is no game of a board.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum NotationError {
    /// A hole in it is wrong.
    #[error("move {number} ('{text}'): {source}")]
    Hole {
        /// The move's number, from 1.
        number: usize,
        /// The move as written.
        text: String,
        /// What is wrong with the hole.
        source: BoardError,
    },
    /// A move of a single hole.
    #[error(
        "move {number} ('{text}') leads nowhere: expected at least two holes, for example d2-d4"
    )]
    Nowhere {
        /// The move's number, from 1.
        number: usize,
        /// The move as written.
        text: String,
    },
    /// Two holes that are not a jump apart.
    #[error("move {number} ('{text}'): no jump leads from {from} to {to} on the {board} board")]
    NoJump {
        /// The move's number, from 1.
        number: usize,
        /// The move as written.
        text: String,
        /// Where it was to start.
        from: String,
        /// Where it was to end.
        to: String,
        /// The board's name.
        board: String,
    },
    /// A jump whose pegs are not there, or whose landing is taken.
    #[error("move {number} ('{text}'): {what}")]
    Illegal {
        /// The move's number, from 1.
        number: usize,
        /// The move as written.
        text: String,
        /// What is in the way.
        what: String,
    },
}

/// Consecutive jumps of one peg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    jumps: Vec<Jump>,
}

impl Move {
    /// The jumps, at least one, each starting where the one before landed.
    pub fn jumps(&self) -> &[Jump] {
        &self.jumps
    }

    /// The move as text: the holes the peg visits.
    pub fn text(&self, board: &Board) -> String {
        let visited = self.jumps.iter().map(|jump| jump.to);
        let holes = self
            .jumps
            .first()
            .map(|jump| jump.from)
            .into_iter()
            .chain(visited);
        let names: Vec<String> = holes.map(|hole| board.name_of(hole)).collect();
        names.join("-")
    }
}

/// Joins jumps into moves: a jump belongs to the move before if it starts in the hole where that
/// ended.
pub fn moves(jumps: &[Jump]) -> Vec<Move> {
    let chained = jumps.chunk_by(|before, after| before.to == after.from);
    chained
        .map(|jumps| Move {
            jumps: jumps.to_vec(),
        })
        .collect()
}

/// Jumps as text, one move after another.
///
/// ```
/// use everymove_pegs::{Board, game_text, parse_game};
///
/// let board = Board::named("english")?;
/// let jumps = parse_game(&board, board.vacate(board.hole("d4")?), "1. d2-d4, b3-d3; c1-c3 c4-c2 e1-c1 c1-c3")?;
/// assert_eq!(game_text(&board, &jumps), "d2-d4 b3-d3 c1-c3 c4-c2 e1-c1-c3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn game_text(board: &Board, jumps: &[Jump]) -> String {
    let texts: Vec<String> = moves(jumps).iter().map(|chain| chain.text(board)).collect();
    texts.join(" ")
}

/// Reads the moves of a game from a position. Moves are separated by blanks, commas or semicolons;
/// numbers such as `3.` before them are passed over.
///
/// # Errors
/// The first move that is wrong and why.
pub fn parse_game(board: &Board, start: Position, text: &str) -> Result<Vec<Jump>, NotationError> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    let is_number = |word: &str| {
        word.trim_end_matches('.')
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    let mut position = start;
    let mut jumps = Vec::new();
    for (i, word) in words
        .filter(|word| !word.is_empty() && !is_number(word))
        .enumerate()
    {
        let (number, text) = (i + 1, || word.to_owned());
        let holes = word.split('-').map(|name| board.hole(name));
        let holes: Vec<_> =
            holes
                .collect::<Result<_, _>>()
                .map_err(|source| NotationError::Hole {
                    number,
                    text: text(),
                    source,
                })?;
        if holes.len() < 2 {
            return Err(NotationError::Nowhere {
                number,
                text: text(),
            });
        }
        for pair in holes.windows(2) {
            let jump = board
                .jump(pair[0], pair[1])
                .ok_or_else(|| NotationError::NoJump {
                    number,
                    text: text(),
                    from: board.name_of(pair[0]),
                    to: board.name_of(pair[1]),
                    board: board.name().to_owned(),
                })?;
            if let Some(what) = obstacle(board, position, jump) {
                return Err(NotationError::Illegal {
                    number,
                    text: text(),
                    what,
                });
            }
            position = jump.after(position);
            jumps.push(jump);
        }
    }
    Ok(jumps)
}

/// Why a jump cannot be made, in words.
fn obstacle(board: &Board, position: Position, jump: Jump) -> Option<String> {
    let name = |hole| board.name_of(hole);
    if !position.has(jump.from) {
        Some(format!("there is no peg in {}", name(jump.from)))
    } else if !position.has(jump.over) {
        Some(format!(
            "there is no peg to jump over in {}",
            name(jump.over)
        ))
    } else if position.has(jump.to) {
        Some(format!("{} is not empty", name(jump.to)))
    } else {
        None
    }
}
