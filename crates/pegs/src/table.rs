//! Every problem "vacate x, finish y" of a board, up to symmetry.

use everymove_kernel::run::{Run, Work};
use everymove_kernel::system;

use crate::board::Board;
use crate::error::PegError;
use crate::forecast::winning_set_bytes;
use crate::position::{Hole, Position};
use crate::problem::{Finish, Problem};
use crate::shortest::{Shortest, ShortestCount};
use crate::verdict::{Verdict, Want, solve};
use crate::winning::WinningSet;

/// What to find out about each problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Whether it can be solved.
    Solvable,
    /// The number of solutions too.
    Solutions,
    /// The fewest moves and how many solutions have so few too.
    Everything,
}

/// One problem of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemRow {
    /// The hole that is empty at the start.
    pub start: Hole,
    /// The hole of the last peg.
    pub finish: Hole,
    /// Whether it can be solved.
    pub is_solvable: bool,
    /// The number of solutions.
    pub solutions: Option<u128>,
    /// Positions of the winning set, up to the symmetries that keep start and finish.
    pub winning: Option<u64>,
    /// The fewest moves.
    pub shortest: Option<ShortestCount>,
    /// What it cost.
    pub work: Work,
}

/// The problems of a board that their classes allow, up to symmetry: (vacate, finish).
pub fn problems(board: &Board) -> Vec<(Hole, Hole)> {
    let allowed = |&(start, finish): &(Hole, Hole)| {
        board.class(Position::single(finish)) == board.class(board.vacate(start))
    };
    pairs(board).filter(allowed).collect()
}

/// The number of problems from one empty hole to one peg, up to symmetry, that classes rule out.
pub fn ruled_out(board: &Board) -> usize {
    pairs(board).count() - problems(board).len()
}

/// All pairs of an empty hole at the start and a hole of the last peg, up to symmetry.
fn pairs(board: &Board) -> impl Iterator<Item = (Hole, Hole)> {
    board.distinct_holes().into_iter().flat_map(move |start| {
        let symmetries = board.symmetries().iter();
        let keeping: Vec<_> = symmetries.filter(|s| s.hole(start) == start).collect();
        let is_first = move |finish: &Hole| keeping.iter().all(|s| s.hole(*finish) >= *finish);
        let finishes = (0..board.holes()).filter(is_first);
        finishes.map(move |finish| (start, finish))
    })
}

/// Answers every problem of [`problems`], and passes each row to `receive` as soon as it is known.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if a winning set that is needed does not fit, and later
/// if the numbers of solutions of its positions do not; [`PegError::Stopped`],
/// [`PegError::Overflow`]; [`PegError::Board`] on a board of one hole.
pub fn problem_table(
    board: &Board,
    columns: Columns,
    run: &Run,
    mut receive: impl FnMut(&ProblemRow),
) -> Result<Vec<ProblemRow>, PegError> {
    let problem = |(start, finish)| Problem::new(board, board.vacate(start), Finish::At(finish));
    if columns != Columns::Solvable {
        // The largest of all winning sets, so that a table is refused before its first row.
        let mut need = 0;
        for pair in problems(board) {
            need = need.max(winning_set_bytes(&problem(pair)?).unwrap_or(0));
        }
        run.ram
            .require(&format!("the table of the {} board", board.name()), need)?;
    }
    // What the allocator kept of the layers of earlier problems would come on top of the budget.
    system::return_large_buffers();
    let mut rows = Vec::new();
    for (start, finish) in problems(board) {
        system::release_freed_memory();
        let problem = problem((start, finish))?;
        let row = row(&problem, start, finish, columns, run)?;
        receive(&row);
        rows.push(row);
    }
    Ok(rows)
}

fn row(
    problem: &Problem,
    start: Hole,
    finish: Hole,
    columns: Columns,
    run: &Run,
) -> Result<ProblemRow, PegError> {
    let mut row = ProblemRow {
        start,
        finish,
        is_solvable: false,
        solutions: None,
        winning: None,
        shortest: None,
        work: Work::default(),
    };
    if columns == Columns::Solvable {
        let answer = solve(problem, Want::Any, run)?;
        row.is_solvable = matches!(answer.verdict, Verdict::Solution(_));
        row.work = answer.work;
        return Ok(row);
    }
    let set = WinningSet::new(problem, run)?;
    row.is_solvable = set.is_solvable();
    row.winning = Some(set.positions());
    row.solutions = Some(set.count_solutions(run)?.solutions);
    row.work = set.work().clone();
    if columns == Columns::Everything
        && let Some(shortest) = Shortest::new(&set, run)?
    {
        row.shortest = Some(shortest.count(run)?);
    }
    Ok(row)
}
