//! One tour of any board that has one.
//!
//! Boards of up to a few thousand squares, with any leaper and any holes, are searched exactly: the
//! search either finds a tour, proves that there is none, or reports the limit it came to. Larger
//! knight's boards are assembled from tiles, in time linear in the number of squares and in
//! parallel, up to billions of squares.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tours::board::{Board, Kind};
//! use everymove_tours::check;
//! use everymove_tours::construct::{self, Options};
//! use everymove_tours::question::Question;
//!
//! let question = Question::new(Board::knight(200, 300)?, Kind::Closed);
//! let found = construct::find(&question, Options::default(), &Run::serial())?;
//! assert!(check::verify(&found.tour, 1)?.closed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In reading order: `hamilton` (the search, with `ranks` and `field`), `joint`, `tile`, `layout`,
//! `mosaic`, `fill`.

mod boustrophedon;
mod error;
mod field;
mod fill;
mod hamilton;
mod joint;
mod layout;
mod mosaic;
mod ranks;
mod tile;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{Run, Work};

pub use self::error::FindError;
use self::field::{Field, Search, Sweep};
use self::layout::Ends;
use self::mosaic::Mosaic;
use crate::board::{Kind, Leaper};
use crate::question::Question;
use crate::theory::{self, Existence, ExistenceError};
use crate::tour::Tour;

/// How a tour is constructed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Different seeds give different tours, equal seeds the same.
    pub seed: u64,
    /// How many nodes a search may visit before it gives up.
    pub nodes: u64,
}

impl Default for Options {
    /// Seed 0, 50 million nodes.
    fn default() -> Self {
        Self {
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
    /// Assembled from tiles.
    Tiles,
    /// Row by row in alternating directions, for pieces that move as the (0,1)-leaper does.
    Boustrophedon,
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

/// Whole boards up to this size are searched before they are tiled, or visited row by row: such
/// tours are less regular.
const SEARCHED: usize = 1600;

/// Finds one tour.
///
/// # Errors
/// [`FindError`]; see [`FindError::is_answer`].
pub fn find(question: &Question, options: Options, run: &Run) -> Result<Found, FindError> {
    let board = &question.board;
    if let Some((_, square)) = question.bad_end() {
        return Err(FindError::NoSquare { square });
    }
    let existence = theory::existence(question, run).map_err(|error| match error {
        // What comes next on a board that is examined square by square takes more.
        ExistenceError::OverBudget(over) => {
            let each = if is_row_by_row(question) {
                6
            } else {
                field::bytes_a_square(board)
            };
            let need = run.ram.used() + each * board.grid().len() as u64;
            over.at_least(need).into()
        }
        ExistenceError::Stopped(stopped) => FindError::from(stopped),
    });
    if let Existence::None(theorem) = existence? {
        return Err(FindError::Impossible(theorem));
    }
    if board.playable() == 1 {
        let order: Vec<Square> = board.squares().collect();
        let tour = Tour::from_order(board.clone(), question.kind, &order);
        return Ok(found(tour, Method::Search, 0));
    }
    let one_end = question.start.is_none() || question.end.is_none();
    if one_end
        && is_row_by_row(question)
        && let Some(found) = boustrophedon(question, run)?
    {
        return Ok(found);
    }
    if !board.holes().is_empty() || *board.leaper() != Leaper::KNIGHT {
        return search(question, options, run);
    }
    let mut nodes = 0;
    if board.playable() <= SEARCHED {
        let limit = options.nodes.min(200 * board.playable() as u64);
        let short = Options {
            nodes: limit,
            ..options
        };
        match search(question, short, run) {
            Err(FindError::Limit { nodes: spent }) => nodes = spent,
            answer => return answer,
        }
    }
    match tiles(question, options.seed, run, &mut nodes)? {
        Some(found) => Ok(found),
        None if board.playable() <= 4 * SEARCHED => search(question, options, run),
        None => Err(FindError::Ends {
            squares: board.playable(),
            limit: layout::LARGEST_ROOT,
        }),
    }
}

/// Whether the tours of the (0,1)-leaper are the answer: large boards of other pieces that move so,
/// too, take long to search.
fn is_row_by_row(question: &Question) -> bool {
    let (board, leaper) = (&question.board, question.board.leaper());
    let is_large = board.playable() > SEARCHED && leaper.is_wazir_too();
    board.holes().is_empty() && (is_large || *leaper == Leaper::WAZIR)
}

fn found(tour: Tour, method: Method, nodes: u64) -> Found {
    let mut work = Work::of("nodes", nodes);
    work.add("squares", tour.board().playable() as u64);
    Found { tour, method, work }
}

/// Exact search on the whole board.
fn search(question: &Question, options: Options, run: &Run) -> Result<Found, FindError> {
    let Question {
        board,
        kind,
        start,
        end,
    } = question;
    let bytes = field::bytes_a_square(board) * board.grid().len() as u64;
    let _room = run.ram.reserve("the search for a tour", bytes)?;
    run.progress.start("searching for a tour", 0);
    let mut field = Field::new(board, Sweep::Forward);
    match (kind, start, end) {
        (Kind::Open, _, _) => field.open(*start, *end),
        (Kind::Closed, &Some(start), &Some(end)) => field.prescribe(start, end),
        (Kind::Closed, _, _) => {}
    }
    let mut nodes = 0;
    let mut order = match field.search(options.seed, options.nodes, &run.stop, &mut nodes)? {
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

/// Rotates a closed tour so that it begins or ends on the given squares; if both are given they are
/// adjacent in it.
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

/// Assembles a whole knight's board from tiles; `None` if no layout works out.
fn tiles(
    question: &Question,
    seed: u64,
    run: &Run,
    nodes: &mut u64,
) -> Result<Option<Found>, FindError> {
    let board = &question.board;
    let grid = board.grid();
    // The numbers themselves; the plan of a board of many narrow bands takes up to a tenth of them,
    // that of one narrow band more.
    let squares = grid.len() as u64;
    let plan = match grid.rows().min(grid.cols()) {
        ..=4 => 2 * squares,
        _ => squares / 2,
    };
    let bytes = 4 * squares + plan;
    run.ram.require("a tour of this board", bytes)?;
    let both = question.start.is_some() && question.end.is_some();
    let closes = matches!(
        theory::existence_of(board, Kind::Closed, run)?,
        Existence::Exists(_)
    );
    let turns = closes && !both;
    let ends = if turns {
        Ends::Closed
    } else {
        Ends::Open {
            start: question.start.map(|square| grid.row_col(square)),
            end: question.end.map(|square| grid.row_col(square)),
        }
    };
    run.progress.start("finding tiles", 0);
    for layout in layout::layouts(grid.rows(), grid.cols(), ends, seed) {
        let Some(mosaic) = Mosaic::new(layout, run, nodes)? else {
            continue;
        };
        let step_of = |square| {
            let (row, col) = grid.row_col(square);
            mosaic.step_of(row, col)
        };
        let shift = match (turns, question.start, question.end) {
            (true, Some(start), _) => step_of(start),
            (true, None, Some(end)) => (step_of(end) + 1) % grid.len() as u64,
            _ => 0,
        };
        let steps = fill::fill(&mosaic, shift, run)?;
        let tour = Tour::from_steps(board.clone(), question.kind, steps);
        return Ok(Some(found(tour, Method::Tiles, *nodes)));
    }
    Ok(None)
}

/// The (0,1)-leaper's tour with at most one given end, or that of the king; `None` if it is not a
/// rotation of a closed tour.
fn boustrophedon(question: &Question, run: &Run) -> Result<Option<Found>, FindError> {
    let board = &question.board;
    let grid = board.grid();
    run.ram
        .require("a tour of this board", 4 * grid.len() as u64)?;
    let closes = matches!(
        theory::existence_of(board, Kind::Closed, run)?,
        Existence::Exists(_)
    );
    let is_any = question.is_free() && question.kind == Kind::Open;
    let mut steps = match (closes, is_any) {
        (true, _) => boustrophedon::closed(grid),
        (false, true) => boustrophedon::open(grid),
        (false, false) => return Ok(None),
    };
    let squares = grid.len() as u32;
    let shift = match (question.start, question.end) {
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
    let tour = Tour::from_steps(board.clone(), question.kind, steps);
    Ok(Some(found(tour, Method::Boustrophedon, 0)))
}

#[cfg(test)]
mod tests;
