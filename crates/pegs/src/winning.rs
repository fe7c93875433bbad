//! The winning set: every position that can be reached from the start and from which the finish can be reached.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::bidirectional::{BidirectionalSearch, is_mirrored, is_open, require_winning_set};
use crate::checkpoint::Checkpoint;
use crate::error::PegError;
use crate::jump::Jump;
use crate::layers::next_layer::next_layer;
use crate::layers::{ClassLayers, Layer, Split, Steps};
use crate::position::Position;
use crate::problem::Problem;
use crate::step_table::with_width;

/// The winning positions of a problem, up to the problem's symmetries.
pub struct WinningSet {
    problem: Problem,
    pub(crate) class_layers: ClassLayers,
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
        Self::find(problem, None, run)
    }

    /// The same; every layer that took long is saved in a folder, and loaded from there when the same problem is asked
    /// again.
    ///
    /// # Errors
    /// As [`WinningSet::new`]; [`PegError::File`] and [`PegError::OtherQuestion`] of the checkpoint.
    pub fn resume(
        problem: &Problem,
        checkpoint: Checkpoint<'_>,
        run: &Run,
    ) -> Result<Self, PegError> {
        Self::find(problem, Some(checkpoint), run)
    }

    fn find(
        problem: &Problem,
        checkpoint: Option<Checkpoint<'_>>,
        run: &Run,
    ) -> Result<Self, PegError> {
        run.stop.check()?;
        let is_open = is_open(problem);
        let group = problem.symmetries();
        if is_open {
            require_winning_set(problem, &group, run)?;
        }
        let split = Arc::new(Split::new(problem.board(), &group, run)?);
        let class_layers = ClassLayers::new(&split, problem.board().class(problem.start()));
        let (layers, work) = if is_open {
            with_width!(problem.board(), W => {
                BidirectionalSearch::<W>::new(problem, &class_layers, checkpoint, run)?.layers()?
            })
        } else {
            Default::default()
        };
        Ok(Self::with_layers(problem, class_layers, layers, work))
    }

    fn with_layers(
        problem: &Problem,
        class_layers: ClassLayers,
        layers: Vec<Layer>,
        mut work: Work,
    ) -> Self {
        let sizes: Vec<u64> = layers.iter().map(Layer::len).collect();
        work.add("winning", sizes.iter().sum());
        Self {
            problem: problem.clone(),
            class_layers,
            layers,
            sizes,
            work,
        }
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
        class_layers: ClassLayers,
        mut layers: Vec<Layer>,
        run: &Run,
    ) -> Result<Self, PegError> {
        if is_mirrored(problem) && !layers.is_empty() {
            let jumps = problem.start().pegs() - problem.last_pegs();
            let over = Steps::<1>::complement(class_layers.split());
            for n in layers.len()..=jumps {
                let to = Arc::new(class_layers.layout(problem.start().pegs() - n));
                layers.push(next_layer(&class_layers, &layers[jumps - n], &over, to, run)?.0);
            }
        }
        Ok(Self::with_layers(
            problem,
            class_layers,
            layers,
            Work::default(),
        ))
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

    /// `positions` and `jumps` examined up to the middle layer, and `winning` positions.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Whether a position can arise in a game from the start and the finish can be reached from it.
    pub fn contains(&self, position: Position) -> bool {
        self.layer_of(position)
            .is_some_and(|layer| layer.has(self.class_layers.split(), position))
    }

    /// A solution: from each position the first jump that keeps it winning; `None` if there is none.
    pub fn solution(&self) -> Option<Vec<Jump>> {
        self.solution_from(self.problem.start())
    }

    /// The same from any winning position; `None` from any other.
    pub fn solution_from(&self, position: Position) -> Option<Vec<Jump>> {
        let board = self.problem.board();
        let mut position = position;
        let mut jumps = Vec::new();
        if !self.contains(position) {
            return None;
        }
        while position.pegs() > self.problem.last_pegs() {
            let jump = board
                .legal_jumps(position)
                .find(|jump| self.contains(jump.after(position)))?;
            position = jump.after(position);
            jumps.push(jump);
        }
        Some(jumps)
    }

    /// A set that was loaded, if it is this problem's.
    ///
    /// # Errors
    /// [`PegError::OtherProblem`] if it is not.
    pub fn of(self, problem: &Problem) -> Result<Self, PegError> {
        match &self.problem == problem {
            true => Ok(self),
            false => Err(PegError::OtherProblem {
                found: self.problem.to_string(),
                expected: problem.to_string(),
            }),
        }
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
            .flat_map(|layer| layer.positions(&self.class_layers))
    }

    /// The layer that a position is in, if it is winning.
    pub(crate) fn layer_of(&self, position: Position) -> Option<&Layer> {
        let jumps = self.problem.start().pegs().checked_sub(position.pegs())?;
        let is_ours = self.problem.board().class(position) == self.class_layers.class();
        self.layers.get(jumps).filter(|_| is_ours)
    }
}
