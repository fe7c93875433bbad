//! Reading tours of whatever format.

use std::io::BufRead;

use everymove_kernel::run::{Ram, Run};

use super::bin::BinReader;
use super::cells::{cells, has_name, is_caption, is_rule, names};
use super::lines::{Line, Lines};
use super::parsed::{Parsed, from_names, from_rows};
use super::{Hints, Place, ReadError, bin, excerpt, json, nested};
use crate::board::Board;
use crate::tour::Tour;

/// The tours of a source, one at a time; the format is recognised by the first bytes.
///
/// What is read may not be a tour: that is for [`crate::check`] to decide. After an error nothing
/// more is returned.
pub struct Reader<R> {
    source: Source<R>,
    hints: Hints,
    ram: Ram,
    read: u64,
}

/// Longer words are no tour.
const LONGEST_WORD: usize = 1 << 10;

enum Source<R> {
    Rows(Lines<R>),
    Squares(Lines<R>),
    /// Of a text that is read as a whole.
    All(std::vec::IntoIter<Tour>),
    Bin(BinReader<R>),
    Ended,
}

impl<R: BufRead> Reader<R> {
    /// Recognises the format.
    ///
    /// # Errors
    /// [`ReadError`] if the source fails or is of no known format; of JSON, whatever is wrong with
    /// any of the tours.
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
        let number = first.number;
        if first.text.starts_with(b"\xFF\xFE") || first.text.starts_with(b"\xFE\xFF") {
            return Err(ReadError::Utf16);
        }
        let unknown = ReadError::NotRecognised {
            line: number,
            start: excerpt(first.text),
        };
        // No word of a tour is as long.
        let head = &first.text[..first.text.len().min(LONGEST_WORD)];
        let separates = |b: &u8| *b >= 0x80 || b" \t-,;:>=|\"'()[]{}/".contains(b);
        if head.len() == LONGEST_WORD && !head.iter().any(separates) {
            return Err(unknown);
        }
        let Ok(text) = std::str::from_utf8(first.text) else {
            return Err(unknown);
        };
        if text.contains(['[', '{']) || text.starts_with('(') || text.contains("((") {
            let text = lines.rest()?;
            let text = text.bytes.trim_ascii();
            let inner = text[1..].iter().find(|b| !b.is_ascii_whitespace());
            let is_json = match (text[0], inner) {
                (b'{', Some(first)) => !b"{[(".contains(first) && !first.is_ascii_digit(),
                (b'[', Some(first)) => b"{]".contains(first),
                (_, first) => first.is_none(),
            };
            let tours = match (is_json, std::str::from_utf8(text)) {
                (true, _) => json::read(text, hints, run)?,
                (false, Ok(text)) => nested::read(text, number, hints, run)?,
                (false, Err(_)) => return Err(unknown),
            };
            return Ok(Source::All(tours.into_iter()));
        }
        let is_row = cells(text, |_| {}).is_ok();
        let initial = text.chars().next().unwrap_or_default();
        let is_squares = !is_row && (has_name(text) || initial.is_ascii_alphabetic());
        let may_be_row = is_row || initial.is_ascii_digit() || ".,;|│\"'".contains(initial);
        lines.repeat();
        match (is_squares, may_be_row) {
            (true, _) => Ok(Source::Squares(lines)),
            (false, true) => Ok(Source::Rows(lines)),
            (false, false) => Err(unknown),
        }
    }

    fn read_next(&mut self) -> Result<Option<Tour>, ReadError> {
        self.read += 1;
        match &mut self.source {
            Source::Ended => Ok(None),
            Source::All(tours) => Ok(tours.next()),
            Source::Bin(input) => {
                let number = self.read;
                let tour = input.next(&self.ram);
                let tour = tour.map_err(|error| ReadError::of_bin(number, error))?;
                tour.map(|tour| {
                    Parsed {
                        grid: tour.board().grid(),
                        leaper: Some(tour.board().leaper().clone()),
                        holes: Some(tour.board().holes().to_vec()),
                        kind: Some(tour.kind()),
                        steps: tour.into_steps(),
                    }
                    .complete(&self.hints, Place::Tour(number))
                })
                .transpose()
            }
            Source::Squares(lines) => squares(lines, &self.hints, &self.ram),
            Source::Rows(lines) => rows(lines, &self.hints, &self.ram),
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

/// One tour from a line of names, or from lines of one name each.
fn squares(
    lines: &mut Lines<impl BufRead>,
    hints: &Hints,
    ram: &Ram,
) -> Result<Option<Tour>, ReadError> {
    let Some(line) = lines.next_filled()? else {
        return Ok(None);
    };
    let place = Place::Line(line.number);
    let of_text = |text: &[u8]| {
        // Up to eight bytes for each name, which takes at least three bytes with its separator.
        ram.require(WHAT, 3 * text.len() as u64)?;
        let not_text = |_| ReadError::NotRecognised {
            line: line.number,
            start: excerpt(text),
        };
        let names = names(std::str::from_utf8(text).map_err(not_text)?);
        let grid = hints.board.as_ref().map(Board::grid);
        let (grid, steps) = from_names(names.map(str::as_bytes), grid, place, ram)?;
        Parsed::of_steps(grid, steps)
            .complete(hints, place)
            .map(Some)
    };
    if !is_one_name(line.text) {
        return of_text(line.text);
    }
    let first = line.text.to_vec();
    let mut column = first.clone();
    while let Some(next) = lines.next()? {
        if next.text.is_empty() {
            break;
        }
        // The same square again is another tour of a board of one square.
        if !is_one_name(next.text) || next.text == first {
            lines.repeat();
            break;
        }
        ram.require(WHAT, 2 * (column.len() + next.text.len()) as u64)?;
        column.push(b' ');
        column.extend_from_slice(next.text);
    }
    of_text(&column)
}

fn is_one_name(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| names(text).nth(1).is_none())
}

/// One tour from rows of step numbers up to a blank line or a caption.
fn rows(
    lines: &mut Lines<impl BufRead>,
    hints: &Hints,
    ram: &Ram,
) -> Result<Option<Tour>, ReadError> {
    let Some(Line { number: first, .. }) = lines.next_filled()? else {
        return Ok(None);
    };
    lines.repeat();
    let mut cols = 0;
    let mut steps = Vec::new();
    while let Some(Line { number, text }) = lines.next()? {
        // A vector that grows has twice the room it needs.
        ram.require(WHAT, 4 * (2 * steps.len() + text.len()) as u64)?;
        let before = steps.len();
        let text = std::str::from_utf8(text).map_err(|_| ReadError::NotAStep {
            line: number,
            cell: excerpt(text),
        })?;
        if text.is_empty() || is_caption(text) {
            break;
        }
        if is_rule(text) {
            continue;
        }
        cells(text, |step| steps.push(step)).map_err(|cell| ReadError::NotAStep {
            line: number,
            cell: excerpt(cell.as_bytes()),
        })?;
        let got = steps.len() - before;
        if before > 0 && got != cols {
            let expected = cols;
            return Err(ReadError::Ragged {
                line: number,
                got,
                expected,
            });
        }
        cols = got;
    }
    let place = Place::Line(first);
    let (grid, steps) = from_rows(steps, cols, place)?;
    Parsed::of_steps(grid, steps)
        .complete(hints, place)
        .map(Some)
}
