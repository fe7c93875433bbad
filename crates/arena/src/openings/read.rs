//! Openings from files.

use everymove_kernel::input::{Input, Lines};
use everymove_kernel::run::{Ram, Reservation};
use shakmaty::{CastlingMode, Chess, Position};

use crate::error::{LineError, OpeningError, OpeningsFileError};
use crate::fen::{self, Epd};
use crate::game_state::{GameState, Opening, position};
use crate::notation::read_move;
use crate::pgn::{Reader, Scope};

use super::polyglot;

/// The longest line of a file of positions or moves, in bytes.
const MOST_LINE: usize = 1 << 16;

/// The format of a file of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// A line each: a position in EPD or FEN, whose operations are ignored but for the counters; or
    /// moves, from the initial position or, as UCI writes them, from another (`fen FEN moves
    /// e2e4`).
    Lines,
    /// Games.
    Pgn,
    /// A book of Polyglot: each of its positions once, to the given number of plies or to the end
    /// of the book, moves of more weight first.
    Polyglot,
}

impl FileFormat {
    /// The format by the extension of a file's name: `.pgn` is PGN, `.bin` a book of Polyglot, all
    /// else lines.
    pub fn of_name(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        match name.rsplit_once('.') {
            Some((_, "pgn")) => Self::Pgn,
            Some((_, "bin")) => Self::Polyglot,
            _ => Self::Lines,
        }
    }
}

/// Openings that were read, in memory that is taken from the budget as long as they are held.
#[derive(Debug)]
pub struct OpeningList {
    /// The openings in the order of the file.
    pub openings: Vec<Opening>,
    /// How many had castling rights that were repaired ([`fen::repaired`]).
    pub repaired: u64,
    /// The first of those, and what was repaired.
    pub note: Option<String>,
    /// The memory of the openings.
    pub held: Reservation,
    /// Bytes of the openings so far.
    bytes: u64,
}

impl OpeningList {
    fn new(ram: &Ram) -> Result<Self, OpeningsFileError> {
        Ok(Self {
            openings: Vec::new(),
            repaired: 0,
            note: None,
            held: ram.reserve("the openings", 0)?,
            bytes: 0,
        })
    }

    fn add_note(&mut self, note: Option<String>) {
        self.repaired += u64::from(note.is_some());
        self.note = self.note.take().or(note);
    }

    pub(super) fn push(&mut self, opening: Opening) -> Result<(), OpeningsFileError> {
        // The list doubles when it grows; a move is a short text in a block of its own.
        let fen = opening.fen.as_ref().map_or(0, String::len);
        let moves = opening.moves.len() * (size_of::<String>() + 32);
        self.bytes += (2 * size_of::<Opening>() + fen + moves) as u64;
        if self.bytes > self.held.bytes() {
            self.held.resize("the openings", 2 * self.bytes)?;
        }
        self.openings.push(opening);
        Ok(())
    }
}

/// Reads openings; of each game of a PGN file, and of a book, the first `plies` plies (all if
/// `None`).
///
/// # Errors
/// [`OpeningsFileError`] saying which line or game is wrong.
pub fn read(
    input: Input,
    format: FileFormat,
    plies: Option<u32>,
    mode: CastlingMode,
) -> Result<OpeningList, OpeningsFileError> {
    let mut list = OpeningList::new(&input.run().ram)?;
    match format {
        FileFormat::Lines => lines(input, mode, &mut list)?,
        FileFormat::Pgn => games(input, plies, mode, &mut list)?,
        FileFormat::Polyglot => polyglot::read(input, plies, mode, &mut list)?,
    }
    if list.openings.is_empty() {
        return Err(OpeningsFileError::Empty);
    }
    Ok(list)
}

fn lines(
    input: Input,
    mode: CastlingMode,
    list: &mut OpeningList,
) -> Result<(), OpeningsFileError> {
    let mut lines = Lines::new(input, MOST_LINE);
    while let Some(line) = lines.next_line()? {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let opening = opening(line, mode);
        let number = lines.number();
        let opening = opening.map_err(|source| OpeningsFileError::Line { number, source });
        let (opening, note) = opening?;
        list.push(opening)?;
        list.add_note(note.map(|note| format!("line {number}: {note}")));
    }
    Ok(())
}

/// The opening of a line, and what was repaired in its position.
fn opening(line: &str, mode: CastlingMode) -> Result<(Opening, Option<String>), LineError> {
    let words: Vec<_> = line.split_whitespace().collect();
    let words = words.strip_prefix(&["position"]).unwrap_or(&words);
    let named = words.strip_prefix(&["fen"]);
    let is_moves = named.is_none() && !words.first().is_some_and(|word| word.contains('/'));
    let (fen, moves) = match named {
        _ if is_moves => (None, words.strip_prefix(&["startpos"]).unwrap_or(words)),
        Some(words) => {
            let end = words.iter().position(|&word| word == "moves");
            let (fen, moves) = words.split_at(end.unwrap_or(words.len()));
            (Some(Epd::read(&fen.join(" "))?.fen), moves)
        }
        None => (Some(Epd::read(line)?.fen), &[][..]),
    };
    let repaired = fen.as_deref().and_then(|text| fen::repaired(text, mode));
    // A position of Chess960 is refused in a match of chess.
    let repaired = repaired.filter(|repaired| repaired.mode == mode);
    let (fen, note) = match repaired {
        Some(repaired) => (Some(repaired.fen), Some(repaired.note)),
        None => (fen, None),
    };
    let mut opening = Opening {
        fen,
        moves: Vec::new(),
    };
    let mut now = match &opening.fen {
        Some(fen) => position(fen, mode)?,
        None => Chess::default(),
    };
    for (index, text) in moves
        .strip_prefix(&["moves"])
        .unwrap_or(moves)
        .iter()
        .enumerate()
    {
        let m = read_move(&now, text).map_err(|source| LineError::Move {
            ply: index + 1,
            source,
        })?;
        opening.moves.push(m.to_uci(mode).to_string());
        now.play_unchecked(m);
    }
    GameState::new(&opening, mode)?;
    Ok((opening, note))
}

fn games(
    input: Input,
    plies: Option<u32>,
    mode: CastlingMode,
    list: &mut OpeningList,
) -> Result<(), OpeningsFileError> {
    let scope = Scope::Plies(plies.map_or(usize::MAX, |plies| plies as usize));
    let mut reader = Reader::new(input);
    let mut number = 0;
    while let Some(text) = reader.next_game()? {
        number += 1;
        let wrong = |source| OpeningsFileError::Game { number, source };
        let game = text.game(scope)?;
        if game.mode == CastlingMode::Chess960 && mode == CastlingMode::Standard {
            return Err(wrong(OpeningError::Chess960));
        }
        let moves = game.main_line();
        let opening = Opening {
            fen: game.tag("FEN").map(str::to_owned),
            moves: moves.iter().map(|m| m.to_uci(mode).to_string()).collect(),
        };
        GameState::new(&opening, mode).map_err(wrong)?;
        list.push(opening)?;
        list.add_note(game.note.map(|note| format!("game {number}: {note}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use everymove_kernel::run::Run;

    use super::*;

    fn openings(
        text: &str,
        format: FileFormat,
        plies: Option<u32>,
    ) -> Result<Vec<Opening>, String> {
        let input = Input::new(
            "test",
            std::io::Cursor::new(text.to_owned()),
            &Run::serial(),
        );
        let found = read(input, format, plies, CastlingMode::Standard);
        found.map(|list| list.openings).map_err(|e| e.to_string())
    }

    #[test]
    fn positions_have_counters_or_not() {
        let text = "\n# comment\n8/8/8/8/8/4k3/4p3/4K2R w K - id \"a\";\n8/8/8/8/8/4k3/4p3/4K2R w K - 7 40\n";
        let found = openings(text, FileFormat::Lines, None).unwrap();
        assert_eq!(
            found[0].fen.as_deref(),
            Some("8/8/8/8/8/4k3/4p3/4K2R w K - 0 1")
        );
        assert_eq!(
            found[1].fen.as_deref(),
            Some("8/8/8/8/8/4k3/4p3/4K2R w K - 7 40")
        );
        let error = openings("8/8/8/8/8/8/8/8 w - - 0 1", FileFormat::Lines, None).unwrap_err();
        assert!(
            error.starts_with("line 1: '8/8/8/8/8/8/8/8 w - - 0 1' is not a position"),
            "{error}"
        );
        assert!(
            openings("", FileFormat::Lines, None)
                .unwrap_err()
                .starts_with("no openings")
        );
    }

    #[test]
    fn games_give_their_first_moves() {
        let text =
            "[White \"x\"]\n\n1. e4 {good} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1/2-1/2\n\n1. d4 *\n";
        let found = openings(text, FileFormat::Pgn, Some(3)).unwrap();
        assert_eq!(found[0].moves, ["e2e4", "e7e5", "g1f3"]);
        assert_eq!(found[1].moves, ["d2d4"]);
        let error = openings("1. e4 e5 2. Ke3 *", FileFormat::Pgn, None).unwrap_err();
        assert!(
            error.starts_with("game 1: move 2: 'Ke3' is not a legal move in"),
            "{error}"
        );
    }

    #[test]
    fn lines_may_be_moves_or_positions_with_operations() {
        let shuffled = "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w KQkq - 0 1";
        let text = "\u{feff}e2e4 e7e5 g1f3\r\nmoves d2d4\nposition startpos moves c4\n8/8/8/4k3/8/8/3r4/K6R b - - hmvc 98; fmvn 60;\n\
             fen 4k3/8/8/8/8/8/4P3/4K3 w - - 3 4 moves e4 Kd7\n4k3/8/8/8/8/8/4P3/4K3 w - - 3 4 id \"a; b\"";
        let found = openings(text, FileFormat::Lines, None).unwrap();
        let moves: Vec<_> = found
            .iter()
            .map(|opening| opening.moves.join(" "))
            .collect();
        assert_eq!(
            moves,
            ["e2e4 e7e5 g1f3", "d2d4", "c2c4", "", "e2e4 e8d7", ""]
        );
        assert_eq!(
            found[3].fen.as_deref(),
            Some("8/8/8/4k3/8/8/3r4/K6R b - - 98 60")
        );
        assert_eq!(
            found[5].fen.as_deref(),
            Some("4k3/8/8/8/8/8/4P3/4K3 w - - 3 4")
        );
        let line = format!("fen {shuffled} moves g2g3 g7g6");
        let input = || Input::new("test", std::io::Cursor::new(line.clone()), &Run::serial());
        let list = read(input(), FileFormat::Lines, None, CastlingMode::Chess960).unwrap();
        assert_eq!(list.openings[0].moves, ["g2g3", "g7g6"]);
        assert!(read(input(), FileFormat::Lines, None, CastlingMode::Standard).is_err());
        for (text, line) in [
            (
                "e2e4 e7e5 e1e3",
                "line 1: move 3: 'e1e3' is not a legal move",
            ),
            ("rubbish", "line 1: move 1: 'rubbish' is not a move"),
            (
                "8/8/8/4k3/8/8/3r4/K6R b - - id \"x",
                "line 1: the text that begins",
            ),
            (
                "8/8/8/4k3/8/8/3r4/K6R b - - hmvc 100;",
                "line 1: the game is over",
            ),
        ] {
            let error = openings(text, FileFormat::Lines, None).unwrap_err();
            assert!(error.starts_with(line), "{error}");
        }
        let game = format!("[Variant \"Chess960\"]\n[FEN \"{shuffled}\"]\n1. g3 *");
        let error = openings(&game, FileFormat::Pgn, None).unwrap_err();
        assert_eq!(error, "game 1: it is a game of Chess960: expected chess");
    }

    /// Rights without a rook are left out; a position of Chess960 is none of chess.
    #[test]
    fn castling_rights_are_repaired() {
        let no_rook = "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1";
        let shuffled = "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w KQkq - 0 1";
        let list = |text: &str, format, mode| {
            let text = std::io::Cursor::new(text.to_owned());
            read(Input::new("test", text, &Run::serial()), format, None, mode)
        };
        let (chess, chess960) = (CastlingMode::Standard, CastlingMode::Chess960);
        let text = format!(
            "# positions\n{no_rook}\n4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\nfen {no_rook} moves e1g1\n"
        );
        let found = list(&text, FileFormat::Lines, chess).unwrap();
        assert_eq!(found.repaired, 2);
        let note = "line 2: the castling rights KQ are not possible: read as K";
        assert_eq!(found.note.as_deref(), Some(note));
        let read = found.openings[2].fen.as_deref();
        assert_eq!(read, Some("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
        let found = list(no_rook, FileFormat::Lines, chess960).unwrap();
        let read = found.openings[0].fen.as_deref();
        assert_eq!(read, Some("4k3/8/8/8/8/8/8/4K2R w H - 0 1"));
        let game = format!("[FEN \"{no_rook}\"]\n1. O-O *");
        let found = list(&game, FileFormat::Pgn, chess).unwrap();
        assert!(found.note.unwrap().starts_with("game 1: the castling"));
        assert_eq!(
            list(shuffled, FileFormat::Lines, chess960)
                .unwrap()
                .repaired,
            0
        );
        assert!(list(shuffled, FileFormat::Lines, chess).is_err());
    }

    #[test]
    fn openings_are_taken_from_the_budget() {
        let run = Run::new(1, Ram::limited(1 << 20));
        let text = "8/8/8/4k3/8/8/3r4/K6R b - - 98 60\n".repeat(10_000);
        let input = Input::new("test", std::io::Cursor::new(text), &run);
        let error = read(input, FileFormat::Lines, None, CastlingMode::Standard).unwrap_err();
        assert!(matches!(error, OpeningsFileError::OverBudget(_)), "{error}");
        let long = Input::new("long", std::io::repeat(b'x').take(80 << 20), &run);
        let error = read(long, FileFormat::Pgn, None, CastlingMode::Standard).unwrap_err();
        assert!(error.to_string().contains("the budget is 1M"), "{error}");
        assert_eq!(run.ram.used(), 0);
    }
}
