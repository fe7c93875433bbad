//! Boustrophedon tours of the (0,1)-leaper: row by row in alternating directions.

use everymove_kernel::grid::Grid;

/// The step of each square, row by row from the bottom, on an open tour.
pub(super) fn open(grid: Grid) -> Vec<u32> {
    by_row_and_col(grid, |row, col| {
        row * grid.cols() + column_step(row, col, grid.cols())
    })
}

/// The same for a closed tour; both sides must be at least two. One line is the way back. Where no
/// side is even, the last two lines are visited together, and a diagonal move leads from there to
/// the way back.
pub(super) fn closed(grid: Grid) -> Vec<u32> {
    let (rows, cols) = (grid.rows(), grid.cols());
    let step = |row: usize, col: usize, rows: usize, width: usize| match (row, col) {
        (0, 0) => 0,
        (row, 0) => rows * (width - 1) + rows - row,
        (row, col) if !rows.is_multiple_of(2) && row + 2 >= rows => {
            let before = 1 + (rows - 2) * (width - 1) + 2 * (width - 1 - col);
            before + column_step(width - 1 - col, row + 2 - rows, 2)
        }
        (row, col) => 1 + row * (width - 1) + column_step(row, col - 1, width - 1),
    };
    if rows.is_multiple_of(2) {
        by_row_and_col(grid, |row, col| step(row, col, rows, cols))
    } else {
        by_row_and_col(grid, |row, col| step(col, row, cols, rows))
    }
}

fn column_step(row: usize, col: usize, cols: usize) -> usize {
    if row.is_multiple_of(2) {
        col
    } else {
        cols - 1 - col
    }
}

fn by_row_and_col(grid: Grid, step: impl Fn(usize, usize) -> usize) -> Vec<u32> {
    let mut steps = Vec::with_capacity(grid.len());
    for row in 0..grid.rows() {
        steps.extend((0..grid.cols()).map(|col| step(row, col) as u32));
    }
    steps
}
