//! The quotient of a board by a symmetry: its orbits, and the moves between them with their
//! voltages.
//!
//! Let g be the symmetry and k its order. An orbit of k squares has a representative x; its other
//! squares are g x, g^2 x, and so on. A move from x to g^v y is a move from the orbit of x to that
//! of y with *voltage* v in Z_k. A path through orbits, with a choice of voltages, lifts to a path
//! of squares for each starting square, and the sum of its voltages says how far the end is turned.
//! (Gross and Tucker, Topological Graph Theory, 1987, chapter 2.)

use std::collections::{BTreeMap, BTreeSet};

use everymove_kernel::grid::{Grid, Square, Symmetry};

use super::SymmetricError;
use crate::board::Board;
use crate::search::graph::Graph;
use crate::search::sink::Link;
use crate::search::word::Word;

/// How many lifts of a path end at each turn: an element of the group ring of Z_4 (or Z_2, in the
/// first two places).
pub(super) type Turns = [u64; 4];

/// Orbits and the moves between them.
pub(super) struct Quotient {
    /// 2 or 4.
    pub(super) order: usize,
    /// The squares of every orbit of full size, `orbit[v]` being g^v of the representative, the
    /// smallest.
    pub(super) orbits: Vec<Vec<Square>>,
    /// Squares that the symmetry leaves in place.
    pub(super) fixed: Vec<Square>,
    /// Which orbits are joined by any move.
    pub(super) graph: Graph<u64>,
    /// The orbits with a move from the representative to each fixed square, in the order of
    /// `fixed`.
    pub(super) near_fixed: Vec<u64>,
    /// The orbits with a move within them.
    pub(super) loops: u64,
    /// Bit v of `voltages[i][j]`: there is a move from the representative of i to g^v of that of
    /// j.
    voltages: Vec<Vec<u8>>,
    /// The symmetries of the board as permutations of the orbits, each once.
    pub(super) group: Vec<Vec<usize>>,
}

impl Quotient {
    /// The quotient by a symmetry other than the identity.
    pub(super) fn new(board: &Board, symmetry: Symmetry) -> Result<Self, SymmetricError> {
        let grid = board.grid();
        if !board.symmetries().contains(&symmetry) {
            return Err(SymmetricError::NotSymmetric { grid, symmetry });
        }
        let mut orbits: Vec<Vec<Square>> = Vec::new();
        let mut fixed = Vec::new();
        let mut place: BTreeMap<Square, (usize, usize)> = BTreeMap::new();
        for square in board.squares() {
            if place.contains_key(&square) {
                continue;
            }
            // At once, before a large board takes memory.
            if orbits.len() > Self::MAX_ORBITS {
                return Err(SymmetricError::TooLarge { grid });
            }
            let orbit = orbit(grid, symmetry, square);
            if orbit.len() == 1 {
                fixed.push(square);
                continue;
            }
            for (turn, &image) in orbit.iter().enumerate() {
                place.insert(image, (orbits.len(), turn));
            }
            orbits.push(orbit);
        }
        if orbits.len() > Self::MAX_ORBITS {
            return Err(SymmetricError::TooLarge { grid });
        }
        let order = orbits.first().map_or(1, Vec::len);
        debug_assert!(orbits.iter().all(|orbit| orbit.len() == order));

        let mut graph = Graph::unconnected(orbits.iter().map(|orbit| orbit[0]).collect());
        let mut voltages = vec![vec![0; orbits.len()]; orbits.len()];
        let mut near_fixed = vec![0; fixed.len()];
        let mut loops = 0;
        for (i, orbit) in orbits.iter().enumerate() {
            for neighbour in board.neighbours(orbit[0]) {
                match place.get(&neighbour) {
                    Some(&(j, turn)) if i == j => {
                        debug_assert!(turn != 0);
                        loops |= u64::bit(i);
                    }
                    Some(&(j, turn)) => {
                        graph.connect(i, j);
                        voltages[i][j] |= 1 << turn;
                    }
                    None => {
                        let of_fixed = fixed.iter().zip(&mut near_fixed);
                        of_fixed
                            .filter(|&(&square, _)| square == neighbour)
                            .for_each(|(_, near)| *near |= u64::bit(i));
                    }
                }
            }
        }
        let group: BTreeSet<Vec<usize>> = board
            .symmetries()
            .into_iter()
            .filter_map(|other| {
                let orbit_of =
                    |s: Square| place.get(&grid.image(other, s)).map(|&(orbit, _)| orbit);
                orbits
                    .iter()
                    .map(|orbit| {
                        let image = orbit_of(orbit[0]);
                        image.filter(|_| orbit.iter().all(|&s| orbit_of(s) == image))
                    })
                    .collect()
            })
            .collect();
        Ok(Self {
            order,
            orbits,
            fixed,
            graph,
            near_fixed,
            loops,
            voltages,
            group: group.into_iter().collect(),
        })
    }

    /// The most orbits: an open tour of them needs one vertex more in 64 bits.
    pub(super) const MAX_ORBITS: usize = 63;

    /// The voltages of the moves from orbit `i` to `j`, as a bit set.
    pub(super) fn voltages(&self, i: usize, j: usize) -> u8 {
        self.voltages[i][j]
    }

    /// The moves between orbits in `links`: how many have two or more voltages to choose from,
    /// multiplied.
    pub(super) fn lifts(&self, links: &[Link]) -> u64 {
        let of_orbits = links.iter().map(|&(i, j)| (usize::from(i), usize::from(j)));
        of_orbits
            .filter(|&(i, j)| i.max(j) < self.orbits.len())
            .map(|(i, j)| u64::from(self.voltages[i][j].count_ones()))
            .product()
    }

    /// How the lifts of a path through `orbits` in order turn.
    pub(super) fn turns(&self, orbits: impl Iterator<Item = usize> + Clone) -> Turns {
        let mut turns = [1, 0, 0, 0];
        for (i, j) in orbits.clone().zip(orbits.skip(1)) {
            turns = self.turned(turns, self.voltages[i][j]);
        }
        turns
    }

    /// Turns followed by a move with any of some voltages.
    pub(super) fn turned(&self, turns: Turns, voltages: u8) -> Turns {
        let mut sum = [0; 4];
        for (turn, &lifts) in turns.iter().enumerate().take(self.order) {
            for voltage in (0..self.order).filter(|v| voltages >> v & 1 != 0) {
                sum[(turn + voltage) % self.order] += lifts;
            }
        }
        sum
    }

    /// Calls `visitor` with the squares of each lift, from the representative of the first, of a
    /// path through `orbits`.
    pub(super) fn for_each_lift(&self, orbits: &[usize], visitor: &mut impl FnMut(&[Square])) {
        let mut squares = Vec::with_capacity(orbits.len());
        self.lift(orbits, 0, &mut squares, visitor);
    }

    fn lift(
        &self,
        orbits: &[usize],
        turn: usize,
        squares: &mut Vec<Square>,
        visitor: &mut impl FnMut(&[Square]),
    ) {
        let at = squares.len();
        squares.push(self.orbits[orbits[at]][turn]);
        match orbits.get(at + 1) {
            None => visitor(squares),
            Some(&next) => {
                let voltages = self.voltages[orbits[at]][next];
                for voltage in (0..self.order).filter(|v| voltages >> v & 1 != 0) {
                    self.lift(orbits, (turn + voltage) % self.order, squares, visitor);
                }
            }
        }
        squares.pop();
    }
}

/// A square and its images, each once, in the order of powers.
fn orbit(grid: Grid, symmetry: Symmetry, square: Square) -> Vec<Square> {
    let mut orbit = vec![square];
    loop {
        let next = grid.image(symmetry, orbit[orbit.len() - 1]);
        if next == square {
            return orbit;
        }
        orbit.push(next);
    }
}
