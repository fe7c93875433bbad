//! Lines and texts in memory that is taken from the budget.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader};
use std::ops::Deref;

use super::error::InputError;
use super::source::Input;
use crate::run::{Reservation, Run};

/// The lines of an input, one at a time.
#[derive(Debug)]
pub struct Lines {
    input: BufReader<Input>,
    /// The longest line in bytes, its end not counted.
    limit: usize,
    line: Vec<u8>,
    number: u64,
    held: Held,
}

impl Lines {
    /// The lines of `input`, none longer than `limit` bytes.
    pub fn new(input: Input, limit: usize) -> Self {
        Self {
            held: Held::new(&input),
            input: input.as_text().buffered(),
            limit,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line without its end (`\n` or `\r\n`); `None` after the last.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn next_line(&mut self) -> Result<Option<&str>, InputError> {
        if !self.advance()? {
            return Ok(None);
        }
        match std::str::from_utf8(&self.line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(InputError::NotText {
                name: self.name().to_owned(),
                line: self.number,
            }),
        }
    }

    /// Like [`Lines::next_line`] for formats that are not UTF-8.
    ///
    /// # Errors
    /// [`InputError`], but never [`InputError::NotText`].
    pub fn next_bytes(&mut self) -> Result<Option<&[u8]>, InputError> {
        Ok(self.advance()?.then_some(&*self.line))
    }

    /// The number of the line that was read last, from 1; 0 before the first.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The run under which it is read.
    pub fn run(&self) -> &Run {
        self.input.get_ref().run()
    }

    /// How messages call the input.
    pub fn name(&self) -> &str {
        self.input.get_ref().name()
    }

    /// Reads a line into `self.line`; false at the end of the input.
    fn advance(&mut self) -> Result<bool, InputError> {
        self.line.clear();
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(InputError::from_io(self.input.get_ref().name(), e)),
            };
            if bytes.is_empty() {
                if self.line.len() > self.limit {
                    return Err(self.too_long());
                }
                self.number += u64::from(!self.line.is_empty());
                return Ok(!self.line.is_empty());
            }
            let end = bytes.iter().position(|&b| b == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            // One byte more for the first half of a line end.
            if self.line.len() + part.len() > self.limit + 1 {
                return Err(self.too_long());
            }
            self.held.append(&mut self.line, part)?;
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                if self.line.last() == Some(&b'\r') {
                    self.line.pop();
                }
                if self.line.len() > self.limit {
                    return Err(self.too_long());
                }
                self.number += 1;
                return Ok(true);
            }
        }
    }

    fn too_long(&self) -> InputError {
        InputError::LongLine {
            name: self.name().to_owned(),
            line: self.number + 1,
            limit: self.limit as u64,
        }
    }
}

/// The memory of a buffer that grows.
#[derive(Debug)]
struct Held {
    run: Run,
    held: Option<Reservation>,
    /// The bytes of a regular file.
    file: u64,
}

impl Held {
    fn new(input: &Input) -> Self {
        Self {
            run: input.run().clone(),
            held: None,
            file: input.left().unwrap_or(0),
        }
    }

    /// Appends to the buffer; what it grows by is reserved first.
    fn append(&mut self, buffer: &mut Vec<u8>, bytes: &[u8]) -> Result<(), InputError> {
        let needed = buffer.len() + bytes.len();
        if needed > buffer.capacity() {
            let capacity = needed.max(2 * buffer.capacity());
            let what = "a text that is read";
            // While the buffer moves there are two.
            let both = (buffer.capacity() + capacity) as u64;
            let ram = &self.run.ram;
            // The rest of the file may come, and the buffer moves once more.
            let enough = ram.used() + 3 * self.file;
            let held = match &mut self.held {
                Some(held) => held,
                none => none.insert(ram.reserve(what, 0)?),
            };
            let resized = held.resize(what, both);
            resized.map_err(|over| over.at_least(enough))?;
            buffer.reserve_exact(capacity - buffer.len());
            held.resize(what, buffer.capacity() as u64)?;
        }
        buffer.extend_from_slice(bytes);
        Ok(())
    }
}

/// A text in memory that is given back to the budget when it is dropped.
#[derive(Debug)]
pub struct Text {
    text: String,
    _held: Option<Reservation>,
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// The whole text of an input.
///
/// # Errors
/// [`InputError::TooLarge`] if it has more than `limit` bytes, or another [`InputError`].
pub fn read_text(input: Input, limit: u64) -> Result<Text, InputError> {
    let name = input.name().to_owned();
    let (bytes, held) = read_bytes(input, limit)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + sound.iter().filter(|&&b| b == b'\n').count() as u64;
        InputError::NotText { name, line }
    })?;
    Ok(Text { text, _held: held })
}

/// Like [`read_text`] for formats older than UTF-8: see [`decoded`].
///
/// # Errors
/// [`InputError`], but never [`InputError::NotText`].
pub fn read_older_text(input: Input, limit: u64) -> Result<Text, InputError> {
    let run = input.run().clone();
    let (bytes, held) = read_bytes(input, limit)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Text { text, _held: held }),
        Err(error) => {
            let bytes = error.as_bytes();
            // Each byte becomes two at most.
            let held = run
                .ram
                .reserve("a text that is read", 2 * bytes.len() as u64)?;
            let mut text = String::with_capacity(2 * bytes.len());
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                text.push_str(&decoded(line));
            }
            Ok(Text {
                text,
                _held: Some(held),
            })
        }
    }
}

/// A line in UTF-8 or, if it is not, in ISO 8859-1.
pub fn decoded(line: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(line) {
        Ok(line) => Cow::Borrowed(line),
        Err(_) => Cow::Owned(line.iter().map(|&byte| char::from(byte)).collect()),
    }
}

fn read_bytes(input: Input, limit: u64) -> Result<(Vec<u8>, Option<Reservation>), InputError> {
    let name = input.name().to_owned();
    let mut held = Held::new(&input);
    let mut input = input.at_most(limit).as_text().buffered();
    let mut bytes = Vec::new();
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(InputError::from_io(&name, e)),
        };
        if part.is_empty() {
            return Ok((bytes, held.held));
        }
        held.append(&mut bytes, part)?;
        let used = part.len();
        input.consume(used);
    }
}
