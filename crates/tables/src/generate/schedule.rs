//! Four orders in which chunks are processed: the same results with different traffic between slow
//! and fast memory.

use std::fmt;

/// How the tree of moves and un-moves is decomposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// Not at all: all moves from all positions, anywhere in the table.
    Scan,
    /// By side: a pass of the attacker's moves, a pass of the defender's.
    Subcycles,
    /// By the attacker's pieces: a pass with the pieces' moves and all of the defender's, a pass
    /// with the king's moves and all of the defender's.
    RootSplit,
    /// As `RootSplit`, with the passes in alternating order, so that the last pass of a cycle and
    /// the first of the next use the same chunks and are done with one load (H. G. Muller,
    /// "Leapfrog: Tree Decomposition").
    #[default]
    Leapfrog,
}

impl Schedule {
    /// All schedules, the simplest first.
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

/// Data moved between slow memory (the whole table) and fast memory (the chunk being processed).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bits of the set of wins loaded.
    pub loaded: u64,
    /// Bits of the set of wins stored.
    pub stored: u64,
    /// Bits of lists (losses, and new wins that a later pass needs) read and written.
    pub sparse: u64,
    /// Words of the set of wins, 64 bits each, that moves led to: what would be loaded without
    /// fast memory.
    pub touched: u64,
    /// Bytes of lists read from disk, for lack of memory.
    pub disk_read: u64,
    /// Bytes of lists written to disk, for lack of memory.
    pub disk_written: u64,
    /// Passes over the table.
    pub passes: u64,
    /// Cycles: steps from losses to the losses two plies before them.
    pub cycles: u64,
    /// Positions of the table (of one side to move) times cycles: the denominator of traffic per
    /// position and cycle.
    pub positions: u64,
}

impl Traffic {
    /// Adds the traffic of another part of the work.
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
