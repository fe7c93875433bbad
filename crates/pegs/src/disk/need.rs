//! What layers take in memory and in files.

use everymove_kernel::run::{Ram, Run};

use super::stored::{BUFFERS, BUFFERS_A_THREAD};
use crate::bidirectional::is_mirrored;
use crate::board::Board;
use crate::error::PegError;
use crate::layers::estimate::Sizes;
use crate::position::Position;
use crate::problem::Problem;
use crate::reached::class_symmetries;
use crate::winning_file::LAYER_WRITER;

/// The least words of layers in memory: 2 MB. A group of tails has 2^10 words at most.
pub(super) const LEAST_WORDS: usize = 1 << 18;

/// Bytes that passes over layers take besides the words of layers: places of four layers, and the buffers of files.
pub(super) fn buffers(layout_bytes: u64, threads: usize) -> u64 {
    4 * layout_bytes + BUFFERS + threads as u64 * BUFFERS_A_THREAD
}

/// Processor seconds for each place of a position, measured on three boards: 1.04 s for the 6.7e7 places of the English
/// board, 20 s for 1.07e9 of the European one, 271 s for 1.72e10 of diamond41.
const SECONDS_A_PLACE: f64 = 17e-9;

/// How many times longer it takes with layers in files, about.
const SLOWER_ON_DISK: f64 = 1.3;

/// What counting the positions that can be reached, or finding a winning set, takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Places of positions in all layers up to symmetry: no more positions than these can be reached.
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
    /// For counting the positions that can be reached; `None` for boards with too many invariants for sizes to be
    /// computed beforehand.
    pub fn of_reach(board: &Board, start: Position, run: &Run) -> Option<Self> {
        let group = class_symmetries(board, start);
        let sizes = Sizes::new(board, &group, board.class(start))?;
        let pegs = start.pegs();
        let pair = |pegs: usize| sizes.layers[pegs].saturating_add(sizes.layers[pegs - 1]);
        let files = (1..=pegs).map(pair).max().unwrap_or(0);
        Some(Self::new(&sizes, 1..=pegs, files, (0, files), 1.0, run))
    }

    /// For the winning set of a problem, likewise.
    pub fn of_winning_set(problem: &Problem, run: &Run) -> Option<Self> {
        let board = problem.board();
        let class = board.class(problem.start());
        let sizes = Sizes::new(board, &problem.symmetries(), class)?;
        let pegs = problem.last_pegs()..=problem.start().pegs();
        let all = sizes.all(pegs.clone()) - sizes.tables;
        let two = 2 * sizes.largest(pegs.clone());
        let memory = all.saturating_add(two);
        // Half of the layers follow from the others where the game is its own mirror; selecting takes as long as finding.
        // In files each of these layers is kept twice, as reached and as winning; after the middle of another game a third time, and the
        // middle four times.
        let (files, passes) = match is_mirrored(problem) {
            true => (memory, 1.0),
            false => (all.saturating_mul(3).saturating_add(two / 2), 2.0),
        };
        let on_disk = (LAYER_WRITER, files);
        Some(Self::new(&sizes, pegs, memory, on_disk, passes, run))
    }

    fn new(
        sizes: &Sizes,
        pegs: std::ops::RangeInclusive<usize>,
        layers: u64,
        (output, disk): (u64, u64),
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
            memory_on_disk: tables + on_disk(sizes, run) + output,
            disk,
            cpu_seconds,
            cpu_seconds_on_disk: SLOWER_ON_DISK * cpu_seconds,
        }
    }
}

/// The least bytes of memory besides the tables with layers in files.
fn on_disk(sizes: &Sizes, run: &Run) -> u64 {
    buffers(sizes.layout, run.threads.get()) + 8 * LEAST_WORDS as u64
}

/// Refuses layers in files that do not fit the memory even so; writing the answer takes `output` bytes more.
///
/// # Errors
/// [`PegError::OverBudget`].
pub(super) fn require(
    sizes: Option<&Sizes>,
    output: u64,
    what: &str,
    run: &Run,
) -> Result<(), PegError> {
    match sizes {
        Some(sizes) => {
            let need = sizes.tables + on_disk(sizes, run) + output;
            Ok(sizes.require(what, need, run)?)
        }
        None => Ok(()),
    }
}

/// Whether some work was refused because it does not fit the memory.
pub(crate) fn is_over<T>(result: &Result<T, PegError>) -> bool {
    matches!(result, Err(PegError::OverBudget(_)))
}
