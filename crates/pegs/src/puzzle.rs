//! Puzzles from a winning set: positions with a point.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Reservation, Run};

use crate::error::PegError;
use crate::position::Position;
use crate::winning::WinningSet;

/// What makes a position a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PuzzleKind {
    /// Exactly one sequence of jumps leads to the finish.
    UniqueCompletion,
    /// There is a choice of jumps, and exactly one of them keeps the game winnable.
    LastSafeJump,
    /// Any winning position.
    Winnable,
}

/// The puzzles of a winning set, up to the problem's symmetries.
#[derive(Debug)]
pub struct Puzzles {
    /// What they are.
    pub kind: PuzzleKind,
    /// `by_pegs[k]`: those with `k` pegs.
    pub by_pegs: Vec<Vec<Position>>,
    _held: Reservation,
}

impl Puzzles {
    /// All puzzles of a kind, the finish itself left out.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] if the list does not fit, [`PegError::Stopped`]; as
    /// [`WinningSet::count_solutions`] for unique completions.
    pub fn new(set: &WinningSet, kind: PuzzleKind, run: &Run) -> Result<Self, PegError> {
        let problem = set.problem();
        let most = 2 * size_of::<Position>() as u64 * set.positions();
        let held = run.ram.reserve("the list of puzzles", most)?;
        let mut by_pegs = vec![Vec::new(); problem.start().pegs() + 1];
        let playable = problem.last_pegs() + 1..=problem.start().pegs();
        match kind {
            PuzzleKind::UniqueCompletion => {
                set.each_count(run, |layer, counts| {
                    if playable.contains(&layer.pegs()) {
                        let positions = layer.positions(&set.class_layers).zip(&counts.values);
                        let unique = positions.filter(|(_, count)| **count == 1);
                        by_pegs[layer.pegs()] = unique.map(|(position, _)| position).collect();
                    }
                })?;
            }
            PuzzleKind::Winnable => {
                for pegs in playable {
                    run.stop.check()?;
                    by_pegs[pegs] = set.with_pegs(pegs).collect();
                }
            }
            PuzzleKind::LastSafeJump => {
                run.progress
                    .start("puzzles", playable.clone().count() as u64);
                for pegs in playable {
                    run.stop.check()?;
                    by_pegs[pegs] = set
                        .with_pegs(pegs)
                        .filter(|&p| has_one_safe_jump(set, p))
                        .collect();
                    run.progress.advance(1);
                }
            }
        }
        Ok(Self {
            kind,
            by_pegs,
            _held: held,
        })
    }

    /// Number of puzzles.
    pub fn len(&self) -> usize {
        self.by_pegs.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A puzzle with a number of pegs, the same for the same seed; `None` if there is none.
    pub fn pick(&self, pegs: usize, seed: u64) -> Option<Position> {
        let puzzles = self
            .by_pegs
            .get(pegs)
            .filter(|puzzles| !puzzles.is_empty())?;
        Some(puzzles[SplitMix64::new(seed).below(puzzles.len() as u64) as usize])
    }

    /// Some of the puzzles with a number of pegs, each at most once, in their order; the same for
    /// the same seed.
    pub fn choose(&self, pegs: usize, number: usize, seed: u64) -> Vec<Position> {
        let puzzles = self.by_pegs.get(pegs).map_or(&[][..], Vec::as_slice);
        let mut rng = SplitMix64::new(seed);
        let mut left: Vec<usize> = (0..puzzles.len()).collect();
        let chosen = (0..number.min(left.len()))
            .map(|_| left.swap_remove(rng.below(left.len() as u64) as usize));
        let mut chosen: Vec<usize> = chosen.collect();
        chosen.sort_unstable();
        chosen.into_iter().map(|i| puzzles[i]).collect()
    }

    /// The most pegs that any of the puzzles has.
    pub fn most_pegs(&self) -> Option<usize> {
        self.by_pegs.iter().rposition(|puzzles| !puzzles.is_empty())
    }
}

/// Whether several jumps can be made and exactly one leads to a winning position.
fn has_one_safe_jump(set: &WinningSet, position: Position) -> bool {
    let (mut jumps, mut safe) = (0, 0);
    for jump in set.problem().board().legal_jumps(position) {
        jumps += 1;
        safe += u32::from(set.contains(jump.after(position)));
        if safe > 1 {
            return false;
        }
    }
    jumps > 1 && safe == 1
}
