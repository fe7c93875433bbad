//! Finding a winning set: two searches that meet in the middle.
//!
//! A game played backwards is a game on the complement: a jump fills two holes and empties one, and with pegs
//! and holes exchanged that is a jump again. So the second half of the layers need not be searched from the
//! start: from the complements of the finishes a forward search of half the depth meets the first half in the
//! middle. A position of the middle layer wins if its complement was reached; from there each half keeps the
//! positions with a child that is kept.

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::checkpoint::Checkpoint;
use crate::error::PegError;
use crate::invariant::Class;
use crate::layers::estimate::Sizes;
use crate::layers::filter::filter_layer;
use crate::layers::next_layer::next_layer;
use crate::layers::{ClassLayers, Layer, Steps};
use crate::position::Position;
use crate::problem::Problem;
use crate::symmetry::Symmetry;

/// Whether the complement of the finish is the start, as in the central game: then each half of a game is the other's
/// mirror.
pub(crate) fn is_mirrored(problem: &Problem) -> bool {
    let board = problem.board();
    problem
        .targets()
        .iter()
        .map(|&end| board.complement(end))
        .eq([problem.start()])
}

/// Whether there are finishes in the class of the start, with no more pegs: otherwise no position wins.
pub(crate) fn is_open(problem: &Problem) -> bool {
    !problem.targets().is_empty() && problem.last_pegs() <= problem.start().pegs()
}

/// Refuses a problem whose winning set does not fit the memory budget, before any work: the tables, all layers from the
/// start to the finish, and the largest twice more while it is filtered and complemented.
///
/// # Errors
/// [`PegError::OverBudget`].
pub(crate) fn require_winning_set(
    problem: &Problem,
    group: &[Symmetry],
    run: &Run,
) -> Result<(), PegError> {
    let board = problem.board();
    let Some(sizes) = Sizes::new(board, group, board.class(problem.start())) else {
        return Ok(());
    };
    let need = bytes_of_all(&sizes, problem);
    Ok(sizes.require(&what(problem), need, run)?)
}

/// The bytes that a problem's winning set needs while it is found, where they can be computed beforehand.
pub(crate) fn winning_set_bytes(problem: &Problem) -> Option<u64> {
    let board = problem.board();
    let class = board.class(problem.start());
    let sizes = Sizes::new(board, &problem.symmetries(), class)?;
    Some(bytes_of_all(&sizes, problem))
}

fn bytes_of_all(sizes: &Sizes, problem: &Problem) -> u64 {
    let pegs = problem.last_pegs()..=problem.start().pegs();
    let filtered = sizes.largest(pegs.clone()).saturating_mul(2);
    sizes.all(pegs).saturating_add(filtered)
}

fn what(problem: &Problem) -> String {
    format!("the winning set of {problem}")
}

/// Everything that finding the winning layers of one problem needs.
pub(crate) struct BidirectionalSearch<'a, const W: usize> {
    problem: &'a Problem,
    class_layers: &'a ClassLayers,
    /// The layers of the class of the complements.
    mirror: ClassLayers,
    steps: Steps<W>,
    over: Steps<1>,
    checkpoint: Option<Checkpoint<'a>>,
    run: &'a Run,
    jumps: usize,
}

/// The two searches when they have met.
struct Met {
    /// From the start to the middle.
    ahead: Vec<Layer>,
    /// From the complements of the finishes to the complement of the middle; empty if they are the same.
    back: Vec<Layer>,
    /// The winning positions of the middle.
    middle: Layer,
}

impl<'a, const W: usize> BidirectionalSearch<'a, W> {
    /// Prepares for a problem that has finishes in its class and no more pegs at the end than at the start.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] if the layers will not fit.
    pub(crate) fn new(
        problem: &'a Problem,
        class_layers: &'a ClassLayers,
        checkpoint: Option<Checkpoint<'a>>,
        run: &'a Run,
    ) -> Result<Self, PegError> {
        let (board, split) = (problem.board(), class_layers.split());
        let flipped = board.class(board.full());
        let meeting = Self {
            mirror: ClassLayers::new(split, Class(class_layers.class().0 ^ flipped.0)),
            steps: Steps::jumps(split),
            over: Steps::complement(split),
            jumps: problem.start().pegs() - problem.last_pegs(),
            problem,
            class_layers,
            checkpoint,
            run,
        };
        meeting.require()?;
        Ok(meeting)
    }

    /// The same check by the layers themselves, for boards whose sizes are not computed beforehand.
    fn require(&self) -> Result<(), PegError> {
        let layouts = 4 * self.class_layers.split().heads().len() as u64;
        let bytes = |pegs| layouts + 8 * self.class_layers.words(pegs);
        let layers = self.problem.last_pegs()..=self.problem.start().pegs();
        let all: u64 = layers.clone().map(bytes).sum();
        let most = layers.map(bytes).max().unwrap_or(0);
        Ok(self.run.ram.require(&what(self.problem), all + 2 * most)?)
    }

    /// The winning layers from the start to the finish, none if there is no solution; and the work.
    pub(crate) fn layers(self) -> Result<(Vec<Layer>, Work), PegError> {
        self.run
            .progress
            .start("finding winning positions", 2 * self.jumps as u64);
        let mut work = Work::default();
        let Some(met) = self.search(&mut work)? else {
            return Ok((Vec::new(), work));
        };
        let mut layers: Vec<Option<Layer>> = (0..=self.jumps).map(|_| None).collect();
        let middle = met.ahead.len() - 1;
        let second = match met.back.is_empty() {
            true => None,
            false => {
                let top = Arc::new(self.mirror.layout(met.back[self.jumps - middle].pegs()));
                let (top, _) =
                    next_layer(self.class_layers, &met.middle, &self.over, top, self.run)?;
                Some((met.back, top))
            }
        };
        self.first_half(met.ahead, met.middle, &mut layers)?;
        match second {
            None => {
                for n in middle + 1..=self.jumps {
                    let mirror = layers[self.jumps - n].as_ref();
                    layers[n] = mirror
                        .map(|mirror| self.flip(self.class_layers, mirror))
                        .transpose()?;
                    self.run.progress.advance(1);
                }
            }
            Some((back, top)) => self.second_half(back, top, &mut layers)?,
        }
        Ok((layers.into_iter().flatten().collect(), work))
    }

    /// Searches from both ends until they meet; `None` if they do not.
    fn search(&self, work: &mut Work) -> Result<Option<Met>, PegError> {
        let (board, start) = (self.problem.board(), self.problem.start());
        let ends: Vec<Position> = self
            .problem
            .targets()
            .iter()
            .map(|&end| board.complement(end))
            .collect();
        let mut ahead = self.side("ahead", self.class_layers, &[start])?;
        let (middle, back) = if is_mirrored(self.problem) {
            while 2 * ahead.jumps() < self.jumps {
                self.advance(&mut ahead, work)?;
            }
            (self.jumps / 2, None)
        } else {
            let mut back = self.side("back", &self.mirror, &ends)?;
            while ahead.jumps() + back.jumps() < self.jumps {
                // The search whose last layer is smaller advances, so that neither layer grows more than it must.
                let next = if ahead.last_size <= back.last_size {
                    &mut ahead
                } else {
                    &mut back
                };
                self.advance(next, work)?;
            }
            (ahead.jumps(), Some(back))
        };
        let met = &back.as_ref().unwrap_or(&ahead).layers[self.jumps - middle];
        let winning = self.keep(
            &format!("winning-{middle}"),
            self.class_layers,
            ahead.layers[middle].pegs(),
            || {
                filter_layer(
                    self.class_layers,
                    &ahead.layers[middle],
                    &self.over,
                    met,
                    self.run,
                )
            },
        )?;
        if winning.len() == 0 {
            return Ok(None);
        }
        ahead.layers.truncate(middle + 1);
        let back = back.map_or_else(Vec::new, |back| back.layers);
        Ok(Some(Met {
            ahead: ahead.layers,
            back,
            middle: winning,
        }))
    }

    /// Keeps the winning positions before the middle.
    fn first_half(
        &self,
        mut ahead: Vec<Layer>,
        middle: Layer,
        layers: &mut [Option<Layer>],
    ) -> Result<(), PegError> {
        ahead.pop();
        let mut below = middle;
        while let Some(layer) = ahead.pop() {
            let n = ahead.len();
            let kept = self.keep(
                &format!("winning-{n}"),
                self.class_layers,
                layer.pegs(),
                || filter_layer(self.class_layers, &layer, &self.steps, &below, self.run),
            )?;
            layers[n + 1] = Some(std::mem::replace(&mut below, kept));
            self.run.progress.advance(1);
        }
        layers[0] = Some(below);
        Ok(())
    }

    /// Keeps the winning positions after the middle, given the complements reached and those of the middle's winners.
    fn second_half(
        &self,
        mut back: Vec<Layer>,
        middle: Layer,
        layers: &mut [Option<Layer>],
    ) -> Result<(), PegError> {
        back.pop();
        let mut below = middle;
        while let Some(layer) = back.pop() {
            let m = back.len();
            below = self.keep(&format!("mirror-{m}"), &self.mirror, layer.pegs(), || {
                filter_layer(&self.mirror, &layer, &self.steps, &below, self.run)
            })?;
            layers[self.jumps - m] = Some(self.flip(&self.mirror, &below)?);
            self.run.progress.advance(1);
        }
        Ok(())
    }

    /// The complements of a layer of `from` that holds positions of the problem or their complements.
    fn flip(&self, from: &ClassLayers, layer: &Layer) -> Result<Layer, PegError> {
        let pegs = self.problem.board().holes() - layer.pegs();
        let to = Arc::new(self.class_layers.layout(pegs));
        Ok(next_layer(from, layer, &self.over, to, self.run)?.0)
    }

    fn side<'s>(
        &self,
        name: &'static str,
        class_layers: &'s ClassLayers,
        starts: &[Position],
    ) -> Result<Side<'s>, PegError> {
        let mut first = Layer::empty(
            Arc::new(class_layers.layout(starts[0].pegs())),
            &self.run.ram,
        )?;
        for &start in starts {
            first.insert(class_layers.split(), start);
        }
        Ok(Side {
            name,
            class_layers,
            last_size: first.len(),
            layers: vec![first],
        })
    }

    fn advance(&self, side: &mut Side<'_>, work: &mut Work) -> Result<(), PegError> {
        let last = &side.layers[side.jumps()];
        let name = format!("{}-{}", side.name, side.layers.len());
        let next = self.keep(&name, side.class_layers, last.pegs() - 1, || {
            let to = Arc::new(side.class_layers.layout(last.pegs() - 1));
            let (next, tally) = next_layer(side.class_layers, last, &self.steps, to, self.run)?;
            work.add("jumps", tally.jumps);
            self.run.progress.worked(tally.jumps);
            Ok(next)
        })?;
        side.last_size = next.len();
        work.add("positions", side.last_size);
        side.layers.push(next);
        self.run.progress.advance(1);
        Ok(())
    }

    /// What `find` finds, or what a checkpoint kept of it.
    fn keep(
        &self,
        name: &str,
        class_layers: &ClassLayers,
        pegs: usize,
        find: impl FnOnce() -> Result<Layer, PegError>,
    ) -> Result<Layer, PegError> {
        match &self.checkpoint {
            None => find(),
            Some(checkpoint) => {
                let question = format!("{}, winning set", self.problem);
                checkpoint.keep(name, &question, class_layers, pegs, self.run, find)
            }
        }
    }
}

/// A search from one end towards the middle, every layer kept.
struct Side<'a> {
    name: &'static str,
    class_layers: &'a ClassLayers,
    layers: Vec<Layer>,
    last_size: u64,
}

impl Side<'_> {
    fn jumps(&self) -> usize {
        self.layers.len() - 1
    }
}
