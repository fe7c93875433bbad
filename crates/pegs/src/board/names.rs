//! The boards that have names.

use everymove_kernel::grid::Grid;
use everymove_kernel::text::nearest;

use crate::board::{Board, BoardError};
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

/// Other names for boards that have one here.
const ALIASES: &[(&str, &str)] = &[
    ("cracker-barrel", "triangle5"),
    ("french", "european"),
    ("german", "wiegleb"),
];

/// The names as a message lists them.
pub(super) fn known() -> String {
    let names: Vec<&str> = NAMED.iter().map(|named| named.name).collect();
    format!("{}, square6x6, triangle5, ...", names.join(", "))
}

/// The largest side of a triangle of at most 64 holes.
const MAX_SIDE: i32 = 10;

impl Board {
    /// The board of a name, upper and lower case being equal: one of [`NAMED`], `squareRxC` (a
    /// rectangle), `triangleN` (sides of N holes, or N holes: `triangle15` is `triangle5`), or
    /// another name such as `cracker-barrel`. The board's own name is the usual one.
    ///
    /// # Errors
    /// [`BoardError::UnknownName`] with the name that was probably meant, or what is wrong with a
    /// size.
    pub fn named(name: &str) -> Result<Self, BoardError> {
        let lower = name.to_ascii_lowercase();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == lower);
        let lower = alias.map_or(&*lower, |(_, usual)| usual);
        if let Some(named) = NAMED.iter().find(|named| named.name == lower) {
            let board = Self::parse(named.text, named.lattice)?;
            return Self::new(lower.to_owned(), named.lattice, board.0.places.clone());
        }
        let unknown = || BoardError::UnknownName {
            name: name.to_owned(),
            meant: meant(name),
        };
        // Sizes of three digits and more cannot be boards of 64 holes, and would only cost time.
        let size = |text: &str| text.parse::<i32>().ok().filter(|n| (1..100).contains(n));
        if let Some(sides) = lower.strip_prefix("square") {
            let (rows, cols) = sides.split_once('x').ok_or_else(unknown)?;
            let (rows, cols) = size(rows).zip(size(cols)).ok_or_else(unknown)?;
            let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
            let name = format!("square{rows}x{cols}");
            return Self::new(name, Lattice::Square, places.collect());
        }
        if let Some(side) = lower.strip_prefix("triangle") {
            let side = size(side).ok_or_else(unknown)?;
            // More than the largest side: the number of holes, if some triangle has that number.
            let by_holes = (1..=MAX_SIDE).find(|n| side > MAX_SIDE && n * (n + 1) / 2 == side);
            let side = by_holes.unwrap_or(side);
            let places: Vec<Step> = (0..side)
                .flat_map(|row| (0..=row).map(move |col| (row, col)))
                .collect();
            return Self::new(format!("triangle{side}"), Lattice::Triangular, places);
        }
        Err(unknown())
    }

    /// The same board with its usual name, if it has one. Holes are numbered along the rows either
    /// way.
    pub(super) fn with_known_name(self) -> Self {
        let triangle = format!("triangle{}", self.rows());
        let square = format!("square{}x{}", self.rows(), self.cols());
        let names = NAMED.iter().map(|named| named.name);
        let named = names
            .chain([&*triangle, &*square])
            .filter_map(|name| Self::named(name).ok());
        named
            .into_iter()
            .find(|named| *named == self)
            .unwrap_or(self)
    }
}

/// The name that a mistyped one probably means. Two numbers, alone or after a word near `square`,
/// are the sides of a rectangle.
fn meant(name: &str) -> Option<String> {
    let digit = name.find(|c: char| c.is_ascii_digit());
    let (word, sides) = name.split_at(digit.unwrap_or(name.len()));
    let is_square = word.is_empty() || nearest(word, ["square", "squarex"]).is_some();
    let is_one_number = sides.bytes().all(|b| b.is_ascii_digit());
    if let Some(grid) = Grid::meant(sides)
        && is_square
        && !(word.is_empty() && is_one_number)
        && grid.len() <= Board::MAX_HOLES
    {
        return Some(format!("square{grid}"));
    }
    let sizes = (1..=MAX_SIDE).map(|side| format!("triangle{side}"));
    let sizes: Vec<String> = sizes.chain(["square6x6".to_owned()]).collect();
    let names = NAMED.iter().map(|named| named.name);
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    let sizes = sizes.iter().map(String::as_str);
    nearest(name, names.chain(aliases).chain(sizes)).map(str::to_owned)
}
