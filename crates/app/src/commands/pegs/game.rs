//! Games in files: a few lines that say where the game starts, then its moves.

use std::path::Path;

use everymove_pegs::{Jump, Lattice, Problem};
use serde_json::Value;

use super::question::{EndArgs, LatticeArgs, file};
use super::show;
use crate::failure::Failure;

/// The game in words, and what it does not say itself.
#[derive(Debug, clap::Args)]
pub(crate) struct GameArgs {
    /// The game: a file that solve wrote (lines "board ...", "start ...", "finish ..." and moves such as d2-d4-f4, or a
    /// JSON object), - for standard input, or the moves themselves
    #[arg(allow_hyphen_values = true)]
    game: String,
    /// The board it was played on [default: what the game says, or english]
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    #[command(flatten)]
    lattice: LatticeArgs,
    #[command(flatten)]
    ends: EndArgs,
}

/// A game as written: nothing is known yet of its moves.
pub(crate) struct Game {
    /// Its start and finish.
    pub(crate) problem: Problem,
    /// Whether somebody said where it is to end.
    pub(crate) has_finish: bool,
    /// Its moves, separated by blanks.
    pub(crate) moves: String,
}

/// A game as text that reads back.
pub(crate) fn text(problem: &Problem, jumps: &[Jump]) -> String {
    let board = problem.board();
    // A triangle tells by its rows that it is one.
    let lattice = match (board.name(), board.lattice()) {
        ("custom", Lattice::Triangular) => "lattice triangular\n",
        _ => "",
    };
    format!(
        "board {}\n{lattice}start {}\nfinish {}\n{}",
        show::board_name(board),
        show::start_name(problem),
        show::finish_name(problem),
        show::game(board, jumps)
    )
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

impl GameArgs {
    /// The game, its start and finish checked.
    pub(crate) fn plan(&self) -> Result<Game, Failure> {
        let text = self.text()?;
        let said = match text.trim_start().starts_with('{') {
            true => Said::json(&text).ok_or_else(|| {
                Failure::Input(format!(
                    "{}: no JSON object with the fields board, start and jumps",
                    self.game
                ))
            })?,
            false => Said::lines(&text),
        };
        let board = self
            .board
            .clone()
            .or(said.board)
            .unwrap_or_else(|| "english".to_owned());
        let drawn = self.lattice.or(said.lattice).drawn(&board)?;
        let ends = self.ends.or(said.start, said.finish);
        Ok(Game {
            problem: ends.plan(&drawn)?,
            has_finish: ends.has_finish(),
            moves: said.moves,
        })
    }

    fn text(&self) -> Result<String, Failure> {
        if self.game == "-" || Path::new(&self.game).exists() {
            return file(&self.game);
        }
        let is_move = |word: &str| {
            word.contains('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if words(&self.game).next().is_some_and(is_move) {
            return Ok(self.game.clone());
        }
        Err(Failure::Input(format!(
            "cannot read {}: there is no such file, and it is no game such as 'd2-d4 b3-d3'",
            self.game
        )))
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
