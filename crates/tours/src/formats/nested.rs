//! Rows in brackets, as lists and arrays are printed by programming languages: `[[1, 2], [3, 4]]`,
//! `{{1,2},{3,4}}`.

use everymove_kernel::run::Run;

use super::cells::{cells, has_name, names};
use super::json::Tours;
use super::parsed::{Parsed, from_names, from_rows};
use super::{Hints, Place, ReadError, excerpt};
use crate::tour::Tour;

/// Bytes for each byte of text: a cell of two bytes (`1,`) becomes a step of four in a vector that
/// grows.
const BYTES_PER_BYTE: u64 = 8;

/// Reads all tours of a text whose first line has the number `line`. The innermost brackets hold
/// rows from the top, or the squares of a tour in their order; what is outside of all brackets is
/// not part of a tour.
pub(super) fn read(
    text: &str,
    mut line: u64,
    hints: &Hints,
    run: &Run,
) -> Result<Vec<Tour>, ReadError> {
    let what = "reading the tours";
    let rows_held = run.ram.reserve(what, BYTES_PER_BYTE * text.len() as u64)?;
    let mut tours = Tours::new(hints, &run.ram);
    let (mut depth, mut row_depth) = (0u64, 0);
    let (mut steps, mut cols, mut first) = (Vec::new(), 0, line);
    // Where the bracket that was opened last begins, while nothing was closed since.
    let mut opened = None;
    for (at, c) in text.char_indices().skip(start(text)) {
        match c {
            '\n' => line += 1,
            '[' | '{' | '(' => {
                depth += 1;
                opened = Some((at + 1, line));
            }
            ']' | '}' | ')' => {
                run.stop.check()?;
                let row = opened.take().map(|(from, line)| (&text[from..at], line));
                if let Some((row, line)) = row {
                    let place = Place::Line(line);
                    let before = steps.len();
                    match cells(row, |step| steps.push(step)) {
                        Ok(()) if depth == 1 => return Err(ReadError::Numbers { place }),
                        Ok(()) => {}
                        Err(_) if has_name(row) => {
                            steps.truncate(before);
                            let grid = hints.board.as_ref().map(|board| board.grid());
                            let names = names(row).map(str::as_bytes);
                            let (grid, steps) = from_names(names, grid, place, &run.ram)?;
                            tours.push(Parsed::of_steps(grid, steps).complete(hints, place)?)?;
                        }
                        Err(cell) => {
                            let cell = excerpt(cell.as_bytes());
                            return Err(ReadError::NotAStep { line, cell });
                        }
                    }
                    let got = steps.len() - before;
                    match before {
                        0 => (cols, row_depth, first) = (got, depth, line),
                        _ if got == cols => {}
                        _ => {
                            let expected = cols;
                            return Err(ReadError::Ragged {
                                line,
                                got,
                                expected,
                            });
                        }
                    }
                } else if depth + 1 == row_depth && !steps.is_empty() {
                    let place = Place::Line(first);
                    let (grid, steps) = from_rows(std::mem::take(&mut steps), cols, place)?;
                    tours.push(Parsed::of_steps(grid, steps).complete(hints, place)?)?;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    drop(rows_held);
    if depth > 0 {
        return Err(ReadError::Unclosed { line: first });
    }
    tours.all()
}

/// How many characters come before the brackets of the first tour: `int tour[5][5] = {{1, ...`.
fn start(text: &str) -> usize {
    let is_open = |c: char| "[{(".contains(c);
    let mut before = None;
    for (at, c) in text.chars().enumerate() {
        match before {
            Some(from) if is_open(c) => return from,
            _ if is_open(c) => before = Some(at),
            _ if c.is_whitespace() => {}
            _ => before = None,
        }
    }
    0
}
