//! The fewest moves, with proof: consecutive jumps of one peg are one move.
//!
//! For every winning position the number of moves still needed is one more than the least of the
//! positions one move away. Moves only take pegs away, so going through the layers from the finish
//! to the start, every position is settled from positions already settled. This examines every move
//! that keeps a winning position winning, once; a solution that is not among them does not exist,
//! which is the proof. (The breadth-first search from the start examines the same moves, but has to
//! be repeated backwards to count the shortest solutions, and gives no number for positions that
//! are on none of them.)

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::error::PegError;
use crate::jump::Jump;
use crate::layers::values::{LayerValues, values_of_positions};
use crate::layers::{Layer, Split};
use crate::move_generator::{MoveGenerator, PartialMove};
use crate::position::Position;
use crate::winning::WinningSet;

/// The least number of moves and how many ways there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestCount {
    /// Moves, consecutive jumps of one peg counted once.
    pub moves: u32,
    /// Ordered sequences of that many moves.
    pub solutions: u128,
}

/// The fewest moves to the finish from every winning position.
pub struct Shortest<'a> {
    set: &'a WinningSet,
    chains: MoveGenerator,
    /// For each layer, from the start: the moves still needed.
    to_go: Vec<LayerValues<u8>>,
}

impl<'a> Shortest<'a> {
    /// Finds the fewest moves from every position of a winning set; `None` if the set is empty.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] if a byte for each winning position does not fit,
    /// [`PegError::Stopped`].
    pub fn new(set: &'a WinningSet, run: &Run) -> Result<Option<Self>, PegError> {
        if !set.is_solvable() {
            return Ok(None);
        }
        let chains = MoveGenerator::new(set.class_layers.split());
        run.progress
            .start("finding the fewest moves", set.layers.len() as u64);
        // From the finish: `settled[i]` belongs to the layer with `i` pegs more than it.
        let mut settled: Vec<LayerValues<u8>> = Vec::with_capacity(set.layers.len());
        for layer in set.layers.iter().rev() {
            let depth = settled.len();
            let below = Below {
                layers: &set.layers[set.layers.len() - depth..],
                settled: &settled,
            };
            let fewest = |head, tail, _| {
                if depth == 0 {
                    return 0;
                }
                let mut best = u8::MAX;
                chains.each(
                    MoveGenerator::packed(head, tail),
                    &mut |link: &PartialMove<'_>| {
                        match below.to_go(set.class_layers.split(), link.position, link.jumps.len())
                        {
                            Some(to_go) => best = best.min(to_go),
                            None => return false,
                        }
                        true
                    },
                );
                best.saturating_add(1)
            };
            let numbers = values_of_positions(&set.class_layers, layer, run, fewest)?;
            settled.push(numbers);
            run.progress.advance(1);
        }
        settled.reverse();
        Ok(Some(Self {
            set,
            chains,
            to_go: settled,
        }))
    }

    /// The winning set.
    pub fn set(&self) -> &'a WinningSet {
        self.set
    }

    /// The fewest moves from the start to the finish.
    pub fn moves(&self) -> u32 {
        self.to_go[0]
            .values
            .first()
            .copied()
            .unwrap_or_default()
            .into()
    }

    /// The fewest moves from a position to the finish; `None` if it is not winning.
    pub fn moves_from(&self, position: Position) -> Option<u32> {
        let (layer, numbers) = self.layer(position)?;
        let index = layer.index(self.set.class_layers.split(), position);
        numbers.of(&layer.words, index).map(|&to_go| to_go.into())
    }

    /// A shortest solution.
    pub fn solution(&self) -> Vec<Jump> {
        self.solution_from(self.set.problem().start())
            .unwrap_or_default()
    }

    /// A shortest way from a position to the finish; `None` if it is not winning.
    pub fn solution_from(&self, position: Position) -> Option<Vec<Jump>> {
        let mut position = position;
        let mut jumps = Vec::new();
        for to_go in (0..self.moves_from(position)?).rev() {
            let mut next: Option<Vec<Jump>> = None;
            self.each_move(position, |jumps, _, moves| {
                if moves == to_go && next.is_none() {
                    next = Some(jumps.to_vec());
                }
            });
            for jump in next? {
                position = jump.after(position);
                jumps.push(jump);
            }
        }
        Some(jumps)
    }

    /// Counts the solutions with the fewest moves, as ordered sequences of moves.
    ///
    /// # Errors
    /// [`PegError::Stopped`], [`PegError::Overflow`] above 2^128 - 2 of them.
    pub fn count(&self, run: &Run) -> Result<ShortestCount, PegError> {
        let split = self.set.class_layers.split();
        // Ways to reach each position on a shortest solution: by pegs and index, so that images
        // share a number.
        let start = self.set.problem().start();
        let mut ways = BTreeMap::from([((start.pegs(), 0), (start, 1u128))]);
        let moves = self.moves();
        for to_go in (0..moves).rev() {
            run.stop.check()?;
            let mut next: BTreeMap<(usize, usize), (Position, u128)> = BTreeMap::new();
            for (position, count) in ways.into_values() {
                let mut ends: HashMap<Position, u128> = HashMap::new();
                self.each_move(position, |_, end, moves| {
                    if moves == to_go {
                        *ends.entry(end).or_default() += 1;
                    }
                });
                for (end, moves) in ends {
                    let Some((layer, _)) = self.layer(end) else {
                        continue;
                    };
                    let entry = next
                        .entry((end.pegs(), layer.index(split, end)))
                        .or_insert((end, 0));
                    entry.1 = entry.1.saturating_add(count.saturating_mul(moves));
                }
            }
            ways = next;
        }
        let solutions = ways
            .into_values()
            .fold(0u128, |sum, (_, count)| sum.saturating_add(count));
        if solutions == u128::MAX {
            return Err(PegError::Overflow {
                what: "shortest solutions",
            });
        }
        Ok(ShortestCount { moves, solutions })
    }

    /// Calls `visit` with each move that stays winning: its jumps, the position it leads to and the
    /// moves still needed there.
    fn each_move(&self, position: Position, mut visit: impl FnMut(&[Jump], Position, u32)) {
        let split = self.set.class_layers.split();
        let board = split.board();
        let (head, tail) = split.pack(position);
        self.chains.each(
            MoveGenerator::packed(head, tail),
            &mut |link: &PartialMove<'_>| {
                let jumps: Vec<Jump> = link
                    .jumps
                    .iter()
                    .map(|&number| board.jumps()[usize::from(number)])
                    .collect();
                let end = jumps
                    .iter()
                    .fold(position, |position, jump| jump.after(position));
                let to_go = self.moves_from(end);
                if let Some(to_go) = to_go {
                    visit(&jumps, end, to_go);
                }
                to_go.is_some()
            },
        );
    }

    fn layer(&self, position: Position) -> Option<(&'a Arc<Layer>, &LayerValues<u8>)> {
        let layer = self.set.layer_of(position)?;
        let n = self.set.problem().start().pegs() - position.pegs();
        Some((layer, &self.to_go[n]))
    }
}

/// The layers below the current one, and their values.
struct Below<'a> {
    /// From the nearest down.
    layers: &'a [Arc<Layer>],
    /// From the farthest up.
    settled: &'a [LayerValues<u8>],
}

impl Below<'_> {
    /// The moves needed from a packed position `jumps` jumps below the current layer.
    #[inline(always)]
    fn to_go(&self, split: &Split, packed: u64, jumps: usize) -> Option<u8> {
        // A finish of several pegs has positions below it that no layer holds.
        let layer = self.layers.get(jumps - 1)?;
        let numbers = &self.settled[self.settled.len() - jumps];
        let index = layer.packed_index(split, packed);
        numbers.of(&layer.words, index).copied()
    }
}
