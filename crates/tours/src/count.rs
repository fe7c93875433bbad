//! How many tours there are: by theorem, by search or by frontier, whichever is cheapest.

use std::fmt;
use std::path::PathBuf;

use everymove_kernel::grid::Square;
use everymove_kernel::run::{OverBudget, Run, Stopped, Work};
use num_bigint::BigUint;
use thiserror::Error;

use crate::board::{Board, Kind};
use crate::columns::{self, Columns, ColumnsError};
use crate::frontier::{self, FrontierError, Scheme};
use crate::question::{Direction, Question};
use crate::search::{self, SearchError};
use crate::symmetric::{self, Classes, SymmetricError};
use crate::theory::{self, Existence, ExistenceError, Theorem};

/// On boards of up to this many squares a search is finished before a frontier has been planned.
const SEARCHED: usize = 36;

/// What to count, and how.
#[derive(Clone, Debug, Default)]
pub struct CountOptions {
    /// Whether a tour and its reverse count as one.
    pub direction: Direction,
    /// Also the directed open tours from each square; for questions without given ends.
    pub by_start: bool,
    /// Also the classes of tours under the symmetries of the board; for questions without given
    /// ends.
    pub classes: bool,
    /// Which methods may be used.
    pub method: MethodChoice,
    /// A folder where the layers of a frontier are saved, or the sums of classes, and from which a
    /// count is resumed.
    pub checkpoint: Option<PathBuf>,
    /// A folder for the layers of a frontier that do not fit the memory budget; without one, the
    /// folder `checkpoint`.
    pub work: Option<PathBuf>,
    /// The most bytes of files there; without it, half of what is free.
    pub disk: Option<u64>,
    /// Count modulo this prime below 2^31, by columns.
    pub modulus: Option<u64>,
}

/// Which methods a count may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodChoice {
    /// The cheapest.
    #[default]
    Auto,
    /// Only [`crate::search`].
    Search,
    /// Only [`crate::frontier`].
    Frontier,
    /// Only [`crate::columns`].
    Columns,
}

/// How a count was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMethod {
    /// A theorem says that there are no tours.
    Theory,
    /// Every tour was visited.
    Search,
    /// Partial tours were counted along a frontier.
    Frontier,
    /// By one transfer for all columns.
    Columns,
}

impl fmt::Display for CountMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Theory => "theory",
            Self::Search => "search",
            Self::Frontier => "frontier",
            Self::Columns => "columns",
        })
    }
}

/// How many tours there are.
#[derive(Clone, Debug)]
pub struct Count {
    /// Tours in the direction asked for; with one given end, the directed tours from there or to
    /// there.
    pub count: BigUint,
    /// How they were counted.
    pub method: CountMethod,
    /// Why in this way.
    pub method_reason: String,
    /// The theorem, where one says that there are no tours.
    pub theorem: Option<Theorem>,
    /// Directed open tours from each square of the grid, 0 for holes, if asked for.
    pub by_start: Option<Vec<BigUint>>,
    /// Classes of undirected tours, if asked for.
    pub classes: Option<Classes>,
    /// Where the layers of the frontier were, if that was the method; not of counts by start.
    pub scheme: Option<Scheme>,
    /// What it cost: `nodes`, or `blocks`, `states`, `transitions` and `peak_states`.
    pub work: Work,
}

/// Bytes that a count for each square takes, with its text in an answer.
const BYTES_A_SQUARE: u64 = 400;

/// Bytes that the plan of a count takes for each square, and a small count besides.
const BYTES_OF_A_PLAN: u64 = 600;
const LEAST_COUNT: u64 = 32 << 20;

/// Why there is no count.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CountError {
    /// Options that exclude each other.
    #[error("{0}")]
    Options(&'static str),
    /// The search failed.
    #[error(transparent)]
    Search(SearchError),
    /// The frontier failed.
    #[error(transparent)]
    Frontier(FrontierError),
    /// The count by columns failed.
    #[error(transparent)]
    Columns(ColumnsError),
    /// The symmetric tours were not counted.
    #[error(transparent)]
    Symmetric(SymmetricError),
    /// The run was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The run's memory budget is too small.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// Classes of a count that exceeds 128 bits.
    #[error("classes are counted of at most 2^128 tours")]
    TooManyForClasses,
}

impl From<ExistenceError> for CountError {
    fn from(error: ExistenceError) -> Self {
        match error {
            ExistenceError::OverBudget(over) => over.into(),
            ExistenceError::Stopped(stopped) => stopped.into(),
        }
    }
}

impl From<SearchError> for CountError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Stopped(stopped) => stopped.into(),
            SearchError::OverBudget(over) => over.into(),
            other => Self::Search(other),
        }
    }
}

impl From<FrontierError> for CountError {
    fn from(error: FrontierError) -> Self {
        match error {
            FrontierError::Stopped(stopped) => stopped.into(),
            FrontierError::OverBudget(over) => over.into(),
            other => Self::Frontier(other),
        }
    }
}

impl From<ColumnsError> for CountError {
    fn from(error: ColumnsError) -> Self {
        match error {
            ColumnsError::Stopped(stopped) => stopped.into(),
            ColumnsError::OverBudget(over) => over.into(),
            other => Self::Columns(other),
        }
    }
}

impl From<SymmetricError> for CountError {
    fn from(error: SymmetricError) -> Self {
        match error {
            SymmetricError::Stopped(stopped) => stopped.into(),
            SymmetricError::Search(error) => error.into(),
            other => Self::Symmetric(other),
        }
    }
}

/// Counts the tours that a question asks for, by the cheapest method that the options allow.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_tours::board::{Board, Kind};
/// use everymove_tours::question::Question;
/// use everymove_tours::{CountMethod, CountOptions, count};
///
/// let question = Question::new(Board::knight(6, 7)?, Kind::Closed);
/// let answer = count(&question, &CountOptions::default(), &Run::serial())?;
/// assert_eq!(answer.count, 1_067_638u32.into());
/// assert_eq!(answer.method, CountMethod::Frontier);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CountError`]: options that exclude each other, a question that the method does not take, stopped, or over the
/// memory budget.
pub fn count(question: &Question, options: &CountOptions, run: &Run) -> Result<Count, CountError> {
    check(question, options)?;
    let squares = question.board.grid().len() as u64;
    let each = if options.by_start { BYTES_A_SQUARE } else { 0 };
    let counts = (run.ram).reserve("a count for each square", squares * each);
    let _counts = counts.map_err(|over| {
        let need = over
            .need
            .saturating_add(squares * BYTES_OF_A_PLAN + LEAST_COUNT);
        over.at_least(need)
    })?;
    let mut counted = match choose(question, options, run)? {
        Choice::Columns => by_columns(question, options, run)?,
        Choice::Theory(theorem) => none(question, options, theorem),
        Choice::Search(reason) => by_search(question, options, reason, run)?,
        Choice::Frontier(reason) => by_frontier(question, options, reason, run)?,
    };
    if options.classes {
        let total = match options.direction {
            Direction::Directed => undirected(counted.count.clone(), question),
            Direction::Undirected => counted.count.clone(),
        };
        let total = u128::try_from(&total).map_err(|_| CountError::TooManyForClasses)?;
        let classes = symmetric::classes(&question.board, question.kind, total, run)?;
        counted.work.merge(&classes.work);
        counted.classes = Some(classes);
    }
    Ok(counted)
}

/// Refuses options that exclude each other.
fn check(question: &Question, options: &CountOptions) -> Result<(), CountError> {
    let refusal = if options.by_start && question.kind == Kind::Closed {
        "closed tours start on every square: only open tours are counted by start"
    } else if options.by_start && (options.checkpoint.is_some() || options.work.is_some()) {
        "counts by start have no checkpoints"
    } else if (options.by_start || options.classes) && !question.is_free() {
        "tours with given ends are counted neither by start nor by class"
    } else if options.method == MethodChoice::Search && options.checkpoint.is_some() {
        "a search has no checkpoints: only the frontier method saves its state"
    } else if (options.modulus.is_some() || options.method == MethodChoice::Columns)
        && !takes_columns(question, options)
    {
        "only whole boards without holes and without ends are counted by columns and modulo a prime, and neither by start, by class nor with a checkpoint"
    } else {
        return Ok(());
    };
    Err(CountError::Options(refusal))
}

/// Whether the transfer of columns answers such a question.
fn takes_columns(question: &Question, options: &CountOptions) -> bool {
    let is_whole = question.is_free() && question.board.holes().is_empty();
    let is_plain = !options.by_start && !options.classes && options.checkpoint.is_none();
    is_whole && is_plain
}

/// Longer boards of few rows are counted by columns: the frontier counts all columns anew for each
/// board.
const LONG: usize = 100;

/// Squares of a state by columns up to which that is done unasked: five rows of a knight.
const FEW_SQUARES: usize = 12;

/// The rows and the columns of a board that lies on its longer side.
fn lying(board: &Board) -> (usize, u64) {
    let (rows, columns) = (board.grid().rows(), board.grid().cols());
    (rows.min(columns), rows.max(columns) as u64)
}

enum Choice {
    Columns,
    Theory(Theorem),
    Search(&'static str),
    Frontier(&'static str),
}

/// The method for a question: a theorem costs nothing; small boards are searched in less time than
/// a frontier takes to plan; the frontier's time grows with the narrow side of the board, a
/// search's with the number of tours.
fn choose(question: &Question, options: &CountOptions, run: &Run) -> Result<Choice, CountError> {
    if options.modulus.is_some() {
        return Ok(Choice::Columns);
    }
    match options.method {
        MethodChoice::Columns => return Ok(Choice::Columns),
        MethodChoice::Search => return Ok(Choice::Search("asked for")),
        MethodChoice::Frontier => return Ok(Choice::Frontier("asked for")),
        MethodChoice::Auto => {}
    }
    if question.bad_end().is_none()
        && let Existence::None(theorem) = theory::existence(question, run)?
    {
        return Ok(Choice::Theory(theorem));
    }
    let both = question.start.is_some() && question.end.is_some();
    let board = &question.board;
    let (rows, columns) = lying(board);
    if columns as usize >= LONG
        && takes_columns(question, options)
        && Columns::squares(rows, board.leaper()) <= FEW_SQUARES
    {
        return Ok(Choice::Columns);
    }
    Ok(
        if board.playable() <= SEARCHED && has_few_tours(board, FEW_OF_A_FRONTIER) {
            Choice::Search("a search of at most 36 squares is the quickest")
        } else if both || question.kind == Kind::Closed && question.end.is_some() {
            Choice::Search("only a search takes both ends")
        } else if frontier::is_too_wide(board) && has_few_tours(board, FEW_TOURS) {
            Choice::Search("the board is too wide for a frontier, and has few tours by estimate")
        } else {
            Choice::Frontier("a search would visit every tour; the frontier counts without listing")
        },
    )
}

/// Searches that are estimated to visit more tours than this are not begun unasked.
const FEW_TOURS: f64 = 1e9;

/// A search of more tours than this, by the same estimate, is slower than the frontier of a small
/// board.
const FEW_OF_A_FRONTIER: f64 = 1e8;

/// Larger boards are not searched unasked: a search lays their squares out.
const MOST_SQUARES: usize = 4096;

/// Whether a board of n squares with d moves from a square on average has at most `few` tours by
/// the estimate (d/e)^n, which is that of random graphs.
fn has_few_tours(board: &Board, few: f64) -> bool {
    let grid = board.grid();
    let within = |side: usize, leap: i64| (side as u64).saturating_sub(leap.unsigned_abs()) as f64;
    let leaps = board.leaper().leaps().into_iter();
    let all: f64 = leaps
        .map(|(row, col)| within(grid.rows(), row) * within(grid.cols(), col))
        .sum();
    let holes = board.holes().iter();
    let lost: usize = holes.map(|&hole| 2 * board.neighbours(hole).count()).sum();
    let squares = board.playable() as f64;
    let logarithm = squares * ((all - lost as f64) / squares / std::f64::consts::E).ln();
    board.playable() <= MOST_SQUARES && logarithm <= few.ln()
}

fn none(question: &Question, options: &CountOptions, theorem: Theorem) -> Count {
    let squares = question.board.grid().len();
    Count {
        count: BigUint::ZERO,
        method: CountMethod::Theory,
        method_reason: "a theorem answers without counting".to_owned(),
        theorem: Some(theorem),
        by_start: (options.by_start).then(|| vec![BigUint::ZERO; squares]),
        classes: None,
        scheme: None,
        work: Work::default(),
    }
}

fn by_search(
    question: &Question,
    options: &CountOptions,
    reason: &str,
    run: &Run,
) -> Result<Count, CountError> {
    let counted = search::count(question, search::Options::default(), run)?;
    let count = match options.direction {
        Direction::Undirected if has_reverses(question) => counted.undirected(),
        _ => counted.directed,
    };
    let by_start = || counted.by_start.iter().map(|&n| n.into()).collect();
    Ok(Count {
        count: count.into(),
        method: CountMethod::Search,
        method_reason: reason.to_owned(),
        theorem: None,
        by_start: options.by_start.then(by_start),
        classes: None,
        scheme: None,
        work: counted.work,
    })
}

fn by_columns(question: &Question, options: &CountOptions, run: &Run) -> Result<Count, CountError> {
    let (rows, columns) = lying(&question.board);
    let transfer = Columns::new(rows, question.board.leaper(), question.kind, run)?;
    let (undirected, reason) = match options.modulus {
        None => {
            let reason = "one transfer for all columns, modulo primes".to_owned();
            (transfer.count(columns, run)?, reason)
        }
        Some(modulus) => {
            let (count, order) = transfer.count_modulo(columns, modulus, run)?;
            let reason = match order {
                None => "one transfer for all columns".to_owned(),
                Some(order) => format!(
                    "by the linear recurrence of order {order} that the first {} terms obey",
                    2 * order + columns::MORE_TERMS
                ),
            };
            (count.into(), reason)
        }
    };
    let directed = match options.direction {
        Direction::Directed => undirected * 2u32,
        Direction::Undirected => undirected,
    };
    Ok(Count {
        count: options
            .modulus
            .map_or(directed.clone(), |modulus| directed % modulus),
        method: CountMethod::Columns,
        method_reason: reason,
        theorem: None,
        by_start: None,
        classes: None,
        scheme: None,
        work: Work::of("transitions", transfer.transitions() as u64),
    })
}

fn by_frontier(
    question: &Question,
    options: &CountOptions,
    reason: &str,
    run: &Run,
) -> Result<Count, CountError> {
    let board = &question.board;
    let (directed, by_start, scheme, work) = if options.by_start {
        let (counts, work) = frontier::by_start(board, run)?;
        let sum = counts.iter().map(|(_, count)| count).sum();
        (sum, Some(every_square(question, counts)), None, work)
    } else {
        let options = frontier::Options {
            checkpoint: options.checkpoint.clone(),
            work: options.work.clone(),
            disk: options.disk,
        };
        let counted = frontier::count(question, &options, run)?;
        // The tour of a single square is its own reverse.
        let both = u32::from(has_reverses(question) && board.playable() > 1);
        (
            counted.undirected << both,
            None,
            Some(counted.scheme),
            counted.work,
        )
    };
    let count = match options.direction {
        Direction::Undirected if has_reverses(question) => undirected(directed, question),
        _ => directed,
    };
    let reason = match scheme {
        None | Some(Scheme::Whole) => reason.to_owned(),
        Some(scheme) => format!("{reason}; {scheme}, since whole layers do not fit the memory"),
    };
    Ok(Count {
        count,
        method: CountMethod::Frontier,
        method_reason: reason,
        theorem: None,
        by_start,
        classes: None,
        scheme,
        work,
    })
}

/// Whether the reverse of each tour in question is in question, too: not of open tours with a given
/// end.
fn has_reverses(question: &Question) -> bool {
    question.kind == Kind::Closed || question.is_free()
}

/// Counts of the playable squares as counts of all squares of the grid.
fn every_square(question: &Question, counts: Vec<(Square, BigUint)>) -> Vec<BigUint> {
    let mut all = vec![BigUint::ZERO; question.board.grid().len()];
    for (square, count) in counts {
        all[square] = count;
    }
    all
}

fn undirected(directed: BigUint, question: &Question) -> BigUint {
    if question.board.playable() == 1 {
        directed
    } else {
        directed / 2u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Leaper;

    fn answer(question: &Question, options: &CountOptions) -> Count {
        count(question, options, &Run::serial()).unwrap()
    }

    #[test]
    fn a_count_for_each_square_of_a_large_board_needs_its_memory() {
        use everymove_kernel::run::Ram;

        let question = Question::new(Board::knight(1, 1_000_000).unwrap(), Kind::Open);
        let options = CountOptions {
            by_start: true,
            ..CountOptions::default()
        };
        let run = Run::new(1, Ram::limited(64 << 20));
        let refused = count(&question, &options, &run);
        assert!(matches!(refused, Err(CountError::OverBudget(_))));
        let without = count(&question, &CountOptions::default(), &run).unwrap();
        assert_eq!(without.count, BigUint::ZERO);
    }

    #[test]
    fn every_choice_of_method_gives_the_same_counts() {
        let holed = Board::knight(5, 6).unwrap().with_holes(&[8]).unwrap();
        let mut questions = vec![
            Question::new(Board::knight(5, 5).unwrap(), Kind::Open),
            Question::new(Board::knight(6, 6).unwrap(), Kind::Closed),
            Question::new(Board::knight(1, 1).unwrap(), Kind::Open),
            Question::new(Board::knight(4, 4).unwrap(), Kind::Open),
            Question::new(holed, Kind::Open),
            Question::new(Board::knight(5, 6).unwrap(), Kind::Closed).starting_on(7),
        ];
        let ends = Question::new(Board::knight(5, 6).unwrap(), Kind::Open);
        questions.push(ends.clone().starting_on(3));
        questions.push(ends.ending_on(3));
        for question in &questions {
            for direction in [Direction::Directed, Direction::Undirected] {
                let of = |method| CountOptions {
                    direction,
                    method,
                    ..CountOptions::default()
                };
                let auto = answer(question, &of(MethodChoice::Auto));
                for method in [MethodChoice::Search, MethodChoice::Frontier] {
                    let other = answer(question, &of(method));
                    assert_eq!(other.count, auto.count, "{question:?} {direction:?}");
                }
            }
        }
    }

    #[test]
    fn the_choice_and_its_reason_are_reported() {
        let method = |rows, cols, kind| {
            let question = Question::new(Board::knight(rows, cols).unwrap(), kind);
            answer(&question, &CountOptions::default()).method
        };
        assert_eq!(method(7, 7, Kind::Closed), CountMethod::Theory);
        assert_eq!(method(5, 6, Kind::Closed), CountMethod::Search);
        assert_eq!(method(6, 7, Kind::Closed), CountMethod::Frontier);
        let both = Question::new(Board::knight(4, 10).unwrap(), Kind::Open)
            .starting_on(0)
            .ending_on(30);
        let counted = answer(&both, &CountOptions::default());
        assert_eq!(counted.method, CountMethod::Search);
        assert_eq!(counted.method_reason, "only a search takes both ends");
    }

    #[test]
    fn boards_too_wide_for_a_frontier_are_searched_if_they_have_few_tours() {
        let grid = everymove_kernel::grid::Grid::new(8, 8).unwrap();
        let giraffe = Board::new(grid, Leaper::new(1, 4).unwrap());
        let counted = answer(
            &Question::new(giraffe, Kind::Closed),
            &CountOptions::default(),
        );
        assert_eq!(
            (counted.count, counted.method),
            (BigUint::ZERO, CountMethod::Search)
        );
        let many = Question::new(Board::knight(12, 12).unwrap(), Kind::Closed);
        let refused = count(&many, &CountOptions::default(), &Run::serial()).unwrap_err();
        assert!(refused.to_string().contains("only a search"), "{refused}");
    }

    #[test]
    fn options_that_exclude_each_other_are_refused() {
        let closed = Question::new(Board::knight(6, 6).unwrap(), Kind::Closed);
        let open = Question::new(Board::knight(6, 6).unwrap(), Kind::Open);
        let by_start = CountOptions {
            by_start: true,
            ..CountOptions::default()
        };
        let classes = CountOptions {
            classes: true,
            ..CountOptions::default()
        };
        let saved = CountOptions {
            method: MethodChoice::Search,
            checkpoint: Some("folder".into()),
            ..CountOptions::default()
        };
        for (question, options) in [
            (&closed, &by_start),
            (&open.clone().starting_on(0), &by_start),
            (&open.clone().starting_on(0), &classes),
            (&open, &saved),
        ] {
            let error = count(question, options, &Run::serial()).unwrap_err();
            assert!(matches!(error, CountError::Options(_)), "{error}");
        }
    }
}
