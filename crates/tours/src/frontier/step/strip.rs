//! The board laid out for elimination: squares numbered row by row, the narrow side as columns.

use std::sync::Arc;

use everymove_kernel::grid::{Grid, Square, Symmetry};
use everymove_kernel::run::Stop;

use crate::board::{Board, Kind, Leaper};
use crate::frontier::FrontierError;
use crate::frontier::step::{Action, Eliminate, Fold, Step};
use crate::frontier::vectors::degrees::MAX_SLOTS;

/// Whether partial tours that are mirror images of each other are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Images {
    Together,
    Apart,
}

/// A board, possibly transposed or flipped, whose playable squares are numbered in elimination
/// order.
pub(crate) struct Strip {
    grid: Grid,
    /// The playable squares of `grid` in elimination order.
    squares: Vec<Square>,
    /// The number of every square of `grid`; `None` for holes.
    numbers: Vec<Option<u32>>,
    leaps: Vec<(i64, i64)>,
    apex: bool,
    /// The colour (row + column modulo 2, in `grid`) of both ends of every open tour, if it is
    /// known.
    ends: Option<usize>,
    start: Option<Square>,
    /// How the board was laid out.
    layout: Vec<Symmetry>,
    board_grid: Grid,
}

impl Strip {
    /// Lays out `board` with its narrow side as columns; `start` is where every tour must begin.
    pub(crate) fn new(board: &Board, kind: Kind, start: Option<Square>) -> Self {
        let grid = board.grid();
        let layout = if grid.cols() > grid.rows() {
            vec![Symmetry::Transpose]
        } else {
            vec![]
        };
        Self::lay(board, kind == Kind::Open, start, layout)
    }

    /// Lays out `board` with its long side as columns: the same counts by larger frontiers, for
    /// checks.
    pub(crate) fn turned(board: &Board, kind: Kind, start: Option<Square>) -> Self {
        let grid = board.grid();
        let layout = if grid.cols() >= grid.rows() {
            vec![]
        } else {
            vec![Symmetry::Transpose]
        };
        Self::lay(board, kind == Kind::Open, start, layout)
    }

    /// The same strip upside down.
    pub(crate) fn flipped(&self, board: &Board) -> Self {
        let mut layout = self.layout.clone();
        layout.push(Symmetry::FlipRows);
        let start = self.start.map(|s| self.board_square(s));
        Self::lay(board, self.apex, start, layout)
    }

    fn lay(board: &Board, apex: bool, start: Option<Square>, layout: Vec<Symmetry>) -> Self {
        let board_grid = board.grid();
        let grid = layout.iter().fold(board_grid, |grid, &s| turned(grid, s));
        let image = |square| image(board_grid, &layout, square);
        let mut squares: Vec<Square> = board.squares().map(image).collect();
        squares.sort_unstable();
        let mut numbers = vec![None; grid.len()];
        for (number, &square) in squares.iter().enumerate() {
            numbers[square] = Some(number as u32);
        }
        let start = start.map(image);
        let ends = if apex {
            colour_of_ends(grid, &squares, board.leaper())
                .filter(|&colour| start.is_none_or(|s| colour_of(grid, s) == colour))
        } else {
            None
        };
        Self {
            grid,
            squares,
            numbers,
            leaps: board.leaper().leaps(),
            apex,
            ends,
            start,
            board_grid,
            layout,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.grid.rows()
    }

    pub(crate) fn cols(&self) -> usize {
        self.grid.cols()
    }

    pub(crate) fn apex(&self) -> bool {
        self.apex
    }

    pub(crate) fn start(&self) -> Option<Square> {
        self.start
    }

    /// Whether an open tour may end on the square with a given number, by the colours of the
    /// squares.
    pub(crate) fn may_end_on(&self, number: usize) -> bool {
        let colour = colour_of(self.grid, self.squares[number]);
        self.apex && self.ends.is_none_or(|ends| ends == colour)
    }

    /// The number of playable squares.
    pub(crate) fn len(&self) -> usize {
        self.squares.len()
    }

    /// The strip's square with a given number.
    pub(crate) fn square(&self, number: usize) -> Square {
        self.squares[number]
    }

    /// The board's own square that lies at `square` of the strip. The layouts in use are their own
    /// inverses, taken in the opposite order.
    pub(crate) fn board_square(&self, square: Square) -> Square {
        let back: Vec<Symmetry> = self.layout.iter().rev().copied().collect();
        image(self.grid, &back, square)
    }

    /// The number of a square of the board, which is not a hole.
    pub(crate) fn number_of(&self, board_square: Square) -> usize {
        let square = image(self.board_grid, &self.layout, board_square);
        self.numbers[square].expect("not a hole") as usize
    }

    /// How many rows a leap spans at most.
    pub(crate) fn reach(&self) -> usize {
        let long = self.leaps.iter().map(|&(r, _)| r.unsigned_abs()).max();
        (long.unwrap_or(1) as usize).min(self.rows())
    }

    /// The numbers of the squares in rows `rows`.
    pub(crate) fn numbers_in(&self, rows: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let first = |row: usize| self.squares.partition_point(|&s| s < row * self.cols());
        first(rows.start)..first(rows.end)
    }

    /// The later neighbours of the square numbered `number`.
    pub(crate) fn later(&self, number: usize) -> Vec<usize> {
        let steps = self
            .leaps
            .iter()
            .filter_map(|&(r, c)| self.grid.step(self.squares[number], r, c));
        let mut later: Vec<usize> = steps
            .filter_map(|s| self.numbers[s].map(|n| n as usize))
            .filter(|&n| n > number)
            .collect();
        later.sort_unstable();
        later
    }

    /// Whether left and right look the same, start included.
    pub(crate) fn mirrors(&self) -> bool {
        self.keeps(Symmetry::FlipCols)
    }

    /// Whether top and bottom look the same, start included.
    pub(crate) fn flips(&self) -> bool {
        self.keeps(Symmetry::FlipRows)
    }

    fn keeps(&self, symmetry: Symmetry) -> bool {
        let image = |s| self.grid.image(symmetry, s);
        self.squares
            .iter()
            .all(|&s| self.numbers[image(s)].is_some())
            && self.start.is_none_or(|s| image(s) == s)
    }

    /// The image of each slot of a window of full rows under a symmetry; the window holds the
    /// squares numbered `window`.
    pub(crate) fn slot_images(
        &self,
        window: &std::ops::Range<usize>,
        symmetry: Symmetry,
    ) -> Vec<u8> {
        let apex = usize::from(self.apex);
        let squares = window.clone().map(|n| {
            let image = self.grid.image(symmetry, self.squares[n]);
            let number = self.numbers[image].expect("a symmetry keeps the holes") as usize;
            (number - window.start + apex) as u8
        });
        (0..apex as u8).chain(squares).collect()
    }

    /// The steps that eliminate all squares in rows below `rows`; cycles may close at the end if
    /// that is all rows. Mirror images are counted together at the ends of rows if `images`
    /// asks for it and the board is symmetric.
    pub(crate) fn elimination(
        &self,
        rows: usize,
        images: Images,
        stop: &Stop,
    ) -> Result<Vec<Step>, FrontierError> {
        let (apex, reach, total) = (usize::from(self.apex), self.reach(), self.len());
        let mirrors = images == Images::Together && self.mirrors();
        let mut steps = Vec::new();
        let mut end = 0;
        // The mirror symmetry of the last row: rows without holes share one.
        let mut fold: Option<Arc<Fold>> = None;
        for row in 0..rows {
            stop.check()?;
            let in_row = self.numbers_in(row..row + 1);
            let full = self.numbers_in(row + 1..(row + 1 + reach).min(self.rows()));
            for v in in_row.clone() {
                let slots_in = apex + end.max(v) - v;
                let seen = end > v;
                let later = self.later(v);
                end = end.max(v + 1).max(later.last().map_or(0, |&w| w + 1));
                let row_ends = v + 1 == in_row.end;
                if row_ends {
                    end = end.max(full.end);
                }
                let slots_out = apex + end - (v + 1);
                if slots_out > MAX_SLOTS {
                    return Err(self.too_wide(slots_out));
                }
                let apex_slot = self.may_end_on(v).then_some(0);
                let slots = later.iter().map(|&w| (w - (v + 1) + apex) as u8);
                let folds = row_ends && mirrors && slots_out > apex;
                if folds {
                    let to = self.slot_images(&full, Symmetry::FlipCols);
                    if fold.as_ref().is_none_or(|fold| fold.to != to) {
                        fold = Some(Fold::new(to).into());
                    }
                }
                steps.push(Step {
                    slots_in,
                    slots_out,
                    action: Action::Eliminate(Eliminate {
                        apex: self.apex,
                        seen,
                        neighbours: apex_slot.into_iter().chain(slots).collect(),
                        starts: self.start == Some(self.squares[v]),
                        last: rows == self.rows() && end == total,
                    }),
                    fold: fold.clone().filter(|_| folds),
                });
            }
        }
        Ok(steps)
    }

    fn too_wide(&self, slots: usize) -> FrontierError {
        FrontierError::TooWide {
            board: self.board_grid,
            slots,
            most: MAX_SLOTS,
        }
    }
}

/// Refuses a large board that is too wide, before anything is allocated for its squares.
pub(crate) fn refuse_wide(board: &Board) -> Result<(), FrontierError> {
    let grid = board.grid();
    // Holes may make a frontier narrower.
    if grid.len() > LARGE && board.holes().is_empty() && is_too_wide(board) {
        return Err(FrontierError::TooWide {
            board: grid,
            slots: slots(board),
            most: MAX_SLOTS,
        });
    }
    Ok(())
}

/// The squares of the frontier of a board without holes at the end of a row.
fn slots(board: &Board) -> usize {
    let grid = board.grid();
    let (narrow, reach) = (grid.rows().min(grid.cols()), board.leaper().long() as usize);
    narrow.saturating_mul(reach)
}

/// Whether the frontier of a board is too wide, or would be without holes.
pub fn is_too_wide(board: &Board) -> bool {
    let grid = board.grid();
    grid.rows().max(grid.cols()) > board.leaper().long() as usize && slots(board) > MAX_SLOTS
}

/// Boards of more squares are checked before they are laid out.
const LARGE: usize = 10_000;

/// The colour of a square: row + column modulo 2.
fn colour_of(grid: Grid, square: Square) -> usize {
    (square / grid.cols() + square % grid.cols()) % 2
}

/// The colour on which both ends of every open tour lie: a leaper that changes the colour with each
/// move visits the colours in turn, so one square more of a colour means that a tour begins and
/// ends there. `None` if the numbers of squares decide nothing.
fn colour_of_ends(grid: Grid, squares: &[Square], leaper: &Leaper) -> Option<usize> {
    if !leaper.changes_colour() {
        return None;
    }
    let odd: usize = squares.iter().map(|&s| colour_of(grid, s)).sum();
    let even = squares.len() - odd;
    match (even.checked_sub(odd), odd.checked_sub(even)) {
        (Some(1), _) => Some(0),
        (_, Some(1)) => Some(1),
        _ => None,
    }
}

fn turned(grid: Grid, symmetry: Symmetry) -> Grid {
    match symmetry {
        Symmetry::Transpose => {
            Grid::new(grid.cols() as u32, grid.rows() as u32).expect("the same squares")
        }
        _ => grid,
    }
}

fn image(mut grid: Grid, layout: &[Symmetry], mut square: Square) -> Square {
    for &symmetry in layout {
        square = grid.image(symmetry, square);
        grid = turned(grid, symmetry);
    }
    square
}
