//! Permutations of a board's holes that map jumps to jumps.

use crate::lattice::{Lattice, Step};
use crate::position::{Bits, Hole, Position};

/// A symmetry of a board: hole `i` goes to hole `to[i]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    to: Box<[u8]>,
}

impl Symmetry {
    /// Where a hole goes.
    pub fn hole(&self, hole: Hole) -> Hole {
        usize::from(self.to[hole])
    }

    /// Where a position goes.
    pub fn position(&self, position: Position) -> Position {
        Position(Bits(position.0).fold(0, |image, hole| image | 1 << self.to[hole]))
    }

    /// Whether this symmetry is the inverse of the other.
    pub(crate) fn undoes(&self, other: &Self) -> bool {
        other
            .to
            .iter()
            .enumerate()
            .all(|(i, &to)| self.hole(to.into()) == i)
    }

    /// Whether nothing moves.
    pub fn is_identity(&self) -> bool {
        self.to
            .iter()
            .enumerate()
            .all(|(i, &to)| i == usize::from(to))
    }
}

/// All symmetries of a set of places, the identity first.
pub(crate) fn symmetries(lattice: Lattice, places: &[Step]) -> Vec<Symmetry> {
    let corner = |places: &[Step]| {
        let top = places.iter().map(|place| place.0).min();
        let left = places.iter().map(|place| place.1).min();
        top.zip(left).unwrap_or_default()
    };
    let from = corner(places);
    let mut found: Vec<Symmetry> = Vec::new();
    for turn in lattice.linear_symmetries() {
        let turned: Vec<Step> = places.iter().map(|&place| turn.apply(place)).collect();
        let turned_corner = corner(&turned);
        let shift = (from.0 - turned_corner.0, from.1 - turned_corner.1);
        let to: Option<Box<[u8]>> = turned
            .iter()
            .map(|place| (place.0 + shift.0, place.1 + shift.1))
            .map(|image| {
                places
                    .iter()
                    .position(|&place| place == image)
                    .map(|i| i as u8)
            })
            .collect();
        // Boards with few places can be mapped the same way by two turns.
        found.extend(
            to.map(|to| Symmetry { to })
                .filter(|new| !found.contains(new)),
        );
    }
    found.sort_by_key(|symmetry| !symmetry.is_identity());
    found
}

/// The canonical form of a position under a group: its image with the smallest word.
pub fn canonical(group: &[Symmetry], position: Position) -> Position {
    let images = group.iter().map(|symmetry| symmetry.position(position));
    images.min().unwrap_or(position)
}
