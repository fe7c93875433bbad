//! The board and the kind of tour that a question is about.

use everymove_kernel::grid::{Grid, Square};
use everymove_kernel::pieces::NAMES;
use everymove_tours::board::{Board, Leaper};
use everymove_tours::question::{Direction, Question};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A board as it is written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct BoardRequest {
    /// The board as ROWSxCOLS, for example 8x8
    pub board: String,
    /// The piece leaps A squares one way and B the other [default: 1,2, the knight]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    pub leaper: Option<String>,
    /// The piece, where it is not a single leaper: Betza's notation, such as WF or CW, or a name,
    /// such as king
    #[arg(long, value_name = "PIECE", allow_hyphen_values = true)]
    pub piece: Option<String>,
    /// Squares that are missing, for example c3,d4
    #[arg(long, value_name = "SQUARES")]
    pub holes: Option<String>,
}

/// A board and a kind of tour as they are written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct KindRequest {
    /// The board.
    #[command(flatten)]
    #[serde(flatten)]
    pub board: BoardRequest,
    /// Tours that end a move away from their start
    #[arg(long)]
    #[serde(default)]
    pub closed: bool,
}

/// A board, a kind of tour and its ends as they are written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct QuestionRequest {
    /// The board and the kind of tour.
    #[command(flatten)]
    #[serde(flatten)]
    pub kind: KindRequest,
    /// Only tours that start here
    #[arg(long, value_name = "SQUARE")]
    pub start: Option<String>,
    /// Only open tours that end here
    #[arg(long, value_name = "SQUARE", conflicts_with = "closed")]
    pub end: Option<String>,
}

impl BoardRequest {
    /// The board, checked.
    ///
    /// # Errors
    /// [`Error`] naming the field that is wrong.
    pub fn plan(&self) -> Result<Board, Error> {
        let grid: Grid = self.board.parse().map_err(Error::field("board"))?;
        let leaper = leaper(self.leaper.as_deref(), self.piece.as_deref())?;
        let names = self.holes.iter().flat_map(|names| names.split(','));
        let holes: Result<Vec<_>, _> = names.map(|name| grid.parse_square(name.trim())).collect();
        Board::new(grid, leaper.unwrap_or(Leaper::KNIGHT))
            .with_holes(&holes.map_err(Error::field("holes"))?)
            .map_err(Error::field("holes"))
    }
}

impl KindRequest {
    /// The question about all tours of the board, checked.
    pub(super) fn question(&self) -> Result<Question, Error> {
        Ok(Question::new(self.board.plan()?, self.kind()))
    }

    /// The kind of tour.
    pub fn kind(&self) -> everymove_tours::board::Kind {
        match self.closed {
            true => everymove_tours::board::Kind::Closed,
            false => everymove_tours::board::Kind::Open,
        }
    }
}

impl QuestionRequest {
    /// The question about tours between the given ends, checked.
    ///
    /// # Errors
    /// [`Error`] naming the field that is wrong.
    pub fn plan(&self) -> Result<Question, Error> {
        let question = self.kind.question()?;
        let start = square(&question.board, "start", self.start.as_deref())?;
        let end = square(&question.board, "end", self.end.as_deref())?;
        if end.is_some() && self.kind.closed {
            let line = "a closed tour has no end square: give an end only for open tours";
            return Err(Error::message(Some("end"), line));
        }
        Ok(question.starting_on(start).ending_on(end))
    }
}

/// The piece of the fields `leaper` and `piece`, of which one may be given.
pub(super) fn leaper(leaper: Option<&str>, piece: Option<&str>) -> Result<Option<Leaper>, Error> {
    match (leaper, piece) {
        (Some(_), Some(_)) => {
            let line = "a tour has one piece: expected a leaper or a piece, not both";
            Err(Error::message(Some("piece"), line))
        }
        (Some(legs), None) => legs.parse().map(Some).map_err(Error::field("leaper")),
        (None, piece) => {
            let leaper = piece.map(Leaper::piece).transpose();
            leaper.map_err(Error::field("piece"))
        }
    }
}

/// The pieces with names that have tours, each once.
pub fn named_pieces() -> Vec<(&'static str, Leaper)> {
    let mut pieces: Vec<(&str, Leaper)> = Vec::new();
    for &(name, notation) in NAMES {
        if let Ok(leaper) = Leaper::piece(notation)
            && pieces.iter().all(|(_, known)| *known != leaper)
        {
            pieces.push((name, leaper));
        }
    }
    pieces
}

/// The direction of a request that may ask for directed tours.
pub(super) fn direction(directed: bool) -> Direction {
    match directed {
        true => Direction::Directed,
        false => Direction::Undirected,
    }
}

/// A square of a board by its name, where one is given in the field `field`.
pub(crate) fn square(
    board: &Board,
    field: &'static str,
    name: Option<&str>,
) -> Result<Option<Square>, Error> {
    let square = name.map(|name| board.parse_square(name)).transpose();
    square.map_err(Error::field(field))
}

/// Whether a tour ends a move away from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A Hamiltonian path: the last square may lie anywhere.
    Open,
    /// A Hamiltonian cycle: from the last square a move leads back to the first.
    Closed,
}

impl From<everymove_tours::board::Kind> for Kind {
    fn from(kind: everymove_tours::board::Kind) -> Self {
        match kind {
            everymove_tours::board::Kind::Open => Self::Open,
            everymove_tours::board::Kind::Closed => Self::Closed,
        }
    }
}
