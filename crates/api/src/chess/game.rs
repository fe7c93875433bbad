//! A game as it is written: a position and moves, or a PGN.

use everymove_arena::pgn::games;
use everymove_engine::{Game, Position};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Move};

use super::notation;
use crate::error::Error;

/// A game of more plies is not read.
const MOST_PLIES: usize = 2000;

/// A game as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct GameRequest {
    /// The position in Forsyth-Edwards notation, in quotes [default: the initial position]
    #[arg(long, value_name = "FEN")]
    #[serde(default)]
    pub fen: Option<String>,
    /// The moves played from there, as people or programs write them: e4 e5 g1f3
    #[arg(long, value_name = "MOVES", num_args = 1.., value_delimiter = ' ')]
    #[serde(default)]
    pub moves: Vec<String>,
    /// A game in Portable Game Notation in place of the position, before the moves
    #[arg(long, value_name = "PGN", conflicts_with = "fen")]
    #[serde(default)]
    pub pgn: Option<String>,
}

/// A game whose moves are legal.
#[derive(Clone, Debug)]
pub(super) struct CheckedGame {
    /// The position from which it starts.
    pub(super) start: Position,
    /// Its moves.
    pub(super) moves: Vec<Move>,
    /// The game after its moves.
    pub(super) game: Game,
    /// The tags of the PGN, each in a line of its own.
    pub(super) tags: String,
    /// The result of the PGN, `*` without one.
    pub(super) result: String,
}

impl GameRequest {
    /// Reads the game.
    pub(super) fn plan(&self) -> Result<CheckedGame, Error> {
        let pgn = self.pgn.as_deref().map(first_game).transpose()?;
        if pgn.is_some() && self.fen.is_some() {
            let line = "a PGN has its own position: expected fen or pgn, not both";
            return Err(Error::message(Some("fen"), line));
        }
        let (field, fen) = match &pgn {
            Some(pgn) => ("pgn", pgn.fen.as_deref()),
            None => ("fen", self.fen.as_deref()),
        };
        let start = match fen {
            Some(fen) => {
                Position::from_fen(fen, CastlingMode::Standard).map_err(Error::field(field))?
            }
            None => Position::default(),
        };
        let mut checked = CheckedGame {
            game: Game::from(start.clone()),
            start,
            moves: Vec::new(),
            tags: String::new(),
            result: "*".to_owned(),
        };
        if let Some(pgn) = pgn {
            for san in &pgn.moves {
                checked.play("pgn", &san.to_string())?;
            }
            checked.tags = pgn.tags;
            checked.result = pgn.result;
        }
        for text in &self.moves {
            checked.play("moves", text)?;
        }
        Ok(checked)
    }
}

impl CheckedGame {
    /// Plays a move of the field `field`.
    fn play(&mut self, field: &'static str, text: &str) -> Result<(), Error> {
        if self.moves.len() == MOST_PLIES {
            let line = format!("the game is longer than {MOST_PLIES} plies");
            return Err(Error::message(Some(field), line));
        }
        let position = self.game.position();
        let Some(m) = notation::read_move(position, text) else {
            let number = notation::number(position, true);
            let line = format!("{}{}: no such legal move", number, shown(text));
            return Err(Error::message(Some(field), line));
        };
        self.game.play(m);
        self.moves.push(m);
        Ok(())
    }

    /// The game in Portable Game Notation, with its result if it is over by the rules.
    pub(super) fn pgn(&self) -> String {
        let result = match self.game.termination() {
            None => self.result.as_str(),
            Some(end) => match end.winner() {
                Some(shakmaty::Color::White) => "1-0",
                Some(shakmaty::Color::Black) => "0-1",
                None => "1/2-1/2",
            },
        };
        let given = |line: &&str| !line.starts_with("[Result ") && !line.starts_with("[FEN ");
        let mut text = String::new();
        for line in self.tags.lines().filter(given) {
            text += &format!("{line}\n");
        }
        if !self.tags.contains("[Event ") {
            text += "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n";
        }
        text += &format!("[Result \"{result}\"]\n");
        if self.start.keys().all != Position::default().keys().all {
            if !self.tags.contains("[SetUp ") {
                text += "[SetUp \"1\"]\n";
            }
            text += &format!("[FEN \"{}\"]\n", self.start.fen());
        }
        text += "\n";
        let words = format!("{} {result}", notation::line(&self.start, &self.moves));
        let mut column = 0;
        for word in words.split_whitespace() {
            let wide = word.chars().count();
            let separator = match column {
                0 => "",
                _ if column + 1 + wide > 80 => "\n",
                _ => " ",
            };
            column = if separator == " " { column + 1 } else { 0 } + wide;
            text += separator;
            text += word;
        }
        text + "\n"
    }
}

/// The first game of a text.
fn first_game(text: &str) -> Result<games::PgnGame, Error> {
    let games = games::read(text.as_bytes()).map_err(Error::field("pgn"))?;
    let game = games.into_iter().next();
    game.ok_or_else(|| Error::message(Some("pgn"), "there is no game in the PGN"))
}
