//! Where the layers of a count are, and what each way is estimated to take.

use std::fmt;

use everymove_kernel::grid::Grid;
use everymove_kernel::run::Run;

use super::FrontierError;
use super::count::{Prepared, given_end};
use super::estimate::{self, Sizes};
use super::plan::Plan;
use super::strip::refuse_wide;
use super::{classes, external};
use crate::board::{Board, Kind, Leaper};
use crate::question::Question;

/// Where the layers of a count are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Whole layers in memory.
    Whole,
    /// One half in so many independent classes, of which one is in memory at a time.
    Classes(u64),
    /// Whole layers in files, of which parts are in memory.
    Disk,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole layers in memory"),
            Self::Classes(classes) => write!(f, "{classes} classes, one after another in memory"),
            Self::Disk => f.write_str("layers on disk"),
        }
    }
}

/// What a count is estimated to take in one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// The way.
    pub scheme: Scheme,
    /// Bytes of memory of the whole process.
    pub memory: u64,
    /// Bytes of files.
    pub disk: u64,
    /// Live degree vectors of all layers.
    pub vectors: f64,
    /// States of all layers.
    pub states: f64,
    /// Transitions of states.
    pub transitions: f64,
    /// CPU-seconds on a processor of 2020.
    pub cpu_seconds: f64,
}

/// What a count is estimated to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Steps of the elimination, of both halves, each of which makes a layer.
    pub layers: u64,
    /// The most squares of a frontier, the end of open tours included.
    pub slots: u64,
    /// Every way that the board has, in the order in which they are tried.
    pub needs: Vec<Need>,
    /// The board from whose plan the numbers are extrapolated, if that of the board itself would take too long.
    pub from: Option<Grid>,
}

/// Transitions are so many for each state, on boards of 7x7 to 8x10 squares.
const TRANSITIONS_A_STATE: f64 = 2.2;

/// CPU-seconds of a transition, with its part of the join.
const TRANSITION: f64 = 14e-9;

/// CPU-seconds of a live degree vector: of its part of the plan, and of the sums of its block.
const VECTOR: f64 = 0.5e-6;

/// Layers on disk take so many times the CPU-seconds of layers in memory.
const DISK: f64 = 1.6;

/// Frontiers of more slots are extrapolated from a board of two columns less: their plan would take minutes and gigabytes.
const PLANNED: usize = 18;

/// What two columns more multiply states, vectors, bytes and times by, as measured between 7 and 9 columns.
const GROWTH: f64 = 950.0;
const VECTOR_GROWTH: f64 = 90.0;

impl Estimate {
    /// The way that a count takes with so many bytes of memory and of disk: the first that fits.
    pub fn chosen(&self, ram: u64, disk: u64) -> Option<&Need> {
        let fits = |need: &&Need| need.memory <= ram && need.disk <= disk;
        self.needs.iter().find(fits)
    }
}

impl Need {
    /// An estimate by the numbers of live degree vectors and of states.
    pub(super) fn of(scheme: Scheme, memory: u64, disk: u64, vectors: f64, states: f64) -> Self {
        let transitions = states * TRANSITIONS_A_STATE;
        let seconds = transitions * TRANSITION + vectors * VECTOR;
        Self {
            scheme,
            memory,
            disk,
            vectors,
            states,
            transitions,
            cpu_seconds: seconds * if scheme == Scheme::Disk { DISK } else { 1.0 },
        }
    }

    /// What the same number of rows with two columns more needs.
    fn grown(mut self) -> Self {
        self.vectors *= VECTOR_GROWTH;
        self.states *= GROWTH;
        self.transitions *= GROWTH;
        self.cpu_seconds *= GROWTH;
        self.memory = (self.memory as f64 * GROWTH) as u64;
        self.disk = (self.disk as f64 * GROWTH) as u64;
        self
    }
}

/// Estimates what the count of a question takes, without counting.
///
/// # Errors
/// As [`super::count`]; [`FrontierError::OverBudget`] if the plan itself does not fit the memory budget.
pub fn estimate(question: &Question, run: &Run) -> Result<Estimate, FrontierError> {
    let start = given_end(question)?;
    run.progress.start("planning the count", 0);
    let slots = widest(question);
    if slots > PLANNED {
        let smaller = narrower(&question.board);
        let inner = estimate(&Question::new(smaller.clone(), question.kind), run)?;
        return Ok(Estimate {
            layers: question.board.playable() as u64 * inner.layers / smaller.playable() as u64,
            slots: slots as u64,
            needs: inner.needs.into_iter().map(Need::grown).collect(),
            from: Some(inner.from.unwrap_or(smaller.grid())),
        });
    }
    refuse_wide(&question.board)?;
    let plan = Plan::new(&question.board, question.kind, start)?;
    let mut needs = Vec::new();
    let prepared = Prepared::of(question, &plan, run)?;
    let sizes = Sizes::of(&plan, &prepared.reach, prepared.large, run)?;
    let states: f64 = sizes.layers().map(|size| size.states).sum();
    let vectors = prepared.reach.len() as f64;
    let layers = sizes.bytes_at_once() as u64;
    let memory = run.ram.used() + estimate::Need::of(layers, &plan, &prepared.reach, run).bytes;
    needs.push(Need::of(Scheme::Whole, memory, 0, vectors, states));
    let on_disk = external::estimate(&plan, &prepared.reach, &sizes);
    drop(prepared);
    needs.extend(classes::estimate(question, run)?);
    needs.push(on_disk);
    Ok(Estimate {
        layers: plan.steps().count() as u64,
        slots: slots as u64,
        needs,
        from: None,
    })
}

/// The most slots of a frontier of the knight on a board without holes; of other boards, none that are known at once.
pub(super) fn widest(question: &Question) -> usize {
    let board = &question.board;
    let grid = board.grid();
    let narrow = grid.rows().min(grid.cols());
    match board.leaper() == Leaper::KNIGHT && board.holes().is_empty() {
        true => 2 * narrow + 1 + usize::from(question.kind == Kind::Open),
        false => 0,
    }
}

/// The board with two columns less on its narrow side.
fn narrower(board: &Board) -> Board {
    let grid = board.grid();
    let (rows, cols) = (grid.rows().max(grid.cols()), grid.rows().min(grid.cols()));
    Board::knight(rows as u32, cols as u32 - 2).unwrap_or_else(|_| board.clone())
}
