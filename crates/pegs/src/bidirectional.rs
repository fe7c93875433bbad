//! Finding a winning set: two searches that meet in the middle.
//!
//! A game played backwards is a game on the complement: a jump fills two holes and empties one, and
//! with pegs and holes exchanged that is a jump again. So the second half of the layers need not be
//! searched from the start: from the complements of the finishes a forward search of half the depth
//! meets the first half in the middle. A position of the middle layer wins if its complement was
//! reached; from there each half keeps the positions with a successor that is kept.
//!
//! | files | layer |
//! |---|---|
//! | `ahead-N` | reached from the start after N jumps |
//! | `back-N` | reached from the complements of the finishes after N jumps |
//! | `winning-N` | winning, up to the middle |
//! | `mirror-N` | complements of the winning positions after the middle |
//! | `final-N` | winning, after the middle |

use std::sync::Arc;

use everymove_kernel::run::{Run, Work};

use crate::error::PegError;
use crate::forecast::Sizes;
use crate::invariant::Class;
use crate::layers::{ClassLayers, Steps};
use crate::position::Position;
use crate::problem::Problem;
use crate::step_table::with_width;
use crate::store::{Folders, LayersIn, Question, Store, StoredLayer};

/// The winning positions of a problem.
pub(crate) struct WinningLayers {
    /// The layers from the start to the finish, or to the middle if the others are their
    /// complements; none if the problem cannot be solved.
    pub(crate) layers: Vec<StoredLayer>,
    /// Winning positions after each number of jumps.
    pub(crate) sizes: Vec<u64>,
    /// `positions` and `jumps` examined up to the middle layer, and `winning` positions.
    pub(crate) work: Work,
}

impl WinningLayers {
    pub(crate) fn new(problem: &Problem, layers: Vec<StoredLayer>, mut work: Work) -> Self {
        let jumps = problem.start().pegs().wrapping_sub(problem.last_pegs());
        let layer = |n| layers.get(n).unwrap_or_else(|| &layers[jumps - n]);
        let sizes: Vec<u64> = match layers.is_empty() {
            true => Vec::new(),
            false => (0..=jumps).map(|n| layer(n).positions()).collect(),
        };
        work.add("winning", sizes.iter().sum());
        Self {
            layers,
            sizes,
            work,
        }
    }
}

/// Finds the winning layers of a problem. For counting them, a number of `value_bytes` bytes is to
/// be computed for each position.
///
/// # Errors
/// [`PegError::OverBudget`] before any work if the layers do not fit, [`PegError::Stopped`],
/// [`PegError::File`].
pub(crate) fn find_winning<'a>(
    problem: &Problem,
    folders: Folders<'a>,
    layers_in: LayersIn,
    value_bytes: usize,
    run: &'a Run,
) -> Result<(Arc<ClassLayers>, Store<'a>, WinningLayers), PegError> {
    let question = Question {
        problem,
        subject: "winning set",
        group: &problem.symmetries(),
        what: format!("the winning set of {problem}"),
        value_bytes,
    };
    let memory = |sizes: &Sizes| match problem.is_open() {
        true => sizes.winning_set(problem),
        false => 0,
    };
    let (class_layers, mut store) = Store::open(folders, layers_in, &question, memory, run)?;
    let found = match problem.is_open() {
        true => with_width!(problem.board(), W => {
            BidirectionalSearch::<W>::new(problem, &class_layers).find(&mut store)?
        }),
        false => WinningLayers::new(problem, Vec::new(), Work::default()),
    };
    Ok((class_layers, store, found))
}

/// Adds the layers after the middle to those of a set that is its own mirror.
///
/// # Errors
/// As [`find_winning`].
pub(crate) fn complete(
    store: &mut Store<'_>,
    class_layers: &Arc<ClassLayers>,
    problem: &Problem,
    layers: &mut Vec<StoredLayer>,
) -> Result<(), PegError> {
    if layers.is_empty() {
        return Ok(());
    }
    let jumps = problem.start().pegs() - problem.last_pegs();
    let over = Steps::<1>::complement(class_layers.split());
    for n in layers.len()..=jumps {
        let mirror = &layers[jumps - n];
        let to = (class_layers, problem.start().pegs() - n);
        let layer = store.expand(("final", n), mirror, &over, to, |_| Vec::new())?;
        layers.push(layer);
        store.run.progress.advance(1);
    }
    Ok(())
}

/// Everything that finding the winning layers of one problem needs.
struct BidirectionalSearch<'a, const W: usize> {
    problem: &'a Problem,
    class_layers: &'a Arc<ClassLayers>,
    /// The layers of the class of the complements.
    mirror: Arc<ClassLayers>,
    steps: Steps<W>,
    over: Steps<1>,
    jumps: usize,
}

/// A search from one end towards the middle, every layer kept.
struct Side {
    name: &'static str,
    layers: Vec<StoredLayer>,
}

impl Side {
    fn jumps(&self) -> usize {
        self.layers.len() - 1
    }

    fn last(&self) -> &StoredLayer {
        &self.layers[self.jumps()]
    }
}

impl<'a, const W: usize> BidirectionalSearch<'a, W> {
    /// Prepares for a problem that has finishes in its class and no more pegs at the end than at
    /// the start.
    fn new(problem: &'a Problem, class_layers: &'a Arc<ClassLayers>) -> Self {
        let (board, split) = (problem.board(), class_layers.split());
        let flipped = board.class(board.full());
        Self {
            mirror: Arc::new(ClassLayers::new(
                split,
                Class(class_layers.class().0 ^ flipped.0),
            )),
            steps: Steps::jumps(split),
            over: Steps::complement(split),
            jumps: problem.start().pegs() - problem.last_pegs(),
            problem,
            class_layers,
        }
    }

    /// Searches from both ends until they meet, and keeps what wins.
    fn find(&self, store: &mut Store<'_>) -> Result<WinningLayers, PegError> {
        let progress = &store.run.progress;
        progress.start("finding winning positions", 2 * self.jumps as u64);
        let (board, start) = (self.problem.board(), self.problem.start());
        let mut work = Work::default();
        let mut ahead = self.side(store, "ahead", self.class_layers, &[start])?;
        let mut back = None;
        if self.problem.is_mirrored() {
            while 2 * ahead.jumps() < self.jumps {
                self.advance(store, &mut ahead, &mut work)?;
            }
        } else {
            let ends = self.problem.targets().into_iter();
            let ends: Vec<Position> = ends.map(|end| board.complement(end)).collect();
            let mut other = self.side(store, "back", &self.mirror, &ends)?;
            while ahead.jumps() + other.jumps() < self.jumps {
                // The search whose last layer is smaller advances, so that neither layer grows more
                // than it must.
                let next = match ahead.last().positions() <= other.last().positions() {
                    true => &mut ahead,
                    false => &mut other,
                };
                self.advance(store, next, &mut work)?;
            }
            back = Some(other);
        }
        let middle = match back {
            None => self.jumps / 2,
            Some(_) => ahead.jumps(),
        };
        let met = back.as_ref().unwrap_or(&ahead);
        let (from, into) = (&ahead.layers[middle], &met.layers[self.jumps - middle]);
        let winning = store.filter(("winning", middle), from, &self.over, into)?;
        if winning.positions() == 0 {
            return Ok(WinningLayers::new(self.problem, Vec::new(), work));
        }
        ahead.layers.truncate(middle);
        let top = match &mut back {
            None => None,
            Some(back) => {
                back.layers.truncate(self.jumps - middle);
                let name = ("mirror", back.layers.len());
                let to = (&self.mirror, board.holes() - winning.pegs);
                Some(store.expand(name, &winning, &self.over, to, |_| Vec::new())?)
            }
        };
        let mut layers = vec![winning.clone()];
        self.select(store, "winning", ahead, winning, |_, layer| {
            layers.push(layer.clone());
            Ok(())
        })?;
        layers.reverse();
        if let (Some(back), Some(top)) = (back, top) {
            self.select(store, "mirror", back, top, |store, layer| {
                let name = ("final", layers.len());
                let to = (self.class_layers, board.holes() - layer.pegs);
                layers.push(store.expand(name, layer, &self.over, to, |_| Vec::new())?);
                Ok(())
            })?;
        }
        Ok(WinningLayers::new(self.problem, layers, work))
    }

    /// Keeps of the layers of a side, from the last to the first, the positions with a step into
    /// what is kept of the next, and passes them to `visit`; `last` is kept of the layer after
    /// them.
    fn select(
        &self,
        store: &mut Store<'_>,
        name: &str,
        side: Side,
        last: StoredLayer,
        mut visit: impl FnMut(&mut Store<'_>, &StoredLayer) -> Result<(), PegError>,
    ) -> Result<(), PegError> {
        let (mut layers, mut below) = (side.layers, last);
        while let Some(layer) = layers.pop() {
            below = store.filter((name, layers.len()), &layer, &self.steps, &below)?;
            visit(store, &below)?;
            store.run.progress.advance(1);
        }
        Ok(())
    }

    fn side(
        &self,
        store: &mut Store<'_>,
        name: &'static str,
        class_layers: &Arc<ClassLayers>,
        starts: &[Position],
    ) -> Result<Side, PegError> {
        Ok(Side {
            name,
            layers: vec![store.layer_of((name, 0), class_layers, starts)?],
        })
    }

    fn advance(
        &self,
        store: &mut Store<'_>,
        side: &mut Side,
        work: &mut Work,
    ) -> Result<(), PegError> {
        let last = side.last();
        let name = (side.name, side.layers.len());
        let to = (&last.class_layers, last.pegs - 1);
        let next = store.expand(name, last, &self.steps, to, |counts| vec![counts.jumps])?;
        work.add("jumps", next.notes().first().copied().unwrap_or(0));
        work.add("positions", next.positions());
        side.layers.push(next);
        store.run.progress.advance(1);
        Ok(())
    }
}
