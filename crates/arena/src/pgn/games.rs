//! Games of a PGN text: tags, moves and results.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::Outcome;

/// A game of a PGN text, without its comments, variations and annotation symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// The tags, each in a line of its own, as in PGN.
    pub tags: String,
    /// The value of the tag `White`; empty if it is missing.
    pub white: String,
    /// The value of the tag `Black`; empty if it is missing.
    pub black: String,
    /// The value of the tag `FEN`.
    pub fen: Option<String>,
    /// The moves of the main line, not checked for legality.
    pub moves: Vec<SanPlus>,
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// Reads the games of a text.
///
/// # Errors
/// What `input` reports.
pub fn read(input: impl BufRead) -> io::Result<Vec<PgnGame>> {
    Reader::new(input).read_games(&mut Collector).collect()
}

struct Collector;

impl Visitor for Collector {
    type Tags = PgnGame;
    type Movetext = PgnGame;
    type Output = PgnGame;

    fn begin_tags(&mut self) -> ControlFlow<PgnGame, PgnGame> {
        ControlFlow::Continue(PgnGame {
            result: "*".into(),
            ..PgnGame::default()
        })
    }

    fn tag(&mut self, game: &mut PgnGame, name: &[u8], value: RawTag<'_>) -> ControlFlow<PgnGame> {
        let (name, value) = (String::from_utf8_lossy(name), value.decode_utf8_lossy());
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        game.tags += &format!("[{name} \"{quoted}\"]\n");
        match &*name {
            "FEN" => game.fen = Some(value.into_owned()),
            "White" => game.white = value.into_owned(),
            "Black" => game.black = value.into_owned(),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: PgnGame) -> ControlFlow<PgnGame, PgnGame> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut PgnGame, san: SanPlus) -> ControlFlow<PgnGame> {
        game.moves.push(san);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut PgnGame) -> ControlFlow<PgnGame, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut PgnGame, outcome: Outcome) -> ControlFlow<PgnGame> {
        game.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: PgnGame) -> PgnGame {
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_read_without_their_comments() {
        let file = "[White \"a \\\"b\\\"\"]\n\n1. e4 {best; by test} e5 (1... c5 2. Nf3) 2.Nf3 $1 Nc6 1/2-1/2\n\n\
                    [FEN \"x\"]\n\n1... O-O ; to the end { of the line\n2. Kf1 *\n";
        let games = read(file.as_bytes()).unwrap();
        let moves = |i: usize| {
            games[i]
                .moves
                .iter()
                .map(SanPlus::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(games.len(), 2);
        assert_eq!(moves(0), ["e4", "e5", "Nf3", "Nc6"]);
        assert_eq!(
            (games[0].result.as_str(), games[0].tags.as_str()),
            ("1/2-1/2", "[White \"a \\\"b\\\"\"]\n")
        );
        assert_eq!(games[1].fen.as_deref(), Some("x"));
        assert_eq!((moves(1).len(), games[1].result.as_str()), (2, "*"));
    }
}
