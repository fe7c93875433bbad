//! What to do in a position: which jumps keep the game winnable, and how good each is.

use crate::count::SolutionCounts;
use crate::jump::Jump;
use crate::position::Position;
use crate::shortest::Shortest;
use crate::winning::WinningSet;

/// Advice on a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The position.
    pub position: Position,
    /// Whether it is in the winning set: it can arise in a game of the problem, and the finish can
    /// be reached.
    ///
    /// A position that cannot arise is not in the set even if the finish could be reached from it;
    /// [`Problem::from`](crate::Problem::from) makes it a problem of its own.
    pub is_winnable: bool,
    /// Every jump that can be made.
    pub jumps: Vec<JumpHint>,
    /// Solutions from here, if they were counted.
    pub solutions: Option<u128>,
    /// The fewest moves from here, if they were found.
    pub moves: Option<u32>,
}

/// Advice on a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JumpHint {
    /// The jump.
    pub jump: Jump,
    /// Whether the finish can still be reached after it.
    pub keeps_winnable: bool,
    /// Solutions after it, if they were counted; 0 if it loses.
    pub solutions: Option<u128>,
    /// The fewest moves from the position after it, if they were found and there are any. The
    /// jump's own move is not counted, though the next jump may continue it with the same peg.
    pub moves_after: Option<u32>,
}

impl Hint {
    /// The jumps that keep the game winnable.
    pub fn safe(&self) -> impl Iterator<Item = &JumpHint> {
        self.jumps.iter().filter(|hint| hint.keeps_winnable)
    }

    /// What share of the solutions begins with a jump, from 0 to 1; `None` without counts.
    pub fn share(&self, jump: &JumpHint) -> Option<f64> {
        let all = self.solutions.filter(|&all| all > 0)?;
        Some(jump.solutions? as f64 / all as f64)
    }
}

/// What is known of a problem, to answer about its positions: the winning set and, if at hand,
/// counts and fewest moves.
#[derive(Clone, Copy)]
pub struct Advice<'a> {
    /// The winning positions.
    pub set: &'a WinningSet,
    /// Their numbers of solutions.
    pub counts: Option<&'a SolutionCounts<'a>>,
    /// Their fewest moves.
    pub shortest: Option<&'a Shortest<'a>>,
}

impl<'a> Advice<'a> {
    /// Advice from the winning set alone.
    pub fn new(set: &'a WinningSet) -> Self {
        Self {
            set,
            counts: None,
            shortest: None,
        }
    }

    /// Advice on a position. A few look-ups for each jump: microseconds.
    pub fn hint(&self, position: Position) -> Hint {
        let count = |position| self.counts.map(|counts| counts.of(position).unwrap_or(0));
        let moves = |position| {
            self.shortest
                .and_then(|shortest| shortest.moves_from(position))
        };
        let jump = |jump: Jump| {
            let after = jump.after(position);
            JumpHint {
                jump,
                keeps_winnable: self.set.contains(after) && self.set.contains(position),
                solutions: count(after),
                moves_after: moves(after),
            }
        };
        Hint {
            position,
            is_winnable: self.set.contains(position),
            jumps: self
                .set
                .problem()
                .board()
                .legal_jumps(position)
                .map(jump)
                .collect(),
            solutions: count(position),
            moves: moves(position),
        }
    }
}
