//! What is counted of the positions that can be reached.

use everymove_kernel::run::Work;

use crate::board::Board;
use crate::layers::next_layer::LayerCounts;
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
    /// Where the layers were.
    pub layers_in: LayersIn,
    /// `positions` and `jumps`.
    pub work: Work,
}

/// Where the layers of a search are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayersIn {
    /// In memory, whole.
    Memory,
    /// In files, and parts of them in memory.
    Files,
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
/// Only these may be used to merge positions: the layers hold one class, and a symmetry that changes it leads
/// out of it.
pub fn class_symmetries(board: &Board, position: Position) -> Vec<Symmetry> {
    let class = board.class(position);
    let keeps = |symmetry: &&Symmetry| board.class(symmetry.position(position)) == class;
    board.symmetries().iter().filter(keeps).cloned().collect()
}

/// The holes that can hold the last peg, by the positions of the last layer that was reached.
pub(crate) fn last_pegs(board: &Board, positions: impl Iterator<Item = Position>) -> Position {
    let pegs = positions.filter(|position| position.pegs() == 1);
    let pegs = pegs.flat_map(|peg| images(board, peg));
    pegs.fold(Position::EMPTY, |all, peg| Position(all.0 | peg.0))
}

impl Reach {
    pub(crate) fn new(layers: Vec<ReachedLayer>, last_pegs: Position, layers_in: LayersIn) -> Self {
        let mut work = Work::of(
            "positions",
            layers.iter().map(|layer| layer.positions).sum(),
        );
        work.add("jumps", layers.iter().map(|layer| layer.jumps).sum());
        Self {
            last_pegs,
            layers,
            layers_in,
            work,
        }
    }
}

impl ReachedLayer {
    pub(crate) fn new(pegs: usize, tally: &LayerCounts) -> Self {
        Self {
            pegs,
            positions: tally.positions,
            images: tally.images,
            jumps: tally.jumps,
            dead_ends: tally.dead_ends,
        }
    }
}

fn images(board: &Board, position: Position) -> Vec<Position> {
    class_symmetries(board, position)
        .iter()
        .map(|symmetry| symmetry.position(position))
        .collect()
}

/// What a checkpoint notes of the layers that are done.
pub(crate) fn notes(layers: &[ReachedLayer]) -> String {
    let line = |layer: &ReachedLayer| {
        let ReachedLayer {
            positions,
            images,
            jumps,
            dead_ends,
            ..
        } = layer;
        format!("{positions} {images} {jumps} {dead_ends}\n")
    };
    layers.iter().map(line).collect()
}

/// The counts in notes, of layers from the one with `pegs` pegs down.
pub(crate) fn read_notes(notes: &str, pegs: usize) -> Option<Vec<ReachedLayer>> {
    let lines = notes.lines().enumerate();
    lines
        .map(|(n, line)| read_counts(line, pegs.checked_sub(n + 1)? + 1))
        .collect()
}

/// What a line of notes says of the layer with `pegs` pegs.
pub(crate) fn read_counts(line: &str, pegs: usize) -> Option<ReachedLayer> {
    let numbers = line.trim_end().split(' ').map(|number| number.parse().ok());
    let numbers: Option<Vec<u64>> = numbers.collect();
    let [positions, images, jumps, dead_ends] = numbers?[..] else {
        return None;
    };
    Some(ReachedLayer {
        pegs,
        positions,
        images,
        jumps,
        dead_ends,
    })
}
