//! What a search reports.

use std::time::Duration;

use shakmaty::Move;

use super::signals::Signals;
use crate::error::DamagedTables;
use crate::position::Position;
use crate::score::Score;

/// A principal variation and its score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// For the side to move at the root.
    pub score: Score,
    /// The moves, the first of them at the root.
    pub pv: Vec<Move>,
    /// The deepest ply that was visited.
    pub sel_depth: u32,
}

/// The state of a search after an iteration.
#[derive(Clone, Debug)]
pub struct SearchReport {
    /// Depth of the iteration.
    pub depth: u32,
    /// Best first, [`crate::Options::multi_pv`] of them, or as many as there are root moves.
    pub lines: Vec<Line>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began.
    pub elapsed: Duration,
    /// Entries of this search in the transposition table, in thousandths.
    pub hashfull: u32,
    /// Positions found in endgame tables.
    pub tb_hits: u64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The move to play; `None` only if there is no legal one.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The last report.
    pub report: SearchReport,
    /// What is wrong with endgame tables that were needed, each reported once: such a table was not used.
    pub table_faults: Vec<String>,
}

impl SearchResult {
    /// Whether all endgame tables that were needed could be used.
    ///
    /// # Errors
    /// [`DamagedTables`], which names the others.
    pub fn check_tables(&self) -> Result<(), DamagedTables> {
        match self.table_faults.as_slice() {
            [] => Ok(()),
            faults => Err(DamagedTables(faults.join("; "))),
        }
    }

    /// The first legal move, where the system has no thread to search with.
    pub(crate) fn unsearched(root: &Position, signals: &Signals) -> Self {
        let report = SearchReport {
            depth: 0,
            lines: Vec::new(),
            nodes: 0,
            elapsed: signals.elapsed(),
            hashfull: 0,
            tb_hits: 0,
        };
        Self {
            best: root.legal_moves().first().copied(),
            ponder: None,
            report,
            table_faults: Vec::new(),
        }
    }
}
