//! A winning set with layers in files: the two searches of [`crate::bidirectional`], layer by layer.
//!
//! | files | layer |
//! |---|---|
//! | `ahead-N` | reached from the start after N jumps |
//! | `back-N` | reached from the complements of the finishes after N jumps |
//! | `winning-N` | winning, up to the middle |
//! | `mirror-N` | complements of the winning positions after the middle |
//! | `final-N` | winning, after the middle |
//!
//! All are kept until the set is written, and whatever is complete is not made again: so the same calls continue a run
//! that was killed.

use std::sync::Arc;

use everymove_kernel::files::Draft;
use everymove_kernel::run::{Run, Work};

use super::folder::LayerFiles;
use super::need;
use super::passes::Passes;
use super::stored::{ClosedLayer, StoredLayer};
use crate::bidirectional::{is_mirrored, is_open};
use crate::error::PegError;
use crate::invariant::Class;
use crate::layers::estimate::Sizes;
use crate::layers::layout::{Layout, index};
use crate::layers::next_layer::LayerCounts;
use crate::layers::{ClassLayers, Split, Steps};
use crate::position::Position;
use crate::problem::Problem;
use crate::step_table::with_width;
use crate::winning::WinningSet;
use crate::winning_file::{LAYER_WRITER, WinningWriter};

/// Finds the winning set of a problem, with layers in `files`, if given, where they do not fit the memory, and writes it into a file, as
/// [`WinningSet::write`] does. Returns the winning positions after each number of jumps, none if the problem cannot be
/// solved, and the work.
///
/// # Errors
/// [`PegError::OverBudget`], [`PegError::OverDisk`], [`PegError::Stopped`], [`PegError::File`].
pub fn winning_set_into(
    problem: &Problem,
    files: Option<LayerFiles<'_>>,
    draft: &mut Draft,
    run: &Run,
) -> Result<(Vec<u64>, Work), PegError> {
    let set = WinningSet::new(problem, run);
    let files = files.filter(|_| is_open(problem) && need::is_over(&set));
    let Some(files) = files else {
        let set = set?;
        set.write(draft)?;
        return Ok((set.sizes().to_vec(), set.work().clone()));
    };
    drop(set);
    let (board, group) = (problem.board(), problem.symmetries());
    let class = board.class(problem.start());
    let sizes = Sizes::new(board, &group, class);
    let what = format!("the winning set of {problem}, with layers on disk,");
    need::require(sizes.as_ref(), LAYER_WRITER, &what, run)?;
    let question = format!("{problem}, winning set");
    files.work(&question, |folder| {
        let split = Arc::new(Split::new(board, &group, run)?);
        let class_layers = ClassLayers::new(&split, class);
        let pegs = problem.last_pegs()..=problem.start().pegs();
        let largest = pegs.map(|pegs| class_layers.words(pegs) as usize);
        let largest = largest.max().unwrap_or(0);
        let _held = run.ram.reserve("writing the winning set", LAYER_WRITER)?;
        let passes = Passes::new(folder, &class_layers, largest, 2, run)?;
        with_width!(board, W => {
            Search::<W>::new(problem, class_layers, run).run(passes, draft)
        })
    })
}

pub(super) struct Search<'a, const W: usize> {
    problem: &'a Problem,
    class_layers: ClassLayers,
    /// The layers of the class of the complements.
    mirror: ClassLayers,
    steps: Steps<W>,
    over: Steps<1>,
    jumps: usize,
    run: &'a Run,
}

/// The two searches when they have met.
struct Met {
    /// From the start to before the middle.
    ahead: Vec<ClosedLayer>,
    /// From the complements of the finishes to before the complement of the middle; empty if they are the same.
    back: Vec<ClosedLayer>,
    /// The winning positions of the middle.
    middle: ClosedLayer,
}

impl<'a, const W: usize> Search<'a, W> {
    /// Prepares for a problem that has finishes in its class and no more pegs at the end than at the start.
    pub(super) fn new(problem: &'a Problem, class_layers: ClassLayers, run: &'a Run) -> Self {
        let (board, split) = (problem.board(), class_layers.split());
        let flipped = board.class(board.full());
        Self {
            mirror: ClassLayers::new(split, Class(class_layers.class().0 ^ flipped.0)),
            steps: Steps::jumps(split),
            over: Steps::complement(split),
            jumps: problem.start().pegs() - problem.last_pegs(),
            problem,
            class_layers,
            run,
        }
    }

    /// Finds the set and writes it.
    pub(super) fn run(
        self,
        mut passes: Passes<'_>,
        draft: &mut Draft,
    ) -> Result<(Vec<u64>, Work), PegError> {
        let progress = &self.run.progress;
        progress.start(
            "finding winning positions, layers on disk",
            2 * self.jumps as u64,
        );
        let mut work = Work::default();
        let met = self.search(&mut passes, &mut work)?;
        let layers = match met {
            None => Vec::new(),
            Some(met) => self.select(&mut passes, met)?,
        };
        let sizes: Vec<u64> = self.sizes(&layers);
        work.add("winning", sizes.iter().sum());
        let stored = match layers.len().checked_sub(1) {
            Some(_) => &layers[..WinningSet::layers_stored(self.problem, self.jumps)],
            None => &layers[..],
        };
        self.write(&mut passes, stored, draft)?;
        Ok((sizes, work))
    }

    /// Positions after each number of jumps: the second half of a game that is its own mirror has those of the first.
    fn sizes(&self, layers: &[ClosedLayer]) -> Vec<u64> {
        let all = if layers.is_empty() { 0 } else { self.jumps + 1 };
        let of = |n: usize| layers.get(n).unwrap_or_else(|| &layers[self.jumps - n]);
        (0..all).map(|n| of(n).positions).collect()
    }

    /// Searches from both ends until they meet; `None` if they do not.
    fn search(&self, passes: &mut Passes<'_>, work: &mut Work) -> Result<Option<Met>, PegError> {
        let (board, start) = (self.problem.board(), self.problem.start());
        let complements = |&end: &Position| board.complement(end);
        let ends: Vec<Position> = self.problem.targets().iter().map(complements).collect();
        let is_mirrored = is_mirrored(self.problem);
        let mut ahead = self.side(passes, "ahead", &self.class_layers, &[start])?;
        let mut back = match is_mirrored {
            true => None,
            false => Some(self.side(passes, "back", &self.mirror, &ends)?),
        };
        loop {
            let done = ahead.jumps() + back.as_ref().map_or(ahead.jumps(), Side::jumps);
            if done >= self.jumps {
                break;
            }
            // The search whose last layer is smaller advances, so that neither layer grows more than it must.
            let next = match &mut back {
                Some(back) if back.last() < ahead.last() => back,
                _ => &mut ahead,
            };
            self.advance(passes, next, work)?;
        }
        let middle = match is_mirrored {
            true => self.jumps / 2,
            false => ahead.jumps(),
        };
        let met = back.as_ref().unwrap_or(&ahead).open(self.jumps - middle);
        let name = format!("winning-{middle:02}");
        let from = ahead.open(middle);
        let winning = passes.filter(&name, &self.class_layers, &from, &self.over, &met)?;
        if winning.positions == 0 {
            return Ok(None);
        }
        Ok(Some(Met {
            ahead: ahead.layers.drain(..middle).collect(),
            back: back.map_or_else(Vec::new, |mut back| {
                back.layers.truncate(self.jumps - middle);
                back.layers
            }),
            middle: winning.close(),
        }))
    }

    /// The winning layers; those of the first half alone if the others are their complements.
    fn select(&self, passes: &mut Passes<'_>, met: Met) -> Result<Vec<ClosedLayer>, PegError> {
        let middle = met.ahead.len();
        let top = match met.back.is_empty() {
            true => None,
            false => {
                let (from, m) = (met.middle.open(&self.class_layers), met.back.len());
                let to = self.layout(
                    &self.mirror,
                    self.problem.board().holes() - from.layout.pegs,
                );
                let name = format!("mirror-{m:02}");
                let top =
                    passes.expand(&name, &self.class_layers, &from, &self.over, &to, |_| {
                        String::new()
                    })?;
                Some(top.close())
            }
        };
        let mut layers = vec![met.middle];
        for (n, layer) in met.ahead.iter().enumerate().rev() {
            let below = layers[layers.len() - 1].open(&self.class_layers);
            let layer = layer.open(&self.class_layers);
            let name = format!("winning-{n:02}");
            let kept = passes.filter(&name, &self.class_layers, &layer, &self.steps, &below)?;
            layers.push(kept.close());
            self.run.progress.advance(1);
        }
        layers.reverse();
        let mut mirrors: Vec<ClosedLayer> = top.into_iter().collect();
        for (m, layer) in met.back.iter().enumerate().rev() {
            let below = mirrors[mirrors.len() - 1].open(&self.mirror);
            let layer = layer.open(&self.mirror);
            let name = format!("mirror-{m:02}");
            let kept = passes.filter(&name, &self.mirror, &layer, &self.steps, &below)?;
            mirrors.push(kept.close());
            self.run.progress.advance(1);
        }
        for (n, from) in (middle..).zip(&mirrors).skip(1) {
            let pegs = self.problem.start().pegs() - n;
            let to = self.layout(&self.class_layers, pegs);
            let name = format!("final-{n:02}");
            let from = from.open(&self.mirror);
            let layer = passes.expand(&name, &self.mirror, &from, &self.over, &to, |_| {
                String::new()
            })?;
            layers.push(layer.close());
        }
        Ok(layers)
    }

    /// Writes the set.
    fn write(
        &self,
        passes: &mut Passes<'_>,
        layers: &[ClosedLayer],
        draft: &mut Draft,
    ) -> Result<(), PegError> {
        let split = self.class_layers.split();
        let counts = layers
            .iter()
            .map(|layer| (layer.layout.words, layer.positions));
        let mut writer = WinningWriter::new(draft, self.problem, split, counts)?;
        for layer in layers {
            let layer = layer.open(&self.class_layers);
            let mut to = writer.layer(layer.layout.words(), layer.positions);
            passes.each_word(&layer, |first, words| to.words(first, words))?;
            to.finish()?;
        }
        writer.finish()
    }

    fn layout(&self, class_layers: &ClassLayers, pegs: usize) -> Arc<Layout> {
        Arc::new(class_layers.layout(pegs))
    }

    fn side<'s>(
        &self,
        passes: &mut Passes<'_>,
        name: &'static str,
        class_layers: &'s ClassLayers,
        starts: &[Position],
    ) -> Result<Side<'s>, PegError> {
        let layout = self.layout(class_layers, starts[0].pegs());
        let indexes = starts
            .iter()
            .map(|&start| index(&layout, class_layers.split(), start));
        let indexes: Vec<usize> = indexes.collect();
        let first = passes.layer_of(&format!("{name}-00"), &layout, &indexes)?;
        Ok(Side {
            name,
            class_layers,
            layers: vec![first.close()],
        })
    }

    fn advance(
        &self,
        passes: &mut Passes<'_>,
        side: &mut Side<'_>,
        work: &mut Work,
    ) -> Result<(), PegError> {
        let last = side.open(side.jumps());
        let name = format!("{}-{:02}", side.name, side.layers.len());
        let to = self.layout(side.class_layers, last.layout.pegs - 1);
        let jumps = |counts: &LayerCounts| format!("{}\n", counts.jumps);
        let next = passes.expand(&name, side.class_layers, &last, &self.steps, &to, jumps)?;
        work.add("jumps", next.notes.trim_end().parse().unwrap_or(0));
        work.add("positions", next.positions);
        side.layers.push(next.close());
        self.run.progress.advance(1);
        Ok(())
    }
}

/// A search from one end towards the middle, every layer kept.
struct Side<'a> {
    name: &'static str,
    class_layers: &'a ClassLayers,
    layers: Vec<ClosedLayer>,
}

impl Side<'_> {
    fn jumps(&self) -> usize {
        self.layers.len() - 1
    }

    fn open(&self, n: usize) -> StoredLayer {
        self.layers[n].open(self.class_layers)
    }

    fn last(&self) -> u64 {
        self.layers[self.jumps()].positions
    }
}
