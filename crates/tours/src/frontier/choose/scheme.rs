//! Where the layers of a count are, and what one way takes.

use std::fmt;

use crate::board::{Kind, Leaper};
use crate::question::Question;

/// Where the layers of a count are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Whole layers in memory.
    Whole,
    /// One half in this many independent classes, of which one is in memory at a time.
    Classes(u64),
    /// Whole layers in files, of which parts are in memory.
    Disk,
    /// One half in this many independent classes, of which one is in files at a time.
    ClassesOnDisk(u64),
}

impl Scheme {
    /// Ways are tried in the order of this number.
    pub(crate) fn turn(self) -> u8 {
        match self {
            Self::Whole => 0,
            Self::Classes(_) => 1,
            Self::Disk => 2,
            Self::ClassesOnDisk(_) => 3,
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole layers in memory"),
            Self::Classes(classes) => write!(f, "{classes} classes, one after another in memory"),
            Self::Disk => f.write_str("layers on disk"),
            Self::ClassesOnDisk(classes) => {
                write!(f, "{classes} classes, one after another on disk")
            }
        }
    }
}

/// About the bytes of files at once of a count with layers on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileBytes {
    /// With layers that are compressed.
    pub compressed: u64,
    /// With layers that are not.
    pub plain: u64,
}

impl FileBytes {
    /// Layers are compressed unless there is room for this many times the bytes that they are
    /// estimated to take otherwise.
    const ROOM: u64 = 2;

    /// Whether a count compresses its layers where files may take `limit` bytes: compression takes
    /// about a fifth of the time.
    pub fn are_compressed(self, limit: u64) -> bool {
        self.plain > limit / Self::ROOM
    }

    /// The bytes where files may take `limit` bytes.
    pub fn within(self, limit: u64) -> u64 {
        match self.are_compressed(limit) {
            true => self.compressed,
            false => self.plain,
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
    /// The files.
    pub files: FileBytes,
    /// Live degree vectors of all layers.
    pub vectors: f64,
    /// States of all layers.
    pub states: f64,
    /// Transitions of states.
    pub transitions: f64,
    /// CPU-seconds on a processor of 2020, with layers in memory.
    cpu_seconds: f64,
}

/// Transitions for each state, on boards of 7x7 to 8x10 squares.
const TRANSITIONS_A_STATE: f64 = 2.2;

/// CPU-seconds of an estimated transition, with its part of the join, on boards with at most
/// [`FEW`] of them. With [`VECTOR`] this is 1.1 to 1.5 times the time of 7x8 to 8x9 boards on a
/// processor in a fast state; in a slow state they took twice that time.
const TRANSITION: f64 = 3.4e-9;

/// CPU-seconds of a live degree vector: of its part of the plan, and of the sums of its block.
const VECTOR: f64 = 0.54e-6;

/// The transitions of 8x8 open. On larger boards each takes longer, since layers are larger beside
/// the caches of the processor: by [`SLOWER`] for ten times as many, between the times of 8x8, 8x9,
/// 8x11 and 9x9 open.
const FEW: f64 = 8e9;
const SLOWER: f64 = 0.4;

/// The CPU-seconds of layers on disk, as a multiple of those of layers in memory: on 8x8 open 1.1
/// to 1.6, compressed 1.7 to 2.2.
const PLAIN: f64 = 1.4;
const COMPRESSED: f64 = 2.0;

impl Need {
    /// An estimate by the numbers of live degree vectors and of states.
    pub(crate) fn of(
        scheme: Scheme,
        memory: u64,
        files: FileBytes,
        vectors: f64,
        states: f64,
    ) -> Self {
        let transitions = states * TRANSITIONS_A_STATE;
        let slower = 1.0 + SLOWER * (transitions / FEW).log10().max(0.0);
        let seconds = transitions * TRANSITION * slower + vectors * VECTOR;
        Self {
            scheme,
            memory,
            files,
            vectors,
            states,
            transitions,
            cpu_seconds: seconds,
        }
    }

    /// The same several times, with the memory and the files of once.
    pub(crate) fn times(self, passes: usize) -> Self {
        let passes = passes as f64;
        Self {
            states: self.states * passes,
            transitions: self.transitions * passes,
            cpu_seconds: self.cpu_seconds * passes,
            ..self
        }
    }

    /// CPU-seconds on a processor of 2020 where files may take `disk` bytes.
    pub fn cpu_seconds(&self, disk: u64) -> f64 {
        let factor = match self.scheme {
            Scheme::Whole | Scheme::Classes(_) => 1.0,
            _ if self.files.are_compressed(disk) => COMPRESSED,
            _ => PLAIN,
        };
        self.cpu_seconds * factor
    }
}

/// The most slots of a frontier of the knight on a board without holes; of other boards, none that
/// are known at once.
pub(crate) fn widest(question: &Question) -> usize {
    let board = &question.board;
    let grid = board.grid();
    let narrow = grid.rows().min(grid.cols());
    match *board.leaper() == Leaper::KNIGHT && board.holes().is_empty() {
        true => 2 * narrow + 1 + usize::from(question.kind == Kind::Open),
        false => 0,
    }
}
