//! The board: a grid, the leaper that moves on it, and the squares that are missing.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use everymove_kernel::grid::{Grid, GridError, Square, Symmetry};
use everymove_kernel::pieces::{Kind as Move, LEAPS, NAMES, NotAPiece, Piece};
use everymove_kernel::text::shown;
use thiserror::Error;

/// A piece that leaps: the knight is the (1,2)-leaper, the king the sum of the (0,1)- and the
/// (1,1)-leaper.
///
/// ```
/// use everymove_tours::board::Leaper;
///
/// assert_eq!(Leaper::piece("N")?, Leaper::KNIGHT);
/// assert_eq!(Leaper::piece("king")?.leaps().len(), 8);
/// assert!(Leaper::piece("rook").is_err());
/// # Ok::<(), everymove_tours::board::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leaper {
    /// The shorter and the longer leg of each leaper of the sum, ascending.
    legs: Cow<'static, [(u32, u32)]>,
}

impl Leaper {
    /// The knight, the (1,2)-leaper.
    pub const KNIGHT: Self = Self {
        legs: Cow::Borrowed(&[(1, 2)]),
    };
    /// The wazir, the (0,1)-leaper: a rook that moves one square.
    pub const WAZIR: Self = Self {
        legs: Cow::Borrowed(&[(0, 1)]),
    };

    /// An (a,b)-leaper; the order of the two does not matter.
    ///
    /// # Errors
    /// [`BoardError::NoLeap`] for (0,0), which never moves.
    pub fn new(a: u32, b: u32) -> Result<Self, BoardError> {
        Self::sum(vec![(a, b)])
    }

    /// The sum of some leapers, at least one.
    ///
    /// # Errors
    /// [`BoardError::NoLeap`] if there is none, or (0,0).
    pub fn sum(mut legs: Vec<(u32, u32)>) -> Result<Self, BoardError> {
        for (a, b) in &mut legs {
            (*a, *b) = (*a.min(b), *a.max(b));
        }
        legs.sort_unstable();
        legs.dedup();
        if legs.is_empty() || legs[0] == (0, 0) {
            return Err(BoardError::NoLeap);
        }
        Ok(Self { legs: legs.into() })
    }

    /// Reads the notation of a piece, or its name, see [`everymove_kernel::pieces`].
    ///
    /// # Errors
    /// [`BoardError`] for a text that is no piece, and for a piece that does more than leap, or not
    /// in all directions.
    pub fn piece(text: &str) -> Result<Self, BoardError> {
        let piece: Piece = text.parse()?;
        let turned = piece.is_kept_by(|x, y| (y, x)) && piece.is_kept_by(|x, y| (-x, y));
        let reason = (piece.atoms().iter()).find_map(|atom| match atom.kind {
            Move::Lame => Some("the squares that it passes must be vacant"),
            Move::Cannon | Move::Grasshopper => Some("it jumps over men"),
            Move::Slide if atom.range > 1 => Some("it rides"),
            Move::Slide if !(atom.quiet && atom.capture) => Some("it has moves of mode m or c"),
            Move::Slide => None,
        });
        let directed = (!turned).then_some("it does not leap alike in all directions");
        if let Some(reason) = reason.or(directed) {
            return Err(BoardError::NotLeaps {
                text: shown(text),
                reason,
            });
        }
        let leaps = piece.atoms().iter();
        Self::sum(
            leaps
                .map(|leap| (leap.dx.unsigned_abs(), leap.dy.unsigned_abs()))
                .collect(),
        )
    }

    /// The shorter and the longer leg of each leaper of the sum, ascending.
    pub fn legs(&self) -> &[(u32, u32)] {
        &self.legs
    }

    /// The longest leg: how many rows a leap can span.
    pub fn long(&self) -> u32 {
        self.legs.iter().map(|&(_, long)| long).max().unwrap_or(0)
    }

    /// Whether it can move as the wazir does.
    pub fn is_wazir_too(&self) -> bool {
        self.legs[0] == (0, 1)
    }

    /// Whether no move changes the colour of the square.
    pub fn keeps_colour(&self) -> bool {
        self.legs.iter().all(|(a, b)| (a ^ b) & 1 == 0)
    }

    /// Whether every move changes the colour of the square, so that the graph of moves is
    /// bipartite.
    pub fn changes_colour(&self) -> bool {
        self.legs.iter().all(|(a, b)| (a ^ b) & 1 == 1)
    }

    /// The distinct leaps as (rows, columns), in a fixed order: up to eight of each leaper of the
    /// sum.
    pub fn leaps(&self) -> Vec<(i64, i64)> {
        let mut leaps = Vec::with_capacity(8 * self.legs.len());
        for &(a, b) in &*self.legs {
            let (a, b) = (i64::from(a), i64::from(b));
            for (row, col) in [(a, b), (b, a)] {
                leaps.extend([(-row, -col), (-row, col), (row, -col), (row, col)]);
            }
        }
        leaps.sort_unstable();
        leaps.dedup();
        leaps
    }

    /// The notation of the piece: `N`, `WF`.
    pub fn notation(&self) -> String {
        let letter = |&(a, b): &(u32, u32)| {
            let known = LEAPS.iter().find(|(_, leap)| *leap == (a as i32, b as i32));
            known.map_or_else(|| format!("({a},{b})"), |(letter, _)| letter.to_string())
        };
        self.legs.iter().map(letter).collect()
    }

    /// What the piece is called: `knight`, `(1,4)-leaper`, `king`, `WC piece`.
    pub fn words(&self) -> String {
        let is_it = |&&(_, notation): &&(&str, &str)| Self::piece(notation).as_ref() == Ok(self);
        let name = || NAMES.iter().find(is_it).map(|&(name, _)| name.to_owned());
        match &*self.legs {
            [(1, 2)] => "knight".to_owned(),
            [_] => format!("({self})-leaper"),
            _ => name().unwrap_or_else(|| format!("{self} piece")),
        }
    }
}

impl fmt::Display for Leaper {
    /// The legs, `1,2`, or the notation of a sum, `WF`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.legs {
            [(a, b)] => write!(f, "{a},{b}"),
            _ => f.write_str(&self.notation()),
        }
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
    /// A text that is no piece.
    #[error(transparent)]
    NotAPiece(#[from] NotAPiece),
    /// A piece whose moves are no leaps, or not the same in all directions.
    #[error(
        "'{text}' has no tours: {reason}; expected leaps in all directions, for example N, K, CW or camel"
    )]
    NotLeaps {
        /// The text, fit for a message.
        text: String,
        /// What else the piece does.
        reason: &'static str,
    },
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

/// A grid, the leaper that moves on it, and its holes. Cheap to make for any size: no graph is
/// stored.
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
    pub fn leaper(&self) -> &Leaper {
        &self.leaper
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
        let is_it = |&(a, b): &(u32, u32)| (dr.min(dc), dr.max(dc)) == (a.into(), b.into());
        self.leaper.legs.iter().any(is_it) && !self.is_hole(from) && !self.is_hole(to)
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
    fn pieces_are_sums_of_leapers() {
        for (text, leaps, notation, words) in [
            ("N", 8, "N", "knight"),
            ("KNIGHT", 8, "N", "knight"),
            ("W", 4, "W", "(0,1)-leaper"),
            ("king", 8, "WF", "king"),
            ("FW", 8, "WF", "king"),
            ("CW", 12, "WC", "WC piece"),
            ("WFNAD", 24, "WDFNA", "WDFNA piece"),
            ("(4,1)(3,3)", 12, "(1,4)G", "(1,4)G piece"),
            ("(2,1)", 8, "N", "knight"),
        ] {
            let leaper = Leaper::piece(text).unwrap();
            assert_eq!(leaper.leaps().len(), leaps, "{text}");
            assert_eq!(
                (leaper.notation(), leaper.words()),
                (notation.into(), words.into())
            );
            assert_eq!(Leaper::piece(&leaper.notation()), Ok(leaper));
        }
        let colours = |text| {
            let leaper = Leaper::piece(text).unwrap();
            (leaper.keeps_colour(), leaper.changes_colour())
        };
        assert_eq!(colours("NW"), (false, true));
        assert_eq!(colours("FDC"), (true, false));
        assert_eq!(colours("K"), (false, false));
        for (text, reason) in [
            ("rook", "it rides"),
            ("N3", "it rides"),
            ("nN", "must be vacant"),
            ("pR", "jumps over men"),
            ("gQ", "jumps over men"),
            ("fN", "all directions"),
            ("vWF", "all directions"),
            ("mN", "mode m or c"),
            ("mNcK", "mode m or c"),
            ("X", "expected one of K"),
        ] {
            let error = Leaper::piece(text).unwrap_err().to_string();
            assert!(
                error.contains(reason) && error.contains("expected"),
                "{error}"
            );
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
