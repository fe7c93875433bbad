//! Every position that can be reached, layer by layer.

use std::sync::Arc;

use everymove_kernel::run::Run;

use crate::board::Board;
use crate::checkpoint::{Checkpoint, SaveTimer};
use crate::disk::{self, LayerFiles, is_over};
use crate::error::PegError;
use crate::layers::estimate::Sizes;
use crate::layers::next_layer::next_layer;
use crate::layers::{ClassLayers, Layer, Split, Steps};
use crate::position::Position;
use crate::problem::{Finish, Problem};
use crate::reached::{
    LayersIn, Reach, ReachedLayer, class_symmetries, last_pegs, notes, read_counts, read_notes,
};
use crate::step_table::with_width;
use crate::symmetry::Symmetry;

/// What is to be reached, and where a long run keeps its state.
///
/// ```
/// use everymove_kernel::run::Run;
/// use everymove_pegs::{Board, ReachPlan};
///
/// let board = Board::named("wiegleb")?;
/// let reach = ReachPlan::new(&board, board.vacate(board.hole("e5")?)).up_to(5).reach(&Run::serial())?;
/// let positions: Vec<u64> = reach.layers.iter().map(|layer| layer.positions).collect();
/// assert_eq!(positions, [1, 1, 3, 11, 60, 297]);
/// # Ok::<(), everymove_pegs::PegError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReachPlan<'a> {
    board: Board,
    start: Position,
    jumps: usize,
    checkpoint: Option<Checkpoint<'a>>,
    files: Option<LayerFiles<'a>>,
}

/// The name of a checkpoint's file.
const FILE: &str = "reach.pegs";

impl<'a> ReachPlan<'a> {
    /// Everything that can be reached.
    pub fn new(board: &Board, start: Position) -> Self {
        Self {
            board: board.clone(),
            start,
            jumps: usize::MAX,
            checkpoint: None,
            files: None,
        }
    }

    /// Nothing beyond a number of jumps.
    #[must_use]
    pub fn up_to(self, jumps: usize) -> Self {
        Self { jumps, ..self }
    }

    /// Keeps the newest layer in a folder, and resumes from it.
    #[must_use]
    pub fn checkpoint(self, checkpoint: Checkpoint<'a>) -> Self {
        Self {
            checkpoint: Some(checkpoint),
            ..self
        }
    }

    /// Keeps layers in files if two of them do not fit the memory.
    #[must_use]
    pub fn on_disk(self, files: LayerFiles<'a>) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// Counts the positions, in two layers' memory or with layers in files.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] before any work if the largest two layers do not fit, [`PegError::OverDisk`],
    /// [`PegError::Stopped`], [`PegError::Board`] for a start without pegs, [`PegError::File`] and
    /// [`PegError::OtherQuestion`] of a checkpoint.
    pub fn reach(&self, run: &Run) -> Result<Reach, PegError> {
        let (board, start) = (&self.board, self.start);
        let problem = Problem::new(board, start, Finish::Anywhere)?;
        run.stop.check()?;
        let group = class_symmetries(board, start);
        let question = format!("{problem}, positions");
        let required = require_two_layers(board, start, &group, self.jumps, run);
        if let (true, Some(files)) = (is_over(&required), self.files) {
            return disk::reach(board, start, self.jumps, &question, files, run);
        }
        required?;
        let class_layers = layers_of(board, start, &group, run)?;
        let (mut layers, mut layer) = self.resume(&class_layers, &question, run)?;
        let last = with_width!(board, W => {
            let steps = Steps::<W>::jumps(class_layers.split());
            run.progress.start("counting positions", start.pegs() as u64);
            run.progress.advance(layers.len() as u64);
            let mut timer = SaveTimer::new();
            loop {
                let (next, done) = advance(&class_layers, &layer, &steps, run)?;
                layers.push(done);
                if done.jumps == 0 || layers.len() > self.jumps {
                    break layer;
                }
                layer = next;
                if let Some(checkpoint) = self.checkpoint.filter(|keep| timer.is_due(keep.worth)) {
                    timer.save(|| checkpoint.save(FILE, &question, &notes(&layers), &layer))?;
                }
            }
        });
        Ok(Reach::new(
            layers,
            last_pegs(board, last.positions(&class_layers)),
            LayersIn::Memory,
        ))
    }

    /// The counts of the layers that are done, and the layer to continue from.
    fn resume(
        &self,
        class_layers: &ClassLayers,
        question: &str,
        run: &Run,
    ) -> Result<(Vec<ReachedLayer>, Layer), PegError> {
        if let Some(checkpoint) = self.checkpoint
            && let Some(saved) = checkpoint.open(FILE, question)?
        {
            let pegs = self.start.pegs();
            let layers = read_notes(&saved.notes, pegs).filter(|layers| layers.len() < pegs);
            let layers = layers.ok_or_else(|| saved.damaged(NO_COUNTS))?;
            let layer = saved.layer(class_layers, pegs - layers.len(), run)?;
            return Ok((layers, layer));
        }
        Ok((Vec::new(), first_layer(class_layers, self.start, run)?))
    }
}

/// Counts every position that can be reached from `start`, in two layers' memory.
///
/// # Errors
/// As [`ReachPlan::reach`].
pub fn reach(board: &Board, start: Position, run: &Run) -> Result<Reach, PegError> {
    ReachPlan::new(board, start).reach(run)
}

const NO_COUNTS: &str = "its counts are not numbers";

/// The layers of the start's class, under a group of symmetries that keep it.
pub(crate) fn layers_of(
    board: &Board,
    start: Position,
    group: &[Symmetry],
    run: &Run,
) -> Result<ClassLayers, PegError> {
    run.progress.start("numbering the positions", 0);
    let split = Arc::new(Split::new(board, group, run)?);
    Ok(ClassLayers::new(&split, board.class(start)))
}

fn first_layer(class_layers: &ClassLayers, start: Position, run: &Run) -> Result<Layer, PegError> {
    let mut layer = Layer::empty(Arc::new(class_layers.layout(start.pegs())), &run.ram)?;
    layer.insert(class_layers.split(), start);
    Ok(layer)
}

/// The next layer, and what was counted in this one.
fn advance<const W: usize>(
    class_layers: &ClassLayers,
    layer: &Layer,
    steps: &Steps<W>,
    run: &Run,
) -> Result<(Layer, ReachedLayer), PegError> {
    let below = Arc::new(class_layers.layout(layer.pegs() - 1));
    let (next, counts) = next_layer(class_layers, layer, steps, below, run)?;
    run.progress.advance(1);
    run.progress.worked(counts.jumps);
    Ok((next, ReachedLayer::new(layer.pegs(), &counts)))
}

/// All layers that can be reached from `start`, kept in memory, with the class layers that they belong to; positions
/// are one up to `group`, whose symmetries keep the start's class. With a checkpoint, layers that took long are kept in
/// files and taken from there when the same question is asked again.
pub(crate) fn stored_reach(
    board: &Board,
    start: Position,
    group: &[Symmetry],
    checkpoint: Option<Checkpoint<'_>>,
    run: &Run,
) -> Result<(ClassLayers, Vec<Layer>, Reach), PegError> {
    run.stop.check()?;
    let what = format!("every position of the {} board", board.name());
    let sizes = Sizes::new(board, group, board.class(start));
    if let Some(sizes) = &sizes {
        sizes.require(&what, sizes.all(1..=start.pegs()), run)?;
    }
    let class_layers = layers_of(board, start, group, run)?;
    if sizes.is_none() {
        let pegs = 1..=start.pegs();
        let all = pegs.map(|pegs| layer_bytes(&class_layers, pegs)).sum();
        run.ram.require(&what, all)?;
    }
    let problem = Problem::new(board, start, Finish::Anywhere)?;
    let question = format!("{problem}, positions up to {} symmetries", group.len());
    run.progress
        .start("counting positions", start.pegs() as u64);
    let mut kept = vec![first_layer(&class_layers, start, run)?];
    let mut layers = Vec::new();
    with_width!(board, W => {
        let steps = Steps::<W>::jumps(class_layers.split());
        loop {
            let last = &kept[kept.len() - 1];
            let find = || advance(&class_layers, last, &steps, run);
            let (next, done) = match checkpoint {
                Some(checkpoint) => {
                    let keep = KeptLayer {
                        checkpoint,
                        name: format!("reached-{}", kept.len()),
                        question: &question,
                    };
                    keep.advance(&class_layers, last.pegs(), run, find)?
                }
                None => find()?,
            };
            layers.push(done);
            if done.jumps == 0 {
                break;
            }
            kept.push(next);
        }
    });
    let last_pegs = last_pegs(board, kept[kept.len() - 1].positions(&class_layers));
    let reach = Reach::new(layers, last_pegs, LayersIn::Memory);
    Ok((class_layers, kept, reach))
}

/// A layer that may be in a file of a checkpoint.
struct KeptLayer<'a> {
    checkpoint: Checkpoint<'a>,
    name: String,
    question: &'a str,
}

impl KeptLayer<'_> {
    /// The layer below the one with `pegs` pegs and what was counted in that one: from the file, or else found, and
    /// saved if that took long.
    fn advance(
        &self,
        class_layers: &ClassLayers,
        pegs: usize,
        run: &Run,
        find: impl FnOnce() -> Result<(Layer, ReachedLayer), PegError>,
    ) -> Result<(Layer, ReachedLayer), PegError> {
        if let Some(saved) = self.checkpoint.open(&self.name, self.question)? {
            let counted = read_counts(&saved.notes, pegs);
            let counted = counted.ok_or_else(|| saved.damaged(NO_COUNTS))?;
            run.progress.advance(1);
            return Ok((saved.layer(class_layers, pegs - 1, run)?, counted));
        }
        let timer = SaveTimer::new();
        let (next, counted) = find()?;
        if timer.is_due(self.checkpoint.worth) {
            let notes = notes(&[counted]);
            self.checkpoint
                .save(&self.name, self.question, &notes, &next)?;
        }
        Ok((next, counted))
    }
}

/// Bytes that a layer and its layout take.
fn layer_bytes(class_layers: &ClassLayers, pegs: usize) -> u64 {
    8 * class_layers.words(pegs) + 4 * (class_layers.split().heads().len() as u64 + 1)
}

/// Refuses a board whose two largest neighbouring layers do not fit.
fn require_two_layers(
    board: &Board,
    start: Position,
    group: &[Symmetry],
    jumps: usize,
    run: &Run,
) -> Result<(), PegError> {
    let Some(sizes) = Sizes::new(board, group, board.class(start)) else {
        return Ok(());
    };
    let pegs = start.pegs();
    let least = pegs.saturating_sub(jumps).max(1);
    let pair = |pegs: usize| sizes.layers[pegs].saturating_add(sizes.layers[pegs - 1]);
    let most = (least..=pegs).map(pair).max().unwrap_or(0);
    let what = format!("the {} board, layer by layer,", board.name());
    Ok(sizes.require(&what, sizes.tables.saturating_add(most), run)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_estimates_are_the_sizes_of_the_layers() {
        for (name, start) in [
            ("english", "d4"),
            ("english", "c1"),
            ("triangle6", "a1"),
            ("european", "d3"),
            ("square4x5", "b2"),
        ] {
            let board = Board::named(name).unwrap();
            let start = board.vacate(board.hole(start).unwrap());
            let group = class_symmetries(&board, start);
            let class = board.class(start);
            let sizes = Sizes::new(&board, &group, class).unwrap();
            let split = Arc::new(Split::new(&board, &group, &Run::serial()).unwrap());
            let layers = ClassLayers::new(&split, class);
            for pegs in 0..=board.holes() {
                let bytes = 8 * layers.words(pegs) + 4 * (split.heads().len() as u64 + 1);
                assert_eq!(sizes.layers[pegs], bytes, "{name}, {pegs} pegs");
            }
        }
    }
}
