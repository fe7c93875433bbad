//! Moves as people write them.

pub use everymove_arena::notation::MoveError;
use everymove_engine::transposition_table::Bound;
use everymove_engine::{FenError, Line, Position};
use shakmaty::san::SanPlus;
use shakmaty::{Color, Move, Position as _};

/// What the score of a line for White is where it is no exact one: its search was interrupted.
pub(crate) fn bound(position: &Position, line: &Line) -> Option<&'static str> {
    match (line.bound, position.turn()) {
        (Bound::Lower, Color::White) | (Bound::Upper, Color::Black) => Some("at least"),
        (Bound::Upper, Color::White) | (Bound::Lower, Color::Black) => Some("at most"),
        _ => None,
    }
}

/// The move number before a move where PGN has one: before White's moves, and before Black's if
/// `first`, which means that the move is the first of a line or follows a comment. Ends with a
/// blank.
pub fn number(position: &Position, first: bool) -> String {
    let number = position.chess().fullmoves();
    match (position.turn(), first) {
        (Color::White, _) => format!("{number}. "),
        (Color::Black, true) => format!("{number}... "),
        (Color::Black, false) => String::new(),
    }
}

/// A move in standard algebraic notation, with `+` or `#`.
pub fn san(position: &Position, m: Move) -> String {
    SanPlus::from_move(position.chess().clone(), m).to_string()
}

/// A line of moves from a position, numbered, in standard algebraic notation: `12... Nf6 13. e5`.
pub fn line(position: &Position, moves: &[Move]) -> String {
    let mut text = String::new();
    let mut now = position.clone();
    for (i, &m) in moves.iter().enumerate() {
        text += &number(&now, i == 0);
        text += &format!("{} ", san(&now, m));
        now = now.play(m);
    }
    text.trim_end().to_owned()
}

/// A line of moves from a position in UCI notation.
pub fn uci_line(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut now = position.clone();
    let texts = moves.iter().map(|&m| {
        let uci = now.uci(m);
        now = now.play(m);
        uci
    });
    texts.collect()
}

/// Reads a legal move in any form that people and programs write (`Nf3`, `O-O`, `0-0`, `e2e4`,
/// `e2-e4`, `e7-e8=Q`, `e8Q`); see [`everymove_arena::notation`].
///
/// # Errors
/// [`MoveError`] if no legal move fits, or several.
///
/// ```
/// use everymove_api::chess::notation::{read_move, san};
/// use everymove_engine::Position;
///
/// let start = Position::default();
/// for text in ["e4", "e2e4", "e2-e4", "E2-E4", "e4!?"] {
///     assert_eq!(read_move(&start, text).map(|m| san(&start, m)).as_deref(), Ok("e4"));
/// }
/// assert!(read_move(&start, "e5").is_err());
/// ```
pub fn read_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    everymove_arena::notation::read_move(position.chess(), text)
}

/// Reads a position, of Chess960 if castling is written by the files of the rooks (`HAha`).
///
/// # Errors
/// [`FenError`] if the text is no position.
pub fn read_position(fen: &str) -> Result<Position, FenError> {
    Position::from_fen(fen, everymove_arena::fen::mode(fen))
}

/// The same, with castling rights repaired ([`everymove_arena::fen::repaired`]), and what was
/// changed.
///
/// # Errors
/// [`FenError`] if more is wrong.
pub fn repaired_position(fen: &str) -> Result<(Position, Option<String>), FenError> {
    let mode = everymove_arena::fen::mode(fen);
    match everymove_arena::fen::repaired(fen, mode) {
        Some(repaired) => {
            let position = Position::from_fen(&repaired.fen, repaired.mode)?;
            Ok((position, Some(repaired.note)))
        }
        None => Ok((Position::from_fen(fen, mode)?, None)),
    }
}

/// A position, as words or after `--fen`.
#[derive(Debug, clap::Args)]
pub struct FenArgs {
    /// The position in Forsyth-Edwards notation
    #[arg(value_name = "FEN", conflicts_with = "fen")]
    position: Vec<String>,
    /// The same
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

impl FenArgs {
    /// The position, if one is given. Its words need no quotes.
    pub fn text(&self) -> Option<String> {
        match (&self.fen, &self.position[..]) {
            (Some(fen), _) => Some(fen.clone()),
            (None, []) => None,
            (None, words) => Some(words.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn moves_are_read_in_the_forms_people_write() {
        let position = Position::from_fen(
            "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1",
            CastlingMode::Standard,
        )
        .unwrap();
        for (text, expected) in [
            ("O-O", Some("O-O")),
            ("0-0-0", Some("O-O-O")),
            ("e1g1", Some("O-O")),
            ("e1-g1", Some("O-O")),
            ("b7-b8=Q", Some("b8=Q+")),
            ("b7b8n", Some("b8=N")),
            ("bxa8=R+", Some("bxa8=R+")),
            ("Ke2", Some("Ke2")),
            ("b8", None),
            ("nonsense", None),
            ("", None),
        ] {
            let found = read_move(&position, text).ok().map(|m| san(&position, m));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
