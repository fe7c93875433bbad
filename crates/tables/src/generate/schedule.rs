//! The four orders in which chunks are visited: the same work with different traffic between far and near memory.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How the tree of moves and un-moves is cut up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Not at all: all moves from all positions, anywhere in the table.
    Scan,
    /// By side: a pass of the attacker's moves, a pass of the defender's.
    Subcycles,
    /// By the attacker's pieces: a pass with the pieces' moves and all the defender's, a pass with the king's and all the
    /// defender's.
    RootSplit,
    /// As `RootSplit`, with the passes in alternating order, so that the last pass of a cycle and the first of the next visit
    /// the same chunks and are done in one visit (H. G. Muller, "Leapfrog: Tree Decomposition").
    #[default]
    Leapfrog,
}

/// A text that names no schedule.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a schedule: expected scan, subcycles, rootsplit or leapfrog")]
pub struct NotASchedule(String);

impl Schedule {
    /// All of them, the simplest first.
    pub const ALL: [Self; 4] = [Self::Scan, Self::Subcycles, Self::RootSplit, Self::Leapfrog];
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scan => "scan",
            Self::Subcycles => "subcycles",
            Self::RootSplit => "rootsplit",
            Self::Leapfrog => "leapfrog",
        })
    }
}

impl FromStr for Schedule {
    type Err = NotASchedule;

    fn from_str(text: &str) -> Result<Self, NotASchedule> {
        let found = Self::ALL.into_iter().find(|s| s.to_string() == text);
        found.ok_or_else(|| NotASchedule(text.to_owned()))
    }
}

/// What passed between far memory (the whole table) and near memory (the chunk in work).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bits of the won set brought near.
    pub loaded: u64,
    /// Bits of the won set taken back.
    pub stored: u64,
    /// Bits of sparse lists (losses, and new wins that a later pass needs) read and written.
    pub sparse: u64,
    /// Words of the won set, 64 bits each, that moves led to: what would be loaded if nothing were kept near.
    pub touched: u64,
    /// Bytes of lists read from disk and written to it, for lack of memory.
    pub disk_read: u64,
    /// See `disk_read`.
    pub disk_written: u64,
    /// Passes over the table.
    pub passes: u64,
    /// Cycles: steps from losses to the losses before them.
    pub cycles: u64,
    /// Positions of the table (of a side to move) times cycles: what to divide by.
    pub positions: u64,
}

impl Traffic {
    /// Adds what another part of the work moved.
    pub fn merge(&mut self, other: &Self) {
        self.loaded += other.loaded;
        self.stored += other.stored;
        self.sparse += other.sparse;
        self.touched += other.touched;
        self.disk_read += other.disk_read;
        self.disk_written += other.disk_written;
        self.passes += other.passes;
        self.cycles += other.cycles;
        self.positions += other.positions;
    }
}
