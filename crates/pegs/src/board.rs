//! A board: its places, the jumps between them, and everything that follows from those.

mod drawing;
mod error;
mod names;
mod text;

use std::fmt;
use std::sync::Arc;

pub use error::BoardError;
pub use names::{NAMED, Named};
pub use text::DrawnBoard;

use crate::invariant::{Class, Invariants};
use crate::jump::Jump;
use crate::lattice::{Lattice, Step};
use crate::position::{Hole, Position};
use crate::symmetry::{Symmetry, symmetries};

/// A board of at most 64 holes. Cheap to clone.
///
/// ```
/// use everymove_pegs::{Board, Lattice};
///
/// let plus = Board::parse("_o_/ooo/_o_", Lattice::Square)?;
/// assert_eq!((plus.holes(), plus.jumps().len(), plus.symmetries().len()), (5, 4, 8));
/// assert_eq!(plus.name_of(plus.hole("b1")?), "b1");
/// # Ok::<(), everymove_pegs::BoardError>(())
/// ```
#[derive(Clone)]
pub struct Board(Arc<Shape>);

struct Shape {
    name: String,
    lattice: Lattice,
    rows: usize,
    cols: usize,
    /// (row, column) of each hole, along the rows from the top.
    places: Vec<Step>,
    jumps: Vec<Jump>,
    symmetries: Vec<Symmetry>,
    invariants: Invariants,
}

impl Board {
    /// The most holes a board may have.
    pub const MAX_HOLES: usize = 64;
    /// The most columns a board may have, so that a column is one letter.
    pub const MAX_COLS: usize = 26;

    /// A board with the given places, which must be sorted and start at row 0 and column 0.
    fn new(name: String, lattice: Lattice, places: Vec<Step>) -> Result<Self, BoardError> {
        if places.is_empty() {
            return Err(BoardError::NoHoles);
        }
        if places.len() > Self::MAX_HOLES {
            return Err(BoardError::TooManyHoles {
                holes: places.len(),
            });
        }
        let far = |axis: fn(&Step) -> i32| places.iter().map(axis).max().unwrap_or(0) as usize + 1;
        let (rows, cols) = (far(|place| place.0), far(|place| place.1));
        if cols > Self::MAX_COLS {
            return Err(BoardError::TooWide { cols });
        }
        let jumps = jumps(lattice, &places);
        Ok(Self(Arc::new(Shape {
            symmetries: symmetries(lattice, &places),
            invariants: Invariants::new(places.len(), &jumps),
            name,
            lattice,
            rows,
            cols,
            places,
            jumps,
        })))
    }

    /// The name of boards that have none.
    pub(crate) const UNNAMED: &str = "custom";

    /// The name it was asked for by, or `custom`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// How its places touch.
    pub fn lattice(&self) -> Lattice {
        self.0.lattice
    }

    /// Number of holes.
    pub fn holes(&self) -> usize {
        self.0.places.len()
    }

    /// Number of rows that hold places.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Number of columns that hold places.
    pub fn cols(&self) -> usize {
        self.0.cols
    }

    /// Row (from the top) and column of a hole, both counted from 0.
    pub fn row_col(&self, hole: Hole) -> (usize, usize) {
        let (row, col) = self.0.places[hole];
        (row as usize, col as usize)
    }

    /// The hole in a row and column, if that place is on the board.
    pub fn hole_at(&self, row: usize, col: usize) -> Option<Hole> {
        let place = (i32::try_from(row).ok()?, i32::try_from(col).ok()?);
        self.0.places.binary_search(&place).ok()
    }

    /// The name of a hole: the letter of its column and the number of its row from the top, from 1.
    pub fn name_of(&self, hole: Hole) -> String {
        let (row, col) = self.row_col(hole);
        format!("{}{}", char::from(b'a' + col as u8), row + 1)
    }

    /// The hole with a name; a capital letter is accepted.
    ///
    /// # Errors
    /// [`BoardError::NotAHole`] if the text is no name, [`BoardError::Outside`] if the board has no
    /// such hole.
    pub fn hole(&self, name: &str) -> Result<Hole, BoardError> {
        let bytes = name.as_bytes();
        let Some((letter, digits)) = bytes.split_first().filter(|(letter, digits)| {
            letter.is_ascii_alphabetic()
                && !digits.is_empty()
                && digits.iter().all(u8::is_ascii_digit)
        }) else {
            return Err(BoardError::NotAHole(name.to_owned()));
        };
        let col = usize::from(letter.to_ascii_lowercase() - b'a');
        let row = digits.iter().try_fold(0usize, |row, digit| {
            row.checked_mul(10)?.checked_add(usize::from(digit - b'0'))
        });
        row.and_then(|row| self.hole_at(row.checked_sub(1)?, col))
            .ok_or_else(|| BoardError::Outside {
                hole: name.to_owned(),
                board: self.clone(),
            })
    }

    /// Every jump, legal or not in a given position, in the order of their starting holes.
    pub fn jumps(&self) -> &[Jump] {
        &self.0.jumps
    }

    /// The jump from one hole to another, if the board has one.
    pub fn jump(&self, from: Hole, to: Hole) -> Option<Jump> {
        let mut jumps = self.0.jumps.iter();
        jumps
            .find(|jump| (jump.from, jump.to) == (from, to))
            .copied()
    }

    /// The jumps that can be made in a position.
    pub fn legal_jumps(&self, position: Position) -> impl Iterator<Item = Jump> {
        let jumps = self.0.jumps.iter().copied();
        jumps.filter(move |jump| jump.is_legal(position))
    }

    /// The symmetries of the board, the identity first: at most eight on the square lattice, twelve
    /// on the triangular.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.0.symmetries
    }

    /// The symmetries that keep the class of a position.
    ///
    /// Only these may be used to merge positions: the layers hold one class, and a symmetry that
    /// changes it leads out of it.
    pub fn class_symmetries(&self, position: Position) -> Vec<Symmetry> {
        let class = self.class(position);
        let keeps = |symmetry: &&Symmetry| self.class(symmetry.position(position)) == class;
        self.symmetries().iter().filter(keeps).cloned().collect()
    }

    /// The invariants of the board.
    pub fn invariants(&self) -> &Invariants {
        &self.0.invariants
    }

    /// The class of a position.
    pub fn class(&self, position: Position) -> Class {
        self.0.invariants.class(position)
    }

    /// The position with a peg in every hole.
    pub fn full(&self) -> Position {
        Position(u64::MAX >> (64 - self.holes()))
    }

    /// The position with a peg in every hole but one.
    pub fn vacate(&self, hole: Hole) -> Position {
        self.full().without(hole)
    }

    /// The position with pegs and empty holes exchanged.
    pub fn complement(&self, position: Position) -> Position {
        Position(position.0 ^ self.full().0)
    }

    /// The holes up to symmetry: the first of each set of holes that symmetries exchange.
    pub fn distinct_holes(&self) -> Vec<Hole> {
        let first = |hole: &Hole| self.symmetries().iter().all(|s| s.hole(*hole) >= *hole);
        (0..self.holes()).filter(first).collect()
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        (self.0.lattice, &self.0.places) == (other.0.lattice, &other.0.places)
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({}: {})", self.name(), self.line(self.full()))
    }
}

fn jumps(lattice: Lattice, places: &[Step]) -> Vec<Jump> {
    let find = |place: Step| places.binary_search(&place).ok();
    let mut jumps = Vec::new();
    for (from, &(row, col)) in places.iter().enumerate() {
        for &(down, right) in lattice.steps() {
            let over = find((row + down, col + right));
            let to = find((row + 2 * down, col + 2 * right));
            jumps.extend(over.zip(to).map(|(over, to)| Jump { from, over, to }));
        }
    }
    jumps
}
