//! Receivers of what a search finds: one counts, another collects the tours.

use std::ops::ControlFlow;

/// A move of a tour, in either direction.
pub(crate) type Link = (u16, u16);

/// Receives every node, every move that is chosen or undone, and every tour.
pub(crate) trait Sink {
    /// A node is visited. Break ends the search.
    fn node(&mut self) -> ControlFlow<()>;

    /// The move between `u` and `v` is part of the tour from now on.
    fn link(&mut self, u: usize, v: usize);

    /// How many moves are part of the tour now.
    fn mark(&self) -> usize;

    /// Undoes moves back to a [`mark`](Self::mark).
    fn rewind(&mut self, mark: usize);

    /// The moves make a tour that ends on `end`. Break ends the search.
    fn tour(&mut self, end: usize) -> ControlFlow<()>;
}

/// Puts the vertices of a tour from `start` to `end` in order; moves to vertices from `n` up, and a
/// closing move, are left out. There may be up to `MOST` vertices.
pub(crate) fn in_order<const MOST: usize>(
    links: &[Link],
    n: usize,
    start: usize,
    end: usize,
    order: &mut Vec<usize>,
) {
    const NOWHERE: u16 = u16::MAX;
    let mut near = [[NOWHERE; 2]; MOST];
    let closing = |u, v| n > 2 && [(u, v), (v, u)].contains(&(start, end));
    for &(u, v) in links {
        let (from, to) = (usize::from(u), usize::from(v));
        if from >= n || to >= n || closing(from, to) {
            continue;
        }
        near[from] = [v, near[from][0]];
        near[to] = [u, near[to][0]];
    }
    order.clear();
    let (mut before, mut at) = (NOWHERE, start as u16);
    while at != NOWHERE {
        order.push(usize::from(at));
        let [a, b] = near[usize::from(at)];
        (before, at) = (at, if a == before { b } else { a });
    }
    debug_assert_eq!(order.len(), n, "a tour visits every vertex");
}
