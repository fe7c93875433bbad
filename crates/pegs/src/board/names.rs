//! The boards that have names.

use super::{Board, BoardError};
use crate::lattice::{Lattice, Step};

/// A board with a name.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// What to ask for.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    lattice: Lattice,
    text: &'static str,
}

const fn square(name: &'static str, about: &'static str, text: &'static str) -> Named {
    Named {
        name,
        about,
        lattice: Lattice::Square,
        text,
    }
}

/// The boards drawn here; `squareRxC` and `triangleN` are understood besides.
pub const NAMED: &[Named] = &[
    square(
        "english",
        "33 holes, the common cross",
        "__ooo__/__ooo__/ooooooo/ooooooo/ooooooo/__ooo__/__ooo__",
    ),
    square(
        "european",
        "37 holes, the French board",
        "__ooo__/_ooooo_/ooooooo/ooooooo/ooooooo/_ooooo_/__ooo__",
    ),
    square(
        "wiegleb",
        "45 holes, the cross of J. C. Wiegleb, 1779",
        "___ooo___/___ooo___/___ooo___/ooooooooo/ooooooooo/ooooooooo/___ooo___/___ooo___/___ooo___",
    ),
    square(
        "asymmetric",
        "39 holes, a cross with arms two and three long",
        "__ooo___/__ooo___/__ooo___/oooooooo/oooooooo/oooooooo/__ooo___/__ooo___",
    ),
    square(
        "diamond41",
        "41 holes, a square on its corner",
        "____o____/___ooo___/__ooooo__/_ooooooo_/ooooooooo/_ooooooo_/__ooooo__/___ooo___/____o____",
    ),
    square(
        "diamond32",
        "32 holes, a diamond with blunt corners",
        "___oo___/__oooo__/_oooooo_/oooooooo/_oooooo_/__oooo__/___oo___",
    ),
];

/// How the names read in a message.
pub(super) fn known() -> String {
    let names: Vec<&str> = NAMED.iter().map(|named| named.name).collect();
    format!("{}, square6x6, triangle5, ...", names.join(", "))
}

impl Board {
    /// The board of a name: one of [`NAMED`], `squareRxC` (a rectangle) or `triangleN` (sides of N holes).
    ///
    /// # Errors
    /// [`BoardError::UnknownName`] if no board is called that, or what is wrong with a size.
    pub fn named(name: &str) -> Result<Self, BoardError> {
        if let Some(named) = NAMED.iter().find(|named| named.name == name) {
            let board = Self::parse(named.text, named.lattice)?;
            return Self::new(name.to_owned(), named.lattice, board.0.places.clone());
        }
        let unknown = || BoardError::UnknownName(name.to_owned());
        // Sizes of three digits and more cannot be boards of 64 holes, and would only cost time.
        let size = |text: &str| text.parse::<i32>().ok().filter(|n| (1..100).contains(n));
        if let Some(sides) = name.strip_prefix("square") {
            let (rows, cols) = sides.split_once('x').ok_or_else(unknown)?;
            let (rows, cols) = size(rows).zip(size(cols)).ok_or_else(unknown)?;
            let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
            return Self::new(name.to_owned(), Lattice::Square, places.collect());
        }
        if let Some(side) = name.strip_prefix("triangle") {
            let side = size(side).ok_or_else(unknown)?;
            let places: Vec<Step> = (0..side)
                .flat_map(|row| (0..=row).map(move |col| (row, col)))
                .collect();
            return Self::new(name.to_owned(), Lattice::Triangular, places);
        }
        Err(unknown())
    }

    /// A board by name, or drawn: a text with a '/', a line break or none but the characters of a drawing is drawn.
    ///
    /// # Errors
    /// As [`Board::named`] and [`Board::parse`].
    pub fn read(text: &str, lattice: Lattice) -> Result<Self, BoardError> {
        let is_drawn = text.contains(['/', '\n']) || text.chars().all(|c| "o._ ".contains(c));
        if is_drawn {
            Self::parse(text, lattice)
        } else {
            Self::named(text)
        }
    }
}
