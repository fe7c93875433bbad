//! A text line by line: counted, without comments, with one line of looking ahead.

use std::io::{self, BufRead};

/// A line with its number, counted from 1, without blanks around it.
pub(super) struct Line<'a> {
    pub(super) number: u64,
    pub(super) text: &'a [u8],
}

/// Lines of a source. A line that begins with `#` is passed over.
pub(super) struct Lines<R> {
    input: R,
    line: Vec<u8>,
    number: u64,
    /// The line is to be given once more.
    held: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            number: 0,
            held: false,
        }
    }

    /// The next line, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        while !std::mem::take(&mut self.held) {
            self.line.clear();
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.number == 1 && self.line.starts_with(b"\xEF\xBB\xBF") {
                self.line.drain(..3);
            }
            if !self.line.starts_with(b"#") {
                break;
            }
        }
        Ok(Some(self.last()))
    }

    /// The next line that is not blank.
    pub(super) fn next_filled(&mut self) -> io::Result<Option<Line<'_>>> {
        while let Some(line) = self.next()? {
            if !line.text.is_empty() {
                return Ok(Some(self.last()));
            }
        }
        Ok(None)
    }

    fn last(&self) -> Line<'_> {
        Line {
            number: self.number,
            text: self.line.trim_ascii(),
        }
    }

    /// Gives the last line once more.
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The last line and all that follows, as it is.
    pub(super) fn rest(mut self) -> io::Result<Vec<u8>> {
        self.input.read_to_end(&mut self.line)?;
        Ok(self.line)
    }
}
