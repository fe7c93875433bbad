//! The board and the problem that a question is about.

use std::path::Path;

use everymove_kernel::input::{Input, read_text};
use everymove_kernel::run::Run;
use everymove_kernel::text::shown;
use everymove_pegs::{Board, BoardError, DrawnBoard, Position, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::terminal::Source;

/// How the places of a board touch.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Lattice {
    /// Four directions.
    Square,
    /// Six directions.
    #[value(alias = "triangle", alias = "hex")]
    #[serde(alias = "triangle", alias = "hex")]
    Triangular,
}

impl From<Lattice> for everymove_pegs::Lattice {
    fn from(lattice: Lattice) -> Self {
        match lattice {
            Lattice::Square => Self::Square,
            Lattice::Triangular => Self::Triangular,
        }
    }
}

impl From<everymove_pegs::Lattice> for Lattice {
    fn from(lattice: everymove_pegs::Lattice) -> Self {
        match lattice {
            everymove_pegs::Lattice::Square => Self::Square,
            everymove_pegs::Lattice::Triangular => Self::Triangular,
        }
    }
}

/// A board as it is written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct BoardRequest {
    /// The board: a name such as english, or rows from the top with '/' between them (o a peg, .
    /// an empty hole, space or _ no place)
    #[arg(allow_hyphen_values = true)]
    pub board: String,
    /// The lattice [default: triangular for pyramids and rows of 1, 2, 3, ... places, otherwise
    /// square]
    #[arg(long, value_name = "LATTICE")]
    pub lattice: Option<Lattice>,
}

/// Where a game starts and where it is to end, as they are written.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct EndRequest {
    /// The hole that is empty at the start, or a position [default: the board as drawn if it is
    /// drawn with empty holes, otherwise the hole in the middle, or the first one, from which
    /// the board can be solved]
    #[arg(long, value_name = "HOLE")]
    pub start: Option<String>,
    /// The hole of the last peg, a position, or anywhere [default: the hole in the middle where
    /// the class of the start allows it, otherwise anywhere]
    #[arg(long, value_name = "HOLE")]
    pub finish: Option<String>,
}

/// A problem as it is written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct ProblemRequest {
    /// The board.
    #[command(flatten)]
    #[serde(flatten)]
    pub board: BoardRequest,
    /// Start and finish.
    #[command(flatten)]
    #[serde(flatten)]
    pub ends: EndRequest,
}

impl BoardRequest {
    /// The board, checked, with the position in which it was drawn.
    ///
    /// # Errors
    /// [`Error`] naming the field that is wrong.
    pub fn drawn(&self) -> Result<DrawnBoard, Error> {
        read(&self.board, self.lattice)
    }
}

/// A board as written, in the field `board`.
pub(super) fn read(text: &str, lattice: Option<Lattice>) -> Result<DrawnBoard, Error> {
    DrawnBoard::read(text, lattice.map(Into::into)).map_err(|error| match error {
        BoardError::OtherLattice { .. } => Error::input(Some("lattice"), error),
        error => Error::input(Some("board"), error),
    })
}

impl EndRequest {
    /// The problem on a board, checked.
    ///
    /// # Errors
    /// [`Error`] naming the field that is wrong.
    pub fn plan(&self, drawn: &DrawnBoard) -> Result<Problem, Error> {
        let start = start(&drawn.board, self.start.as_deref(), drawn.position)?;
        Problem::read_finish(&drawn.board, start, self.finish.as_deref())
            .map_err(Error::field("finish"))
    }
}

fn start(board: &Board, text: Option<&str>, drawn: Option<Position>) -> Result<Position, Error> {
    match (text, drawn) {
        (Some(text), _) => board.read_start(text).map_err(Error::field("start")),
        (None, Some(position)) => Ok(position),
        (None, None) => Ok(board.vacate(board.usual_vacancy())),
    }
}

impl ProblemRequest {
    /// The problem, checked.
    ///
    /// # Errors
    /// [`Error`] naming the field that is wrong.
    pub fn plan(&self) -> Result<Problem, Error> {
        self.ends.plan(&self.board.drawn()?)
    }
}

/// Larger files hold no board of 64 holes and no game on it.
const MAX_TEXT: u64 = 1 << 16;

/// Replaces the name of a file with a board or a position by the text in it; a name of a board and
/// rows stay.
pub fn open_board(text: &mut String, run: &Run) -> Result<Source, Error> {
    let is_file = text == "-"
        || !DrawnBoard::is_drawing(text)
            && Board::named(text).is_err()
            && Path::new(&*text).exists();
    match is_file {
        true => open(text, run),
        false => Ok(Source::default()),
    }
}

/// Replaces the name of a file by the text in it.
pub(super) fn open(text: &mut String, run: &Run) -> Result<Source, Error> {
    let name = shown(text);
    *text = text_of_file(text, run)?;
    Ok(Source(Some(name)))
}

/// The text of a file, without the lines that begin with '#'.
pub(super) fn text_of_file(name: &str, run: &Run) -> Result<String, Error> {
    let input = match name {
        "-" => Input::standard(run),
        _ => Input::open(Path::new(name), run),
    };
    let text = read_text(input?, MAX_TEXT)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}
