//! Rectangular boards: squares, coordinates and symmetries.
//!
//! A square is its index `row * cols + col`, row 0 at the bottom as on a chess board, so `a1` is 0.

use std::fmt;

use thiserror::Error;

use crate::text::shown;

/// The index of a square on its grid: `row * cols + col`.
pub type Square = usize;

/// A board of `rows` x `cols` squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Grid {
    rows: u32,
    cols: u32,
}

/// Why text or numbers do not name a board or a square.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GridError {
    /// A board text that is not `ROWSxCOLS`.
    #[error("'{text}' is not a board: {}", expected(*.meant))]
    NotABoard {
        /// The text, fit for a message.
        text: String,
        /// The board that was probably meant.
        meant: Option<Grid>,
    },
    /// A side of length zero.
    #[error("a {rows}x{cols} board has no squares: both sides must be at least 1")]
    Empty {
        /// The number of rows asked for.
        rows: u32,
        /// The number of columns asked for.
        cols: u32,
    },
    /// More squares than a 32-bit step number can tell apart.
    #[error("a {rows}x{cols} board has more than {max} squares", max = Grid::MAX_SQUARES)]
    TooLarge {
        /// The number of rows asked for.
        rows: u32,
        /// The number of columns asked for.
        cols: u32,
    },
    /// A coordinate that is not letters followed by a number.
    #[error("'{0}' is not a square: expected column letters and a row number, for example c3")]
    NotASquare(String),
    /// A coordinate beyond the edge.
    #[error("square {square} is outside the {grid} board, whose squares are a1 to {last}")]
    Outside {
        /// The square as written.
        square: String,
        /// The board.
        grid: Grid,
        /// The name of the board's last square.
        last: String,
    },
}

/// What a message says that is expected in place of a text that probably means `meant`.
fn expected(meant: Option<Grid>) -> String {
    match meant {
        Some(grid) => format!("write {grid}"),
        None => "expected ROWSxCOLS, for example 8x8".to_owned(),
    }
}

impl Grid {
    /// Boards are held to this many squares so that a step number fits 32 bits with one value to
    /// spare.
    pub const MAX_SQUARES: u64 = u32::MAX as u64 - 1;

    /// A board of `rows` x `cols` squares.
    ///
    /// # Errors
    /// [`GridError::Empty`] if a side is 0, [`GridError::TooLarge`] above [`Grid::MAX_SQUARES`]
    /// squares.
    pub fn new(rows: u32, cols: u32) -> Result<Self, GridError> {
        if rows == 0 || cols == 0 {
            return Err(GridError::Empty { rows, cols });
        }
        if u64::from(rows) * u64::from(cols) > Self::MAX_SQUARES {
            return Err(GridError::TooLarge { rows, cols });
        }
        Ok(Self { rows, cols })
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        self.rows as usize
    }

    /// Number of columns.
    pub fn cols(self) -> usize {
        self.cols as usize
    }

    /// Number of squares.
    #[expect(clippy::len_without_is_empty, reason = "a grid is never empty")]
    pub fn len(self) -> usize {
        self.rows() * self.cols()
    }

    /// Whether the grid has as many rows as columns.
    pub fn is_square(self) -> bool {
        self.rows == self.cols
    }

    /// The square in `row` and `col`, both counted from 0.
    pub fn square(self, row: usize, col: usize) -> Square {
        debug_assert!(row < self.rows() && col < self.cols());
        row * self.cols() + col
    }

    /// Row and column of a square, both counted from 0.
    pub fn row_col(self, square: Square) -> (usize, usize) {
        (square / self.cols(), square % self.cols())
    }

    /// The square `(d_row, d_col)` away from `square`, or `None` beyond the edge.
    pub fn step(self, square: Square, d_row: i64, d_col: i64) -> Option<Square> {
        let (row, col) = self.row_col(square);
        let row = usize::try_from(row as i64 + d_row).ok()?;
        let col = usize::try_from(col as i64 + d_col).ok()?;
        (row < self.rows() && col < self.cols()).then(|| self.square(row, col))
    }

    /// The name of a square: column letters (`a` to `z`, then `aa`, `ab`, ...) and the row counted
    /// from 1.
    pub fn name(self, square: Square) -> String {
        let (row, mut col) = self.row_col(square);
        let mut letters = Vec::new();
        loop {
            letters.push(b'a' + (col % 26) as u8);
            if col < 26 {
                break;
            }
            col = col / 26 - 1;
        }
        let letters: String = letters.iter().rev().map(|&b| b as char).collect();
        format!("{letters}{}", row + 1)
    }

    /// Reads a square's [name](Grid::name); capital letters are accepted.
    ///
    /// # Errors
    /// [`GridError::NotASquare`] if the text is no coordinate, [`GridError::Outside`] if it is
    /// beyond the edge.
    pub fn parse_square(self, text: &str) -> Result<Square, GridError> {
        let not_a_square = || GridError::NotASquare(shown(text));
        let outside = || GridError::Outside {
            square: shown(text),
            grid: self,
            last: self.name(self.len() - 1),
        };
        let split = text
            .find(|c: char| !c.is_ascii_alphabetic())
            .ok_or_else(not_a_square)?;
        let (letters, digits) = text.split_at(split);
        if letters.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(not_a_square());
        }
        let col = letters.bytes().try_fold(0u64, |col, b| {
            let digit = u64::from(b.to_ascii_lowercase() - b'a') + 1;
            col.checked_mul(26)?.checked_add(digit)
        });
        let row = digits.parse::<u64>().ok();
        match (row, col) {
            (Some(row), Some(col))
                if (1..=u64::from(self.rows)).contains(&row) && col <= u64::from(self.cols) =>
            {
                Ok(self.square(row as usize - 1, col as usize - 1))
            }
            _ => Err(outside()),
        }
    }

    /// The board that a text probably means which is not one as [`FromStr`](std::str::FromStr)
    /// reads it: the two numbers in it are its sides, a single number is both. `None` for other
    /// texts and for boards without squares or with too many.
    ///
    /// ```
    /// use everymove_kernel::grid::Grid;
    ///
    /// assert_eq!(Grid::meant("5 5"), Grid::new(5, 5).ok());
    /// assert_eq!(Grid::meant("3 by 10"), Grid::new(3, 10).ok());
    /// assert_eq!(Grid::meant("8"), Grid::new(8, 8).ok());
    /// assert_eq!(Grid::meant("chess"), None);
    /// ```
    pub fn meant(text: &str) -> Option<Self> {
        let words = text.split(|c: char| !c.is_ascii_digit());
        let mut numbers = words.filter(|word| !word.is_empty()).map(str::parse);
        let rows = numbers.next()?.ok()?;
        let cols = numbers.next().unwrap_or(Ok(rows)).ok()?;
        match numbers.next() {
            None => Self::new(rows, cols).ok(),
            Some(_) => None,
        }
    }

    /// The symmetries that map this grid onto itself: eight if it is square, otherwise four.
    pub fn symmetries(self) -> &'static [Symmetry] {
        if self.is_square() {
            &Symmetry::ALL
        } else {
            &Symmetry::ALL[..4]
        }
    }

    /// Where `symmetry` takes `square`; the image lies on the grid with exchanged sides if the
    /// symmetry turns it by a quarter.
    pub fn image(self, symmetry: Symmetry, square: Square) -> Square {
        let (row, col) = self.row_col(square);
        let (rows, cols) = (self.rows(), self.cols());
        use Symmetry as S;
        match symmetry {
            S::Identity => square,
            S::HalfTurn => (rows - 1 - row) * cols + (cols - 1 - col),
            S::FlipRows => (rows - 1 - row) * cols + col,
            S::FlipCols => row * cols + (cols - 1 - col),
            S::Transpose => col * rows + row,
            S::AntiTranspose => (cols - 1 - col) * rows + (rows - 1 - row),
            S::QuarterTurn => col * rows + (rows - 1 - row),
            S::ThreeQuarterTurn => (cols - 1 - col) * rows + row,
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl std::str::FromStr for Grid {
    type Err = GridError;

    /// Reads `ROWSxCOLS`, for example `8x8`; `X` and `×` are accepted.
    fn from_str(text: &str) -> Result<Self, GridError> {
        let not_a_board = || GridError::NotABoard {
            text: shown(text),
            meant: Self::meant(text),
        };
        let (rows, cols) = text.split_once(['x', 'X', '×']).ok_or_else(not_a_board)?;
        let side = |s: &str| {
            (!s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()))
                .then(|| s.parse::<u32>().ok())
                .flatten()
        };
        match (side(rows), side(cols)) {
            (Some(rows), Some(cols)) => Self::new(rows, cols),
            _ => Err(not_a_board()),
        }
    }
}

/// A symmetry of the plane that keeps the grid's axes: the dihedral group of the square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// Half a turn about the centre.
    HalfTurn,
    /// Top and bottom are exchanged.
    FlipRows,
    /// Left and right are exchanged.
    FlipCols,
    /// Rows become columns.
    Transpose,
    /// Reflection in the other diagonal.
    AntiTranspose,
    /// A quarter turn.
    QuarterTurn,
    /// Three quarter turns.
    ThreeQuarterTurn,
}

impl Symmetry {
    /// All eight; the first four map every rectangle onto itself.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::HalfTurn,
        Self::FlipRows,
        Self::FlipCols,
        Self::Transpose,
        Self::AntiTranspose,
        Self::QuarterTurn,
        Self::ThreeQuarterTurn,
    ];
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_run_through_the_alphabet() {
        let grid = Grid::new(3, 800).unwrap();
        assert_eq!(grid.name(0), "a1");
        assert_eq!(grid.name(25), "z1");
        assert_eq!(grid.name(26), "aa1");
        assert_eq!(grid.name(grid.square(2, 701)), "zz3");
        assert_eq!(grid.name(grid.square(2, 702)), "aaa3");
    }

    #[test]
    fn errors_say_what_is_expected() {
        let board = |text: &str| text.parse::<Grid>().unwrap_err().to_string();
        for text in [
            "5 5", "5,5", "5*5", "5 x 5", " 5x5", "5 by 5", "5", "5x", "x5", "+5x5", "5x5.", "5y5",
            "5xx5",
        ] {
            let line = format!("'{text}' is not a board: write 5x5");
            assert_eq!(board(text), line);
        }
        for text in ["", "x", "chess", "8x8x8", "0", "99999999999x2"] {
            let line = format!("'{text}' is not a board: expected ROWSxCOLS, for example 8x8");
            assert_eq!(board(text), line);
        }
        for text in ["5x5", "5X5", "5×5"] {
            assert_eq!(text.parse(), Grid::new(5, 5));
        }
        assert_eq!(
            board("0x5"),
            "a 0x5 board has no squares: both sides must be at least 1"
        );
        assert!(board("100000x100000").contains("more than"));
        let grid = Grid::new(8, 8).unwrap();
        let square = |text: &str| grid.parse_square(text).unwrap_err().to_string();
        assert_eq!(
            square("z9"),
            "square z9 is outside the 8x8 board, whose squares are a1 to h8"
        );
        assert!(square("a0").contains("outside"));
        assert!(square("a99999999999999999999").contains("outside"));
        for text in ["", "a", "3", "3a", "a-1", "a1b", "é1"] {
            assert!(square(text).contains("is not a square"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn names_read_back(rows in 1u32..60, cols in 1u32..900, pick in any::<prop::sample::Index>()) {
            let grid = Grid::new(rows, cols).unwrap();
            let square = pick.index(grid.len());
            prop_assert_eq!(grid.parse_square(&grid.name(square)), Ok(square));
            prop_assert_eq!(grid.to_string().parse::<Grid>(), Ok(grid));
        }

        #[test]
        fn symmetries_are_bijections_that_keep_distance(rows in 1u32..8, cols in 1u32..8) {
            let grid = Grid::new(rows, cols).unwrap();
            let turned = Grid::new(cols, rows).unwrap();
            for (i, &symmetry) in Symmetry::ALL.iter().enumerate() {
                let target = if i < 4 { grid } else { turned };
                let mut seen = vec![false; grid.len()];
                for a in 0..grid.len() {
                    let ia = grid.image(symmetry, a);
                    prop_assert!(!std::mem::replace(&mut seen[ia], true));
                    for b in 0..grid.len() {
                        let ib = grid.image(symmetry, b);
                        prop_assert_eq!(distance(grid, a, b), distance(target, ia, ib));
                    }
                }
            }
        }
    }

    fn distance(grid: Grid, a: Square, b: Square) -> usize {
        let ((ra, ca), (rb, cb)) = (grid.row_col(a), grid.row_col(b));
        ra.abs_diff(rb).pow(2) + ca.abs_diff(cb).pow(2)
    }
}
