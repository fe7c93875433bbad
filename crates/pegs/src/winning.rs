//! The winning set: every position that can be reached from the start and from which the finish can be reached.
//!
//! A game played backwards is a game on the complement: a jump fills two holes and empties one, and with pegs and
//! holes exchanged that is a jump again. So the second half of the layers need not be searched from the start: from the complements of the finishes a
//! forward search of half the depth meets the first half in the middle. A position of the middle layer wins if its complement
//! was reached; from there each half keeps the positions with a child that is kept.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::board::Jump;
use crate::error::PegError;
use crate::invariant::Class;
use crate::layers::desk::with_width;
use crate::layers::push::push;
use crate::layers::sift::sift;
use crate::layers::{Layer, Split, Stack, Steps};
use crate::position::Position;
use crate::problem::Problem;

/// The winning positions of a problem, up to the problem's symmetries.
pub struct WinningSet {
    problem: Problem,
    pub(crate) stack: Stack,
    /// From the start down to the finish; empty if the problem cannot be solved.
    pub(crate) layers: Vec<Layer>,
    sizes: Vec<u64>,
    work: Work,
}

impl WinningSet {
    /// Finds the winning set of a problem.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::Stopped`].
    pub fn new(problem: &Problem, run: &Run) -> Result<Self, PegError> {
        let group = problem.symmetries();
        let split = Arc::new(Split::new(problem.board(), &group, &run.ram)?);
        Self::with_split(problem, split, run)
    }

    pub(crate) fn with_split(
        problem: &Problem,
        split: Arc<Split>,
        run: &Run,
    ) -> Result<Self, PegError> {
        let stack = Stack::new(&split, problem.board().class(problem.start()));
        let mut set = Self {
            problem: problem.clone(),
            stack,
            layers: Vec::new(),
            sizes: Vec::new(),
            work: Work::default(),
        };
        if !problem.targets().is_empty() && problem.last_pegs() <= problem.start().pegs() {
            with_width!(problem.board(), W => set.fill::<W>(run)?);
        }
        set.work.add("winning", set.positions());
        Ok(set)
    }

    /// How many layers of a solvable problem's set suffice to know them all: half of them if the other half is their
    /// complement.
    pub(crate) fn layers_stored(problem: &Problem, jumps: usize) -> usize {
        if is_mirrored(problem) {
            jumps / 2 + 1
        } else {
            jumps + 1
        }
    }

    pub(crate) fn stored_layers(&self) -> usize {
        self.layers
            .len()
            .checked_sub(1)
            .map_or(0, |jumps| Self::layers_stored(&self.problem, jumps))
    }

    /// The set with these layers, the first [`layers_stored`](Self::layers_stored) or none.
    pub(crate) fn from_layers(
        problem: &Problem,
        stack: Stack,
        mut layers: Vec<Layer>,
        run: &Run,
    ) -> Result<Self, PegError> {
        if is_mirrored(problem) && !layers.is_empty() {
            let jumps = problem.start().pegs() - problem.last_pegs();
            let over = Steps::<1>::complement(stack.split());
            for n in layers.len()..=jumps {
                let to = Arc::new(stack.layout(problem.start().pegs() - n));
                layers.push(push(&stack, &layers[jumps - n], &over, to, run)?.0);
            }
        }
        let sizes = layers.iter().map(Layer::len).collect();
        let mut set = Self {
            problem: problem.clone(),
            stack,
            layers,
            sizes,
            work: Work::default(),
        };
        set.work.add("winning", set.positions());
        Ok(set)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Whether the problem can be solved.
    pub fn is_solvable(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Positions in all layers, up to the problem's symmetries.
    pub fn positions(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Positions after each number of jumps, from the start to the finish; empty if the problem cannot be solved.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// `positions` and `jumps` looked at on the way to the middle, and `winning` positions.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Whether a position can arise in a game from the start and the finish can be reached from it.
    pub fn contains(&self, position: Position) -> bool {
        self.layer_of(position)
            .is_some_and(|layer| layer.has(self.stack.split(), position))
    }

    /// A solution: from each position the first jump that keeps it winning; `None` if there is none.
    pub fn solution(&self) -> Option<Vec<Jump>> {
        let board = self.problem.board();
        let mut position = self.problem.start();
        let mut jumps = Vec::with_capacity(self.layers.len());
        for _ in 1..self.layers.len() {
            let jump = board
                .legal_jumps(position)
                .find(|jump| self.contains(jump.after(position)))?;
            position = jump.after(position);
            jumps.push(jump);
        }
        self.is_solvable().then_some(jumps)
    }

    /// The winning positions with a number of pegs, each as one of its images.
    pub fn with_pegs(&self, pegs: usize) -> impl Iterator<Item = Position> {
        let layer = self
            .problem
            .start()
            .pegs()
            .checked_sub(pegs)
            .and_then(|n| self.layers.get(n));
        layer
            .into_iter()
            .flat_map(|layer| layer.positions(&self.stack))
    }

    /// The layer that a position is in, if it is winning.
    pub(crate) fn layer_of(&self, position: Position) -> Option<&Layer> {
        let jumps = self.problem.start().pegs().checked_sub(position.pegs())?;
        let is_ours = self.problem.board().class(position) == self.stack.class();
        self.layers.get(jumps).filter(|_| is_ours)
    }

    fn fill<const W: usize>(&mut self, run: &Run) -> Result<(), PegError> {
        let problem = &self.problem;
        let (board, start) = (problem.board(), problem.start());
        let jumps = start.pegs() - problem.last_pegs();
        let split = Arc::clone(self.stack.split());
        let flipped = board.class(board.full());
        let mirror = Stack::new(&split, Class(self.stack.class().0 ^ flipped.0));
        let ends: Vec<Position> = problem
            .targets()
            .iter()
            .map(|&end| board.complement(end))
            .collect();
        require(&self.stack, problem, run)?;

        let steps = Steps::<W>::jumps(&split);
        run.progress.start("winning set", 2 * jumps as u64);
        let mut ahead = Side::new(&self.stack, &[start], run)?;
        let mut back = Side::new(&mirror, &ends, run)?;
        let is_mirrored = is_mirrored(problem);
        while ahead.jumps() + back.jumps() < jumps {
            if is_mirrored || ahead.last_size <= back.last_size {
                ahead.advance(&steps, run)?;
            } else {
                back.advance(&steps, run)?;
            }
            if is_mirrored && 2 * ahead.jumps() >= jumps {
                break;
            }
        }
        self.work.merge(&ahead.work);
        self.work.merge(&back.work);
        let middle = if is_mirrored {
            jumps / 2
        } else {
            ahead.jumps()
        };
        let over = Steps::<1>::complement(&split);
        let mut layers: Vec<Option<Layer>> = (0..=jumps).map(|_| None).collect();
        let mut first_half = ahead.layers;
        let mut second_half = back.layers;
        let met = match is_mirrored {
            true => &first_half[jumps - middle],
            false => &second_half[jumps - middle],
        };
        let mut kept = sift(&self.stack, &first_half[middle], &over, met, run)?;
        if kept.len() == 0 {
            return Ok(());
        }
        let mut mirrored = match is_mirrored {
            true => None,
            false => {
                let top = Arc::clone(&second_half[jumps - middle].layout);
                Some(push(&self.stack, &kept, &over, top, run)?.0)
            }
        };
        first_half.truncate(middle);
        for n in (0..middle).rev() {
            let Some(layer) = first_half.pop() else { break };
            let above = sift(&self.stack, &layer, &steps, &kept, run)?;
            layers[n + 1] = Some(std::mem::replace(&mut kept, above));
            run.progress.advance(1);
        }
        layers[0] = Some(kept);
        second_half.truncate(jumps - middle);
        for m in (0..jumps - middle).rev() {
            let to = Arc::new(self.stack.layout(start.pegs() - (jumps - m)));
            let layer = match &mut mirrored {
                None => layers[m]
                    .as_ref()
                    .map(|layer| push(&self.stack, layer, &over, to, run)),
                Some(below) => {
                    let Some(layer) = second_half.pop() else {
                        break;
                    };
                    *below = sift(&mirror, &layer, &steps, below, run)?;
                    Some(push(&mirror, below, &over, to, run))
                }
            };
            layers[jumps - m] = layer.transpose()?.map(|(layer, _)| layer);
            run.progress.advance(1);
        }
        self.layers = layers.into_iter().flatten().collect();
        self.sizes = self.layers.iter().map(Layer::len).collect();
        Ok(())
    }
}

/// Whether the complement of the finish is the start, as in the central game: then each half of a game is the other's
/// mirror.
fn is_mirrored(problem: &Problem) -> bool {
    let board = problem.board();
    problem
        .targets()
        .iter()
        .map(|&end| board.complement(end))
        .eq([problem.start()])
}

/// A search from one end towards the middle, every layer kept.
struct Side<'a> {
    stack: &'a Stack,
    layers: Vec<Layer>,
    last_size: u64,
    work: Work,
}

impl<'a> Side<'a> {
    fn new(stack: &'a Stack, starts: &[Position], run: &Run) -> Result<Self, PegError> {
        let mut first = Layer::empty(Arc::new(stack.layout(starts[0].pegs())), &run.ram)?;
        for &start in starts {
            first.insert(stack.split(), start);
        }
        Ok(Self {
            stack,
            last_size: first.len(),
            layers: vec![first],
            work: Work::default(),
        })
    }

    fn jumps(&self) -> usize {
        self.layers.len() - 1
    }

    fn advance<const W: usize>(&mut self, steps: &Steps<W>, run: &Run) -> Result<(), PegError> {
        let last = &self.layers[self.jumps()];
        let to = Arc::new(self.stack.layout(last.pegs() - 1));
        let (next, tally) = push(self.stack, last, steps, to, run)?;
        self.work.add("positions", tally.positions);
        self.work.add("jumps", tally.jumps);
        run.progress.advance(1);
        run.progress.worked(tally.jumps);
        self.last_size = next.len();
        self.layers.push(next);
        Ok(())
    }
}

/// Refuses a problem whose layers do not fit: all of them, and the largest once more while it is sifted.
fn require(stack: &Stack, problem: &Problem, run: &Run) -> Result<(), PegError> {
    let layouts = 4 * stack.split().heads().len() as u64;
    let bytes = |pegs| layouts + 8 * stack.words(pegs);
    let layers = problem.last_pegs()..=problem.start().pegs();
    let all: u64 = layers.clone().map(bytes).sum();
    let most = layers.map(bytes).max().unwrap_or(0);
    Ok(run
        .ram
        .require(&format!("the winning set of {problem}"), all + most)?)
}
