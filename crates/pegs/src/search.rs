//! Depth-first search: plain, with a set of positions known to fail, and in parallel.
//!
//! Textbook backtracking. It finds a first solution quickly when the order of jumps
//! happens to suit the problem and not at all otherwise; with a memory of failed positions
//! ([`Keys::Raw`]) it is thousands of times more robust, with one position kept for all its images
//! ([`Keys::Canonical`]) more so. The memory is a fixed table that never loses an entry without
//! saying so: what it refuses is counted in [`SearchResult::refused`], costs time, and changes no
//! answer.
//!
//! Parallel search cuts the tree into jobs by the first jumps, and all jobs share the memory. Cut
//! at the very first jump it cannot help where these are images of each other, as in the central
//! game, where all four are: the threads search copies of one tree, and with canonical keys there
//! is one job only. Cut deeper, the other threads mostly examine positions that come after the
//! first solution in serial order: on two threads up to twice as many are remembered. What scales
//! is another method: the layers of [`reach`](crate::reach()).

mod beam;
mod order;
mod tree;

use everymove_kernel::backtrack::{PARTS, explore};
use everymove_kernel::run::{Run, Work};

pub(crate) use beam::{BEAMS, Beam, search_by_beams};
pub use order::{NotAnOrder, ORDERS, Order};
use tree::JumpTree;

use crate::error::PegError;
use crate::jump::Jump;
use crate::problem::Problem;
use crate::step_table::with_width;
use crate::words::WordSet;

/// What is remembered of positions from which the finish cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keys {
    /// Nothing.
    None,
    /// The position.
    Raw,
    /// The least image of the position under the symmetries that keep the finish.
    Canonical,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The order in which jumps are tried.
    pub order: Order,
    /// What is remembered.
    pub keys: Keys,
    /// Bytes for the memory; rounded down to a power of two.
    pub memory: u64,
    /// Positions below this many jumps from the start are searched as one job each; 0 searches the
    /// whole tree as one.
    pub split_depth: u32,
    /// Gives up after about this many positions; with several threads or jobs, each counts towards
    /// it.
    pub limit: u64,
}

impl Default for Search {
    /// In row order, remembering canonical positions in 64 MiB, one job, no limit.
    fn default() -> Self {
        Self {
            order: Order::Rows,
            keys: Keys::Canonical,
            memory: 64 << 20,
            split_depth: 0,
            limit: u64::MAX,
        }
    }
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchEnd {
    /// With these jumps to the finish.
    Solution(Vec<Jump>),
    /// Every line was tried: there is no solution.
    Exhausted,
    /// At its limit, or with positions left out: nothing is decided.
    GaveUp,
}

/// What a search found and what it cost.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// How it ended.
    pub end: SearchEnd,
    /// Positions examined up to the solution in serial order; jobs that were abandoned because an
    /// earlier one found it are not counted here, but what they remembered is in
    /// [`remembered`](SearchResult::remembered).
    pub nodes: u64,
    /// Positions remembered as failed.
    pub remembered: usize,
    /// Failed positions that the full memory had no room for.
    pub refused: usize,
    /// `nodes` of all jobs, and `remembered` and `refused` positions. With several threads and a
    /// shared memory the numbers differ from run to run.
    pub work: Work,
}

/// Searches for a solution. The one that is found is the first in the given order, whatever the
/// number of threads.
///
/// # Errors
/// [`PegError::OverBudget`] if the memory does not fit, [`PegError::Stopped`].
pub fn search(problem: &Problem, how: &Search, run: &Run) -> Result<SearchResult, PegError> {
    let failed = match how.keys {
        Keys::None => None,
        Keys::Raw | Keys::Canonical => Some(WordSet::with_bytes(
            "the memory of failed positions",
            how.memory,
            &run.ram,
        )?),
    };
    run.progress.start("searching for a solution", PARTS);
    let tally = with_width!(problem.board(), W => {
        let tree = JumpTree::<W>::new(problem, how, failed.as_ref());
        explore(&tree, vec![tree.root()], how.split_depth, run)?
    });
    let end = match tally.solution {
        Some(jumps) => SearchEnd::Solution(jumps),
        None if tally.gave_up => SearchEnd::GaveUp,
        None => SearchEnd::Exhausted,
    };
    let (remembered, refused) = failed.map_or((0, 0), |set| (set.len(), set.refused()));
    let mut work = Work::of("nodes", tally.nodes);
    work.add("remembered", remembered as u64);
    work.add("refused", refused as u64);
    Ok(SearchResult {
        end,
        nodes: tally.nodes,
        remembered,
        refused,
        work,
    })
}
