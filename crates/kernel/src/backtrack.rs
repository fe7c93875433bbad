//! Depth-first search, cut into prefix jobs for a work-stealing pool.
//!
//! A [`Tree`] defines how a node branches and how a whole subtree is searched by one thread.
//! [`explore`] branches nodes down to a given depth, searches the subtrees below, and merges the
//! [`Tally`] of all parts. One thread runs the same code as several; there is no separate serial
//! version.
//!
//! **The answer does not depend on the number of threads**, not even when the search ends early or
//! when tallies are lists: [`explore`] returns what a single thread returns. Two properties make
//! that cheap:
//! - A worker pops its own jobs from the end at which it pushed them, the next one in serial order
//!   first; other workers steal single jobs from the opposite end. The jobs of a worker between two
//!   steals of its own are therefore consecutive in serial order and share one tally. Such
//!   sequences are few; merging them by the path of their first job merges in serial order.
//! - When a job ends the search, the jobs after it in serial order are abandoned and those before
//!   it continue. The result consists of the first job that ended the search and of all sequences
//!   before it.
//!
//! ```
//! use std::ops::ControlFlow;
//! use everymove_kernel::backtrack::{Tally, Tree, Watch, explore};
//! use everymove_kernel::run::{Ram, Run};
//!
//! /// Ways to place `n` queens, a row after the other; a node is the columns and diagonals taken so far.
//! struct Queens(u32);
//!
//! #[derive(Default)]
//! struct Solutions(u64);
//!
//! impl Tally for Solutions {
//!     fn merge(&mut self, later: Self) {
//!         self.0 += later.0;
//!     }
//! }
//!
//! impl Tree for Queens {
//!     type Node = [u32; 3];
//!     type Tally = Solutions;
//!
//!     fn branch(&self, [cols, left, right]: [u32; 3], tally: &mut Solutions, children: &mut Vec<[u32; 3]>) -> ControlFlow<()> {
//!         let all = (1 << self.0) - 1;
//!         if cols == all {
//!             tally.0 += 1;
//!         }
//!         for queen in (0..self.0).map(|col| 1 << col) {
//!             if queen & (cols | left | right) == 0 {
//!                 children.push([cols | queen, (left | queen) << 1, (right | queen) >> 1]);
//!             }
//!         }
//!         ControlFlow::Continue(())
//!     }
//!
//!     fn search_below(&self, node: [u32; 3], tally: &mut Solutions, watch: &Watch<'_>) -> ControlFlow<()> {
//!         watch.tick(1)?;
//!         let mut children = Vec::new();
//!         self.branch(node, tally, &mut children)?;
//!         children.into_iter().try_for_each(|child| self.search_below(child, tally, watch))
//!     }
//! }
//!
//! let run = Run::new(2, Ram::unlimited());
//! let solutions = explore(&Queens(8), vec![[0; 3]], 2, &run)?;
//! assert_eq!(solutions.0, 92);
//! # Ok::<(), everymove_kernel::run::Stopped>(())
//! ```

mod pool;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::run::{Run, Stopped};
use pool::Pool;

/// A search advances the run's progress by this many parts in all; start the phase with it as the
/// total.
///
/// A job's parts are split evenly among its children: an estimate, as good as the tree is even.
pub const PARTS: u64 = 1 << 20;

/// A tree to be searched depth first.
///
/// The amount that a method adds to the tally must depend on the node alone; then the tally is the
/// same for any number of threads. (Where threads share data such as a set of failed states, node
/// counts differ from run to run.)
pub trait Tree: Sync {
    /// A node with all data that the search below it needs.
    type Node: Send;
    /// The results.
    type Tally: Tally;

    /// Visits one shallow node: adds its result to `tally` and appends its children to `children`
    /// in serial order. A leaf appends none.
    ///
    /// `children` is empty before the call. Break ends the whole search: see [`explore`].
    fn branch(
        &self,
        node: Self::Node,
        tally: &mut Self::Tally,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()>;

    /// Visits a node and everything below it, in serial order.
    ///
    /// Call [`Watch::tick`] every few thousand nodes and return its break at once. Any other break
    /// ends the whole search: see [`explore`].
    fn search_below(
        &self,
        node: Self::Node,
        tally: &mut Self::Tally,
        watch: &Watch<'_>,
    ) -> ControlFlow<()>;
}

/// The results of a search, in serial order; empty by default.
pub trait Tally: Default + Send {
    /// Appends results that are later in serial order.
    fn merge(&mut self, later: Self);
}

/// Reports to the search of a subtree whether to continue.
pub struct Watch<'a> {
    pool: &'a Pool<'a>,
    path: &'a [u32],
    cuts_seen: Cell<u64>,
    abandoned: Cell<bool>,
}

impl Watch<'_> {
    /// Reports `units` of work (nodes) since the last call to the run's progress, and breaks if
    /// this search is no longer wanted: the run was stopped, or the search ended earlier in
    /// serial order.
    pub fn tick(&self, units: u64) -> ControlFlow<()> {
        self.pool.run.progress.worked(units);
        if self.abandoned.get() || self.pool.is_over() {
            self.abandoned.set(true);
            return ControlFlow::Break(());
        }
        let cuts = self.pool.cuts();
        if cuts != self.cuts_seen.get() {
            self.cuts_seen.set(cuts);
            if self.pool.is_cut_off(self.path) {
                self.abandoned.set(true);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Searches the trees below `roots`: nodes less than `split_depth` levels below a root are branched
/// into jobs of their own, the subtrees below the others are searched whole. Returns the merged
/// tally of all nodes that one thread would have visited.
///
/// The depth must not depend on the number of threads. A few hundred jobs for each thread suffice.
///
/// If a branch or a search below a node breaks (and [`Watch::tick`] did not break), the search
/// ends: the tally is that of everything up to and with that node in serial order, and of nothing
/// after it.
///
/// A panic in a job ends the search and is passed on to the caller.
///
/// # Errors
/// [`Stopped`] if the run's stop flag was raised before the search was over.
pub fn explore<T: Tree>(
    tree: &T,
    roots: Vec<T::Node>,
    split_depth: u32,
    run: &Run,
) -> Result<T::Tally, Stopped> {
    pool::explore(tree, roots, split_depth, run)
}
