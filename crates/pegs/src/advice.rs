//! Advice on a position, whatever it takes: from a winning set, or by solving the position after
//! each jump; and why a lost position is lost.

use everymove_kernel::run::{Run, Work};

use crate::count::SolutionCounts;
use crate::error::PegError;
use crate::forecast::winning_set_bytes;
use crate::hint::{Advice, Hint, JumpHint};
use crate::position::{Hole, Position};
use crate::problem::{Finish, Problem};
use crate::search::{Search, search};
use crate::shortest::Shortest;
use crate::verdict::{ClassProof, Verdict, Want, solve};
use crate::winning::WinningSet;

/// How much to find out about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HintDetail {
    /// Which jumps keep it winnable.
    SafeJumps,
    /// The numbers of solutions too, where they fit the memory budget.
    Solutions,
    /// The fewest moves too.
    FewestMoves,
}

/// Why a position is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Every hole holds a peg, so no jump can be made.
    FullBoard,
    /// There are pegs, but none can jump.
    NoJump,
    /// It has no more pegs than the finish.
    TooFewPegs,
    /// Its class is not that of the finish: no sequence of jumps leads there.
    Class(ClassProof),
    /// Every position that could matter was examined.
    Exhaustion,
}

impl Loss {
    /// A word for the reason: `full`, `stuck`, `pegs`, `class` or `exhaustion`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::FullBoard => "full",
            Self::NoJump => "stuck",
            Self::TooFewPegs => "pegs",
            Self::Class(_) => "class",
            Self::Exhaustion => "exhaustion",
        }
    }
}

/// Advice on the start of a problem.
#[derive(Clone, Debug)]
pub struct Advised {
    /// The advice.
    pub hint: Hint,
    /// Why it is lost, if it is.
    pub loss: Option<Loss>,
    /// For a lost position: whether a game from the board's [usual
    /// start](crate::Board::usual_vacancy) reaches it. `None` where it is won, or where a
    /// short search does not decide.
    pub is_reachable: Option<bool>,
    /// What it cost.
    pub work: Work,
}

/// A winning set of more bytes is not found for advice on one position.
const LARGEST_SET: u64 = 2 << 30;

/// Advises on the start of a problem.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_pegs::{DrawnBoard, HintDetail, Loss, Problem, advise};
///
/// let drawn = DrawnBoard::read("o.oo/oo.o/..../....", None)?;
/// let problem = Problem::read(&drawn, None, None)?;
/// let advised = advise(&problem, HintDetail::SafeJumps, &Run::serial())?;
/// assert!(matches!(advised.loss, Some(Loss::Class(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`solve`].
pub fn advise(problem: &Problem, detail: HintDetail, run: &Run) -> Result<Advised, PegError> {
    if let Some(loss) = plain_loss(problem) {
        let board = problem.board();
        let lost = |jump| JumpHint {
            jump,
            keeps_winnable: false,
            solutions: None,
            moves_after: None,
        };
        let hint = Hint {
            position: problem.start(),
            is_winnable: false,
            jumps: board.legal_jumps(problem.start()).map(lost).collect(),
            solutions: None,
            moves: None,
        };
        return advised(problem, hint, Some(loss), Work::default(), run);
    }
    let set = match winning_set_bytes(problem) {
        // It would take minutes, even if it fits.
        Some(bytes) if bytes > LARGEST_SET => None,
        _ => match WinningSet::new(problem, run) {
            Ok(set) => Some(set),
            Err(PegError::OverBudget(_)) => None,
            Err(error) => return Err(error),
        },
    };
    let (hint, work) = match set {
        Some(set) => (
            hint_in(&set, problem.start(), detail, run)?,
            set.work().clone(),
        ),
        // Too large for layers: a verdict on the position after each jump may still be found.
        None => by_jumps(problem, run)?,
    };
    advised(problem, hint, None, work, run)
}

/// Advises on a position of the problem of a winning set: what is not in the set is taken to be
/// lost.
///
/// # Errors
/// [`PegError::OverBudget`] if the fewest moves are asked for and do not fit,
/// [`PegError::Stopped`], [`PegError::Board`] for a position of another board.
pub fn advise_in(
    set: &WinningSet,
    position: Position,
    detail: HintDetail,
    run: &Run,
) -> Result<Advised, PegError> {
    let problem = set.problem().from(position)?;
    let hint = hint_in(set, position, detail, run)?;
    let loss = plain_loss(&problem);
    advised(&problem, hint, loss, Work::default(), run)
}

fn hint_in(
    set: &WinningSet,
    position: Position,
    detail: HintDetail,
    run: &Run,
) -> Result<Hint, PegError> {
    let counts = match detail {
        HintDetail::SafeJumps => None,
        HintDetail::Solutions | HintDetail::FewestMoves => SolutionCounts::if_they_fit(set, run)?,
    };
    let shortest = match detail {
        HintDetail::FewestMoves => Shortest::new(set, run)?,
        HintDetail::SafeJumps | HintDetail::Solutions => None,
    };
    let advice = Advice {
        set,
        counts: counts.as_ref(),
        shortest: shortest.as_ref(),
    };
    Ok(advice.hint(position))
}

/// Completes advice with the reasons for a loss.
fn advised(
    problem: &Problem,
    hint: Hint,
    loss: Option<Loss>,
    mut work: Work,
    run: &Run,
) -> Result<Advised, PegError> {
    if hint.is_winnable {
        return Ok(Advised {
            hint,
            loss: None,
            is_reachable: None,
            work,
        });
    }
    let usual = problem.board().usual_vacancy();
    let (is_reachable, cost) = is_reachable(problem, usual, run)?;
    work.merge(&cost);
    Ok(Advised {
        hint,
        loss: Some(loss.unwrap_or(Loss::Exhaustion)),
        is_reachable,
        work,
    })
}

/// Why a position is lost, where that is seen without a search.
fn plain_loss(problem: &Problem) -> Option<Loss> {
    let (board, position) = (problem.board(), problem.start());
    if problem.is_finish(position) {
        None
    } else if position == board.full() {
        Some(Loss::FullBoard)
    } else if position.pegs() <= problem.last_pegs() {
        Some(Loss::TooFewPegs)
    } else if let Some(proof) = ClassProof::new(problem) {
        Some(Loss::Class(proof))
    } else if board.legal_jumps(position).next().is_none() {
        Some(Loss::NoJump)
    } else {
        None
    }
}

/// Positions that the search for a way from the usual start may examine, and the bytes it may
/// remember them in.
const REACH_LIMIT: u64 = 1 << 18;
const REACH_MEMORY: u64 = 8 << 20;

/// Whether a game from the start with one empty hole reaches the start of a problem, where that is
/// soon decided.
///
/// A game played backwards is a game on the complement: so the complement of the position must be
/// playable down to one peg in the hole that was empty.
fn is_reachable(
    problem: &Problem,
    vacancy: Hole,
    run: &Run,
) -> Result<(Option<bool>, Work), PegError> {
    let (board, position) = (problem.board(), problem.start());
    if position == board.full() {
        return Ok((Some(false), Work::default()));
    }
    let backwards = Problem::new(board, board.complement(position), Finish::At(vacancy))?;
    if backwards.is_finish(backwards.start()) {
        return Ok((Some(true), Work::default()));
    }
    if backwards.targets().is_empty() {
        return Ok((Some(false), Work::default()));
    }
    let how = Search {
        memory: REACH_MEMORY.min(run.ram.left() / 2).max(1 << 10),
        limit: REACH_LIMIT,
        ..Search::default()
    };
    let found = search(&backwards, &how, run)?;
    let verdict = found.end.verdict();
    let is_reachable = verdict.map(|verdict| matches!(verdict, Verdict::Solution(_)));
    Ok((is_reachable, Work::of("nodes", found.nodes)))
}

/// Advice by a verdict on the position after each jump.
fn by_jumps(problem: &Problem, run: &Run) -> Result<(Hint, Work), PegError> {
    let (board, position) = (problem.board(), problem.start());
    let mut work = Work::default();
    let mut jumps = Vec::new();
    for jump in board.legal_jumps(position) {
        let solved = solve(&problem.from(jump.after(position))?, Want::Any, run)?;
        work.merge(&solved.work);
        jumps.push(JumpHint {
            jump,
            keeps_winnable: matches!(solved.verdict, Verdict::Solution(_)),
            solutions: None,
            moves_after: None,
        });
    }
    let is_winnable = problem.is_finish(position) || jumps.iter().any(|hint| hint.keeps_winnable);
    let hint = Hint {
        position,
        is_winnable,
        jumps,
        solutions: None,
        moves: None,
    };
    Ok((hint, work))
}
