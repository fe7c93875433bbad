//! Games as text: PGN read into tags, moves and results.

use std::io;
use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::Outcome;

/// A game as it was written; comments, variations and marks are left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The tags, a line each.
    pub(super) tags: String,
    /// The first position, if a tag names it.
    pub(super) fen: Option<String>,
    /// Not yet played: they may be illegal.
    pub(super) moves: Vec<SanPlus>,
    /// `1-0`, `*`.
    pub(super) result: String,
}

/// All games of a file.
pub(super) fn read(file: &str) -> io::Result<Vec<Written>> {
    Reader::new(file.as_bytes())
        .read_games(&mut Scribe)
        .collect()
}

struct Scribe;

impl Visitor for Scribe {
    type Tags = Written;
    type Movetext = Written;
    type Output = Written;

    fn begin_tags(&mut self) -> ControlFlow<Written, Written> {
        ControlFlow::Continue(Written {
            result: "*".into(),
            ..Written::default()
        })
    }

    fn tag(&mut self, game: &mut Written, name: &[u8], value: RawTag<'_>) -> ControlFlow<Written> {
        let (name, value) = (String::from_utf8_lossy(name), value.decode_utf8_lossy());
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        game.tags += &format!("[{name} \"{quoted}\"]\n");
        if name == "FEN" {
            game.fen = Some(value.into_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: Written) -> ControlFlow<Written, Written> {
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut Written, san: SanPlus) -> ControlFlow<Written> {
        game.moves.push(san);
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Written) -> ControlFlow<Written, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut Written, outcome: Outcome) -> ControlFlow<Written> {
        game.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Written) -> Written {
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
        let games = read(file).unwrap();
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
