//! A text line by line: counted, without comments, in memory that is reserved from the budget.

use std::io::{self, BufRead};

use everymove_kernel::run::{Reservation, Run};

use super::ReadError;
use super::cells::{is_caption, is_rule};

/// A line with its number, counted from 1, without blanks around it.
pub(super) struct Line<'a> {
    pub(super) number: u64,
    pub(super) text: &'a [u8],
}

/// Lines of a source. A line that begins with `#` is skipped.
pub(super) struct Lines<R> {
    input: R,
    buffer: Buffer,
    number: u64,
    /// The next call returns the current line again.
    repeat: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, run: &Run) -> Self {
        Self {
            input,
            buffer: Buffer::new(run),
            number: 0,
            repeat: false,
        }
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        while !std::mem::take(&mut self.repeat) {
            self.buffer.bytes.clear();
            if self.buffer.append_line(&mut self.input)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.number == 1 && self.buffer.bytes.starts_with(b"\xEF\xBB\xBF") {
                self.buffer.bytes.drain(..3);
            }
            if !self.buffer.bytes.starts_with(b"#") {
                break;
            }
        }
        Ok(Some(self.current()))
    }

    /// The next line that is not blank and does not belong to the picture of a board around its
    /// numbers.
    pub(super) fn next_filled(&mut self) -> Result<Option<Line<'_>>, ReadError> {
        while let Some(line) = self.next()? {
            let is_around = |text| is_rule(text) || is_caption(text);
            if !line.text.is_empty() && !std::str::from_utf8(line.text).is_ok_and(is_around) {
                return Ok(Some(self.current()));
            }
        }
        Ok(None)
    }

    fn current(&self) -> Line<'_> {
        Line {
            number: self.number,
            text: self.buffer.bytes.trim_ascii(),
        }
    }

    /// Returns the current line once more.
    pub(super) fn repeat(&mut self) {
        self.repeat = true;
    }

    /// The current line and all that follows, as it is.
    pub(super) fn rest(mut self) -> Result<Buffer, ReadError> {
        while self.buffer.append_part(&mut self.input)? > 0 {}
        Ok(self.buffer)
    }
}

/// Bytes whose memory is reserved from the budget while they are kept.
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    run: Run,
    held: Option<Reservation>,
}

impl Buffer {
    fn new(run: &Run) -> Self {
        Self {
            bytes: Vec::new(),
            run: run.clone(),
            held: None,
        }
    }

    /// Appends up to and including the next line break; the number of bytes.
    fn append_line(&mut self, input: &mut impl BufRead) -> Result<usize, ReadError> {
        let mut appended = 0;
        loop {
            let part = filled(input)?;
            let end = part.iter().position(|&b| b == b'\n').map(|at| at + 1);
            let part = &part[..end.unwrap_or(part.len())];
            self.append(part)?;
            let used = part.len();
            input.consume(used);
            appended += used;
            if end.is_some() || used == 0 {
                return Ok(appended);
            }
        }
    }

    /// Appends the bytes that the input has buffered; 0 bytes at its end.
    fn append_part(&mut self, input: &mut impl BufRead) -> Result<usize, ReadError> {
        let part = filled(input)?;
        self.append(part)?;
        let used = part.len();
        input.consume(used);
        Ok(used)
    }

    /// Reserves what the bytes grow by, then appends.
    fn append(&mut self, part: &[u8]) -> Result<(), ReadError> {
        self.run.stop.check()?;
        let needed = self.bytes.len() + part.len();
        if needed > self.bytes.capacity() {
            let capacity = needed.max(2 * self.bytes.capacity());
            // While the bytes move there are two copies.
            let both = (self.bytes.capacity() + capacity) as u64;
            let what = "reading the tours";
            let held = match &mut self.held {
                Some(held) => {
                    held.resize(what, both)?;
                    held
                }
                none => none.insert(self.run.ram.reserve(what, both)?),
            };
            self.bytes.reserve_exact(capacity - self.bytes.len());
            held.resize(what, self.bytes.capacity() as u64)?;
        }
        self.bytes.extend_from_slice(part);
        Ok(())
    }
}

fn filled(input: &mut impl BufRead) -> io::Result<&[u8]> {
    // The borrow checker takes a buffer returned from a loop for borrowed in all rounds: so two
    // calls.
    while let Err(error) = input.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    input.fill_buf()
}
