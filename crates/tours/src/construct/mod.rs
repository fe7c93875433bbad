//! One tour of any board that has one.
//!
//! Boards of up to a few thousand squares, with any leaper and any holes, are searched exactly: the search either finds a
//! tour, proves that there is none, or reports the limit it came to. Larger knight's boards are put together from tiles,
//! in time linear in the number of squares and in parallel, up to billions of squares.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tours::board::{Board, Kind};
//! use everymove_tours::check;
//! use everymove_tours::construct::{self, Request};
//!
//! let request = Request::new(Board::knight(200, 300)?, Kind::Closed);
//! let found = construct::find(&request, &Run::serial())?;
//! assert!(check::verify(&found.tour, 1)?.closed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order: `hamilton` (the search, with `ranks` and `field`), `joint`, `tile`, `layout`, `mosaic`, `fill`.

mod field;
mod fill;
mod furrows;
mod hamilton;
mod joint;
mod layout;
mod mosaic;
mod ranks;
mod tile;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Run, Stopped, Work};
use thiserror::Error;

use self::field::{Field, Search, Sweep};
use self::layout::Ends;
use self::mosaic::Mosaic;
use crate::board::{Board, Kind, Leaper};
use crate::theory::{self, Theorem, Verdict};
use crate::tour::Tour;

/// A tour that is wanted.
#[derive(Clone, Debug)]
pub struct Request {
    /// The board.
    pub board: Board,
    /// Open or closed.
    pub kind: Kind,
    /// Where it is to begin.
    pub start: Option<Square>,
    /// Where it is to end.
    pub end: Option<Square>,
    /// Other seeds give other tours, equal seeds the same.
    pub seed: u64,
    /// How many nodes a search may take before it gives up.
    pub nodes: u64,
}

impl Request {
    /// Any tour of a board.
    pub fn new(board: Board, kind: Kind) -> Self {
        Self {
            board,
            kind,
            start: None,
            end: None,
            seed: 0,
            nodes: 50_000_000,
        }
    }
}

/// How a tour was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By exact search on the whole board.
    Search,
    /// Put together from tiles.
    Tiles,
    /// Row by row, for the (0,1)-leaper.
    Furrows,
}

/// A tour with what it cost.
#[derive(Clone, Debug)]
pub struct Found {
    /// The tour.
    pub tour: Tour,
    /// How it was found.
    pub method: Method,
    /// `nodes` of search and `squares` numbered.
    pub work: Work,
}

/// Why there is no tour to be had.
#[derive(Debug, Error)]
pub enum FindError {
    /// A theorem says that there is none.
    #[error("there is no such tour: {0}")]
    Impossible(Theorem),
    /// The whole search space was gone through.
    #[error("there is no such tour: the search went through all possibilities ({nodes} nodes)")]
    Exhausted {
        /// The nodes it took.
        nodes: u64,
    },
    /// The search was given up.
    #[error(
        "no tour was found within {nodes} nodes of search, which does not say that there is none"
    )]
    Limit {
        /// The nodes spent.
        nodes: u64,
    },
    /// The given ends are not brought together by any layout that was tried.
    #[error(
        "no tour with these ends was found: on a board of {squares} squares they must fit into a rectangle of at most {limit} squares, and a search there failed or was not possible"
    )]
    Ends {
        /// The squares of the board.
        squares: usize,
        /// The squares of the largest rectangle.
        limit: usize,
    },
    /// An end that is a hole or outside.
    #[error("square number {square} is not on this board: an end must be one of its squares")]
    NoSquare {
        /// The square.
        square: Square,
    },
    /// It does not fit the memory budget.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// It was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl FindError {
    /// Whether this is a sound answer, "no such tour", and no failure.
    pub fn is_answer(&self) -> bool {
        matches!(self, Self::Impossible(_) | Self::Exhausted { .. })
    }
}

/// Whole knight's boards up to this size are searched before they are tiled: such tours are less regular.
const SEARCHED: usize = 1600;

/// Finds one tour.
///
/// # Errors
/// [`FindError`]; see [`FindError::is_answer`].
pub fn find(request: &Request, run: &Run) -> Result<Found, FindError> {
    let board = &request.board;
    let ends = theory::Ends {
        start: request.start,
        end: request.end,
    };
    let mut given = [ends.start, ends.end].into_iter().flatten();
    if let Some(square) = given.find(|&end| end >= board.grid().len() || board.is_hole(end)) {
        return Err(FindError::NoSquare { square });
    }
    if let Verdict::None(theorem) = theory::existence_between(board, request.kind, ends) {
        return Err(FindError::Impossible(theorem));
    }
    if board.playable() == 1 {
        let order: Vec<Square> = board.squares().collect();
        let tour = Tour::from_order(board.clone(), request.kind, &order);
        return Ok(found(tour, Method::Search, 0));
    }
    let whole = board.holes().is_empty();
    let one_end = ends.start.is_none() || ends.end.is_none();
    if whole
        && one_end
        && board.leaper() == Leaper::WAZIR
        && let Some(found) = furrows(request, run)?
    {
        return Ok(found);
    }
    if !whole || board.leaper() != Leaper::KNIGHT {
        return search(request, request.nodes, run);
    }
    let mut nodes = 0;
    if board.playable() <= SEARCHED {
        let limit = request.nodes.min(200 * board.playable() as u64);
        match search(request, limit, run) {
            Err(FindError::Limit { nodes: spent }) => nodes = spent,
            answer => return answer,
        }
    }
    match tiles(request, run, &mut nodes)? {
        Some(found) => Ok(found),
        None if board.playable() <= 4 * SEARCHED => search(request, request.nodes, run),
        None => Err(FindError::Ends {
            squares: board.playable(),
            limit: layout::LARGEST_ROOT,
        }),
    }
}

fn found(tour: Tour, method: Method, nodes: u64) -> Found {
    let mut work = Work::of("nodes", nodes);
    work.add("squares", tour.board().playable() as u64);
    Found { tour, method, work }
}

/// Exact search on the whole board.
fn search(request: &Request, limit: u64, run: &Run) -> Result<Found, FindError> {
    let Request {
        board,
        kind,
        start,
        end,
        seed,
        ..
    } = request;
    let bytes = field::BYTES_A_SQUARE * board.grid().len() as u64;
    let _room = run.ram.reserve("the search for a tour", bytes)?;
    run.progress.start("searching for a tour", 0);
    let mut field = Field::new(board, Sweep::Forward);
    match (kind, start, end) {
        (Kind::Open, _, _) => field.open(*start, *end),
        (Kind::Closed, &Some(start), &Some(end)) => field.prescribe(start, end),
        (Kind::Closed, _, _) => {}
    }
    let mut nodes = 0;
    let mut order = match field.search(*seed, limit, &run.stop, &mut nodes)? {
        Search::Found(order) => order,
        Search::Nothing => return Err(FindError::Exhausted { nodes }),
        Search::Limit => return Err(FindError::Limit { nodes }),
    };
    run.progress.worked(nodes);
    if *kind == Kind::Closed {
        turn(&mut order, *start, *end);
    }
    let tour = Tour::from_order(board.clone(), *kind, &order);
    Ok(found(tour, Method::Search, nodes))
}

/// Lets a closed tour begin or end where it is to; if both are given they are neighbours in it.
fn turn(order: &mut [Square], start: Option<Square>, end: Option<Square>) {
    let place = |order: &[Square], square| order.iter().position(|&s| s == square).unwrap_or(0);
    let last = order.len() - 1;
    if let Some(start) = start {
        order.rotate_left(place(order, start));
        if end.is_some_and(|end| order[last] != end) {
            order[1..].reverse();
        }
    } else if let Some(end) = end {
        order.rotate_left((place(order, end) + 1) % order.len());
    }
}

/// Puts a whole knight's board together; `None` if no layout works out.
fn tiles(request: &Request, run: &Run, nodes: &mut u64) -> Result<Option<Found>, FindError> {
    let board = &request.board;
    let grid = board.grid();
    // The numbers themselves; the plan of a board of many narrow bands takes up to a tenth of that.
    let bytes = 4 * grid.len() as u64 + grid.len() as u64 / 2;
    run.ram.require("a tour of this board", bytes)?;
    let both = request.start.is_some() && request.end.is_some();
    let closes = matches!(theory::existence(board, Kind::Closed), Verdict::Exists(_));
    let turns = closes && !both;
    let ends = if turns {
        Ends::Closed
    } else {
        Ends::Open {
            start: request.start.map(|square| grid.row_col(square)),
            end: request.end.map(|square| grid.row_col(square)),
        }
    };
    run.progress.start("finding tiles", 0);
    for layout in layout::layouts(grid.rows(), grid.cols(), ends, request.seed) {
        let Some(mosaic) = Mosaic::new(layout, run, nodes)? else {
            continue;
        };
        let step_of = |square| {
            let (row, col) = grid.row_col(square);
            mosaic.step_of(row, col)
        };
        let shift = match (turns, request.start, request.end) {
            (true, Some(start), _) => step_of(start),
            (true, None, Some(end)) => (step_of(end) + 1) % grid.len() as u64,
            _ => 0,
        };
        let steps = fill::fill(&mosaic, shift, run)?;
        let tour = Tour::from_steps(board.clone(), request.kind, steps);
        return Ok(Some(found(tour, Method::Tiles, *nodes)));
    }
    Ok(None)
}

/// The (0,1)-leaper's tour with at most one given end; `None` if it is not had by beginning a closed tour there.
fn furrows(request: &Request, run: &Run) -> Result<Option<Found>, FindError> {
    let board = &request.board;
    let grid = board.grid();
    run.ram
        .require("a tour of this board", 4 * grid.len() as u64)?;
    let closes = matches!(theory::existence(board, Kind::Closed), Verdict::Exists(_));
    let free = request.start.is_none() && request.end.is_none();
    let mut steps = match (closes, free) {
        (true, _) => furrows::closed(grid),
        (false, true) => furrows::open(grid),
        (false, false) => return Ok(None),
    };
    let squares = grid.len() as u32;
    let shift = match (request.start, request.end) {
        (Some(start), _) => steps[start],
        (None, Some(end)) => (steps[end] + 1) % squares,
        (None, None) => 0,
    };
    for step in &mut steps {
        *step = if *step >= shift {
            *step - shift
        } else {
            *step + (squares - shift)
        };
    }
    let tour = Tour::from_steps(board.clone(), request.kind, steps);
    Ok(Some(found(tour, Method::Furrows, 0)))
}

#[cfg(test)]
mod tests;
