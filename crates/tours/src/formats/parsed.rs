//! The parts of a tour that a text contains, and how they are completed to a tour.

use everymove_kernel::grid::{Grid, GridError, Square};
use everymove_kernel::run::Ram;

use super::cells::without_piece;
use super::{Hints, Place, ReadError, describe};
use crate::board::{Board, Kind, Leaper};
use crate::check::Fault;
use crate::tour::Tour;

/// The parts of a tour as far as a text contains them.
pub(super) struct Parsed {
    pub(super) grid: Grid,
    pub(super) leaper: Option<Leaper>,
    /// `None`: the squares without a step.
    pub(super) holes: Option<Vec<Square>>,
    pub(super) kind: Option<Kind>,
    pub(super) steps: Vec<u32>,
}

impl Parsed {
    /// Step numbers alone.
    pub(super) fn of_steps(grid: Grid, steps: Vec<u32>) -> Self {
        Self {
            grid,
            leaper: None,
            holes: None,
            kind: None,
            steps,
        }
    }

    /// Completes the parts by the hints.
    ///
    /// # Errors
    /// [`ReadError`] where parts and hints contradict each other.
    pub(super) fn complete(self, hints: &Hints, place: Place) -> Result<Tour, ReadError> {
        let board = match &hints.board {
            Some(board) => {
                self.agrees(board, place)?;
                board.clone()
            }
            None => self.board(hints, place)?,
        };
        let kind = hints.kind.or(self.kind);
        let kind = kind.unwrap_or_else(|| kind_by_ends(&board, &self.steps));
        Ok(Tour::from_steps(board, kind, self.steps))
    }

    fn board(&self, hints: &Hints, place: Place) -> Result<Board, ReadError> {
        let leaper = self.leaper.as_ref().or(hints.leaper.as_ref());
        let without_step = || {
            let steps = self.steps.iter().enumerate();
            steps
                .filter(|&(_, &step)| step == Tour::HOLE)
                .map(|(square, _)| square)
        };
        let holes = self
            .holes
            .clone()
            .unwrap_or_else(|| without_step().collect());
        Board::new(self.grid, leaper.cloned().unwrap_or(Leaper::KNIGHT))
            .with_holes(&holes)
            .map_err(|error| ReadError::Board { place, error })
    }

    fn agrees(&self, board: &Board, place: Place) -> Result<(), ReadError> {
        let holes = self.holes.clone().unwrap_or_else(|| board.holes().to_vec());
        let leaper = self.leaper.as_ref().unwrap_or(board.leaper());
        let found = Board::new(self.grid, leaper.clone())
            .with_holes(if self.grid == board.grid() {
                &holes
            } else {
                &[]
            })
            .map_err(|error| ReadError::Board { place, error })?;
        if found == *board {
            return Ok(());
        }
        Err(ReadError::OtherBoard {
            place,
            found: describe(&found),
            expected: describe(board),
        })
    }
}

/// Without a kind in text or hints, a tour whose ends are a move apart is taken for closed.
fn kind_by_ends(board: &Board, steps: &[u32]) -> Kind {
    let at = |step: usize| steps.iter().position(|&s| s as usize == step);
    let last = board.playable() - 1;
    match (at(0), at(last)) {
        (Some(start), Some(end)) if last >= 2 && board.is_move(start, end) => Kind::Closed,
        _ => Kind::Open,
    }
}

/// A step number as it is printed; `None` for what is none.
pub(super) fn step(number: f64) -> Option<u32> {
    let is_step = number.fract() == 0.0 && (0.0..f64::from(Tour::HOLE)).contains(&number);
    is_step.then_some(number as u32)
}

/// The grid and step numbers of rows that are given from the top, as they are printed: from 1, or
/// from 0 where one square has the step 0.
pub(super) fn from_rows(
    mut steps: Vec<u32>,
    cols: usize,
    place: Place,
) -> Result<(Grid, Vec<u32>), ReadError> {
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let rows = steps.len().checked_div(cols).unwrap_or(0);
    let grid = Grid::new(side(rows), side(cols)).map_err(|error| ReadError::Board {
        place,
        error: error.into(),
    })?;
    if cols == 2 && has_repeated(&steps) {
        return Err(ReadError::Numbers { place });
    }
    match steps.iter().filter(|&&step| step == 0).count() {
        0 => {
            let printed = steps.iter_mut().filter(|step| **step != Tour::HOLE);
            printed.for_each(|step| *step -= 1);
        }
        1 => {}
        zeros => return Err(ReadError::Zeros { place, zeros }),
    }
    // From the top to from the bottom.
    let mut rows: &mut [u32] = &mut steps;
    while rows.len() >= 2 * cols {
        let (top, rest) = rows.split_at_mut(cols);
        let (middle, bottom) = rest.split_at_mut(rest.len() - cols);
        top.swap_with_slice(bottom);
        rows = middle;
    }
    Ok((grid, steps))
}

/// Whether a step occurs twice: two columns of such numbers are coordinates.
fn has_repeated(steps: &[u32]) -> bool {
    let mut there = vec![false; steps.len() + 1];
    steps.iter().any(|&step| {
        let place = there.get_mut(step as usize);
        place.is_some_and(|there| std::mem::replace(there, true))
    })
}

/// A board with more squares than this for each that is named is refused before it is allocated,
/// unless it is small.
const SPARSEST: usize = 64;
const SMALL: usize = 1 << 16;

/// Boards up to this side are found from the names of squares alone.
const LARGEST_SIDE: u32 = 65_535;

/// Step numbers from the names of the squares in the order of the visit, on the given board or the
/// smallest that has them all.
pub(super) fn from_names<'a>(
    names: impl Iterator<Item = &'a [u8]>,
    grid: Option<Grid>,
    place: Place,
    ram: &Ram,
) -> Result<(Grid, Vec<u32>), ReadError> {
    let no_square = |error| match place {
        Place::Line(line) => ReadError::Square { line, error },
        Place::Tour(number) => ReadError::Object {
            number,
            problem: GridError::to_string(&error),
        },
    };
    let widest = Grid::new(LARGEST_SIDE, LARGEST_SIDE).map_err(no_square)?;
    let frame = grid.unwrap_or(widest);
    let mut order = Vec::new();
    let (mut rows, mut cols) = (1, 1);
    for name in names {
        let text =
            std::str::from_utf8(name).map_err(|_| GridError::NotASquare(super::excerpt(name)));
        let square = text
            .and_then(|text| frame.parse_square(without_piece(text)))
            .map_err(no_square)?;
        let (row, col) = frame.row_col(square);
        rows = rows.max(row as u32 + 1);
        cols = cols.max(col as u32 + 1);
        order.push(square as u32);
    }
    let grid = match grid {
        Some(grid) => grid,
        None => {
            let grid = Grid::new(rows, cols).map_err(no_square)?;
            for square in &mut order {
                let (row, col) = widest.row_col(*square as usize);
                *square = grid.square(row, col) as u32;
            }
            // A huge board is not allocated for a few distant squares: one of the first squares is
            // not visited.
            if grid.len() > order.len() {
                let square = first_missing(&order);
                let fault = Fault::NotVisited {
                    square: grid.name(square),
                };
                return Err(ReadError::Fault { place, fault });
            }
            grid
        }
    };
    if grid.len() > order.len().saturating_mul(SPARSEST).max(SMALL) {
        let square = grid.name(first_missing(&order));
        return Err(ReadError::Fault {
            place,
            fault: Fault::NotVisited { square },
        });
    }
    ram.require("reading the tour", 4 * grid.len() as u64)?;
    let mut steps = vec![Tour::HOLE; grid.len()];
    for (step, &square) in order.iter().enumerate() {
        let before = std::mem::replace(&mut steps[square as usize], step as u32);
        if before != Tour::HOLE {
            let fault = Fault::VisitedTwice {
                square: grid.name(square as usize),
                first: u64::from(before) + 1,
                second: step as u64 + 1,
            };
            return Err(ReadError::Fault { place, fault });
        }
    }
    Ok((grid, steps))
}

/// The smallest number that is not in the list.
fn first_missing(list: &[u32]) -> usize {
    let mut there = vec![false; list.len() + 1];
    for &number in list {
        if let Some(place) = there.get_mut(number as usize) {
            *place = true;
        }
    }
    there.iter().position(|&there| !there).unwrap_or(list.len())
}
