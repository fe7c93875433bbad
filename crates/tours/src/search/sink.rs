//! What a search reports to: one sink counts, another collects the tours themselves.

use std::ops::ControlFlow;

/// Hears of every node, every move that is chosen or taken back, and every tour.
pub(crate) trait Sink {
    /// A node is visited. Break ends the search.
    fn node(&mut self) -> ControlFlow<()>;

    /// The move between `u` and `v` is part of the tour from now on.
    fn link(&mut self, u: usize, v: usize);

    /// How many moves are part of the tour now.
    fn mark(&self) -> usize;

    /// Takes moves back until as many are left as at a [`mark`](Self::mark).
    fn rewind(&mut self, mark: usize);

    /// The moves make a tour that ends on `end`. Break ends the search.
    fn tour(&mut self, end: usize) -> ControlFlow<()>;
}
