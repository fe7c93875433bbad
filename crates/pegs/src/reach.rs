//! Every position that can be reached, layer by layer.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::board::Board;
use crate::error::PegError;
use crate::forecast::Sizes;
use crate::layers::layout::index;
use crate::layers::next_layer::LayerCounts;
use crate::layers::{ClassLayers, Steps};
use crate::position::{Hole, Position};
use crate::problem::{Finish, Problem};
use crate::step_table::with_width;
use crate::store::{Folders, LayerFiles, LayersIn, Question, Store, StoredLayer};

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

/// Counts every position that can be reached from `start`, in two layers' memory.
///
/// # Errors
/// As [`reach_within`].
pub fn reach(board: &Board, start: Position, run: &Run) -> Result<Reach, PegError> {
    reach_within(board, start, usize::MAX, LayerFiles::default(), run)
}

/// Counts the positions that can be reached in at most `jumps` jumps. The newest layer is kept in
/// files, or parts of layers if two of them do not fit the memory; a later run resumes from there.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_pegs::{Board, LayerFiles, reach_within};
///
/// let board = Board::named("wiegleb")?;
/// let start = board.vacate(board.hole("e5")?);
/// let reach = reach_within(&board, start, 5, LayerFiles::default(), &Run::serial())?;
/// let positions: Vec<u64> = reach.layers.iter().map(|layer| layer.positions).collect();
/// assert_eq!(positions, [1, 1, 3, 11, 60, 297]);
/// # Ok::<(), everymove_pegs::PegError>(())
/// ```
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the largest two layers do not fit,
/// [`PegError::OverDisk`], [`PegError::Stopped`], [`PegError::Board`] for a start without pegs,
/// [`PegError::File`] of files that are not right or of another question.
pub fn reach_within(
    board: &Board,
    start: Position,
    jumps: usize,
    files: LayerFiles<'_>,
    run: &Run,
) -> Result<Reach, PegError> {
    let problem = Problem::new(board, start, Finish::Anywhere)?;
    files.open(&problem, |folders| {
        reach_in(board, start, jumps, folders, run)
    })
}

/// The same with the newest layer in folders.
///
/// # Errors
/// As [`reach_within`].
pub(crate) fn reach_in(
    board: &Board,
    start: Position,
    jumps: usize,
    folders: Folders<'_>,
    run: &Run,
) -> Result<Reach, PegError> {
    let question = Question {
        problem: &Problem::new(board, start, Finish::Anywhere)?,
        subject: "positions",
        group: &board.class_symmetries(start),
        what: format!("the {} board, layer by layer,", board.name()),
        value_bytes: 0,
    };
    let pegs = start.pegs();
    let memory = |sizes: &Sizes| sizes.largest_pair(pegs.saturating_sub(jumps).max(1)..=pegs);
    folders.place(|layers_in| {
        let (class_layers, mut store) = Store::open(folders, layers_in, &question, memory, run)?;
        let keep = Keep::Newest(jumps);
        Ok(search_layers(&mut store, &class_layers, start, "reached", keep)?.1)
    })
}

/// All layers that can be reached from `start`, with the class layers that they belong to;
/// positions are one up to the group of a question.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::Stopped`],
/// [`PegError::File`].
pub(crate) fn reached_layers(
    store: &mut Store<'_>,
    class_layers: &Arc<ClassLayers>,
    start: Position,
) -> Result<(Vec<StoredLayer>, Reach), PegError> {
    search_layers(store, class_layers, start, "played", Keep::All)
}

/// Which layers of a search are kept.
#[derive(Clone, Copy)]
enum Keep {
    All,
    /// The newest, until this many jumps were made.
    Newest(usize),
}

fn search_layers(
    store: &mut Store<'_>,
    class_layers: &Arc<ClassLayers>,
    start: Position,
    name: &str,
    keep: Keep,
) -> Result<(Vec<StoredLayer>, Reach), PegError> {
    let (pegs, board) = (start.pegs(), class_layers.split().board());
    let run = store.run;
    run.progress.start("counting positions", pegs as u64);
    let (mut kept, mut counted) = (Vec::new(), Vec::new());
    let jumps = match keep {
        Keep::All => usize::MAX,
        Keep::Newest(jumps) => {
            let numbers = store.layer_numbers(name)?.into_iter().rev();
            for number in numbers.filter(|&number| (1..pegs).contains(&number) && number <= jumps) {
                if let Some(layer) = store.find((name, number), class_layers, pegs - number)? {
                    counted = read_counts(store, &layer, pegs)?;
                    kept.push(layer);
                    break;
                }
            }
            jumps
        }
    };
    if kept.is_empty() {
        kept.push(store.layer_of((name, 0), class_layers, &[start])?);
    }
    run.progress.advance(counted.len() as u64);
    with_width!(board, W => {
        let steps = Steps::<W>::jumps(class_layers.split());
        loop {
            let (done, last) = (counted.len(), &kept[kept.len() - 1]);
            let notes = |counts: &LayerCounts| {
                let before = counted.iter().flat_map(ReachedLayer::counts);
                let LayerCounts { positions, images, jumps, dead_ends } = *counts;
                before.chain([positions, images, jumps, dead_ends]).collect()
            };
            let to = (class_layers, pegs - done - 1);
            let next = store.expand((name, done + 1), last, &steps, to, notes)?;
            counted = read_counts(store, &next, pegs)?;
            run.progress.advance(1);
            if counted.last().is_none_or(|layer| layer.jumps == 0) || counted.len() > jumps {
                break;
            }
            if matches!(keep, Keep::Newest(_)) {
                kept.clear();
                store.keep_only(name, done + 1)?;
            }
            kept.push(next);
        }
    });
    let mut last_pegs = Position::EMPTY;
    let last = &kept[kept.len() - 1];
    if last.pegs == 1 {
        let is_in_class =
            |hole: &Hole| board.class(Position::single(*hole)) == class_layers.class();
        store.each_window(last, |span, words| {
            let first = span.layout.start(span.heads.start);
            for hole in (0..board.holes()).filter(is_in_class) {
                let index = index(&span.layout, class_layers.split(), Position::single(hole));
                let word = (index / 64).checked_sub(first).and_then(|at| words.get(at));
                if word.is_some_and(|word| word >> (index % 64) & 1 == 1) {
                    last_pegs = last_pegs.with(hole);
                }
            }
            Ok(())
        })?;
    }
    let sum = |of: fn(&ReachedLayer) -> u64| counted.iter().map(of).sum();
    let mut work = Work::of("positions", sum(|layer| layer.positions));
    work.add("jumps", sum(|layer| layer.jumps));
    let reach = Reach {
        last_pegs,
        layers: counted,
        layers_in: store.layers_in,
        work,
    };
    Ok((kept, reach))
}

impl ReachedLayer {
    fn counts(&self) -> [u64; 4] {
        [self.positions, self.images, self.jumps, self.dead_ends]
    }
}

/// The counts in the notes of a layer, of the layers before it from the one with `pegs` pegs down.
fn read_counts(
    store: &Store<'_>,
    layer: &StoredLayer,
    pegs: usize,
) -> Result<Vec<ReachedLayer>, PegError> {
    let (counts, rest) = layer.notes().as_chunks::<4>();
    let makes_sense = |(n, &[positions, images, jumps, dead_ends]): (usize, &[u64; 4])| {
        let is_sum_small = images.max(jumps) < 1 << 57;
        // One peg has no jump.
        let can_jump = n + 1 < pegs || jumps == 0;
        dead_ends <= positions && positions <= images && is_sum_small && can_jump
    };
    let makes_sense = counts.iter().enumerate().all(makes_sense);
    if counts.len() != pegs - layer.pegs || !rest.is_empty() || !makes_sense {
        return Err(store.damaged(layer, "its counts make no sense"));
    }
    let layer = |(n, &[positions, images, jumps, dead_ends]): (_, &[u64; 4])| ReachedLayer {
        pegs: pegs - n,
        positions,
        images,
        jumps,
        dead_ends,
    };
    Ok(counts.iter().enumerate().map(layer).collect())
}
