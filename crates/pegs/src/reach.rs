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
    let stack = Stack::new(&split, board.class(start));
    with_width!(board, W => forward::<W>(&stack, start, run))
}

fn forward<const W: usize>(stack: &Stack, start: Position, run: &Run) -> Result<Reach, PegError> {
    require_two_layers(stack, start.pegs(), run)?;
    let mut last = None;
    let layers = each_layer::<W>(stack, start, run, |layer| last = Some(layer))?;
    Ok(Reach::new(stack, layers, last.as_ref()))
}

/// All layers that can be reached from `start`, kept, with the stack they belong to.
pub(crate) fn stored_reach(
    board: &Board,
    start: Position,
    run: &Run,
) -> Result<(Stack, Vec<Layer>, Reach), PegError> {
    let group = class_symmetries(board, start);
    let split = Arc::new(Split::new(board, &group, &run.ram)?);
    let stack = Stack::new(&split, board.class(start));
    let all: u64 = (1..=start.pegs())
        .map(|pegs| layer_bytes(&stack, pegs))
        .sum();
    run.ram.require(
        &format!("every position of the {} board", board.name()),
        all,
    )?;
    let mut kept = Vec::new();
    let layers =
        with_width!(board, W => each_layer::<W>(&stack, start, run, |layer| kept.push(layer)))?;
    let reach = Reach::new(&stack, layers, kept.last());
    Ok((stack, kept, reach))
}

/// Hands over one layer after another, each when its children are known.
fn each_layer<const W: usize>(
    stack: &Stack,
    start: Position,
    run: &Run,
    mut hand_over: impl FnMut(Layer),
) -> Result<Vec<ReachedLayer>, PegError> {
    let split = stack.split();
    let steps = Steps::<W>::jumps(split);
    let mut layer = Layer::empty(Arc::new(stack.layout(start.pegs())), &run.ram)?;
    layer.insert(split, start);
    let mut layers = Vec::new();
    run.progress.start("positions", start.pegs() as u64);
    loop {
        let next = Arc::new(stack.layout(layer.pegs() - 1));
        let (next, tally) = push(stack, &layer, &steps, next, run)?;
        layers.push(ReachedLayer::new(layer.pegs(), &tally));
        run.progress.advance(1);
        run.progress.worked(tally.jumps);
        hand_over(std::mem::replace(&mut layer, next));
        if tally.jumps == 0 {
            return Ok(layers);
        }
    }
}

fn images(board: &Board, position: Position) -> Vec<Position> {
    class_symmetries(board, position)
        .iter()
        .map(|symmetry| symmetry.position(position))
        .collect()
}

/// Bytes that a layer and its layout take.
fn layer_bytes(stack: &Stack, pegs: usize) -> u64 {
    8 * stack.words(pegs) + 4 * stack.split().heads().len() as u64
}

/// Refuses a board whose two largest neighbouring layers do not fit.
fn require_two_layers(stack: &Stack, pegs: usize, run: &Run) -> Result<(), PegError> {
    let pair = |pegs| layer_bytes(stack, pegs) + layer_bytes(stack, pegs - 1);
    let most = (1..=pegs).map(pair).max().unwrap_or(0);
    let what = format!(
        "the {} board, layer by layer,",
        stack.split().board().name()
    );
    Ok(run.ram.require(&what, most)?)
}

impl Reach {
    fn new(stack: &Stack, layers: Vec<ReachedLayer>, last: Option<&Layer>) -> Self {
        let board = stack.split().board();
        let last = last.filter(|layer| layer.pegs() == 1);
        let pegs = last.into_iter().flat_map(|layer| layer.positions(stack));
        let pegs = pegs.flat_map(|peg| images(board, peg));
        let mut work = Work::of(
            "positions",
            layers.iter().map(|layer| layer.positions).sum(),
        );
        work.add("jumps", layers.iter().map(|layer| layer.jumps).sum());
        Self {
            last_pegs: pegs.fold(Position::EMPTY, |all, peg| Position(all.0 | peg.0)),
            layers,
            work,
        }
    }
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
