//! The board: a grid, the leaper that moves on it, and the squares that are missing.

use std::fmt;
use std::str::FromStr;

use everymove_kernel::grid::{Grid, GridError, Square, Symmetry};
use thiserror::Error;

/// A piece that leaps `a` squares along one axis and `b` along the other; the knight is (1,2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaper {
    a: u32,
    b: u32,
}

impl Leaper {
    /// The knight, the (1,2)-leaper.
    pub const KNIGHT: Self = Self { a: 1, b: 2 };
    /// The wazir, the (0,1)-leaper: a rook that moves one square.
    pub const WAZIR: Self = Self { a: 0, b: 1 };

    /// An (a,b)-leaper; the order of the two does not matter.
    ///
    /// # Errors
    /// [`BoardError::NoLeap`] for (0,0), which never moves.
    pub fn new(a: u32, b: u32) -> Result<Self, BoardError> {
        if a == 0 && b == 0 {
            return Err(BoardError::NoLeap);
        }
        Ok(Self {
            a: a.min(b),
            b: a.max(b),
        })
    }

    /// The shorter leg.
    pub fn short(self) -> u32 {
        self.a
    }

    /// The longer leg: how many rows a leap can span.
    pub fn long(self) -> u32 {
        self.b
    }

    /// The distinct leaps as (rows, columns), in a fixed order: eight, or four if a leg is 0 or both are equal.
    pub fn leaps(self) -> Vec<(i64, i64)> {
        let (a, b) = (i64::from(self.a), i64::from(self.b));
        let mut leaps = Vec::with_capacity(8);
        for (row, col) in [(a, b), (b, a)] {
            for leap in [(-row, -col), (-row, col), (row, -col), (row, col)] {
                if !leaps.contains(&leap) {
                    leaps.push(leap);
                }
            }
        }
        leaps.sort_unstable();
        leaps
    }
}

impl fmt::Display for Leaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.a, self.b)
    }
}

impl FromStr for Leaper {
    type Err = BoardError;

    /// Reads `A,B`, for example `1,2`.
    fn from_str(text: &str) -> Result<Self, BoardError> {
        let bad = || BoardError::NotALeaper(text.to_owned());
        let (a, b) = text.split_once(',').ok_or_else(bad)?;
        let leg = |s: &str| {
            s.trim()
                .parse::<u32>()
                .ok()
                .filter(|&leg| leg <= 1 << 20)
                .ok_or_else(bad)
        };
        Self::new(leg(a)?, leg(b)?)
    }
}

/// Whether a tour ends a move away from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A Hamiltonian path: the last square may lie anywhere.
    Open,
    /// A Hamiltonian cycle: from the last square a move leads back to the first.
    Closed,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Closed => "closed",
        })
    }
}

/// Why a board, a leaper or a list of holes is not usable.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BoardError {
    /// The grid or a square on it is wrong.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A leaper text that is not two numbers.
    #[error("'{0}' is not a leaper: expected two leg lengths, for example 1,2 for the knight")]
    NotALeaper(String),
    /// The (0,0)-leaper.
    #[error("a 0,0 leaper never moves: one leg must be at least 1")]
    NoLeap,
    /// No square is left.
    #[error("every square of the {0} board is a hole: at least one must remain")]
    AllHoles(Grid),
    /// A square that the question needs is a hole.
    #[error("square {0} is a hole of this board: name a square that is there")]
    IsHole(String),
}

/// A grid, the leaper that moves on it, and its holes. Cheap to make for any size: no graph is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    grid: Grid,
    leaper: Leaper,
    holes: Vec<Square>,
}

impl Board {
    /// A board without holes.
    pub fn new(grid: Grid, leaper: Leaper) -> Self {
        Self {
            grid,
            leaper,
            holes: Vec::new(),
        }
    }

    /// A knight's board of `rows` x `cols`.
    ///
    /// # Errors
    /// As [`Grid::new`].
    pub fn knight(rows: u32, cols: u32) -> Result<Self, BoardError> {
        Ok(Self::new(Grid::new(rows, cols)?, Leaper::KNIGHT))
    }

    /// The same board without the squares `holes` (in any order, repeats allowed).
    ///
    /// # Errors
    /// [`BoardError::AllHoles`] if no square remains.
    ///
    /// # Panics
    /// If a hole is no square of the grid.
    pub fn with_holes(mut self, holes: &[Square]) -> Result<Self, BoardError> {
        assert!(
            holes.iter().all(|&h| h < self.grid.len()),
            "hole outside the grid"
        );
        self.holes.extend_from_slice(holes);
        self.holes.sort_unstable();
        self.holes.dedup();
        if self.holes.len() == self.grid.len() {
            return Err(BoardError::AllHoles(self.grid));
        }
        Ok(self)
    }

    /// The grid under the board.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The piece that moves.
    pub fn leaper(&self) -> Leaper {
        self.leaper
    }

    /// The missing squares, ascending.
    pub fn holes(&self) -> &[Square] {
        &self.holes
    }

    /// Whether `square` is missing.
    pub fn is_hole(&self, square: Square) -> bool {
        self.holes.binary_search(&square).is_ok()
    }

    /// The number of squares that a tour visits.
    pub fn playable(&self) -> usize {
        self.grid.len() - self.holes.len()
    }

    /// The squares that a tour visits, ascending.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        (0..self.grid.len()).filter(|&s| !self.is_hole(s))
    }

    /// The squares a move away from `square`, holes left out.
    pub fn neighbours(&self, square: Square) -> impl Iterator<Item = Square> + '_ {
        self.leaper
            .leaps()
            .into_iter()
            .filter_map(move |(row, col)| self.grid.step(square, row, col))
            .filter(|&s| !self.is_hole(s))
    }

    /// Whether a move leads from `from` to `to`.
    pub fn is_move(&self, from: Square, to: Square) -> bool {
        let ((r0, c0), (r1, c1)) = (self.grid.row_col(from), self.grid.row_col(to));
        let (dr, dc) = (r0.abs_diff(r1) as u64, c0.abs_diff(c1) as u64);
        let legs = (u64::from(self.leaper.a), u64::from(self.leaper.b));
        (dr.min(dc), dr.max(dc)) == legs && !self.is_hole(from) && !self.is_hole(to)
    }

    /// The symmetries of the grid that map the set of holes onto itself.
    pub fn symmetries(&self) -> Vec<Symmetry> {
        self.grid
            .symmetries()
            .iter()
            .copied()
            .filter(|&s| {
                self.holes
                    .iter()
                    .all(|&h| self.is_hole(self.grid.image(s, h)))
            })
            .collect()
    }

    /// Reads a square's name and refuses holes.
    ///
    /// # Errors
    /// As [`Grid::parse_square`], and [`BoardError::IsHole`].
    pub fn parse_square(&self, text: &str) -> Result<Square, BoardError> {
        let square = self.grid.parse_square(text)?;
        if self.is_hole(square) {
            return Err(BoardError::IsHole(text.to_owned()));
        }
        Ok(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaps_are_distinct() {
        assert_eq!(Leaper::KNIGHT.leaps().len(), 8);
        assert_eq!(
            Leaper::new(1, 0).unwrap().leaps(),
            [(-1, 0), (0, -1), (0, 1), (1, 0)]
        );
        assert_eq!(Leaper::new(1, 1).unwrap().leaps().len(), 4);
        assert_eq!("2,1".parse(), Ok(Leaper::KNIGHT));
        for bad in ["", "1", "1,2,3", "a,b", "-1,2", "0,0", "1,99999999"] {
            assert!(bad.parse::<Leaper>().is_err(), "{bad}");
        }
    }

    #[test]
    fn moves_agree_with_neighbours() {
        for leaper in [
            Leaper::KNIGHT,
            Leaper::new(1, 4).unwrap(),
            Leaper::new(0, 1).unwrap(),
        ] {
            let board = Board::new(Grid::new(6, 7).unwrap(), leaper)
                .with_holes(&[3, 17])
                .unwrap();
            assert_eq!(board.playable(), 40);
            for a in board.squares() {
                for b in board.squares() {
                    assert_eq!(board.is_move(a, b), board.neighbours(a).any(|s| s == b));
                }
            }
        }
    }

    #[test]
    fn holes_break_symmetry() {
        let board = Board::knight(5, 5).unwrap();
        assert_eq!(board.symmetries().len(), 8);
        let centre = board.grid().square(2, 2);
        assert_eq!(
            board
                .clone()
                .with_holes(&[centre])
                .unwrap()
                .symmetries()
                .len(),
            8
        );
        assert_eq!(
            board.clone().with_holes(&[0]).unwrap().symmetries().len(),
            2
        );
        assert_eq!(
            board
                .with_holes(&(0..25).collect::<Vec<_>>())
                .unwrap_err()
                .to_string(),
            "every square of the 5x5 board is a hole: at least one must remain"
        );
    }
}
