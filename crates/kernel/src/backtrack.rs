//! Depth-first search, cut into prefix jobs for a work-stealing pool.
//!
//! A [`Tree`] says how a node branches and how a whole subtree is swept in place. [`explore`] branches nodes down to
//! a given depth, sweeps what hangs below, and merges the [`Tally`] of all parts. One thread runs the same code as
//! many; there is no separate serial version.
//!
//! **The answer does not depend on the number of threads**, not even when the search ends early or when tallies are
//! lists: [`explore`] returns what a single thread returns. Two facts make that cheap:
//! - A worker takes its own jobs from the end where it put them, the next one in serial order first, and thieves take
//!   single jobs from the other end. So what a worker does between two thefts of its own is one *run*: an unbroken
//!   stretch of the serial order, with one tally. Runs are few, and merging them by the path of their first job is
//!   merging in serial order.
//! - When a job ends the search, the jobs after it in serial order are abandoned and those before it go on. What
//!   counts in the end is the first job that ended the search, and every run before it.
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
//!     fn sweep(&self, node: [u32; 3], tally: &mut Solutions, watch: &Watch<'_>) -> ControlFlow<()> {
//!         watch.tick(1)?;
//!         let mut children = Vec::new();
//!         self.branch(node, tally, &mut children)?;
//!         children.into_iter().try_for_each(|child| self.sweep(child, tally, watch))
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

/// A search advances the run's progress by this many parts in all; start the phase with it as the total.
///
/// A job's parts are split evenly among its children: an estimate, as good as the tree is even.
pub const PARTS: u64 = 1 << 20;

/// A tree to be searched depth first.
///
/// What a method adds to the tally must depend on the node alone; then the tally is the same for any number of
/// threads. (A tree whose threads share knowledge, such as a set of failed states, gives that up for its node counts.)
pub trait Tree: Sync {
    /// A node with all that is needed to go on below it.
    type Node: Send;
    /// What is gathered on the way.
    type Tally: Tally;

    /// Visits one shallow node: gathers what it is worth and appends its children in serial order. A leaf appends none.
    ///
    /// `children` comes empty. Break ends the whole search: see [`explore`].
    fn branch(
        &self,
        node: Self::Node,
        tally: &mut Self::Tally,
        children: &mut Vec<Self::Node>,
    ) -> ControlFlow<()>;

    /// Visits a node and everything below it, in serial order.
    ///
    /// Call [`Watch::tick`] every few thousand nodes and hand a break on at once. A break of the sweep's own ends the
    /// whole search: see [`explore`].
    fn sweep(
        &self,
        node: Self::Node,
        tally: &mut Self::Tally,
        watch: &Watch<'_>,
    ) -> ControlFlow<()>;
}

/// What a search gathers: starts empty, grows along the serial order.
pub trait Tally: Default + Send {
    /// Appends what was gathered later in serial order.
    fn merge(&mut self, later: Self);
}

/// Says to a sweep whether to go on.
pub struct Watch<'a> {
    pool: &'a Pool<'a>,
    path: &'a [u32],
    cuts_seen: Cell<u64>,
    abandoned: Cell<bool>,
}

impl Watch<'_> {
    /// Reports `units` of work (nodes) since the last call to the run's progress, and breaks if this sweep is no
    /// longer wanted: the run was stopped, or the search ended earlier in serial order.
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

/// Searches the trees below `roots`: nodes less than `split_depth` levels below a root are branched into jobs of
/// their own, the others swept. Returns the merged tally of all that one thread would have visited.
///
/// The depth must not depend on the number of threads. Some hundred jobs a thread are plenty.
///
/// If a branch or a sweep breaks (and was not told to by [`Watch::tick`]), the search ends: the tally is that of
/// everything up to and with that node in serial order, and of nothing after it.
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
