//! Every position that can be reached, with layers in files.

use std::sync::Arc;

use everymove_kernel::files::FileError;
use everymove_kernel::run::Run;

use super::folder::LayerFiles;
use super::need;
use super::passes::Passes;
use super::stored::{self, StoredLayer};
use crate::board::Board;
use crate::error::PegError;
use crate::layers::estimate::Sizes;
use crate::layers::layout::{index, positions_of};
use crate::layers::next_layer::LayerCounts;
use crate::layers::{ClassLayers, Split, Steps};
use crate::position::Position;
use crate::reached::{
    LayersIn, Reach, ReachedLayer, class_symmetries, last_pegs, notes, read_notes,
};
use crate::step_table::with_width;

/// Counts the positions that can be reached from `start` in at most `jumps` jumps.
///
/// # Errors
/// [`PegError::OverBudget`], [`PegError::OverDisk`], [`PegError::Stopped`], [`PegError::File`].
pub(crate) fn reach(
    board: &Board,
    start: Position,
    jumps: usize,
    question: &str,
    files: LayerFiles<'_>,
    run: &Run,
) -> Result<Reach, PegError> {
    let group = class_symmetries(board, start);
    let sizes = Sizes::new(board, &group, board.class(start));
    let what = format!("the {} board, with layers on disk,", board.name());
    need::require(sizes.as_ref(), 0, &what, run)?;
    files.work(question, |folder| {
        run.progress.start("numbering the positions", 0);
        let split = Arc::new(Split::new(board, &group, run)?);
        let class_layers = ClassLayers::new(&split, board.class(start));
        with_width!(board, W => {
            let largest = (1..=start.pegs()).map(|pegs| class_layers.words(pegs) as usize);
            let largest = largest.max().unwrap_or(0);
            let passes = Passes::new(folder, &class_layers, largest, 1, run)?;
            let steps = Steps::<W>::jumps(&split);
            Search { class_layers: &class_layers, start, jumps, steps, run }.run(passes)
        })
    })
}

pub(super) struct Search<'a, const W: usize> {
    pub(super) class_layers: &'a ClassLayers,
    pub(super) start: Position,
    pub(super) jumps: usize,
    pub(super) steps: Steps<W>,
    pub(super) run: &'a Run,
}

/// The name of the layer after some jumps.
fn name(jumps: usize) -> String {
    format!("reached-{jumps:02}")
}

impl<const W: usize> Search<'_, W> {
    /// Counts layer by layer, from the last one that is in files.
    pub(super) fn run(self, mut passes: Passes<'_>) -> Result<Reach, PegError> {
        let pegs = self.start.pegs();
        let progress = &self.run.progress;
        progress.start("counting positions, layers on disk", pegs as u64);
        let (mut layers, mut layer) = self.resume(&mut passes)?;
        progress.advance(layers.len() as u64);
        loop {
            let below = pegs - layers.len() - 1;
            let to = Arc::new(self.class_layers.layout(below));
            let noted = |counts: &LayerCounts| {
                let mut layers = layers.clone();
                layers.push(ReachedLayer::new(below + 1, counts));
                notes(&layers)
            };
            let name = name(layers.len() + 1);
            let next = passes.expand(&name, self.class_layers, &layer, &self.steps, &to, noted)?;
            layers = read_notes(&next.notes, pegs).ok_or_else(|| no_counts(&passes, &name))?;
            progress.advance(1);
            if layers.last().is_none_or(|done| done.jumps == 0) || layers.len() > self.jumps {
                let last_pegs = self.last_pegs(&mut passes, &layer)?;
                return Ok(Reach::new(layers, last_pegs, LayersIn::Files));
            }
            passes.remove(std::mem::replace(&mut layer, next))?;
        }
    }

    /// The counts of the layers that are done, and the layer to continue from. Files of other layers are removed.
    fn resume(
        &self,
        passes: &mut Passes<'_>,
    ) -> Result<(Vec<ReachedLayer>, StoredLayer), PegError> {
        let pegs = self.start.pegs();
        for jumps in (1..pegs).rev() {
            let layout = Arc::new(self.class_layers.layout(pegs - jumps));
            let layer = passes.open(&name(jumps), &layout)?;
            let counts = read_notes(&layer.notes, pegs);
            if let Some(counts) =
                counts.filter(|counts| layer.is_complete() && counts.len() == jumps)
            {
                for older in 0..jumps {
                    stored::remove(passes.folder.storage, &name(older))?;
                }
                return Ok((counts, layer));
            }
            // The parts of the layer that was being made are counted again when it is continued.
            passes.folder.subtract(layer.bytes);
        }
        let layout = Arc::new(self.class_layers.layout(pegs));
        let first = index(&layout, self.class_layers.split(), self.start);
        Ok((Vec::new(), passes.layer_of(&name(0), &layout, &[first])?))
    }

    /// The holes that can hold the last peg, if the last layer is of one peg.
    fn last_pegs(&self, passes: &mut Passes<'_>, last: &StoredLayer) -> Result<Position, PegError> {
        let layout = &last.layout;
        if layout.pegs != 1 {
            return Ok(Position::EMPTY);
        }
        let mut positions = Vec::new();
        passes.each_word(last, |first, words| {
            positions.extend(positions_of(self.class_layers, layout, first, words));
            Ok(())
        })?;
        let board = self.class_layers.split().board();
        Ok(last_pegs(board, positions.into_iter()))
    }
}

fn no_counts(passes: &Passes<'_>, name: &str) -> PegError {
    let path = passes.folder.storage.display(name);
    let what = "its counts are not numbers".to_owned();
    FileError::Damaged { path, what }.into()
}
