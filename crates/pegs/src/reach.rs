//! Every position that can be reached, layer by layer.

use std::sync::Arc;
use std::time::Instant;

use everymove_kernel::run::{Run, Work};

use crate::board::Board;
use crate::checkpoint::Checkpoint;
use crate::error::PegError;
use crate::layers::desk::with_width;
use crate::layers::push::{Tally, push};
use crate::layers::{Layer, Split, Stack, Steps};
use crate::position::Position;
use crate::problem::{Finish, Problem};
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
/// Only these may be used to merge positions: the layers hold one class, and a symmetry that changes it leads
/// out of it.
pub fn class_symmetries(board: &Board, position: Position) -> Vec<Symmetry> {
    let class = board.class(position);
    let keeps = |symmetry: &&Symmetry| board.class(symmetry.position(position)) == class;
    board.symmetries().iter().filter(keeps).cloned().collect()
}

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

    /// Counts the positions, in two layers' memory.
    ///
    /// # Errors
    /// [`PegError::OverBudget`] before any work if the largest two layers do not fit, [`PegError::Stopped`],
    /// [`PegError::Board`] for a start without pegs, [`PegError::File`] and [`PegError::OtherQuestion`] of a
    /// checkpoint.
    pub fn reach(&self, run: &Run) -> Result<Reach, PegError> {
        let (board, start) = (&self.board, self.start);
        let problem = Problem::new(board, start, Finish::Anywhere)?;
        let stack = class_stack(board, start, run)?;
        require_two_layers(&stack, start.pegs(), self.jumps, run)?;
        let question = format!("{problem}, positions");
        let (mut layers, mut layer) = self.resume(&stack, &question, run)?;
        let last = with_width!(board, W => {
            let steps = Steps::<W>::jumps(stack.split());
            run.progress.start("positions", start.pegs() as u64);
            run.progress.advance(layers.len() as u64);
            let mut saved = Instant::now();
            loop {
                let (next, done) = advance(&stack, &layer, &steps, run)?;
                layers.push(done);
                if done.jumps == 0 || layers.len() > self.jumps {
                    break layer;
                }
                layer = next;
                if let Some(checkpoint) = self.checkpoint.filter(|keep| saved.elapsed() >= keep.worth) {
                    checkpoint.save(FILE, &question, &notes(&layers), &layer)?;
                    saved = Instant::now();
                }
            }
        });
        Ok(Reach::new(&stack, layers, &last))
    }

    /// The layers that are done and the one to go on from.
    fn resume(
        &self,
        stack: &Stack,
        question: &str,
        run: &Run,
    ) -> Result<(Vec<ReachedLayer>, Layer), PegError> {
        if let Some(checkpoint) = self.checkpoint
            && let Some(saved) = checkpoint.open(FILE, question)?
        {
            let pegs = self.start.pegs();
            let layers = read_notes(&saved.notes, pegs)
                .ok_or_else(|| saved.damaged("its counts make no sense"))?;
            let layer = saved.layer(stack, pegs - layers.len(), run)?;
            return Ok((layers, layer));
        }
        Ok((Vec::new(), first_layer(stack, self.start, run)?))
    }
}

/// Counts every position that can be reached from `start`, in two layers' memory.
///
/// # Errors
/// As [`ReachPlan::reach`].
pub fn reach(board: &Board, start: Position, run: &Run) -> Result<Reach, PegError> {
    ReachPlan::new(board, start).reach(run)
}

/// What a checkpoint notes of the layers that are done.
fn notes(layers: &[ReachedLayer]) -> String {
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

fn read_notes(notes: &str, pegs: usize) -> Option<Vec<ReachedLayer>> {
    let lines = notes.lines().enumerate();
    let layers: Option<Vec<ReachedLayer>> = lines
        .map(|(n, line)| {
            let numbers: Vec<u64> = line
                .split(' ')
                .map_while(|number| number.parse().ok())
                .collect();
            let [positions, images, jumps, dead_ends] = numbers[..] else {
                return None;
            };
            Some(ReachedLayer {
                pegs: pegs.checked_sub(n + 1)? + 1,
                positions,
                images,
                jumps,
                dead_ends,
            })
        })
        .collect();
    layers.filter(|layers| layers.len() < pegs)
}

/// The layers of the start's class, under all symmetries that keep it.
fn class_stack(board: &Board, start: Position, run: &Run) -> Result<Stack, PegError> {
    stack(board, start, &class_symmetries(board, start), run)
}

/// The layers of the start's class, under a group of symmetries that keep it.
fn stack(board: &Board, start: Position, group: &[Symmetry], run: &Run) -> Result<Stack, PegError> {
    let split = Arc::new(Split::new(board, group, &run.ram)?);
    Ok(Stack::new(&split, board.class(start)))
}

fn first_layer(stack: &Stack, start: Position, run: &Run) -> Result<Layer, PegError> {
    let mut layer = Layer::empty(Arc::new(stack.layout(start.pegs())), &run.ram)?;
    layer.insert(stack.split(), start);
    Ok(layer)
}

/// The next layer, and what was counted in this one.
fn advance<const W: usize>(
    stack: &Stack,
    layer: &Layer,
    steps: &Steps<W>,
    run: &Run,
) -> Result<(Layer, ReachedLayer), PegError> {
    let below = Arc::new(stack.layout(layer.pegs() - 1));
    let (next, tally) = push(stack, layer, steps, below, run)?;
    run.progress.advance(1);
    run.progress.worked(tally.jumps);
    Ok((next, ReachedLayer::new(layer.pegs(), &tally)))
}

/// All layers that can be reached from `start`, kept, with the stack they belong to; positions are one up to `group`,
/// whose symmetries keep the start's class.
pub(crate) fn stored_reach(
    board: &Board,
    start: Position,
    group: &[Symmetry],
    run: &Run,
) -> Result<(Stack, Vec<Layer>, Reach), PegError> {
    let stack = stack(board, start, group, run)?;
    let all: u64 = (1..=start.pegs())
        .map(|pegs| layer_bytes(&stack, pegs))
        .sum();
    run.ram.require(
        &format!("every position of the {} board", board.name()),
        all,
    )?;
    run.progress.start("positions", start.pegs() as u64);
    let mut kept = vec![first_layer(&stack, start, run)?];
    let mut layers = Vec::new();
    with_width!(board, W => {
        let steps = Steps::<W>::jumps(stack.split());
        loop {
            let (next, done) = advance(&stack, &kept[kept.len() - 1], &steps, run)?;
            layers.push(done);
            if done.jumps == 0 {
                break;
            }
            kept.push(next);
        }
    });
    let reach = Reach::new(&stack, layers, &kept[kept.len() - 1]);
    Ok((stack, kept, reach))
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
fn require_two_layers(stack: &Stack, pegs: usize, jumps: usize, run: &Run) -> Result<(), PegError> {
    let pair = |pegs| layer_bytes(stack, pegs) + layer_bytes(stack, pegs - 1);
    let least = pegs.saturating_sub(jumps).max(1);
    let most = (least..=pegs).map(pair).max().unwrap_or(0);
    let what = format!(
        "the {} board, layer by layer,",
        stack.split().board().name()
    );
    Ok(run.ram.require(&what, most)?)
}

impl Reach {
    fn new(stack: &Stack, layers: Vec<ReachedLayer>, last: &Layer) -> Self {
        let board = stack.split().board();
        let pegs = last
            .positions(stack)
            .filter(|position| position.pegs() == 1);
        let pegs = pegs.flat_map(|peg| images(board, peg));
        let last_pegs = pegs.fold(Position::EMPTY, |all, peg| Position(all.0 | peg.0));
        let mut work = Work::of(
            "positions",
            layers.iter().map(|layer| layer.positions).sum(),
        );
        work.add("jumps", layers.iter().map(|layer| layer.jumps).sum());
        Self {
            last_pegs,
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
