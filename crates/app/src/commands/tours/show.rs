//! Tours in characters.

use everymove_draw::terminal;
use everymove_tours::board::Kind;
use everymove_tours::check::Report;
use everymove_tours::tour::Tour;

/// Larger boards are not shown on the terminal unless a format is asked for.
const MAX_SIDE: usize = 40;

/// Columns of a terminal that nobody's is narrower than.
const COLUMNS: usize = 80;

/// Whether a board is shown on the terminal without being asked for.
pub(crate) fn fits(tour: &Tour) -> bool {
    let grid = tour.board().grid();
    grid.rows().max(grid.cols()) <= MAX_SIDE
}

/// Step numbers in boxes, or without them where they would be too wide.
pub(crate) fn grid(tour: &Tour) -> String {
    let grid = tour.board().grid();
    let steps = tour.steps();
    let cell = |square: usize| {
        let step = steps[square];
        (step != Tour::HOLE).then(|| u64::from(step) + 1)
    };
    let boxed = terminal::boxed(grid, cell);
    match boxed.lines().next().map(|line| line.chars().count()) {
        Some(width) if width <= COLUMNS => boxed,
        _ => terminal::plain(grid, cell),
    }
}

/// The line of a tour, where the terminal has room for it.
pub(crate) fn line(tour: &Tour) -> String {
    let closed = tour.kind() == Kind::Closed;
    terminal::line(tour.board().grid(), &tour.order(), closed, COLUMNS).unwrap_or_default()
}

/// What a verified tour is, in words: `closed tour of 64 squares`.
pub(crate) fn words(tour: &Tour, report: &Report) -> String {
    let grid = tour.board().grid();
    match tour.kind() {
        Kind::Closed => format!(
            "closed tour of the {grid} board, {} squares",
            report.squares
        ),
        Kind::Open => {
            let (start, end) = (grid.name(report.start), grid.name(report.end));
            let comes_back = if report.closed { ", a move apart" } else { "" };
            format!("open tour of the {grid} board from {start} to {end}{comes_back}")
        }
    }
}

/// The squares in the order of the visit: `a1-b3-c5`.
pub(crate) fn squares(tour: &Tour) -> String {
    let grid = tour.board().grid();
    let names: Vec<_> = tour
        .order()
        .into_iter()
        .map(|square| grid.name(square))
        .collect();
    names.join("-")
}
