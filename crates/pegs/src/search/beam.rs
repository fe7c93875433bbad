//! Beam search: a solution of a board that is too large for its layers.
//!
//! From one number of pegs to the next only the positions with the best scores are kept. A position
//! scores badly by pegs without a neighbour and by pegs on holes over which few jumps lead: both
//! are what keeps games from ending with few pegs. The last jumps are not left to chance: positions
//! from which the finish can be reached are listed backwards from the finish as far as a small
//! table goes, and the search ends when it meets the table.
//!
//! A search that had no position to leave out has examined all of them, so it decides that there is
//! no solution.

use everymove_kernel::run::{OverBudget, Run};

use crate::error::PegError;
use crate::jump::Jump;
use crate::position::{Bits, Position};
use crate::problem::Problem;
use crate::search::SearchEnd;

/// A beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beam {
    /// Positions that are kept of each number of pegs.
    width: usize,
    /// The weight of holes over which few jumps lead, beside pegs without a neighbour.
    holes: u32,
    /// Different seeds break ties differently.
    seed: u64,
}

/// The beams that are tried one after the other.
pub(crate) const BEAMS: [Beam; 6] = [
    Beam::new(1 << 10, 1, 1),
    Beam::new(1 << 10, 2, 2),
    Beam::new(1 << 13, 1, 3),
    Beam::new(1 << 13, 2, 4),
    Beam::new(1 << 15, 2, 5),
    Beam::new(1 << 15, 1, 6),
];

/// A position that is kept, and its predecessor among those with one peg more.
struct Kept {
    position: Position,
    before: u32,
}

/// A position that may be kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    score: u32,
    position: Position,
    before: u32,
}

/// Candidates for each position kept before the worst are dropped.
const CANDIDATES: usize = 8;

/// Positions of the largest level of the table of ends.
const MOST_ENDS: usize = 1 << 16;

/// The weight of a peg without a neighbour, and of the least used hole.
const UNIT: u32 = 1 << 10;

impl Beam {
    const fn new(width: usize, holes: u32, seed: u64) -> Self {
        Self { width, holes, seed }
    }

    /// Bytes that a search takes.
    fn bytes(&self, levels: usize) -> u64 {
        let candidates = (CANDIDATES + 1) * self.width * size_of::<Candidate>();
        let kept = levels * self.width * size_of::<Kept>();
        // A vector of ends grows by doubling.
        (candidates + kept + 2 * 8 * 2 * MOST_ENDS) as u64
    }

    /// Searches for a solution; the second result is the number of positions that were examined.
    ///
    /// # Errors
    /// [`PegError::OverBudget`], [`PegError::Stopped`].
    pub(crate) fn search(
        &self,
        problem: &Problem,
        run: &Run,
    ) -> Result<(SearchEnd, u64), PegError> {
        let board = problem.board();
        let (first, last) = (problem.start().pegs(), problem.last_pegs());
        let _held = run
            .ram
            .reserve("a beam search", self.bytes(first - last + 1))?;
        let scores = Scores::new(problem, self);
        let ends = Ends::new(problem, run)?;
        let mut examined = 0;
        let mut is_complete = true;
        let mut levels = vec![vec![Kept {
            position: problem.start(),
            before: 0,
        }]];
        let mut candidates: Vec<Candidate> = Vec::new();
        for pegs in (last..=first).rev() {
            let level = &levels[levels.len() - 1];
            if let Some(at) = level.iter().position(|kept| ends.contains(kept.position)) {
                return Ok((
                    SearchEnd::Solution(path(problem, &levels, at, &ends)),
                    examined,
                ));
            }
            if pegs == last {
                break;
            }
            candidates.clear();
            for (before, kept) in (0..).zip(level) {
                run.stop.check()?;
                for jump in board.legal_jumps(kept.position) {
                    let position = jump.after(kept.position);
                    let score = scores.of(position);
                    candidates.push(Candidate {
                        score,
                        position,
                        before,
                    });
                    examined += 1;
                }
                if candidates.len() >= CANDIDATES * self.width {
                    is_complete &= !keep_best(&mut candidates, self.width);
                }
            }
            is_complete &= !keep_best(&mut candidates, self.width);
            run.progress.worked(candidates.len() as u64);
            let kept = candidates.iter().map(|candidate| Kept {
                position: candidate.position,
                before: candidate.before,
            });
            let kept: Vec<Kept> = kept.collect();
            if kept.is_empty() {
                break;
            }
            levels.push(kept);
        }
        let end = match is_complete {
            true => SearchEnd::Exhausted,
            false => SearchEnd::GaveUp,
        };
        Ok((end, examined))
    }
}

/// Tries one beam after the other; `None` if none decides, or none fits the budget. Adds to
/// `examined` the number of positions.
pub(crate) fn search_by_beams(
    problem: &Problem,
    beams: &[Beam],
    examined: &mut u64,
    run: &Run,
) -> Result<Option<SearchEnd>, PegError> {
    for beam in beams {
        match beam.search(problem, run) {
            Ok((SearchEnd::GaveUp, n)) => *examined += n,
            Ok((end, n)) => {
                *examined += n;
                return Ok(Some(end));
            }
            Err(PegError::OverBudget(OverBudget { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Keeps the best candidates, each position once; whether one was left out.
fn keep_best(candidates: &mut Vec<Candidate>, width: usize) -> bool {
    candidates.sort_unstable();
    // Equal positions have equal scores, so they are neighbours.
    candidates.dedup_by_key(|candidate| candidate.position);
    let is_cut = candidates.len() > width;
    candidates.truncate(width);
    is_cut
}

/// How positions are compared: less is better.
struct Scores {
    neighbours: Vec<u64>,
    holes: Vec<u32>,
    seed: u64,
}

impl Scores {
    fn new(problem: &Problem, beam: &Beam) -> Self {
        let board = problem.board();
        let mut neighbours = vec![0; board.holes()];
        let mut over = vec![0; board.holes()];
        for jump in board.jumps() {
            neighbours[jump.from] |= 1 << jump.over;
            neighbours[jump.over] |= 1 << jump.from;
            neighbours[jump.to] |= 1 << jump.over;
            neighbours[jump.over] |= 1 << jump.to;
            over[jump.over] += 1;
        }
        let most = over.iter().copied().max().unwrap_or(0).max(1);
        let weight = |over: u32| beam.holes * UNIT * (most - over) / most;
        Self {
            neighbours,
            holes: over.into_iter().map(weight).collect(),
            seed: beam.seed,
        }
    }

    fn of(&self, position: Position) -> u32 {
        // Different for each position, so that a beam does not keep only what the order of the
        // jumps prefers.
        let noise = (position.0 ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55;
        let of_peg = |hole: usize| {
            let is_alone = self.neighbours[hole] & position.0 == 0;
            self.holes[hole] + if is_alone { UNIT } else { 0 }
        };
        noise as u32 + Bits(position.0).map(of_peg).sum::<u32>()
    }
}

/// Positions from which the finish can be reached, by their numbers of pegs from the finish's on:
/// all that have so many.
struct Ends {
    last: usize,
    levels: Vec<Vec<Position>>,
}

impl Ends {
    fn new(problem: &Problem, run: &Run) -> Result<Self, PegError> {
        let board = problem.board();
        let mut first = problem.targets();
        first.sort_unstable();
        let mut levels = vec![first];
        loop {
            let level = &levels[levels.len() - 1];
            let pegs = problem.last_pegs() + levels.len();
            let mut before = Vec::new();
            for &position in level {
                run.stop.check()?;
                for jump in board.jumps() {
                    let came = position.0 ^ jump.mask();
                    if came & jump.mask() == jump.pegs() {
                        before.push(Position(came));
                    }
                }
                if before.len() > 2 * MOST_ENDS {
                    before.sort_unstable();
                    before.dedup();
                    if before.len() > MOST_ENDS {
                        return Ok(Self {
                            last: problem.last_pegs(),
                            levels,
                        });
                    }
                }
            }
            before.sort_unstable();
            before.dedup();
            if before.is_empty() || before.len() > MOST_ENDS || pegs > problem.start().pegs() {
                return Ok(Self {
                    last: problem.last_pegs(),
                    levels,
                });
            }
            levels.push(before);
        }
    }

    fn contains(&self, position: Position) -> bool {
        let level = position.pegs().checked_sub(self.last);
        let level = level.and_then(|at| self.levels.get(at));
        level.is_some_and(|level| level.binary_search(&position).is_ok())
    }
}

/// The jumps to the position `at` of the last level, and on through the table to the finish.
fn path(problem: &Problem, levels: &[Vec<Kept>], mut at: usize, ends: &Ends) -> Vec<Jump> {
    let board = problem.board();
    let mut jumps = Vec::new();
    let mut position = levels
        .last()
        .map_or(problem.start(), |level| level[at].position);
    for pair in levels.windows(2).rev() {
        let kept = &pair[1][at];
        at = kept.before as usize;
        let before = pair[0][at].position;
        jumps.extend(
            board
                .legal_jumps(before)
                .find(|jump| jump.after(before) == kept.position),
        );
    }
    jumps.reverse();
    while position.pegs() > problem.last_pegs() {
        let next = board
            .legal_jumps(position)
            .find(|jump| ends.contains(jump.after(position)));
        let Some(jump) = next else { break };
        position = jump.after(position);
        jumps.push(jump);
    }
    jumps
}
