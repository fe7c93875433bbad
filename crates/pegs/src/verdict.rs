//! Can it be solved, and why not: the answer with its reason.

use everymove_kernel::run::{Run, Work};

use crate::board::Board;
use crate::error::PegError;
use crate::jump::Jump;
use crate::position::{Bits, Position};
use crate::problem::{Finish, Problem};
use crate::search::{BEAMS, Beam, Order, Search, SearchEnd, search, search_by_beams};
use crate::shortest::{Shortest, ShortestCount};
use crate::winning::WinningSet;

/// The answer to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These jumps lead from the start to the finish.
    Solution(Vec<Jump>),
    /// The finish has as many pegs as the start or more, and is not the start: jumps only take pegs
    /// away.
    TooManyPegs,
    /// No sequence of jumps, of whatever length, leads from the class of the start to a finish.
    Class(ClassProof),
    /// Every position that could matter was examined.
    Exhaustion,
}

/// A verdict and what it cost.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The verdict.
    pub verdict: Verdict,
    /// For a proved shortest solution, its number of moves and how many solutions have so few.
    pub shortest: Option<ShortestCount>,
    /// `nodes` of searches, `positions` and `jumps` of layers.
    pub work: Work,
}

/// Which solution is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The first that is found.
    Any,
    /// One with the fewest moves, with proof that none has fewer.
    Shortest,
}

/// Positions that a first search may examine before the layers are tried.
const QUICK: u64 = 1 << 20;

/// Boards of more holes than this are searched by beams before anything else.
const LARGE: usize = 33;

/// Beams that small boards are searched by, after a first search.
const QUICK_BEAMS: usize = 4;

/// Memory of a first search, in bytes.
const QUICK_MEMORY: u64 = 32 << 20;

/// Solves a problem, or says why it cannot be solved.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_pegs::{Board, Problem, Verdict, Want, game_text, solve};
///
/// let board = Board::named("triangle5")?;
/// let problem = Problem::vacate(&board, "a1", Some("a1"))?;
/// let answer = solve(&problem, Want::Shortest, &Run::serial())?;
/// let Verdict::Solution(jumps) = &answer.verdict else { panic!() };
/// assert_eq!((jumps.len(), answer.shortest.unwrap().moves), (13, 10));
///
/// let european = Board::named("european")?;
/// let central = Problem::vacate(&european, "d4", None)?;
/// let Verdict::Class(proof) = solve(&central, Want::Any, &Run::serial())?.verdict else { panic!() };
/// println!("{}", proof.text(&european));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PegError::OverBudget`] if neither a search nor the layers fit the budget,
/// [`PegError::Stopped`].
pub fn solve(problem: &Problem, want: Want, run: &Run) -> Result<Solved, PegError> {
    let mut work = Work::default();
    let answered = |verdict, shortest, work| {
        Ok(Solved {
            verdict,
            shortest,
            work,
        })
    };
    if problem.is_finish(problem.start()) {
        let shortest = Some(ShortestCount {
            moves: 0,
            solutions: 1,
        });
        return answered(Verdict::Solution(Vec::new()), shortest, work);
    }
    if problem.last_pegs() >= problem.start().pegs() {
        return answered(Verdict::TooManyPegs, None, work);
    }
    if let Some(proof) = ClassProof::new(problem) {
        return answered(Verdict::Class(proof), None, work);
    }
    // The layers of a large board take a minute and more, if they fit: a beam finds most solutions
    // within a second.
    let none: &[Beam] = &[];
    let (before, between) = match problem.board().holes() > LARGE {
        true => (&BEAMS[..], none),
        false => (none, &BEAMS[..QUICK_BEAMS]),
    };
    if want == Want::Any {
        let memory = QUICK_MEMORY.min(run.ram.left() / 2).max(1 << 10);
        for (beams, order) in [
            (before, Order::Rows),
            (between, Order::Random(1)),
            (none, Order::Random(2)),
        ] {
            if let Some(verdict) = by_beams(problem, beams, run, &mut work)? {
                return answered(verdict, None, work);
            }
            if let Some(verdict) = searched(problem, order, QUICK, memory, run, &mut work)? {
                return answered(verdict, None, work);
            }
        }
    }
    match WinningSet::new(problem, run) {
        Ok(set) => {
            work.merge(set.work());
            let Some(jumps) = set.solution() else {
                return answered(Verdict::Exhaustion, None, work);
            };
            if want == Want::Any {
                return answered(Verdict::Solution(jumps), None, work);
            }
            let Some(shortest) = Shortest::new(&set, run)? else {
                return answered(Verdict::Exhaustion, None, work);
            };
            let count = shortest.count(run)?;
            answered(Verdict::Solution(shortest.solution()), Some(count), work)
        }
        // The layers are too large: what memory there is goes to one long search, which may still
        // get through.
        Err(PegError::OverBudget(error)) if want == Want::Any => {
            let memory = (run.ram.left() / 2).max(1 << 10);
            let limit = memory.saturating_mul(4);
            match searched(problem, Order::Rows, limit, memory, run, &mut work)? {
                Some(verdict) => answered(verdict, None, work),
                None => Err(error.into()),
            }
        }
        Err(error) => Err(error),
    }
}

/// What beam searches decide, if they do.
fn by_beams(
    problem: &Problem,
    beams: &[Beam],
    run: &Run,
    work: &mut Work,
) -> Result<Option<Verdict>, PegError> {
    let mut examined = 0;
    let end = search_by_beams(problem, beams, &mut examined, run)?;
    if examined > 0 {
        work.add("candidates", examined);
    }
    Ok(end.and_then(SearchEnd::verdict))
}

/// What a search within limits decides, if it does.
fn searched(
    problem: &Problem,
    order: Order,
    limit: u64,
    memory: u64,
    run: &Run,
    work: &mut Work,
) -> Result<Option<Verdict>, PegError> {
    let how = Search {
        order,
        memory,
        limit,
        ..Search::default()
    };
    let found = search(problem, &how, run)?;
    work.add("nodes", found.nodes);
    Ok(found.end.verdict())
}

impl SearchEnd {
    /// What the search decides, if it does.
    pub(crate) fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Solution(jumps) => Some(Verdict::Solution(jumps)),
            Self::Exhausted => Some(Verdict::Exhaustion),
            Self::GaveUp => None,
        }
    }
}

/// A proof that a start and a finish lie in different classes: marked holes that every jump meets
/// in none or two of its three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassProof {
    start: Position,
    finish: Finish,
    marks: Vec<Position>,
}

impl ClassProof {
    /// The proof, if the problem is impossible by its class.
    pub fn new(problem: &Problem) -> Option<Self> {
        if !problem.targets().is_empty() {
            return None;
        }
        let board = problem.board();
        let mut open = problem.ends();
        let sets = marks(board);
        let mut chosen = Vec::new();
        while !open.is_empty() {
            // Greedy: the marks that refute most of the finishes that are left.
            let refuted = |set: &Position| {
                open.iter()
                    .filter(|&&end| differ(*set, problem.start(), end))
                    .count()
            };
            let best = sets
                .iter()
                .copied()
                .max_by_key(|set| (refuted(set), std::cmp::Reverse(set.pegs())))?;
            open.retain(|&end| !differ(best, problem.start(), end));
            chosen.push(best);
        }
        Some(Self {
            start: problem.start(),
            finish: problem.finish(),
            marks: chosen,
        })
    }

    /// The sets of marked holes, at least one.
    pub fn marks(&self) -> &[Position] {
        &self.marks
    }

    /// The proof in words, with a drawing of each set of marked holes (`x`).
    pub fn text(&self, board: &Board) -> String {
        let mut text = String::new();
        for (i, &marks) in self.marks.iter().enumerate() {
            let again = if i == 0 { "Mark" } else { "Now mark" };
            let pegs = Position(self.start.0 & marks.0).pegs();
            text += &format!("{again} these holes:\n\n");
            for line in board.drawing(marks).replace('o', "x").lines() {
                text += &format!("    {}\n", line.trim_end());
            }
            text += &format!(
                "\nOf the three holes of every jump none or two are marked, so the number of pegs on marked holes \
                 stays {}.\nAt the start it is {pegs}. ",
                parity(pegs)
            );
            text += &match self.finish {
                Finish::At(hole) => {
                    let at_end = usize::from(marks.has(hole));
                    format!(
                        "With the last peg in {} it would be {at_end}: impossible.",
                        board.name_of(hole)
                    )
                }
                Finish::Exactly(target) => {
                    let at_end = Position(target.0 & marks.0).pegs();
                    format!("At the finish it would be {at_end}: impossible.")
                }
                Finish::Anywhere => {
                    let (refuted, place, parity_at_end) = match pegs.is_multiple_of(2) {
                        true => (marks, "a marked hole would make it 1, which is odd", "even"),
                        false => (
                            board.complement(marks),
                            "a hole that is not marked would make it 0, which is even",
                            "odd",
                        ),
                    };
                    format!(
                        "At the end it is {parity_at_end}, too, but a last peg on {place}: a contradiction.\nSo the last \
                         peg cannot be in {}.",
                        board.names_of(refuted)
                    )
                }
            };
            text += "\n";
        }
        if self.finish == Finish::Anywhere {
            text += "So every hole is ruled out for the last peg: no game from this start ends with one peg.\n";
            let open = board.open_vacancies();
            if !open.is_empty() {
                let holes = Position(open.iter().fold(0, |set, &hole| set | 1 << hole));
                let names = board.names_of(holes);
                text += &format!(
                    "With one hole empty at the start, that can be one of {names} and their images.\n"
                );
            }
        }
        text
    }
}

fn parity(n: usize) -> &'static str {
    if n.is_multiple_of(2) { "even" } else { "odd" }
}

/// Whether an invariant set tells two positions apart.
fn differ(set: Position, a: Position, b: Position) -> bool {
    (set.0 & (a.0 ^ b.0)).count_ones() % 2 == 1
}

/// Invariant sets to argue with: all of them if they are few, otherwise the basis.
fn marks(board: &Board) -> Vec<Position> {
    let invariants = board.invariants();
    let dimension = invariants.basis().len();
    if dimension <= 10 {
        (1..1u64 << dimension)
            .map(|choice| invariants.combination(choice))
            .collect()
    } else {
        Bits(u64::MAX >> (64 - dimension))
            .map(|i| invariants.combination(1 << i))
            .collect()
    }
}
