//! Enumeration: every tour visited, by depth-first search on bit sets, on boards of up to 511
//! playable squares.
//!
//! Three methods give the same tours ([`Method`]); any number of threads gives the same answer and
//! the same number of nodes. For counts alone, [`Folding`] searches only one of several symmetric
//! cases.
//!
//! ```
//! use everymove_kernel::run::Run;
//! use everymove_tours::board::{Board, Kind};
//! use everymove_tours::question::Question;
//! use everymove_tours::search::{self, Options};
//!
//! let question = Question::new(Board::knight(5, 5)?, Kind::Open);
//! let count = search::count(&question, Options::default(), &Run::serial())?;
//! assert_eq!(count.directed, 1728);
//! assert_eq!(count.by_start[0], 304); // from the corner a1
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod cases;
mod count;
mod error;
pub(crate) mod explore;
pub(crate) mod graph;
pub(crate) mod list;
mod options;
mod paths;
pub(crate) mod segments;
pub(crate) mod sink;
#[cfg(test)]
mod tests;
pub(crate) mod word;

use std::ops::ControlFlow;

use everymove_kernel::grid::Square;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stopped, Work};

pub use error::SearchError;
pub use options::{Folding, MAX_SQUARES, Method, Options};

use crate::board::Kind;
use crate::question::{Direction, Question};
use crate::tour::Tour;
use cases::{Cases, Limits};
use count::ByClass;
use explore::score_all;
use graph::Graph;
use list::{Lister, directed_cases};
use options::{check, vertices};
use paths::{Paths, Pruned, Unpruned};
use segments::Growth;
use word::{Wide, Word};

/// How many tours there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Directed tours from every start in question; a closed tour counts once in each direction,
    /// not for each start.
    pub directed: u64,
    /// Directed tours that start on each square of the grid, 0 for holes and starts not asked for.
    /// A closed tour starts on any of its squares.
    pub by_start: Vec<u64>,
    /// `nodes` visited.
    pub work: Work,
}

impl Count {
    /// Tours with both directions taken for one, for questions about all tours of a board: with a
    /// start or an end given, each open tour is there in one direction as it is.
    pub fn undirected(&self) -> u64 {
        self.directed.div_ceil(2)
    }
}

/// Counts the tours that a question asks for.
///
/// # Errors
/// [`SearchError`] if the question makes no sense or the run is stopped.
pub fn count(question: &Question, options: Options, run: &Run) -> Result<Count, SearchError> {
    check(question)?;
    match vertices(question, options.method) {
        ..=64 => count_on::<u64>(question, options, run),
        65..=128 => count_on::<u128>(question, options, run),
        _ => count_on::<Wide>(question, options, run),
    }
}

/// Hands each tour to `visitor` as its squares in order, until that breaks; the tours come in an
/// order that depends on the question alone: lexicographic for a growing path, arbitrary for
/// segments.
///
/// A closed tour starts on `question.start`, or on the first square of the board. An undirected
/// open tour starts on the smaller of its two ends, unless the question names one. Runs on the
/// caller's thread.
///
/// # Errors
/// [`SearchError`] if the question makes no sense or the run is stopped.
pub fn visit(
    question: &Question,
    direction: Direction,
    method: Method,
    run: &Run,
    mut visitor: impl FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<Work, SearchError> {
    visit_by_width((question, direction, method), run, &mut visitor)
}

/// The search is compiled here, once for all visitors.
fn visit_by_width(
    wanted: (&Question, Direction, Method),
    run: &Run,
    visitor: &mut dyn FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<Work, SearchError> {
    let (question, _, method) = wanted;
    check(question)?;
    match vertices(question, method) {
        ..=64 => visit_on::<u64>(wanted, run, visitor),
        65..=128 => visit_on::<u128>(wanted, run, visitor),
        _ => visit_on::<Wide>(wanted, run, visitor),
    }
}

/// Some tour, if there is one, and the work it took: other tours for other seeds.
///
/// Segments are grown on the board's squares in a random order, and again in another order whenever
/// that takes long; each try may take twice as long as the one before, so the last of them is
/// complete. That finds tours where a search in one order fails because of early choices.
///
/// # Errors
/// [`SearchError`] if the question makes no sense or the run is stopped.
pub fn find(
    question: &Question,
    seed: u64,
    run: &Run,
) -> Result<(Option<Tour>, Work), SearchError> {
    let (found, work) = find_within(question, seed, u64::MAX, run)?;
    match found {
        Within::Found(tour) => Ok((Some(tour), work)),
        Within::None => Ok((None, work)),
        Within::Undecided => Err(Stopped.into()),
    }
}

/// What a search of limited size found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// A tour.
    Found(Tour),
    /// There is none.
    None,
    /// Neither a tour nor a proof that there is none.
    Undecided,
}

/// As [`find`], with about `most_nodes` nodes in all.
///
/// # Errors
/// As [`find`].
pub fn find_within(
    question: &Question,
    seed: u64,
    most_nodes: u64,
    run: &Run,
) -> Result<(Within, Work), SearchError> {
    check(question)?;
    match vertices(question, Method::Segments) {
        ..=64 => find_on::<u64>(question, seed, most_nodes, run),
        65..=128 => find_on::<u128>(question, seed, most_nodes, run),
        _ => find_on::<Wide>(question, seed, most_nodes, run),
    }
}

/// Nodes of the first try of [`find`]: a tour of a board without traps takes fewer than two for
/// each square.
const FIRST_TRY: u64 = 1 << 11;

fn find_on<W: Word>(
    question: &Question,
    seed: u64,
    most_nodes: u64,
    run: &Run,
) -> Result<(Within, Work), SearchError> {
    let board = &question.board;
    run.progress.start("looking for a tour", 0);
    let mut rng = SplitMix64::new(seed);
    let mut nodes = 0;
    for attempt in 0.. {
        let mut squares: Vec<_> = board.squares().collect();
        rng.shuffle(&mut squares);
        let graph = Graph::<W>::numbered(board, squares);
        let limits = Limits {
            fold: false,
            ..limits(question, Options::default(), &graph)
        };
        let cases = Cases::new(&graph, Vec::new(), question.kind, limits);
        let mut found = None;
        let lister = Lister::new(graph.len(), run, |order: &[usize]| {
            found = Some(order.iter().map(|&v| graph.square(v)).collect::<Vec<_>>());
            ControlFlow::Break(())
        });
        let listed = lister
            .limited((FIRST_TRY << attempt.min(50)).min(most_nodes.saturating_sub(nodes)))
            .list(&Growth::on(&graph, question.kind), &cases.list)?;
        nodes += listed.nodes;
        if let Some(order) = &mut found
            && question.kind == Kind::Closed
        {
            let first = question.start.or(board.squares().next());
            let at = order.iter().position(|&s| Some(s) == first);
            order.rotate_left(at.unwrap_or(0));
        }
        let tour = |order: Vec<_>| Tour::from_order(board.clone(), question.kind, &order);
        let decided = match found.map(tour) {
            Some(tour) => Within::Found(tour),
            None if !listed.cut_short => Within::None,
            None if nodes >= most_nodes => Within::Undecided,
            None => continue,
        };
        return Ok((decided, Work::of("nodes", nodes)));
    }
    Err(Stopped.into())
}

fn visit_on<W: Word>(
    (question, direction, method): (&Question, Direction, Method),
    run: &Run,
    visitor: &mut dyn FnMut(&[Square]) -> ControlFlow<()>,
) -> Result<Work, SearchError> {
    run.progress.start("listing tours", 0);
    let graph = Graph::<W>::new(&question.board);
    let folding = Folding::Off;
    let mut limits = limits(question, Options { method, folding }, &graph);
    if question.kind == Kind::Closed {
        limits.start = limits.start.or(Some(0));
    }
    let free_ends = limits.start.is_none() && limits.end.is_none();
    let mut cases = Cases::new(&graph, Vec::new(), question.kind, limits);
    directed_cases(&graph, &mut cases, question.kind, direction, free_ends);
    let list = &cases.list;
    let mut squares = Vec::new();
    let lister = Lister::new(graph.len(), run, |order: &[usize]| {
        squares.clear();
        squares.extend(order.iter().map(|&v| graph.square(v)));
        visitor(&squares)
    });
    let listed = match method {
        Method::Unpruned => lister.list(&Paths::<_, Unpruned>::on(&graph), list),
        Method::Pruned => lister.list(&Paths::<_, Pruned>::on(&graph), list),
        Method::Segments => lister.list(&Growth::on(&graph, question.kind), list),
    }?;
    Ok(Work::of("nodes", listed.nodes))
}

fn count_on<W: Word>(
    question: &Question,
    options: Options,
    run: &Run,
) -> Result<Count, SearchError> {
    let graph = Graph::<W>::new(&question.board);
    let group = graph.permutations(&question.board);
    let cases = Cases::new(
        &graph,
        group,
        question.kind,
        limits(question, options, &graph),
    );
    let (list, score) = (&cases.list, ByClass(&cases));
    let totals = match options.method {
        Method::Unpruned => score_all(&Paths::<_, Unpruned>::on(&graph), list, &score, run),
        Method::Pruned => score_all(&Paths::<_, Pruned>::on(&graph), list, &score, run),
        Method::Segments => score_all(&Growth::on(&graph, question.kind), list, &score, run),
    }?;
    let mut by_start = vec![0; question.board.grid().len()];
    let directed = totals.all();
    for (class, members) in cases.classes.iter().enumerate() {
        for &v in members {
            by_start[graph.square(v)] = match question.kind {
                Kind::Open => totals.of_class(class) / members.len() as u64,
                Kind::Closed if question.start.is_none_or(|s| s == graph.square(v)) => directed,
                Kind::Closed => 0,
            };
        }
    }
    Ok(Count {
        directed,
        by_start,
        work: Work::of("nodes", totals.nodes),
    })
}

fn limits<W: Word>(question: &Question, options: Options, graph: &Graph<W>) -> Limits {
    Limits {
        start: question.start.and_then(|s| graph.vertex(s)),
        end: question.end.and_then(|s| graph.vertex(s)),
        fold: options.folding == Folding::On,
        colour: options.method != Method::Unpruned,
    }
}
