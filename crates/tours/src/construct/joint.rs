//! How a tile hangs on its neighbour.
//!
//! A tile is a rectangle with one path through all its squares. Where the path passes from u to v,
//! two squares near a side, the tile beyond that side can be put in between: its own path leads
//! from x, a move away from u, to y, a move away from v. Exchanging the edge u-v for the moves u-x
//! and y-v is the merge of two closed tours along parallel edges (Parberry, "An efficient algorithm
//! for the knight's tour problem", 1997), in a form that also covers narrow boards, on which u
//! and v need not be a move apart as long as something is always put between them.

/// A side of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Right,
    Left,
    Up,
    Down,
}

impl Side {
    pub(super) const ALL: [Self; 4] = [Self::Right, Self::Left, Self::Up, Self::Down];

    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A place near a side: how far along it (from the left or from below), and how deep inside.
type Near = (usize, usize);

/// Where tiles of some breadth are joined, the same on every side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joint {
    u: Near,
    v: Near,
    x: Near,
    y: Near,
}

impl Joint {
    /// For tiles with sides of at least five. The move u-v is one of two that a corner has, so
    /// every closed tour of the tile uses it; only x-y must be asked for. On the four sides
    /// these are four different moves.
    pub(super) const BROAD: Self = Self {
        u: (0, 0),
        v: (2, 1),
        x: (1, 1),
        y: (3, 0),
    };
    /// For boards of three rows: again a corner's move.
    pub(super) const THREE: Self = Self {
        u: (0, 0),
        v: (2, 1),
        x: (2, 0),
        y: (1, 0),
    };
    /// For boards of four rows, where no tour is closed: the path goes out in one half of the
    /// squares and comes back in the other, the mirror image, so that the last tile must always
    /// be there to turn it round.
    pub(super) const FOUR: Self = Self {
        u: (1, 0),
        v: (2, 0),
        x: (3, 0),
        y: (0, 0),
    };

    /// The squares u and v of a tile of this shape that face `side`.
    pub(super) fn socket(&self, side: Side, shape: Shape) -> [usize; 2] {
        [self.u, self.v].map(|near| shape.near(side, near))
    }

    /// The squares x and y of a tile of this shape whose parent lies on `side`.
    pub(super) fn entry(&self, side: Side, shape: Shape) -> [usize; 2] {
        [self.x, self.y].map(|near| shape.near(side, near))
    }
}

/// Rows and columns of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) cols: usize,
}

impl Shape {
    pub(super) fn len(self) -> usize {
        self.rows * self.cols
    }

    fn near(self, side: Side, (along, deep): Near) -> usize {
        let (row, col) = match side {
            Side::Right => (along, self.cols - 1 - deep),
            Side::Left => (along, deep),
            Side::Up => (self.rows - 1 - deep, along),
            Side::Down => (deep, along),
        };
        row * self.cols + col
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn opposite(side: Side) -> Side {
        match side {
            Side::Right => Side::Left,
            Side::Left => Side::Right,
            Side::Up => Side::Down,
            Side::Down => Side::Up,
        }
    }

    #[test]
    fn both_ends_of_a_joint_are_moves() {
        for (joint, breadths) in [
            (Joint::BROAD, 5..13),
            (Joint::THREE, 3..4),
            (Joint::FOUR, 4..5),
        ] {
            for breadth in breadths {
                for (long, other) in [(8, 5), (5, 8), (9, 9)] {
                    for side in Side::ALL {
                        let beside = matches!(side, Side::Left | Side::Right);
                        let shape = |long| match beside {
                            true => Shape {
                                rows: breadth,
                                cols: long,
                            },
                            false => Shape {
                                rows: long,
                                cols: breadth,
                            },
                        };
                        let (parent, child) = (shape(long), shape(other));
                        let (rows, cols) = match beside {
                            true => (breadth, long + other),
                            false => (long + other, breadth),
                        };
                        let board = Board::knight(rows as u32, cols as u32).unwrap();
                        let first = matches!(side, Side::Left | Side::Down);
                        let place = |shape: Shape, square: usize, is_first: bool| {
                            let (row, col) = (square / shape.cols, square % shape.cols);
                            let other = if shape == parent { child } else { parent };
                            match (is_first, beside) {
                                (true, _) => board.grid().square(row, col),
                                (false, true) => board.grid().square(row, col + other.cols),
                                (false, false) => board.grid().square(row + other.rows, col),
                            }
                        };
                        let outer = joint.socket(side, parent);
                        let inner = joint.entry(opposite(side), child);
                        for (from, to) in outer.into_iter().zip(inner) {
                            let from = place(parent, from, !first);
                            let to = place(child, to, first);
                            assert!(board.is_move(from, to), "{side:?} {breadth} {long} {other}");
                        }
                    }
                }
            }
        }
    }
}
