//! Games as text: where the game starts, then its moves.

use std::path::Path;

use everymove_kernel::run::Run;
use everymove_kernel::text::shown;
use everymove_pegs::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::board::{EndRequest, Lattice, open, read};
use crate::error::Error;
use crate::terminal::Source;

/// A game as it is written, and what it does not say itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct GameRequest {
    /// The game: moves such as d2-d4-f4, after lines "board ...", "start ...", "finish ..." or
    /// not, or the JSON object that solve answers
    #[arg(allow_hyphen_values = true)]
    pub game: String,
    /// The board it was played on [default: what the game says, or english]
    #[arg(long, value_name = "BOARD")]
    pub board: Option<String>,
    /// The lattice [default: what the game says, or as the board suggests]
    #[arg(long, value_name = "LATTICE")]
    pub lattice: Option<Lattice>,
    /// Start and finish.
    #[command(flatten)]
    #[serde(flatten)]
    pub ends: EndRequest,
}

/// A game: its start and finish are checked, its moves are not.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its start and finish.
    pub problem: Problem,
    /// Whether it is said where it is to end.
    pub has_finish: bool,
    /// Its moves, separated by blanks.
    pub moves: String,
}

/// What a text says of a game.
#[derive(Default)]
struct Said {
    board: Option<String>,
    lattice: Option<String>,
    start: Option<String>,
    finish: Option<String>,
    moves: String,
}

impl GameRequest {
    /// The game, its start and finish checked.
    ///
    /// # Errors
    /// [`Error`] naming the field that is wrong.
    pub fn plan(&self) -> Result<Game, Error> {
        let said = match self.game.trim_start().starts_with('{') {
            true => Said::json(&self.game).ok_or_else(|| {
                let line = "no JSON object with the fields board, start and jumps";
                Error::message(Some("game"), line)
            })?,
            false => Said::lines(&self.game),
        };
        let lattice = match (self.lattice, said.lattice) {
            (Some(lattice), _) => Some(lattice),
            (None, Some(text)) => {
                let lattice: everymove_pegs::Lattice =
                    text.parse().map_err(Error::field("game"))?;
                Some(lattice.into())
            }
            (None, None) => None,
        };
        let board = self.board.clone().or(said.board);
        let drawn = read(board.as_deref().unwrap_or("english"), lattice)?;
        let ends = EndRequest {
            start: self.ends.start.clone().or(said.start),
            finish: self.ends.finish.clone().or(said.finish),
        };
        Ok(Game {
            problem: ends.plan(&drawn)?,
            has_finish: ends.finish.is_some(),
            moves: said.moves,
        })
    }
}

/// The moves of a text; numbers such as `3.` before them are passed over.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_number = |word: &&str| {
        word.trim_end_matches('.')
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    let separated = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    separated.filter(move |word| !is_number(word))
}

impl Said {
    fn lines(text: &str) -> Self {
        let mut said = Self::default();
        for line in text.lines() {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let value = || Some(value.trim().to_owned());
            match key {
                "board" => said.board = value(),
                "lattice" => said.lattice = value(),
                "start" => said.start = value(),
                "finish" => said.finish = value(),
                _ => words(line).for_each(|word| {
                    said.moves += word;
                    said.moves.push(' ');
                }),
            }
        }
        said
    }

    fn json(text: &str) -> Option<Self> {
        let object: Value = serde_json::from_str(text).ok()?;
        let field = |name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
        let jumps = object.get("jumps")?.as_array()?;
        let jumps: Option<Vec<&str>> = jumps.iter().map(Value::as_str).collect();
        Some(Self {
            board: field("board"),
            lattice: field("lattice"),
            start: field("start"),
            finish: field("finish"),
            moves: jumps?.join(" "),
        })
    }
}

/// Replaces the name of a file with a game by the text in it; moves stay.
pub(super) fn open_game(text: &mut String, run: &Run) -> Result<Source, Error> {
    if text == "-" || Path::new(&*text).exists() {
        return open(text, run);
    }
    if is_game(text) {
        return Ok(Source::default());
    }
    let line = format!(
        "cannot read {}: there is no such file, and it is no game such as 'd2-d4 b3-d3'",
        shown(text)
    );
    Err(Error::message(None, line))
}

/// Whether a text is a game: moves, lines before them, or a JSON object.
pub(super) fn is_game(text: &str) -> bool {
    let is_move = |word: &str| {
        let mut stops = word.split('-');
        stops.clone().count() > 1
            && stops.all(|stop| stop.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    text.trim_start().starts_with('{')
        || text.lines().any(|line| line.starts_with("board "))
        || text.split([' ', '\t', '\n', ',', ';']).any(is_move)
}
