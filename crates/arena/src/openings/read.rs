//! Openings from files.

use std::io::BufRead;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::CastlingMode;

use crate::error::{OpeningError, OpeningsFileError};
use crate::game_state::{GameState, Opening};

/// The format of a file of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// A position a line, in EPD or FEN; operations after the position are ignored.
    Epd,
    /// Games.
    Pgn,
}

impl FileFormat {
    /// The format by the extension of a file's name: `.pgn` is PGN, all else EPD.
    pub fn of_name(name: &str) -> Self {
        if name.to_ascii_lowercase().ends_with(".pgn") {
            Self::Pgn
        } else {
            Self::Epd
        }
    }
}

/// Reads openings; of each game of a PGN file, the first `plies` plies (all if `None`).
///
/// # Errors
/// [`OpeningsFileError`] saying which line or game is wrong.
pub fn read(
    input: impl BufRead,
    format: FileFormat,
    plies: Option<u32>,
    mode: CastlingMode,
) -> Result<Vec<Opening>, OpeningsFileError> {
    let openings = match format {
        FileFormat::Epd => positions(input, mode)?,
        FileFormat::Pgn => games(input, plies, mode)?,
    };
    if openings.is_empty() {
        return Err(OpeningsFileError::Empty);
    }
    Ok(openings)
}

fn positions(input: impl BufRead, mode: CastlingMode) -> Result<Vec<Opening>, OpeningsFileError> {
    let mut openings = Vec::new();
    for (index, line) in input.lines().enumerate() {
        let line = line?;
        let words: Vec<_> = line.split_whitespace().collect();
        if words.is_empty() || words[0].starts_with('#') {
            continue;
        }
        let counts = words
            .get(4..6)
            .filter(|c| c.iter().all(|w| w.parse::<u32>().is_ok()));
        let fen = match counts {
            Some(_) => words[..6].join(" "),
            None => format!("{} 0 1", words[..words.len().min(4)].join(" ")),
        };
        let opening = Opening {
            fen: Some(fen),
            moves: Vec::new(),
        };
        let wrong = |source| OpeningsFileError::Line {
            number: index + 1,
            source,
        };
        GameState::new(&opening, mode).map_err(wrong)?;
        openings.push(opening);
    }
    Ok(openings)
}

fn games(
    input: impl BufRead,
    plies: Option<u32>,
    mode: CastlingMode,
) -> Result<Vec<Opening>, OpeningsFileError> {
    let mut first_moves = FirstMoves {
        plies: plies.map_or(usize::MAX, |p| p as usize),
        mode,
    };
    let mut openings = Vec::new();
    for (index, game) in Reader::new(input).read_games(&mut first_moves).enumerate() {
        let number = index + 1;
        let wrong = |source| OpeningsFileError::Game { number, source };
        let opening = game?.map_err(wrong)?;
        GameState::new(&opening, mode).map_err(wrong)?;
        openings.push(opening);
    }
    Ok(openings)
}

struct FirstMoves {
    plies: usize,
    mode: CastlingMode,
}

impl Visitor for FirstMoves {
    type Tags = Opening;
    type Movetext = (GameState, Opening);
    type Output = Result<Opening, OpeningError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Opening> {
        ControlFlow::Continue(Opening::default())
    }

    fn tag(
        &mut self,
        opening: &mut Opening,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            opening.fen = Some(value.decode_utf8_lossy().into_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, opening: Opening) -> ControlFlow<Self::Output, Self::Movetext> {
        match GameState::new(&opening, self.mode) {
            Ok(state) => ControlFlow::Continue((state, opening)),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn san(
        &mut self,
        (state, opening): &mut Self::Movetext,
        san: SanPlus,
    ) -> ControlFlow<Self::Output> {
        if state.uci_moves().len() >= self.plies {
            return ControlFlow::Break(Ok(std::mem::take(opening)));
        }
        match san.san.to_move(state.position()) {
            Ok(m) => {
                state.play(m);
                opening.moves = state.uci_moves().to_vec();
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(Err(OpeningError::Move {
                text: san.to_string(),
                fen: state.fen(),
            })),
        }
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (_, opening): Self::Movetext) -> Self::Output {
        Ok(opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(
        text: &str,
        format: FileFormat,
        plies: Option<u32>,
    ) -> Result<Vec<Opening>, String> {
        read(text.as_bytes(), format, plies, CastlingMode::Standard).map_err(|e| e.to_string())
    }

    #[test]
    fn positions_have_counters_or_not() {
        let text = "\n# comment\n8/8/8/8/8/4k3/4p3/4K2R w K - id \"a\";\n8/8/8/8/8/4k3/4p3/4K2R w K - 7 40\n";
        let found = openings(text, FileFormat::Epd, None).unwrap();
        assert_eq!(
            found[0].fen.as_deref(),
            Some("8/8/8/8/8/4k3/4p3/4K2R w K - 0 1")
        );
        assert_eq!(
            found[1].fen.as_deref(),
            Some("8/8/8/8/8/4k3/4p3/4K2R w K - 7 40")
        );
        let error = openings("8/8/8/8/8/8/8/8 w - - 0 1", FileFormat::Epd, None).unwrap_err();
        assert!(
            error.starts_with("line 1: '8/8/8/8/8/8/8/8 w - - 0 1' is not a position"),
            "{error}"
        );
        assert!(
            openings("", FileFormat::Epd, None)
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
            error.starts_with("game 1: 'Ke3' is not a legal move in"),
            "{error}"
        );
    }
}
