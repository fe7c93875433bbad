//! What layers take in memory and in files, computed before any of them is made.
//!
//! The words of a layer are a sum over the canonical heads, that is over the orbits of heads, of a
//! number that depends only on the pegs and the class of the head. By the lemma of Burnside
//! (Cauchy, Frobenius) it is the mean over the symmetries of the sum over the heads that the
//! symmetry keeps; those are the unions of its cycles, and their numbers by pegs and class follow
//! cycle by cycle.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use everymove_kernel::run::{OverBudget, Ram, Run};

use crate::board::Board;
use crate::invariant::Class;
use crate::layers::ClassLayers;
use crate::layers::split::{choose_tail, table_bytes};
use crate::position::{Hole, Position};
use crate::problem::Problem;
use crate::symmetry::Symmetry;

/// Bytes of the tables and of every layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Bytes of the tables of the split.
    pub(crate) tables: u64,
    /// Bytes of the layout of a layer.
    pub(crate) layout: u64,
    /// Bytes of each layer with its layout, by pegs.
    pub(crate) layers: Vec<u64>,
}

/// With more invariants than this, the classes of heads and tails are too many to be counted one by
/// one.
const MOST_INVARIANTS: usize = 12;

/// A number of sets of holes for each number of pegs and class.
type Counts = HashMap<(usize, u64), u128>;

impl Sizes {
    /// The sizes for positions of a class up to `group`, which must keep the class; `None` for
    /// boards with too many invariants for them to be computed, which are small or have few
    /// jumps.
    pub(crate) fn new(board: &Board, group: &[Symmetry], class: Class) -> Option<Self> {
        if board.invariants().basis().len() > MOST_INVARIANTS {
            return None;
        }
        let tail = choose_tail(board, group);
        let head: Vec<Hole> = board.complement(tail).holes().collect();
        let orbits =
            |set: &[Hole], symmetry: Option<&Symmetry>| counts(board, &cycles(set, symmetry));
        let tails = orbits(&tail.holes().collect::<Vec<_>>(), None);
        let order = group.len() as u128;
        let mut words = vec![0u128; board.holes() + 1];
        let mut heads = 0u128;
        for symmetry in group {
            for ((pegs, of_head), count) in orbits(&head, Some(symmetry)) {
                heads += count;
                for (&(tail_pegs, of_tail), &tails) in &tails {
                    if of_head ^ of_tail == class.0 {
                        words[pegs + tail_pegs] += count * tails.div_ceil(64);
                    }
                }
            }
        }
        let clamped = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
        let layouts = 4 * (heads / order + 1);
        let layer = |words: u128| clamped(layouts + 8 * (words / order));
        Some(Self {
            tables: table_bytes(tail.pegs(), head.len(), group.len()),
            layout: clamped(layouts),
            layers: words.into_iter().map(layer).collect(),
        })
    }

    /// The sizes of the layers of a split whose tables are in memory and not counted.
    pub(crate) fn of_layers(class_layers: &ClassLayers) -> Self {
        let layout = 4 * (class_layers.split().heads().len() as u64 + 1);
        let pegs = 0..=class_layers.split().board().holes();
        Self {
            tables: 0,
            layout,
            layers: pegs
                .map(|pegs| layout + 8 * class_layers.words(pegs))
                .collect(),
        }
    }

    /// Bytes of all layers with these numbers of pegs.
    pub(crate) fn all(&self, pegs: RangeInclusive<usize>) -> u64 {
        self.layers[pegs]
            .iter()
            .fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// Bytes of the largest layer with one of these numbers of pegs.
    pub(crate) fn largest(&self, pegs: RangeInclusive<usize>) -> u64 {
        self.layers[pegs].iter().copied().max().unwrap_or(0)
    }

    /// Bytes of the largest two neighbouring layers of which the one with more pegs has one of
    /// these numbers of them.
    pub(crate) fn largest_pair(&self, pegs: RangeInclusive<usize>) -> u64 {
        let pair = |pegs: usize| self.layers[pegs].saturating_add(self.layers[pegs - 1]);
        pegs.map(pair).max().unwrap_or(0)
    }

    /// Bytes of the layers of a problem's winning set while it is found: all from the start to the
    /// finish, and the largest twice more while it is filtered and complemented.
    pub(crate) fn winning_set(&self, problem: &Problem) -> u64 {
        let pegs = problem.last_pegs()..=problem.start().pegs();
        let filtered = self.largest(pegs.clone()).saturating_mul(2);
        self.all(pegs).saturating_add(filtered)
    }

    /// The least bytes with layers in files, of which windows are in memory.
    pub(crate) fn windows(&self, run: &Run) -> u64 {
        buffers(self.layout, run.threads.get()) + 8 * LEAST_WORDS as u64
    }

    /// Refuses work that needs the tables and `layers` bytes, before it starts.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if the budget has not that much left, or if a layer has more
    /// words than can be numbered.
    pub(crate) fn require(&self, what: &str, layers: u64, run: &Run) -> Result<(), OverBudget> {
        let need = self.tables.saturating_add(layers);
        let numbered = 8 * u64::from(u32::MAX);
        if self.layers.iter().any(|&bytes| bytes > numbered) {
            let (what, limit) = (what.to_owned(), run.ram.limit());
            return Err(OverBudget { what, need, limit });
        }
        run.ram.require(what, need)
    }
}

/// The bytes that a problem's winning set needs while it is found, where they can be computed
/// beforehand.
pub(crate) fn winning_set_bytes(problem: &Problem) -> Option<u64> {
    let board = problem.board();
    let class = board.class(problem.start());
    let sizes = Sizes::new(board, &problem.symmetries(), class)?;
    Some(sizes.tables.saturating_add(sizes.winning_set(problem)))
}

/// The least words of layers in memory: 2 MB. A group of tails has 2^10 words at most.
pub(crate) const LEAST_WORDS: usize = 1 << 18;

/// The least numbers of positions in memory: those of one group of tails.
pub(crate) const LEAST_VALUES: usize = 1 << 16;

/// Bytes that passes over layers in files take besides the words of layers: places of four layers,
/// and the buffers of files, some of them for each thread.
pub(crate) fn buffers(layout_bytes: u64, threads: usize) -> u64 {
    4 * layout_bytes + (3 << 20) + threads as u64 * (2 << 20)
}

/// Processor seconds for each place of a position, measured on three boards: 1.04 s for the 6.7e7
/// places of the English board, 20 s for 1.07e9 of the European one, 271 s for 1.72e10 of
/// diamond41.
const SECONDS_A_PLACE: f64 = 17e-9;

/// How many times longer it takes with layers in files, about.
const SLOWER_ON_DISK: f64 = 1.3;

/// What counting the positions that can be reached, or finding a winning set, takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Places of positions in all layers up to symmetry: no more positions than these can be
    /// reached.
    pub places: f64,
    /// Bytes of memory of the whole process with the layers in memory.
    pub memory: u64,
    /// The least bytes of memory of the whole process with the layers in files.
    pub memory_on_disk: u64,
    /// Bytes of these files at most, before compression.
    pub disk: u64,
    /// Processor seconds with the layers in memory.
    pub cpu_seconds: f64,
    /// Processor seconds with the layers in files and memory for all of a layer.
    pub cpu_seconds_on_disk: f64,
}

impl Estimate {
    /// For counting the positions that can be reached; `None` for boards with too many invariants
    /// for sizes to be computed beforehand.
    pub fn of_reach(board: &Board, start: Position, run: &Run) -> Option<Self> {
        let group = board.class_symmetries(start);
        let sizes = Sizes::new(board, &group, board.class(start))?;
        let pegs = 1..=start.pegs();
        let files = sizes.largest_pair(pegs.clone());
        Some(Self::new(&sizes, pegs, files, files, 1.0, run))
    }

    /// For the winning set of a problem, likewise.
    pub fn of_winning_set(problem: &Problem, run: &Run) -> Option<Self> {
        let board = problem.board();
        let class = board.class(problem.start());
        let sizes = Sizes::new(board, &problem.symmetries(), class)?;
        let pegs = problem.last_pegs()..=problem.start().pegs();
        let memory = sizes.winning_set(problem);
        // Half of the layers follow from the others where the game is its own mirror; selecting
        // takes as long as finding. In files each of these layers is kept twice, as reached
        // and as winning; after the middle of another game a third time, and the
        // middle four times.
        let (files, passes) = match problem.is_mirrored() {
            true => (memory, 1.0),
            false => {
                let all = sizes.all(pegs.clone()).saturating_mul(3);
                (all.saturating_add(sizes.largest(pegs.clone())), 2.0)
            }
        };
        Some(Self::new(&sizes, pegs, memory, files, passes, run))
    }

    fn new(
        sizes: &Sizes,
        pegs: RangeInclusive<usize>,
        layers: u64,
        disk: u64,
        passes: f64,
        run: &Run,
    ) -> Self {
        let bytes = sizes.layers[pegs].iter();
        let words = bytes.map(|bytes| (bytes - sizes.layout) as f64 / 8.0);
        let places = 64.0 * words.sum::<f64>();
        let cpu_seconds = passes * places * SECONDS_A_PLACE;
        let tables = Ram::PROGRAM + sizes.tables;
        Self {
            places,
            memory: tables.saturating_add(layers),
            memory_on_disk: tables + sizes.windows(run),
            disk,
            cpu_seconds,
            cpu_seconds_on_disk: SLOWER_ON_DISK * cpu_seconds,
        }
    }
}

/// The cycles of a symmetry on a set of holes that it keeps; without one, the holes themselves.
fn cycles(holes: &[Hole], symmetry: Option<&Symmetry>) -> Vec<Position> {
    let mut cycles: Vec<Position> = Vec::new();
    for &hole in holes {
        if cycles.iter().any(|cycle| cycle.has(hole)) {
            continue;
        }
        let mut cycle = Position::single(hole);
        let mut at = hole;
        while let Some(next) = symmetry
            .map(|symmetry| symmetry.hole(at))
            .filter(|next| !cycle.has(*next))
        {
            cycle = cycle.with(next);
            at = next;
        }
        cycles.push(cycle);
    }
    cycles
}

/// The unions of some disjoint sets of holes, counted by pegs and class.
fn counts(board: &Board, sets: &[Position]) -> Counts {
    let mut counts = Counts::from([((0, 0), 1)]);
    for &set in sets {
        let class = board.class(set).0;
        for ((pegs, other), count) in counts.clone() {
            *counts
                .entry((pegs + set.pegs(), other ^ class))
                .or_default() += count;
        }
    }
    counts
}
