//! Reading tours of whatever format.

use std::io::BufRead;

use everymove_kernel::grid::Grid;
use everymove_kernel::run::{Ram, Run};

use super::bin::BinReader;
use super::lines::{Line, Lines};
use super::parsed::{Parsed, from_names, from_printed};
use super::{Hints, Place, ReadError, bin, excerpt, json};
use crate::board::Board;
use crate::tour::Tour;

/// The tours of a source, one at a time; the format is recognised by the first bytes.
///
/// What is read may not be a tour: that is for [`crate::check`] to decide. After an error nothing more is returned.
pub struct Reader<R> {
    source: Source<R>,
    hints: Hints,
    ram: Ram,
    read: u64,
}

enum Source<R> {
    Grid(Lines<R>),
    Csv(Lines<R>),
    Squares(Lines<R>),
    Json(std::vec::IntoIter<Tour>),
    Bin(BinReader<R>),
    Ended,
}

impl<R: BufRead> Reader<R> {
    /// Recognises the format.
    ///
    /// # Errors
    /// [`ReadError`] if the source fails or is of no known format; of JSON, whatever is wrong with any of the tours.
    pub fn new(mut input: R, hints: Hints, run: &Run) -> Result<Self, ReadError> {
        let first = input.fill_buf()?.first().copied();
        let source = if first == Some(bin::MAGIC[0]) {
            Source::Bin(BinReader::new(input))
        } else {
            Self::text(Lines::new(input, run), &hints, run)?
        };
        Ok(Self {
            source,
            hints,
            ram: run.ram.clone(),
            read: 0,
        })
    }

    fn text(mut lines: Lines<R>, hints: &Hints, run: &Run) -> Result<Source<R>, ReadError> {
        let first = lines.next_filled()?.ok_or(ReadError::Empty)?;
        let commas = first.text.contains(&b',');
        let initial = first.text.first().copied().unwrap_or_default();
        let unknown = ReadError::NotRecognised {
            line: first.number,
            start: excerpt(first.text),
        };
        lines.repeat();
        Ok(match initial {
            b'{' | b'[' => {
                let text = lines.rest()?;
                Source::Json(json::read(text.bytes.trim_ascii(), hints, run)?.into_iter())
            }
            b'a'..=b'z' | b'A'..=b'Z' => Source::Squares(lines),
            b'0'..=b'9' | b'.' | b',' if commas => Source::Csv(lines),
            b'0'..=b'9' | b'.' => Source::Grid(lines),
            _ => return Err(unknown),
        })
    }

    fn read_next(&mut self) -> Result<Option<Tour>, ReadError> {
        self.read += 1;
        match &mut self.source {
            Source::Ended => Ok(None),
            Source::Json(tours) => Ok(tours.next()),
            Source::Bin(input) => {
                let number = self.read;
                let tour = input.next(&self.ram);
                let tour = tour.map_err(|error| ReadError::of_bin(number, error))?;
                tour.map(|tour| {
                    Parsed {
                        grid: tour.board().grid(),
                        leaper: Some(tour.board().leaper()),
                        holes: Some(tour.board().holes().to_vec()),
                        kind: Some(tour.kind()),
                        steps: tour.into_steps(),
                    }
                    .complete(&self.hints, Place::Tour(number))
                })
                .transpose()
            }
            Source::Squares(lines) => squares(lines, &self.hints, &self.ram),
            Source::Csv(lines) => rows(lines, Separator::Comma, &self.hints, &self.ram),
            Source::Grid(lines) => rows(lines, Separator::Blanks, &self.hints, &self.ram),
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Tour, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.read_next().transpose();
        if !matches!(next, Some(Ok(_))) {
            self.source = Source::Ended;
        }
        next
    }
}

const WHAT: &str = "reading the tour";

/// One tour from a line of names.
fn squares(
    lines: &mut Lines<impl BufRead>,
    hints: &Hints,
    ram: &Ram,
) -> Result<Option<Tour>, ReadError> {
    let Some(line) = lines.next_filled()? else {
        return Ok(None);
    };
    let grid = hints.board.as_ref().map(Board::grid);
    // Up to eight bytes for each name, which takes at least three bytes with its separator.
    ram.require(WHAT, 3 * line.text.len() as u64)?;
    let names = line.text.split(|b| b"-,; \t".contains(b));
    let place = Place::Line(line.number);
    let (grid, steps) = from_names(names.filter(|name| !name.is_empty()), grid, place, ram)?;
    let parsed = Parsed::of_steps(grid, steps);
    parsed.complete(hints, place).map(Some)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    Blanks,
    Comma,
}

/// One tour from rows of step numbers up to a blank line.
fn rows(
    lines: &mut Lines<impl BufRead>,
    separator: Separator,
    hints: &Hints,
    ram: &Ram,
) -> Result<Option<Tour>, ReadError> {
    let Some(Line { number: first, .. }) = lines.next_filled()? else {
        return Ok(None);
    };
    lines.repeat();
    let (mut rows, mut cols) = (0, 0);
    let mut steps = Vec::new();
    while let Some(Line { number, text }) = lines.next()? {
        if text.is_empty() {
            break;
        }
        // A vector that grows has twice the room it needs.
        ram.require(WHAT, 4 * (2 * steps.len() + text.len()) as u64)?;
        let before = steps.len();
        read_row(text, separator, &mut steps).map_err(|cell| ReadError::NotAStep {
            line: number,
            cell: excerpt(cell),
        })?;
        let got = steps.len() - before;
        if rows > 0 && got != cols {
            let expected = cols;
            return Err(ReadError::Ragged {
                line: number,
                got,
                expected,
            });
        }
        rows += 1;
        cols = got;
    }
    top_to_bottom(&mut steps, cols);
    let place = Place::Line(first);
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let grid = Grid::new(side(rows), side(cols)).map_err(|error| ReadError::Board {
        place,
        error: error.into(),
    })?;
    Parsed::of_steps(grid, steps)
        .complete(hints, place)
        .map(Some)
}

/// Appends the steps of a row, or returns the cell that is not a step.
fn read_row<'a>(
    text: &'a [u8],
    separator: Separator,
    steps: &mut Vec<u32>,
) -> Result<(), &'a [u8]> {
    let mut cell = |cell: &'a [u8]| {
        let hole = cell == b"." || cell.is_empty();
        let step = if hole { Some(Tour::HOLE) } else { step(cell) };
        steps.push(step.ok_or(cell)?);
        Ok(())
    };
    match separator {
        Separator::Comma => text
            .split(|&b| b == b',')
            .try_for_each(|part| cell(part.trim_ascii())),
        Separator::Blanks => text
            .split(u8::is_ascii_whitespace)
            .filter(|part| !part.is_empty())
            .try_for_each(cell),
    }
}

fn step(cell: &[u8]) -> Option<u32> {
    let number = cell.iter().try_fold(0u64, |number, &digit| {
        if !digit.is_ascii_digit() {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    from_printed(number?)
}

/// Turns rows given from the top into rows from the bottom, in place.
fn top_to_bottom(steps: &mut [u32], cols: usize) {
    let mut rows: &mut [u32] = steps;
    while rows.len() >= 2 * cols && cols > 0 {
        let (top, rest) = rows.split_at_mut(cols);
        let (middle, bottom) = rest.split_at_mut(rest.len() - cols);
        top.swap_with_slice(bottom);
        rows = middle;
    }
}
