//! The question about the tours of a board: which board, which kind of tour, which ends.

use everymove_kernel::grid::Square;

use crate::board::{Board, Kind};

/// Which tours of which board are asked for. One type for every method: search, frontier,
/// construction, theory.
///
/// ```
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::question::Question;
///
/// let question = Question::new(Board::knight(5, 6)?, Kind::Open).starting_on(0);
/// assert_eq!((question.start, question.end), (Some(0), None));
/// # Ok::<(), everymove_tours::board::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The board.
    pub board: Board,
    /// Open or closed tours.
    pub kind: Kind,
    /// Only tours whose first square this is. A closed tour visits every square and may be read
    /// from any of them.
    pub start: Option<Square>,
    /// Only tours whose last square this is.
    pub end: Option<Square>,
}

/// Whether a tour and its reverse count as one tour or as two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A tour and its reverse are two tours.
    Directed,
    /// A tour and its reverse are one tour.
    #[default]
    Undirected,
}

impl Question {
    /// All tours of a kind.
    pub fn new(board: Board, kind: Kind) -> Self {
        Self {
            board,
            kind,
            start: None,
            end: None,
        }
    }

    /// The same question, only about tours whose first square is `start`.
    pub fn starting_on(self, start: impl Into<Option<Square>>) -> Self {
        Self {
            start: start.into(),
            ..self
        }
    }

    /// The same question, only about tours whose last square is `end`.
    pub fn ending_on(self, end: impl Into<Option<Square>>) -> Self {
        Self {
            end: end.into(),
            ..self
        }
    }

    /// Whether neither end is given.
    pub fn is_free(&self) -> bool {
        self.start.is_none() && self.end.is_none()
    }

    /// The given ends, the start first.
    pub(crate) fn given_ends(&self) -> impl Iterator<Item = (Which, Square)> + use<> {
        let ends = [(Which::Start, self.start), (Which::End, self.end)];
        (ends.into_iter()).filter_map(|(which, square)| Some((which, square?)))
    }

    /// The first given end that is a hole or outside the grid.
    pub(crate) fn bad_end(&self) -> Option<(Which, Square)> {
        let on_board = |square| square < self.board.grid().len() && !self.board.is_hole(square);
        self.given_ends().find(|&(_, square)| !on_board(square))
    }
}

/// One of the two ends of a tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first square.
    Start,
    /// The last square.
    End,
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::End => "end",
        })
    }
}
