//! What can be asked of a search, and what cannot.

use everymove_kernel::grid::{Grid, Square};
use everymove_kernel::run::Stopped;
use thiserror::Error;

use crate::board::{Board, Kind};

/// Which tours of which board, and how to search for them.
#[derive(Clone, Debug)]
pub struct Question {
    /// The board.
    pub board: Board,
    /// Open or closed tours.
    pub kind: Kind,
    /// Only tours that start here. A closed tour passes every square and is taken to start on any.
    pub start: Option<Square>,
    /// Only open tours that end here.
    pub end: Option<Square>,
    /// How to search.
    pub method: Method,
    /// Whether counts use the symmetries of the board. Listing never does.
    pub folding: Folding,
}

/// How tours are searched for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// A path that grows from its start, every move tried: the textbook's backtracking.
    Unpruned,
    /// A path that grows from its start, given up when a square is cut off, two squares have become dead ends, or the
    /// colours of the squares do not come out.
    Pruned,
    /// Segments that grow everywhere at once, forced moves first, then where the fewest moves are possible: the fewest
    /// nodes a tour.
    #[default]
    Segments,
}

/// Whether symmetric cases are searched once or each for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Folding {
    /// Each start square and first move for itself.
    Off,
    /// One start square and first move of each class under the board's symmetries; of an open tour and its reverse, one.
    #[default]
    On,
}

/// Whether a tour and its reverse are one or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Two tours.
    Directed,
    /// One tour.
    Undirected,
}

impl Question {
    /// All tours of a kind, searched for in the best way.
    pub fn new(board: Board, kind: Kind) -> Self {
        Self {
            board,
            kind,
            start: None,
            end: None,
            method: Method::default(),
            folding: Folding::default(),
        }
    }
}

/// Why a question cannot be searched.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SearchError {
    /// The board is too large for the bit sets.
    #[error("the {grid} board has {playable} squares to visit: search takes boards of at most {max}", max = MAX_SQUARES)]
    TooLarge {
        /// The board.
        grid: Grid,
        /// Its playable squares.
        playable: usize,
    },
    /// A start or end that is a hole or not on the board.
    #[error(
        "the {which} square {square} is not one to visit on this {grid} board: name a square without a hole"
    )]
    NotPlayable {
        /// "start" or "end".
        which: &'static str,
        /// The square.
        square: String,
        /// The board.
        grid: Grid,
    },
    /// An end square for closed tours.
    #[error("a closed tour has no end square: give an end only for open tours")]
    ClosedEnd,
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The most playable squares that search takes: open tours need one vertex more in 512 bits. To visit all tours is out
/// of reach far below; to find one is not.
pub const MAX_SQUARES: usize = 511;

impl Question {
    /// The number of vertices in the search: segments of open tours have a hub besides the squares.
    pub(super) fn vertices(&self) -> usize {
        let hub = self.kind == Kind::Open && self.method == Method::Segments;
        self.board.playable() + usize::from(hub)
    }

    /// Refuses what cannot be searched.
    pub(super) fn check(&self) -> Result<(), SearchError> {
        let board = &self.board;
        let grid = board.grid();
        if board.playable() > MAX_SQUARES {
            return Err(SearchError::TooLarge {
                grid,
                playable: board.playable(),
            });
        }
        if self.kind == Kind::Closed && self.end.is_some() {
            return Err(SearchError::ClosedEnd);
        }
        for (which, square) in [("start", self.start), ("end", self.end)] {
            if let Some(square) = square.filter(|&s| s >= grid.len() || board.is_hole(s)) {
                return Err(SearchError::NotPlayable {
                    which,
                    square: grid.name(square),
                    grid,
                });
            }
        }
        Ok(())
    }
}
