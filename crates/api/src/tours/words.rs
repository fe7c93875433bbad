//! Tours and boards in characters.

use clap::ValueEnum;
use everymove_draw::terminal;
use everymove_kernel::text::grouped;
use everymove_tours::board::{Board, Kind, Leaper};
use everymove_tours::formats::Format;
use everymove_tours::tour::{Magic, Tour};
use schemars::JsonSchema;
use serde::Serialize;

use super::text::TourText;
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

/// How the numbers of a tour add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum MagicKind {
    /// Equal sums of rows and of columns.
    #[serde(rename = "semi-magic")]
    Semi,
    /// Equal sums of rows, columns and diagonals.
    #[serde(rename = "magic")]
    Full,
}

impl From<Magic> for MagicKind {
    fn from(magic: Magic) -> Self {
        match magic {
            Magic::Semi => Self::Semi,
            Magic::Full => Self::Full,
        }
    }
}

/// A magic tour of a list.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct MagicTour {
    /// Its place in the list, counted from 1.
    pub tour: u64,
    /// How its numbers add up.
    pub magic: MagicKind,
}

/// The magic ones of tours that are listed.
#[derive(Clone, Debug, Default)]
pub(super) struct MagicTours {
    first: Vec<(u64, Magic)>,
    number: usize,
}

/// More magic tours are not in an answer.
const MAX_MAGIC: usize = 1000;

/// More magic tours are not named beside an answer.
const MAX_NAMED: usize = 10;

impl MagicTours {
    /// Those of a list.
    pub(super) fn of(tours: &[TourText]) -> Self {
        let mut magic = Self::default();
        for (number, TourText(tour)) in (1..).zip(tours) {
            magic.add(number, tour);
        }
        magic
    }

    /// Adds the tour with a number, counted from 1, if it is magic.
    pub(super) fn add(&mut self, number: u64, tour: &Tour) {
        let Some(magic) = tour.magic() else {
            return;
        };
        self.number += 1;
        if self.first.len() < MAX_MAGIC {
            self.first.push((number, magic));
        }
    }

    /// The first of them, at most a thousand.
    pub(super) fn list(&self) -> Vec<MagicTour> {
        let tour = |&(tour, magic): &(u64, Magic)| MagicTour {
            tour,
            magic: magic.into(),
        };
        self.first.iter().map(tour).collect()
    }

    /// Says beside the answer which tours are magic.
    pub(super) fn report(&self, screen: &dyn Screen) {
        if screen.format() != ShownAs::Full {
            return;
        }
        for &(number, magic) in self.first.iter().take(MAX_NAMED) {
            screen.note(&format!(
                "tour {} is {}",
                grouped(number),
                magic_words(magic)
            ));
        }
        if self.number > MAX_NAMED {
            let more = self.number - MAX_NAMED;
            screen.note(&format!("{} more tours are magic", grouped(more)));
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
    if *leaper != Leaper::KNIGHT {
        words += &format!(" for the {}", leaper.words());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beverley's tour of 1848.
    const BEVERLEY: [u32; 64] = [
        1, 30, 47, 52, 5, 28, 43, 54, 48, 51, 2, 29, 44, 53, 6, 27, 31, 46, 49, 4, 25, 8, 55, 42,
        50, 3, 32, 45, 56, 41, 26, 7, 33, 62, 15, 20, 9, 24, 39, 58, 16, 19, 34, 61, 40, 57, 10,
        23, 63, 14, 17, 36, 21, 12, 59, 38, 18, 35, 64, 13, 60, 37, 22, 11,
    ];

    #[test]
    fn magic_tours_are_in_the_answer() {
        let board = Board::knight(8, 8).unwrap();
        let steps = BEVERLEY.map(|number| number - 1);
        let magic = Tour::from_steps(board.clone(), Kind::Open, steps.to_vec());
        let mut steps = magic.steps().to_vec();
        steps.swap(0, 1);
        let other = Tour::from_steps(board, Kind::Open, steps);
        let list = MagicTours::of(&[TourText(other), TourText(magic)]).list();
        let json = serde_json::to_string(&list).unwrap();
        assert_eq!(json, r#"[{"tour":2,"magic":"semi-magic"}]"#);
    }
}
