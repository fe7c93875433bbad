//! A game as it is written: a position and moves, or a PGN.

use everymove_arena::pgn::{self, Reader, Scope};
use everymove_engine::{Game, Position};
use everymove_kernel::input::Input;
use everymove_kernel::run::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{CastlingMode, Move};

use super::notation::{self, MoveError};
use crate::error::Error;

/// A game of more plies is not read.
const MOST_PLIES: usize = 2000;

/// A game as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub(super) struct GameRequest {
    /// The position in Forsyth-Edwards notation, in quotes [default: the initial position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// The moves played from there, as people or programs write them: e4 e5 g1f3
    #[arg(long, value_name = "MOVES", num_args = 1.., value_delimiter = ' ')]
    #[serde(default)]
    moves: Vec<String>,
    /// A game in Portable Game Notation in place of the position, before the moves
    #[arg(long, value_name = "PGN", conflicts_with = "fen")]
    pgn: Option<String>,
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
    /// The tags of the PGN.
    pub(super) tags: Vec<(String, String)>,
    /// The result of the PGN, `*` without one.
    pub(super) result: String,
}

impl GameRequest {
    /// Whether there is anything but the initial position.
    pub(super) fn is_given(&self) -> bool {
        self.fen.is_some() || self.pgn.is_some() || !self.moves.is_empty()
    }

    /// Reads the game.
    pub(super) fn plan(&self) -> Result<CheckedGame, Error> {
        let pgn = self.pgn.as_deref().map(first_game).transpose()?;
        if pgn.is_some() && self.fen.is_some() {
            let line = "a PGN has its own position: expected fen or pgn, not both";
            return Err(Error::message(Some("fen"), line));
        }
        let start = match (&pgn, &self.fen) {
            (Some(pgn), _) => Position::from(pgn.start.clone()),
            (None, Some(fen)) => notation::read_position(fen).map_err(Error::field("fen"))?,
            (None, None) => Position::default(),
        };
        let mut checked = CheckedGame {
            game: Game::from(start.clone()),
            start,
            moves: Vec::new(),
            tags: Vec::new(),
            result: "*".to_owned(),
        };
        if let Some(pgn) = pgn {
            for m in pgn.main_line() {
                checked.play("pgn", m)?;
            }
            checked.result = result(&pgn.result);
            checked.tags = pgn.tags;
        }
        for text in &self.moves {
            let position = checked.game.position();
            let m = notation::read_move(position, text).map_err(|error| {
                let number = notation::number(position, true);
                let line = match error {
                    MoveError::Illegal { text, .. } | MoveError::NotAMove { text } => {
                        format!("{number}{text}: no such legal move")
                    }
                    error => format!("{number}{error}"),
                };
                Error::message(Some("moves"), line)
            })?;
            checked.play("moves", m)?;
        }
        Ok(checked)
    }
}

impl CheckedGame {
    /// Plays a move of the field `field`.
    fn play(&mut self, field: &'static str, m: Move) -> Result<(), Error> {
        if self.moves.len() == MOST_PLIES {
            let line = format!("the game is longer than {MOST_PLIES} plies");
            return Err(Error::message(Some(field), line));
        }
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
        let has = |name: &str| self.tags.iter().any(|(given, _)| given == name);
        let mut text = String::new();
        for (name, value) in &self.tags {
            if !matches!(name.as_str(), "Result" | "FEN") {
                text += &tag_line(name, value);
            }
        }
        if !has("Event") {
            text += "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n";
        }
        text += &tag_line("Result", result);
        if self.start.castling_mode() == CastlingMode::Chess960 && !has("Variant") {
            text += &tag_line("Variant", "Chess960");
        }
        if self.start.keys().all != Position::default().keys().all {
            if !has("SetUp") {
                text += &tag_line("SetUp", "1");
            }
            text += &tag_line("FEN", &self.start.fen());
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

/// A tag in a line.
pub(super) fn tag_line(name: &str, value: &str) -> String {
    let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("[{name} \"{quoted}\"]\n")
}

/// A result as PGN has it: `*` for one that is unfinished or cannot be read, that after the moves for two that differ.
pub(super) fn result(written: &pgn::WrittenResult) -> String {
    let outcome = match written {
        pgn::WrittenResult::Known(outcome) => Some(*outcome),
        pgn::WrittenResult::Contradiction { marker, .. } => pgn::outcome(marker),
        _ => None,
    };
    outcome.map_or_else(|| "*".to_owned(), |outcome| outcome.to_string())
}

/// The first game of a text.
fn first_game(text: &str) -> Result<pgn::Game, Error> {
    let bytes = std::io::Cursor::new(text.to_owned());
    let input = Input::new("the PGN", bytes, &Run::checking());
    let game = Reader::new(input)
        .next_game()
        .and_then(|game| game.map(|game| game.game(Scope::Tree)).transpose());
    let game = game.map_err(Error::field("pgn"))?;
    game.ok_or_else(|| Error::message(Some("pgn"), "there is no game in the PGN"))
}
