//! Tours and boards in characters.

use clap::ValueEnum;
use everymove_draw::terminal;
use everymove_kernel::text::grouped;
use everymove_tours::board::{Board, Kind, Leaper};
use everymove_tours::formats::Format;
use everymove_tours::tour::{Magic, Tour};

use crate::terminal::{Format as ShownAs, Screen};

/// How tours are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FormatName {
    /// Step numbers in rows
    Grid,
    /// Squares in order: a1-b3-c5
    Squares,
    /// Step numbers separated by commas
    Csv,
    /// Squares in order separated by commas, one row a tour
    CsvRow,
    /// One JSON object per tour
    Json,
    /// Checked bytes, four per square
    Bin,
}

impl From<FormatName> for Format {
    fn from(format: FormatName) -> Self {
        match format {
            FormatName::Grid => Self::Grid,
            FormatName::Squares => Self::Squares,
            FormatName::Csv => Self::Csv,
            FormatName::CsvRow => Self::CsvRow,
            FormatName::Json => Self::Json,
            FormatName::Bin => Self::Bin,
        }
    }
}

/// Larger boards are not shown on the terminal unless a format is asked for.
const MAX_SIDE: usize = 40;

/// Columns of the narrowest usual terminal.
const COLUMNS: usize = 80;

/// Whether a board is shown on the terminal without being asked for.
pub(super) fn fits(tour: &Tour) -> bool {
    let grid = tour.board().grid();
    grid.rows().max(grid.cols()) <= MAX_SIDE
}

/// Step numbers in boxes, or without them where they would be too wide.
pub(super) fn grid(tour: &Tour) -> String {
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

/// The line of a tour, where it fits the width of a terminal.
pub(super) fn line(tour: &Tour) -> String {
    let closed = tour.kind() == Kind::Closed;
    terminal::line(tour.board().grid(), &tour.order(), closed, COLUMNS).unwrap_or_default()
}

/// What a verified tour is, in words: `closed tour of 64 squares`.
pub(super) fn words(tour: &Tour) -> String {
    let words = of_kind(tour);
    match tour.magic() {
        Some(magic) => format!("{words}, {}", magic_words(magic)),
        None => words,
    }
}

/// How the numbers of a tour add up, in words.
pub(super) fn magic_words(magic: Magic) -> &'static str {
    match magic {
        Magic::Semi => "semi-magic: equal sums of rows and of columns",
        Magic::Full => "magic: equal sums of rows, columns and diagonals",
    }
}

/// The magic ones of tours that are written.
#[derive(Default)]
pub(super) struct MagicTours {
    first: Vec<(u64, Magic)>,
    more: u64,
}

/// More magic tours are not named.
const MAX_NAMED: usize = 10;

impl MagicTours {
    /// Adds the tour with a number, counted from 1.
    pub(super) fn add(&mut self, number: u64, magic: Magic) {
        match self.first.len() < MAX_NAMED {
            true => self.first.push((number, magic)),
            false => self.more += 1,
        }
    }

    /// Says beside the answer which tours are magic.
    pub(super) fn report(&self, screen: &dyn Screen) {
        if screen.format() != ShownAs::Full {
            return;
        }
        for &(number, magic) in &self.first {
            screen.note(&format!(
                "tour {} is {}",
                grouped(number),
                magic_words(magic)
            ));
        }
        if self.more > 0 {
            screen.note(&format!("{} more tours are magic", grouped(self.more)));
        }
    }
}

fn of_kind(tour: &Tour) -> String {
    let (board, order) = (tour.board(), tour.order());
    let grid = board.grid();
    let (first, last) = (order.first().copied(), order.last().copied());
    match (tour.kind(), first.zip(last)) {
        (Kind::Closed, _) | (_, None) => {
            format!("closed tour of the {grid} board, {} squares", order.len())
        }
        (Kind::Open, Some((first, last))) => {
            let (start, end) = (grid.name(first), grid.name(last));
            let is_apart = board.neighbours(last).any(|square| square == first);
            let comes_back = if is_apart { ", a move apart" } else { "" };
            format!("open tour of the {grid} board from {start} to {end}{comes_back}")
        }
    }
}

/// A board in words: `8x8 board`, with its leaper and holes where they are not the usual ones.
pub(super) fn board_words(board: &Board) -> String {
    let (grid, leaper) = (board.grid(), board.leaper());
    let mut words = format!("{grid} board");
    let holes = board.holes();
    if !holes.is_empty() && holes.len() <= 8 {
        let names: Vec<_> = holes.iter().map(|&hole| grid.name(hole)).collect();
        words += &format!(" without {}", names.join(","));
    } else if !holes.is_empty() {
        words += &format!(" without {} squares", holes.len());
    }
    if leaper != Leaper::KNIGHT {
        words += &format!(" for the ({leaper})-leaper");
    }
    words
}
