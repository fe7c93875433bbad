//! Every position that can be reached, layer by layer.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::board::Board;
use crate::error::PegError;
use crate::layers::desk::with_width;
use crate::layers::push::{Tally, push};
use crate::layers::{Layer, Split, Stack, Steps};
use crate::position::Position;
use crate::symmetry::Symmetry;

/// The positions reached after some jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedLayer {
    /// Pegs on the board.
    pub pegs: usize,
    /// Positions up to the symmetries that keep the start's class.
    pub positions: u64,
    /// Positions, with every image under these symmetries counted.
    pub images: u64,
    /// Jumps that can be made from the positions, up to symmetry.
    pub jumps: u64,
    /// Positions from which no jump can be made, up to symmetry.
    pub dead_ends: u64,
}

/// What can be reached from a start.
#[derive(Clone, Debug)]
pub struct Reach {
    /// From the start down to the last layer that holds a position.
    pub layers: Vec<ReachedLayer>,
    /// Holes that can hold the last peg.
    pub last_pegs: Position,
    /// `positions` and `jumps`.
    pub work: Work,
}

impl Reach {
    /// Positions up to symmetry in all layers.
    pub fn positions(&self) -> u64 {
        self.layers.iter().map(|layer| layer.positions).sum()
    }

    /// The fewest jumps of a game that ends with no jump left.
    pub fn shortest_game(&self) -> Option<usize> {
        self.layers.iter().position(|layer| layer.dead_ends > 0)
    }
}

/// The symmetries of a board that keep the class of a position.
///
/// Only these may be used to merge positions: the layers hold one class, and a symmetry that changes it leads out of it.
pub fn class_symmetries(board: &Board, position: Position) -> Vec<Symmetry> {
    let class = board.class(position);
    let keeps = |symmetry: &&Symmetry| board.class(symmetry.position(position)) == class;
    board.symmetries().iter().filter(keeps).cloned().collect()
}

/// Counts every position that can be reached from `start`, in two layers' memory.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the largest two layers do not fit, [`PegError::Stopped`].
pub fn reach(board: &Board, start: Position, run: &Run) -> Result<Reach, PegError> {
    let group = class_symmetries(board, start);
    let split = Arc::new(Split::new(board, &group, &run.ram)?);
    reach_with(&split, start, run)
}

pub(crate) fn reach_with(split: &Arc<Split>, start: Position, run: &Run) -> Result<Reach, PegError> {
    let stack = Stack::new(split, split.board().class(start));
    with_width!(split.board(), W => forward::<W>(&stack, start, run))
}

fn forward<const W: usize>(stack: &Stack, start: Position, run: &Run) -> Result<Reach, PegError> {
    let split = stack.split();
    require_two_layers(stack, start.pegs(), run)?;
    let steps = Steps::<W>::jumps(split);
    let mut layer = Layer::empty(Arc::new(stack.layout(start.pegs())), &run.ram)?;
    layer.insert(split, start);
    let mut layers = Vec::new();
    run.progress.start("positions", start.pegs() as u64);
    let last_pegs = loop {
        let next = Arc::new(stack.layout(layer.pegs() - 1));
        let (next, tally) = push(stack, &layer, &steps, next, run)?;
        layers.push(ReachedLayer::new(layer.pegs(), &tally));
        run.progress.advance(1);
        run.progress.worked(tally.jumps);
        if layer.pegs() == 1 {
            let last = layer.positions(stack);
            break last.flat_map(|peg| images(split.board(), peg)).fold(Position::EMPTY, |set, peg| Position(set.0 | peg.0));
        }
        if tally.jumps == 0 {
            break Position::EMPTY;
        }
        layer = next;
    };
    let mut work = Work::of("positions", layers.iter().map(|layer| layer.positions).sum());
    work.add("jumps", layers.iter().map(|layer| layer.jumps).sum());
    Ok(Reach { layers, last_pegs, work })
}

fn images(board: &Board, position: Position) -> Vec<Position> {
    class_symmetries(board, position).iter().map(|symmetry| symmetry.position(position)).collect()
}

/// Refuses a board whose two largest neighbouring layers do not fit.
fn require_two_layers(stack: &Stack, pegs: usize, run: &Run) -> Result<(), PegError> {
    let layouts = 2 * 4 * stack.split().heads().len() as u64;
    let bytes = |pegs| 8 * (stack.words(pegs) + stack.words(pegs - 1));
    let most = (1..=pegs).map(bytes).max().unwrap_or(0);
    let what = format!("the {} board, layer by layer,", stack.split().board().name());
    Ok(run.ram.require(&what, most + layouts)?)
}

impl ReachedLayer {
    fn new(pegs: usize, tally: &Tally) -> Self {
        Self {
            pegs,
            positions: tally.positions,
            images: tally.images,
            jumps: tally.jumps,
            dead_ends: tally.dead_ends,
        }
    }
}
