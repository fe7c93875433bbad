//! How tours are searched for, and what a search takes.

use super::error::SearchError;
use crate::board::Kind;
use crate::question::Question;

/// How to search; the answer does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The order in which the moves of a tour are chosen.
    pub method: Method,
    /// Whether counts use the symmetries of the board. Listing never does.
    pub folding: Folding,
}

/// The order in which the moves of a tour are chosen, and when a partial tour is abandoned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// A path that grows from its start, every move tried: textbook backtracking.
    Unpruned,
    /// A path that grows from its start, abandoned when an unvisited square cannot be reached, when
    /// two unvisited squares have a single neighbour left, or when the numbers of unvisited
    /// squares of both colours cannot be alternated.
    Pruned,
    /// Segments that grow everywhere at once, forced moves first, then where the fewest moves are
    /// possible (Knuth's program SSHAM): the fewest nodes per tour.
    #[default]
    Segments,
}

/// Whether symmetric cases are searched once or each for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Folding {
    /// Every start square and first move is searched.
    Off,
    /// One start square and first move of each class under the board's symmetries is searched; of
    /// an open tour and its reverse, one.
    #[default]
    On,
}

/// The most playable squares that search takes: open tours need one vertex more in 512 bits.
/// Visiting all tours is infeasible on far smaller boards; finding one is not.
pub const MAX_SQUARES: usize = 511;

/// The number of vertices in the search: segments of open tours have a hub besides the squares.
pub(super) fn vertices(question: &Question, method: Method) -> usize {
    let hub = question.kind == Kind::Open && method == Method::Segments;
    question.board.playable() + usize::from(hub)
}

/// Refuses what cannot be searched.
pub(super) fn check(question: &Question) -> Result<(), SearchError> {
    let board = &question.board;
    let grid = board.grid();
    if board.playable() > MAX_SQUARES {
        return Err(SearchError::TooLarge {
            grid,
            playable: board.playable(),
        });
    }
    if question.kind == Kind::Closed && question.end.is_some() {
        return Err(SearchError::ClosedEnd);
    }
    match question.bad_end() {
        Some((which, square)) => Err(SearchError::NotPlayable {
            which,
            square: grid.name(square),
            grid,
        }),
        None => Ok(()),
    }
}
