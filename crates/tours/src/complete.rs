//! Whether a path on the board can be completed to a tour.

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Stopped, Work};
use thiserror::Error;

use crate::board::{Board, Kind};
use crate::question::Question;
use crate::search::{self, MAX_SQUARES, SearchError, Within};
use crate::tour::Tour;

/// Squares between two looks at the stop flag.
const STRIDE: usize = 1 << 16;

/// What became of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// It can be completed, for example to this tour.
    Possible(Tour),
    /// It cannot.
    Impossible(DeadEnd),
    /// The search did not decide it within its nodes, or the board is too large for it.
    Undecided,
}

/// Why a path cannot be completed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeadEnd {
    /// The path has visited everything, but its ends are not a move apart, or one is all that joins them.
    #[error("no move that the path has not made leads from the last square to the first")]
    NotClosed,
    /// No move leads on.
    #[error("no move leads on from {0}")]
    Stuck(String),
    /// A square cannot be reached any more.
    #[error("{0} cannot be reached any more")]
    Unreachable(String),
    /// Squares that have one way in each: only one of them can be the last.
    #[error("{0} and {1} have only one way in each, but only one square can be the last")]
    TwoDeadEnds(String, String),
    /// The free squares that are next to the first square were used up.
    #[error("no free square is a move away from the first square")]
    NoWayBack,
    /// A search has tried all possibilities.
    #[error("a search has tried all possibilities")]
    Exhausted,
}

/// What is wrong with a path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PathError {
    /// A square is a hole.
    #[error("{0} is a hole of the board")]
    Hole(String),
    /// A square occurs twice.
    #[error("{0} occurs twice")]
    Repeated(String),
    /// Two squares in a row are not a move apart.
    #[error("{0}-{1} is not a move")]
    NotAMove(String, String),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// Decides whether a path can be completed to a tour of a kind, visiting at most `most_nodes` nodes
/// of a search.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::complete::{Completion, complete};
///
/// let board = Board::knight(5, 5)?;
/// let path = [board.parse_square("a1")?, board.parse_square("b3")?];
/// let (completion, _) = complete(&board, Kind::Open, &path, 1_000_000, &Run::serial())?;
/// assert!(matches!(completion, Completion::Possible(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PathError`] if the path is none, or the run is stopped.
pub fn complete(
    board: &Board,
    kind: Kind,
    path: &[Square],
    most_nodes: u64,
    run: &Run,
) -> Result<(Completion, Work), PathError> {
    check(board, path)?;
    let finish = |order: &[Square]| Tour::from_order(board.clone(), kind, order);
    let (first, last) = match (path, board.squares().next()) {
        ([], _) | ([_], _) if kind == Kind::Closed || path.is_empty() => {
            let start = path.first().copied();
            let question = Question::new(board.clone(), kind).starting_on(start);
            return search(&question, most_nodes, run, |tour| tour);
        }
        ([first, .., last], _) => (*first, *last),
        ([only], _) => (*only, *only),
        ([], _) => return Ok((Completion::Undecided, Work::default())),
    };
    let free = board.playable() - path.len();
    if free == 0 {
        let closes = kind == Kind::Open || (path.len() > 2 && board.is_move(last, first));
        let completion = match closes {
            true => Completion::Possible(finish(path)),
            false => Completion::Impossible(DeadEnd::NotClosed),
        };
        return Ok((completion, Work::default()));
    }
    let dead = dead_end(board, kind, path, (first, last), run).map_err(SearchError::from)?;
    if let Some(dead) = dead {
        return Ok((Completion::Impossible(dead), Work::default()));
    }
    if free > MAX_SQUARES {
        return Ok((Completion::Undecided, Work::default()));
    }
    // What is left is an open tour of the board without the squares that the path has left behind.
    let visited: Vec<_> = path[..path.len() - 1].to_vec();
    let Ok(rest) = board.clone().with_holes(&visited) else {
        return Ok((Completion::Undecided, Work::default()));
    };
    let ends: Vec<Option<Square>> = match kind {
        Kind::Open => vec![None],
        Kind::Closed => {
            let ends = rest
                .squares()
                .filter(|&s| s != last && board.is_move(s, first));
            ends.map(Some).collect()
        }
    };
    let (mut work, mut decided) = (Work::default(), true);
    let each = most_nodes / ends.len().max(1) as u64;
    for end in ends {
        let question = Question::new(rest.clone(), Kind::Open).starting_on(last);
        let question = question.ending_on(end);
        let (found, cost) = search(&question, each, run, |tour| {
            let mut order = visited.clone();
            order.extend(tour.order());
            finish(&order)
        })?;
        work.merge(&cost);
        match found {
            Completion::Possible(_) => return Ok((found, work)),
            Completion::Impossible(_) => {}
            Completion::Undecided => decided = false,
        }
    }
    let completion = match decided {
        true => Completion::Impossible(DeadEnd::Exhausted),
        false => Completion::Undecided,
    };
    Ok((completion, work))
}

fn search(
    question: &Question,
    most_nodes: u64,
    run: &Run,
    finish: impl FnOnce(Tour) -> Tour,
) -> Result<(Completion, Work), PathError> {
    let (found, work) = match search::find_within(question, 0, most_nodes, run) {
        Err(SearchError::TooLarge { .. }) => (Within::Undecided, Work::default()),
        found => found?,
    };
    let completion = match found {
        Within::Found(tour) => Completion::Possible(finish(tour)),
        Within::None => Completion::Impossible(DeadEnd::Exhausted),
        Within::Undecided => Completion::Undecided,
    };
    Ok((completion, work))
}

fn check(board: &Board, path: &[Square]) -> Result<(), PathError> {
    let name = |square| board.grid().name(square);
    let mut seen = std::collections::BTreeSet::new();
    for &square in path {
        if board.is_hole(square) {
            return Err(PathError::Hole(name(square)));
        }
        if !seen.insert(square) {
            return Err(PathError::Repeated(name(square)));
        }
    }
    match path
        .windows(2)
        .find(|pair| !board.is_move(pair[0], pair[1]))
    {
        Some(pair) => Err(PathError::NotAMove(name(pair[0]), name(pair[1]))),
        None => Ok(()),
    }
}

/// A reason that shows at once: a square without a way in, or two that must both be the last.
/// `first` and `last` are the ends of the path.
fn dead_end(
    board: &Board,
    kind: Kind,
    path: &[Square],
    (first, last): (Square, Square),
    run: &Run,
) -> Result<Option<DeadEnd>, Stopped> {
    let name = |square| board.grid().name(square);
    let visited: std::collections::BTreeSet<_> = path.iter().copied().collect();
    let is_free = |square: &Square| !visited.contains(square);
    if !board.neighbours(last).any(|s| is_free(&s)) {
        return Ok(Some(DeadEnd::Stuck(name(last))));
    }
    if kind == Kind::Closed && !board.neighbours(first).any(|s| is_free(&s)) {
        return Ok(Some(DeadEnd::NoWayBack));
    }
    let mut single = None;
    for (number, square) in board.squares().filter(is_free).enumerate() {
        if number % STRIDE == 0 {
            run.stop.check()?;
        }
        // A way in or out: a free square, the head of the path, and the first square if the tour is
        // to be closed.
        let ways = board
            .neighbours(square)
            .filter(|s| is_free(s) || *s == last || (kind == Kind::Closed && *s == first));
        match ways.count() {
            0 => return Ok(Some(DeadEnd::Unreachable(name(square)))),
            1 if kind == Kind::Closed => return Ok(Some(DeadEnd::Unreachable(name(square)))),
            1 => match single {
                None => single = Some(square),
                Some(other) => {
                    return Ok(Some(DeadEnd::TwoDeadEnds(name(other), name(square))));
                }
            },
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::board::Leaper;
    use crate::check::verify;
    use crate::question::Direction;
    use crate::search::{Method, visit};

    /// There and back by one move is no closed tour.
    #[test]
    fn two_squares_have_no_closed_tour() {
        let board = Board::new("1x2".parse().unwrap(), Leaper::WAZIR);
        for (kind, is_possible) in [(Kind::Open, true), (Kind::Closed, false)] {
            let (found, _) = complete(&board, kind, &[0, 1], 100, &Run::serial()).unwrap();
            assert_eq!(matches!(found, Completion::Possible(_)), is_possible);
        }
    }

    /// Every path of up to four squares from every start, against the list of all tours.
    #[test]
    fn every_short_path_is_decided_as_the_list_of_tours_says() {
        let mut decided = [0; 2];
        for (rows, cols, kind) in [(5, 5, Kind::Open), (3, 4, Kind::Open), (5, 6, Kind::Closed)] {
            let board = Board::knight(rows, cols).unwrap();
            let mut prefixes = std::collections::BTreeSet::new();
            for start in board
                .squares()
                .take(if kind == Kind::Open { 30 } else { 1 })
            {
                let question = Question::new(board.clone(), kind).starting_on(start);
                visit(
                    &question,
                    Direction::Directed,
                    Method::Pruned,
                    &Run::serial(),
                    |order| {
                        (1..=4).for_each(|n| {
                            prefixes.insert(order[..n].to_vec());
                        });
                        ControlFlow::Continue(())
                    },
                )
                .unwrap();
            }
            let starts: Vec<_> = match kind {
                Kind::Open => board.squares().collect(),
                Kind::Closed => vec![0],
            };
            let mut paths: Vec<Vec<Square>> = starts.into_iter().map(|s| vec![s]).collect();
            while let Some(path) = paths.pop() {
                let (found, _) = complete(&board, kind, &path, 1 << 30, &Run::serial()).unwrap();
                match &found {
                    Completion::Possible(tour) => {
                        verify(tour, 1).unwrap();
                        let order = tour.order();
                        let forwards = order.starts_with(&path);
                        assert!(forwards || kind == Kind::Closed, "{path:?} {order:?}");
                    }
                    Completion::Impossible(_) => {}
                    Completion::Undecided => panic!("{path:?}"),
                }
                let possible = matches!(found, Completion::Possible(_));
                assert_eq!(possible, prefixes.contains(&path), "{path:?}");
                decided[usize::from(possible)] += 1;
                if path.len() < 4 {
                    let last = path[path.len() - 1];
                    for next in board.neighbours(last).filter(|s| !path.contains(s)) {
                        paths.push([path.as_slice(), &[next]].concat());
                    }
                }
            }
        }
        assert!(decided.iter().all(|&n| n > 100), "{decided:?}");
    }

    #[test]
    fn reasons_are_given() {
        let board = Board::knight(3, 4).unwrap();
        let squares = |text: &str| -> Vec<Square> {
            text.split('-')
                .map(|s| board.parse_square(s).unwrap())
                .collect()
        };
        let decide =
            |kind, path: &str| complete(&board, kind, &squares(path), 1000, &Run::serial());
        let Completion::Impossible(reason) = decide(Kind::Open, "a1-b3-d2").unwrap().0 else {
            panic!("a path without a completion");
        };
        assert!(!reason.to_string().is_empty());
        let large = Board::knight(2000, 2000).unwrap();
        let run = Run::serial();
        run.stop.raise();
        assert!(complete(&large, Kind::Open, &[0], 1000, &run).is_err());
        assert!(matches!(
            decide(Kind::Open, "a1-b2"),
            Err(PathError::NotAMove(..))
        ));
        assert!(matches!(
            decide(Kind::Open, "a1-c2-a1"),
            Err(PathError::Repeated(_))
        ));
    }
}
