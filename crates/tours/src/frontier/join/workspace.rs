//! What a thread of a join works with.

use super::super::maps::Renumberings;
use super::Tally;

/// The vectors of one thread, and its part of the total.
pub(super) struct Workspace<'a, R, C, const L: usize> {
    pub(super) readers: [R; 2],
    pub(super) renumberings: [Renumberings<'a>; 2],
    pub(super) x: Vec<[C; L]>,
    pub(super) y: Vec<[C; L]>,
    pub(super) scratch: Vec<Vec<[C; L]>>,
    pub(super) tally: Tally,
}
